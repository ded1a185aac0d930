/** Copies of rows that were written before the index and the copies were declared. */
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import type { Database } from '../../../../src/entities/repository/index.js';
import { programOver } from '../../../support/program.js';

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byAuthor: indexOn('authorId').including('authorName'),
    bySlug: uniqueIndexOn('slug'),
  });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'authorId' }) });
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
  @Column('m', 'string') slug?: string;
}

/** The same rows, as an earlier release of the program declares them. */
@Entity({ table: 'posts', families: { m: {} } })
class EarlierPost {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') slug?: string;
}

let db: Database;
const names = async (): Promise<(string | undefined)[]> =>
  (await db.repository(Post).scanAll().all()).map(({ authorName }) => authorName);

/** Two posts of one author, with one value in the unique index. */
beforeEach(async () => {
  db = await open('memory:', { entities: [Author, Post] });
  const earlier = programOver(db.engine, [EarlierPost]);
  const posts = earlier.repository(EarlierPost);
  for (const id of ['1', '2']) await posts.save(posts.create({ id, authorId: 'a', slug: 'same' }));
  const authors = db.repository(Author);
  await authors.save(authors.create({ id: 'a', name: 'Ann' }));
});
afterEach(() => db.close());

test('a build of their index writes the copies that no propagation could find', async () => {
  expect(await names()).toEqual([undefined, undefined]);
  expect(await db.derived.rebuild(Post, 'byAuthor')).toMatchObject({ ready: true, repaired: 2 });
  expect(await names()).toEqual(['Ann', 'Ann']);
  const entries = db.repository(Post).index('byAuthor').covered().prefix({ authorId: 'a' });
  expect((await entries.all()).map(({ authorName }) => authorName)).toEqual(['Ann', 'Ann']);
});

test('a row that cannot be in another index follows its source nevertheless', async () => {
  await db.derived.rebuild(Post, 'byAuthor');
  expect(await db.derived.repair(Post)).toMatchObject({ found: { duplicate: 1, 'stale copy': 0 } });
  await db.repository(Author).patch({ id: 'a' }, { name: 'Ann B.' });
  expect(await names()).toEqual(['Ann B.', 'Ann B.']);
  for await (const { key } of db.derived.pending(Author)) expect(key).toBeUndefined();
});

test('a check with repair writes copies of rows that have an entry', async () => {
  await db.derived.rebuild(Post, 'byAuthor');
  // As a program does that declares the index, and not the copies.
  const stale = { family: 'm', qualifier: Buffer.from('authorName'), timestamp: 9e15 };
  const mutations = [{ kind: 'setCell', ...stale, value: Buffer.from('forged') } as const];
  await db.engine.mutateRow('posts', { key: Buffer.from('1'), mutations });
  const { found } = await db.derived.verify(Post);
  expect(found).toMatchObject({ wrong: 1, 'stale copy': 1 });
  const repaired = await db.derived.repair(Post);
  expect(repaired).toMatchObject({ found: { wrong: 1, duplicate: 1 } });
  expect(await names()).toEqual(['Ann', 'Ann']);
  expect((await db.derived.verify(Post)).found).toMatchObject({ wrong: 0, 'stale copy': 0 });
});
