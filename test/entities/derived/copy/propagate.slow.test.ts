/** Propagations that are interrupted, in the background or left to the caller; checks of copies. */
import { type Database, open, RowsmithError } from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { until } from '../../../support/until.js';
import { expectCopied, staleCopies } from './compare-copies.js';
import { Author, Post, Profile } from './entities.js';

const entities = [Author, Post, Profile];
const key = { tenant: 'acme', id: 1 };
const count = 700;

async function withPosts(db: Database): Promise<void> {
  const authors = db.repository(Author);
  const posts = db.repository(Post);
  await authors.save(authors.create({ ...key, name: 'old', rank: 1n }));
  await posts.saveMany(
    Array.from({ length: count }, (_, i) =>
      posts.create({ tenant: 'acme', id: i + 1, authorId: 1, text: 't' }),
    ),
  );
}

async function pendingOf(db: Database): Promise<{ key: unknown; since: Date; done: number }[]> {
  const found = [];
  for await (const each of db.derived.pending(Author)) found.push(each);
  return found;
}

test('manual: what is due is listed, and an interrupted propagation goes on', async () => {
  const db = await open('memory:', { entities, copies: 'manual' });
  await withPosts(db);
  await db.derived.propagate(Author);
  const before = new Date();
  await db.repository(Author).patch(key, { name: 'new' });
  expect(await pendingOf(db)).toEqual([{ key, since: expect.any(Date) as Date, done: 0 }]);
  expect((await pendingOf(db))[0].since.getTime()).toBeGreaterThanOrEqual(before.getTime());
  const controller = new AbortController();
  const stopped = db.derived.propagate(Author, {
    signal: controller.signal,
    onProgress: ({ rows }) => {
      if (rows >= 512) controller.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
  expect(await pendingOf(db)).toMatchObject([{ key, done: 256 }]);
  const reports: number[] = [];
  const report = await db.derived.propagate(Author, {
    key,
    onProgress: ({ rows }) => reports.push(rows),
  });
  // The pages before the position are not written again.
  expect(report).toEqual({ sources: 1, rows: count - 256 });
  expect(reports.at(-1)).toBe(count - 256);
  expect(await pendingOf(db)).toEqual([]);
  await expectCopied(db);
  expect(await db.derived.propagate(Author)).toEqual({ sources: 0, rows: 0 });
  await db.close();
});

test('background: a write resolves before its copies, which close() leaves to the next program', async () => {
  const db = await open('memory:', { entities, copies: 'background' });
  await withPosts(db);
  await db.repository(Author).patch(key, { name: 'new' });
  expect(await staleCopies(db)).not.toEqual([]);
  await until(async () => (await pendingOf(db)).length === 0);
  await expectCopied(db);
  await db.repository(Author).patch(key, { name: 'newer' });
  await db.close();
});

test('a write is made although its propagation fails, and leaves its mark', async () => {
  const { db, faults } = await brokenDatabase();
  await withPosts(db);
  faults.on();
  await db.repository(Author).patch(key, { name: 'new' });
  faults.off();
  expect(await db.repository(Author).get(key)).toMatchObject({ name: 'new' });
  expect(await pendingOf(db)).toMatchObject([{ key, done: 0 }]);
  expect(await db.derived.propagate(Author)).toEqual({ sources: 1, rows: count });
  await expectCopied(db);
  await db.close();
});

async function brokenDatabase(): Promise<{
  db: Database;
  faults: { on: () => void; off: () => void };
}> {
  const db = await testDatabase(entities);
  let isBroken = false;
  const { engine } = db;
  const read = engine.readRows.bind(engine);
  engine.readRows = (plan, options) => {
    if (isBroken && plan.table === 'posts') throw new RowsmithError('UNAVAILABLE');
    return read(plan, options);
  };
  return { db, faults: { on: () => (isBroken = true), off: () => (isBroken = false) } };
}

test('verify finds stale copies and repair writes them again', async () => {
  const db = await open('memory:', { entities });
  await withPosts(db);
  // As a program does that does not know of the copies.
  await db.engine.mutateRow('posts', {
    key: db.repository(Post).model.key.encode({ tenant: 'acme', id: 5 }),
    mutations: [
      {
        kind: 'setCell',
        family: 'm',
        qualifier: Buffer.from('authorRank'),
        timestamp: 9e15,
        value: Buffer.alloc(8, 1),
      },
    ],
  });
  const found: unknown[] = [];
  const verified = await db.derived.verify(Post, { onFinding: (each) => found.push(each) });
  const stale = { missing: 0, wrong: 0, orphan: 0, duplicate: 0, invalid: 0, 'stale copy': 1 };
  expect(verified).toMatchObject({ rows: count, found: stale, repaired: 0 });
  expect(found).toEqual([
    {
      kind: 'stale copy',
      index: 'byAuthor',
      row: { tenant: 'acme', id: 5 },
      rowKey: 'acme#0005',
      property: 'authorRank',
      repaired: false,
    },
  ]);
  let position: string | undefined;
  const first = db.derived.verify(Post, {
    onProgress: (report) => {
      ({ position } = report);
      throw new Error('enough');
    },
  });
  await expect(first).rejects.toThrow('enough');
  const rest = await db.derived.verify(Post, { after: position });
  expect(rest).toMatchObject({ rows: count - 512, found: { ...stale, 'stale copy': 0 } });
  // A check of one index does not look at copies.
  const ofIndex = await db.derived.verify(Post, { index: 'byAuthor' });
  expect(ofIndex).toMatchObject({ rows: count, found: { ...stale, 'stale copy': 0 } });
  expect(await db.derived.repair(Post)).toMatchObject({ found: stale, repaired: 1 });
  expect(await db.derived.verify(Post)).toMatchObject({ found: { 'stale copy': 0 } });
  await expectCopied(db);
  await db.close();
});

test('a test database takes the option', async () => {
  const db = await testDatabase(entities, { copies: 'manual' });
  const [post] = await db.seed(Post, [{ tenant: 'acme', id: 1, authorId: 1 }]);
  await db.seed(Author, [{ ...key, name: 'Ann' }]);
  expect(await pendingOf(db)).toMatchObject([{ key, done: 0 }]);
  await db.derived.propagate(Author);
  expect(await db.repository(Post).get(post)).toMatchObject({ authorName: 'Ann' });
  await db.close();
  const wrong = testDatabase(entities, { copies: 'later' as never });
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
