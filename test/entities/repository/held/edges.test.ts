/** What is declared of values, where other features write or read: each was a fault once. */
import { Readable } from 'node:stream';
import {
  aggregate,
  bufferedCounters,
  Column,
  copies,
  copyOf,
  Counter,
  Entity,
  type EntityClass,
  type Generated,
  indexes,
  indexOn,
  open,
  type RowsmithError,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/index.js';

@Entity({ table: 'pages', families: { m: {}, c: aggregate('sum') } })
class Page {
  static readonly key = rowKey('site');
  static beforeWrite(page: Page): void {
    page.seen = `${page.state}`;
  }
  @Segment('string', { pattern: /^[a-z]+$/ }) site!: string;
  @Column('m', 'string', { default: 'abc' }) text?: string;
  @Column('m', 'string', { initial: 'new' }) state?: string;
  @Column('m', 'string', { oneOf: ['a', 'b'] }) kind?: 'a' | 'b';
  @Column('m', 'string') seen?: string;
  @Counter('c') views?: bigint;
}

async function opened() {
  const db = await open('memory:', { entities: [Page] });
  return { db, pages: db.repository(Page) };
}

test('a column with a default is not appended to: the default is not stored', async () => {
  const { db, pages } = await opened();
  await pages.save(pages.create({ site: 'x' }));
  await expect(pages.append({ site: 'x' }, { text: 'd' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'text' },
  });
  expect((await pages.get({ site: 'x' }))?.text).toBe('abc');
  await db.close();
});

test('buffered counters hold the rules of the key', async () => {
  const { db, pages } = await opened();
  const counters = bufferedCounters(pages);
  expect(() => counters.add({ site: 'UPPER' }, 'views', 1n)).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED' }),
  );
  await counters.close();
  expect(await pages.scanAll().count()).toBe(0);
  await db.close();
});

test('an import without validation holds what the entity declares', async () => {
  const { db, pages } = await opened();
  const line = Readable.from([Buffer.from('{"site":"x","kind":"z"}\n')]);
  expect(
    await importRows(db.engine, pages.model, line, { format: 'jsonl', validate: false }),
  ).toMatchObject({ written: 0, rejected: 1 });
  await db.close();
});

test('beforeWrite sees the initial values that insert stores', async () => {
  const { db, pages } = await opened();
  await pages.insert(Object.assign(new Page(), { site: 'x' }));
  expect(await pages.get({ site: 'x' })).toMatchObject({ state: 'new', seen: 'new' });
  await db.close();
});

test('a generated ulid sorts by the time of its creation', async () => {
  @Entity({ table: 'notes', families: { m: {} } })
  class Note {
    static readonly key = rowKey('id');
    @Segment('ulid', { generate: 'ulid' }) id!: Generated<string>;
    @Column('m', 'string') text?: string;
  }
  await using db = await open('memory:', { entities: [Note] });
  const ids = [1, 2, 3].map(() => db.repository(Note).create({ text: 'x' }).id);
  for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const times = ids.map((id) => id.slice(0, 10));
  expect([...times].sort()).toEqual(times);
  expect(new Set(ids).size).toBe(3);
});

/** The problems of opening a class. */
async function problems(...entities: EntityClass[]): Promise<string[]> {
  const error: unknown = await open('memory:', { entities }).then(
    (db) => db.close(),
    (reason: unknown) => reason,
  );
  return ((error as RowsmithError | undefined)?.details.faults ?? []).map(({ problem }) => problem);
}

test('rules that no value can keep are faults of the declaration', async () => {
  @Entity({ table: 'wrong', families: { m: {} } })
  class Wrong {
    static readonly key = rowKey('id', 'note');
    @Segment('uuid', { generate: 'uuid', nullable: true }) id!: string;
    @Segment('string', { generate: 'ulid', maxLength: 20 }) note!: string;
    @Column('m', 'float', { max: 0.1 }) share?: number;
    @Column('m', 'int32', { default: -1, min: 0 }) count?: number;
    @Column('m', 'int32', { initial: 5, max: 2 }) level?: number;
    @Column('m', 'string', { oneOf: ['open'], maxLength: 2 }) state?: 'open';
  }
  expect(await problems(Wrong)).toEqual(
    expect.arrayContaining([
      'the segment may be null, and null would be replaced by a generated id',
      'a generated id has 26 characters, more than maxLength',
      '0.1 is not a number of 32 bits, and reads as 0.10000000149011612',
      'default breaks the rules of the column: the number -1 is not at least 0',
      'initial breaks the rules of the column: the number 5 is not at most 2',
      'oneOf breaks the rules of the column: its length is 4, more than 2',
    ]),
  );
});

test('a copy has the rules of its source', async () => {
  @Entity({ table: 'authors', families: { m: {} } })
  class Author {
    static readonly key = rowKey('author');
    @Segment('string') author!: string;
    @Column('m', 'string') name?: string;
  }
  @Entity({ table: 'posts', families: { m: {} } })
  class Post {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byAuthor: indexOn('author') });
    static readonly copies = copies({
      authorName: copyOf(() => Author, 'name', { author: 'author' }),
    });
    @Segment('string') id!: string;
    @Column('m', 'string') author?: string;
    @Column('m', 'string', { maxLength: 3 }) authorName?: string;
  }
  expect(await problems(Post, Author)).toEqual([
    "is a copy of 'name' of Author, and has rules, which its source does not know",
  ]);
});
