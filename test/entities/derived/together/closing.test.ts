/** close() waits for writes that have begun, however many requests they take. */
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  open,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('author').including('text') });
  static readonly copies = copies({ name: copyOf(() => Author, 'name', { id: 'author' }) });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') text?: string;
}

@Entity({ table: 'sales', families: { m: {} } })
class Sale {
  static readonly key = rowKey('shop', 'at');
  static readonly rollups = rollups({
    daily: { by: ['shop', { time: 'at', every: '1d' }], values: { count: 'count' } },
    hourly: {
      by: ['shop', { time: 'at', every: '1h' }],
      values: { total: { sum: 'amount' } },
    },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') amount?: bigint;
}

const entities = [Author, Post, Sale] as const;

/** Closing waits for at most 10 s: so much longer here, where the machine may be busy. */
function waitLonger(): void {
  const original = setTimeout;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run: () => void, ms?: number) =>
      original(run, ms === 10_000 ? 60 * ms : ms),
    );
}
afterEach(() => void jest.restoreAllMocks());

test('writes that began before close() are made, and later ones are rejected', async () => {
  waitLonger();
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  const options = { entities: [...entities], lint: false, durability: 'relaxed' as const };
  let db = await open(`file:${folder}`, options);
  const authors = db.repository(Author);
  const posts = db.repository(Post);
  const sales = db.repository(Sale);
  const begun = [
    authors.save(authors.create({ id: 'ann', name: 'Ann' })),
    ...Array.from({ length: 50 }, (_, i) =>
      posts.save(posts.create({ id: `${i}`, author: 'ann', text: 'x' })),
    ),
    posts.saveMany(
      Array.from({ length: 200 }, (_, i) =>
        posts.create({ id: `many${i}`, author: 'bo', text: 'x' }),
      ),
    ),
    ...Array.from({ length: 20 }, (_, i) =>
      sales.save(sales.create({ shop: 'a', at: new Date(i), amount: 1n })),
    ),
  ];
  const closing = db.close();
  const late = posts.save(posts.create({ id: 'late', author: 'ann' }));
  await expect(late).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  await Promise.all(begun);
  await closing;
  await expect(posts.get({ id: '1' })).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });

  db = await open(`file:${folder}`, options);
  expect(await db.repository(Post).scanAll().count()).toBe(250);
  // Copies may be due: their marks stay.
  await db.derived.propagate(Author);
  for (const entity of [Post, Sale] as const) {
    const { found, rollups: counted } = await db.derived.verify(entity);
    expect(Object.values(found).every((count) => count === 0)).toBe(true);
    if (entity === Sale) expect(counted).toMatchObject({ missing: 0, orphan: 0, wrong: 0 });
  }
  await db.close();
  rmSync(folder, { recursive: true });
});
