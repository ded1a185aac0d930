/** Copies of rows that are imported or migrated. */
import { Readable } from 'node:stream';
import {
  Column,
  copies,
  copyOf,
  type Database,
  Entity,
  indexOn,
  indexes,
  literal,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { everyKey } from '../../../../src/base/index.js';
import { collectRows } from '../../../../src/data/store/index.js';
import { importRows, migrate } from '../../../../src/tools/transfer/index.js';

@Entity({ table: 'old-authors', families: { m: {} } })
class OldAuthor {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'authorId') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class NewPost {
  static readonly key = rowKey(literal('v2'), 'tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'authorId') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}

let db: Database;
const nameOf = async (id: string): Promise<string | undefined> =>
  (await db.repository(Post).get({ tenant: 't', id }))?.authorName;

beforeEach(async () => {
  db = await open('memory:', { entities: [OldAuthor, Author, Post, NewPost] });
  const authors = db.repository(Author);
  await authors.save(authors.create({ tenant: 't', id: 'a', name: 'Ann' }));
});
afterEach(() => db.close());

test.each([
  ['the database', () => [db.repository(Author).model, db.repository(Post).model]],
  [
    'a scope',
    () => {
      const scope = db.scope({ tenant: 't' });
      return [scope.repository(Author).model, scope.repository(Post).model];
    },
  ],
])('imported posts have copies, and posts follow imported authors: %s', async (_of, modelsOf) => {
  const [authors, posts] = modelsOf();
  const isScoped = authors.key.scope !== undefined;
  const importRow = async (model: typeof authors, row: object): Promise<void> => {
    const line = JSON.stringify(isScoped ? row : { tenant: 't', ...row });
    const source = Readable.from([Buffer.from(line)]);
    await importRows(db.engine, model, source, { format: 'jsonl' });
  };
  await importRow(posts, { id: '1', authorId: 'a', authorName: 'forged' });
  expect(await nameOf('1')).toBe('Ann');
  await importRow(authors, { id: 'a', name: 'Ann B.' });
  expect(await nameOf('1')).toBe('Ann B.');
  for await (const { key } of db.derived.pending(Author)) expect(key).toBeUndefined();
});

test('migrated posts have copies, and a repair writes the copies of migrated authors', async () => {
  const posts = db.repository(Post);
  for (const id of ['1', '2']) await posts.save(posts.create({ tenant: 't', id, authorId: 'a' }));
  await db.repository(Author).patch({ tenant: 't', id: 'a' }, { name: 'Ann B.' });
  await posts.patch({ tenant: 't', id: '1' }, { authorId: 'a' });
  // As a program leaves it that is stopped.
  const [cell] = await collectRows(
    db.engine.readRows({ table: 'posts', ranges: [everyKey], reversed: false }),
  ).then((rows) =>
    rows[1].cells.filter(({ qualifier }) => Buffer.from(qualifier).toString() === 'authorId'),
  );
  const { timestamp } = cell;
  const stale = { family: 'm', qualifier: Buffer.from('authorName'), timestamp };
  const mutations = [
    { kind: 'deleteFromColumn', family: 'm', qualifier: stale.qualifier } as const,
    { kind: 'setCell', ...stale, value: Buffer.from('Ann') } as const,
  ];
  await db.engine.mutateRow('posts', { key: Buffer.from('t#2'), mutations });
  await migrate(db.engine, { from: Post, to: NewPost });
  for (const id of ['1', '2']) {
    const moved = await db.repository(NewPost).get({ tenant: 't', id });
    expect(moved).toMatchObject({ authorId: 'a', authorName: 'Ann B.' });
  }
  const old = db.repository(OldAuthor);
  await old.save(old.create({ tenant: 't', id: 'a', name: 'Ann C.' }));
  await migrate(db.engine, { from: OldAuthor, to: Author });
  expect(await nameOf('1')).toBe('Ann B.');
  expect(await db.derived.repair(Post)).toMatchObject({ found: { 'stale copy': 2 }, repaired: 2 });
  expect(await nameOf('1')).toBe('Ann C.');
});
