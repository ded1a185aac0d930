/** Every way to write a source or a row with copies keeps the copies, on every back end. */
import type { Database } from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { codeOf } from '../index/stored-entries.js';
import { expectCopied, staleCopies } from './compare-copies.js';
import { Author, Post, Profile } from './entities.js';

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const authors = () => db.repository(Author);
  const posts = () => db.repository(Post);
  const key = (id: number) => ({ tenant: 'acme', id });
  const author = (id: number, rest: Partial<Author> = {}): Author =>
    authors().create({ ...key(id), name: `author ${id}`, rank: BigInt(id), ...rest });
  const post = (id: number, authorId: number | undefined, rest: Partial<Post> = {}): Post =>
    posts().create({ ...key(id), authorId, at: new Date(id), text: 'hello', ...rest });
  const nameIn = async (id: number) => (await posts().get(key(id)))?.authorName;
  const due = async (): Promise<number> => {
    let count = 0;
    for await (const _each of db.derived.pending(Author)) count++;
    return count;
  };

  beforeEach(async () => {
    opened = await open([Author, Post, Profile]);
    ({ db } = opened);
    await authors().saveMany([author(1), author(2)]);
  });
  afterEach(async () => {
    // Whatever a test does, nothing is left to do, and everything is right.
    expect(await due()).toBe(0);
    await expectCopied(db);
    await opened.close();
  });

  test('save, insert and the many-forms fill copies in', async () => {
    await posts().save(post(1, 1));
    await posts().insert(post(2, 2));
    await posts().saveMany([post(3, 1), post(4, 2)]);
    await posts().insertMany([post(5, 1)]);
    expect(await nameIn(1)).toBe('author 1');
    expect(await nameIn(2)).toBe('author 2');
    expect(await posts().get(key(5))).toMatchObject({ authorName: 'author 1', authorRank: 1n });
  });

  test('what a caller gives for a copy is ignored', async () => {
    await posts().save(post(1, 1, { authorName: 'forged', authorRank: 9n }));
    expect(await nameIn(1)).toBe('author 1');
    await posts().patch(key(1), { authorName: 'forged' });
    expect(await nameIn(1)).toBe('author 1');
    await posts().patch(key(1), {}, { remove: ['authorName'] });
    expect(await nameIn(1)).toBe('author 1');
    await posts().append(key(1), { authorName: '!' });
    expect(await nameIn(1)).toBe('author 1');
  });

  test('a change of the author reaches every post, whichever way it is written', async () => {
    await posts().saveMany(Array.from({ length: 300 }, (_, i) => post(i + 1, 1 + (i % 2))));
    await authors().save(author(1, { name: 'saved' }));
    expect(await nameIn(299)).toBe('saved');
    await expectCopied(db);
    await authors().patch(key(1), { name: 'patched', rank: 7n });
    expect(await posts().get(key(1))).toMatchObject({ authorName: 'patched', authorRank: 7n });
    await expectCopied(db);
    await authors().patch(key(1), { name: 'if' }, { if: { equals: { name: 'patched' } } });
    expect(await nameIn(1)).toBe('if');
    await authors().patch(key(1), {}, { remove: ['name'] });
    expect(await nameIn(1)).toBeUndefined();
    await authors().saveMany([author(1, { name: 'a' }), author(2, { name: 'b' })]);
    expect([await nameIn(1), await nameIn(2)]).toEqual(['a', 'b']);
    await authors().patchMany([{ key: key(2), changes: { name: 'c' } }]);
    expect(await nameIn(2)).toBe('c');
    await authors().append(key(1), { name: '!' });
    expect(await nameIn(1)).toBe('a!');
  });

  test('a condition that does not hold changes neither', async () => {
    await posts().save(post(1, 1));
    const refused = authors().patch(key(1), { name: 'x' }, { if: { equals: { name: 'y' } } });
    expect(await codeOf(refused)).toBe('CONDITION_FAILED');
    expect(await nameIn(1)).toBe('author 1');
    const moved = posts().patch(key(1), { authorId: 2 }, { if: { equals: { text: 'y' } } });
    expect(await codeOf(moved)).toBe('CONDITION_FAILED');
    expect(await nameIn(1)).toBe('author 1');
  });

  test('the copies of a deleted author are absent, and come back with it', async () => {
    await posts().save(post(1, 1));
    await authors().delete(key(1));
    expect(await posts().get(key(1))).toMatchObject({ text: 'hello' });
    expect(await nameIn(1)).toBeUndefined();
    expect(await authors().get(key(1))).toBeUndefined();
    expect(await authors().scanAll().count()).toBe(1);
    await posts().save(post(2, 1));
    expect(await nameIn(2)).toBeUndefined();
    await authors().insert(author(1, { name: 'again' }));
    expect([await nameIn(1), await nameIn(2)]).toEqual(['again', 'again']);
    await authors().prefix({ tenant: 'acme' }).delete();
    expect([await nameIn(1), await nameIn(2)]).toEqual([undefined, undefined]);
    await authors().saveMany([author(1), author(2)]);
    await authors().prefix({ tenant: 'acme' }).delete({ dropRanges: true });
    expect(await nameIn(1)).toBeUndefined();
  });

  test('a post that moves to another author, or to none', async () => {
    await posts().save(post(1, 1));
    await posts().patch(key(1), { authorId: 2 });
    expect(await nameIn(1)).toBe('author 2');
    await authors().patch(key(1), { name: 'other' });
    expect(await nameIn(1)).toBe('author 2');
    await posts().patch(key(1), { authorId: null });
    expect(await nameIn(1)).toBeUndefined();
    await posts().patch(key(1), { authorId: 99 });
    expect(await nameIn(1)).toBeUndefined();
  });

  test('other columns are written as before', async () => {
    await posts().save(post(1, 1));
    await posts().patch(key(1), { text: 'other' });
    await authors().patch(key(1), { bio: 'x' });
    expect(await posts().get(key(1))).toMatchObject({ text: 'other', authorName: 'author 1' });
    await posts().delete(key(1));
    await authors().patch(key(1), { name: 'x' });
    expect(await posts().get(key(1))).toBeUndefined();
    expect(await posts().scanAll().count()).toBe(0);
  });

  test('a copy that no entry depends on, found by a unique index', async () => {
    const profiles = db.repository(Profile);
    await profiles.save(profiles.create({ tenant: 'acme', slug: 'a', authorId: 1 }));
    expect(await profiles.get({ tenant: 'acme', slug: 'a' })).toMatchObject({ title: 'author 1' });
    await authors().patch(key(1), { name: 'new' });
    expect(await profiles.get({ tenant: 'acme', slug: 'a' })).toMatchObject({ title: 'new' });
    expect(await staleCopies(db)).toEqual([]);
  });

  test('writes of authors and posts at the same time', async () => {
    for (let round = 0; round < 6; round++)
      await Promise.all([
        authors().patch(key(1), { name: `a${round}` }),
        authors().save(author(1, { name: `b${round}` })),
        posts().save(post(round + 1, 1)),
        posts().patch(key(1), { authorId: 1 + (round % 2), at: new Date(1) }),
        authors().patch(key(2), { name: `c${round}` }),
      ]);
  });
});
