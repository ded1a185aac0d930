import { Reading, Spread, upTo } from '../support/entities.js';
import { openWatched, type Watched } from '../support/watched.js';

let watched: Watched;
const many = () => watched.db.repository(Reading);
const spread = () => watched.db.repository(Spread);

beforeEach(async () => {
  watched = await openWatched([Reading, Spread]);
  await many().saveMany(
    upTo(1000).map((n) => many().create({ tenant: 't', device: 'd', n, value: n })),
  );
  await spread().saveMany(
    upTo(1000).map((n) => spread().create({ tenant: 't', device: `d${n % 10}`, n, value: n })),
  );
  watched.seen.plans.length = watched.seen.pages = 0;
});
afterEach(() => watched.db.close());

const queries = [
  { of: 'one range', query: () => many().prefix({ tenant: 't' }), shards: 1 },
  { of: 'four merged shards', query: () => spread().prefix({ tenant: 't' }), shards: 4 },
] as const;

describe.each(queries)('$of', ({ query, shards }) => {
  const scan = (): AsyncIterable<{ n: number }> => query() as AsyncIterable<{ n: number }>;

  test('leaving a loop stops the scan', async () => {
    for await (const row of scan()) if (row.n >= 0) break;
    expect(watched.seen).toMatchObject({ openStreams: 0, pages: shards });
    const stop = new Error('stop');
    await expect(
      (async () => {
        for await (const row of scan()) if (row.n >= 0) throw stop;
      })(),
    ).rejects.toBe(stop);
    expect(watched.seen.openStreams).toBe(0);
    for await (const page of query().pages()) if (page.length > 0) break;
    expect(watched.seen.openStreams).toBe(0);
  });

  test('nothing is read before the first row is requested, nor by explain', async () => {
    scan()[Symbol.asyncIterator]();
    query().pages();
    query().explain();
    await new Promise(setImmediate);
    expect(watched.seen.pages).toBe(0);
  });

  test('first and limit read no more than they need', async () => {
    await query().first();
    await query().limit(3).all();
    expect(watched.seen.plans.map(({ limit }) => limit)).toEqual([
      ...upTo(shards).map(() => 1),
      ...upTo(shards).map(() => 3),
    ]);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('two loops over one query are independent', async () => {
    const scanned = query();
    const [a, b] = [scanned, scanned].map((each) =>
      (each as AsyncIterable<{ n: number }>)[Symbol.asyncIterator](),
    );
    const seen: [number[], number[]] = [[], []];
    for (let i = 0; i < 1000; i++) {
      seen[0].push((await a.next()).value.n as number);
      if (i % 3 === 0) seen[1].push((await b.next()).value.n as number);
    }
    expect((await a.next()).done).toBe(true);
    for (let step = await b.next(); step.done !== true; step = await b.next())
      seen[1].push(step.value.n);
    expect(seen[1]).toEqual(seen[0]);
    expect(new Set(seen[0]).size).toBe(1000);
  });

  test('overlapping calls of next return every row once and in order', async () => {
    const rows = scan()[Symbol.asyncIterator]();
    const steps = await Promise.all(upTo(1003).map(() => rows.next()));
    const inOrder: number[] = [];
    for await (const row of scan()) inOrder.push(row.n);
    expect(steps.slice(0, 1000).map(({ value }) => (value as { n: number }).n)).toEqual(inOrder);
    expect(steps.slice(1000).map(({ done }) => done)).toEqual([true, true, true]);
  });

  test('return() while a page is pending ends the scan, and no row follows', async () => {
    const rows = scan()[Symbol.asyncIterator]();
    const paused: (() => void)[] = [];
    watched.seen.pause = () => new Promise((resolve) => void paused.push(resolve));
    const pending = rows.next();
    await new Promise(setImmediate);
    expect(paused).toHaveLength(shards);
    const returned = rows.return?.();
    watched.seen.pause = () => Promise.resolve();
    for (const release of paused) release();
    expect(await pending).toEqual({ value: undefined, done: true });
    expect(await returned).toEqual({ value: undefined, done: true });
    expect(await rows.next()).toEqual({ value: undefined, done: true });
    expect(watched.seen.openStreams).toBe(0);
  });

  test('closing the database during a scan ends it with an error', async () => {
    const rows = scan()[Symbol.asyncIterator]();
    await rows.next();
    await watched.db.close();
    await expect(
      (async () => {
        for (let step = await rows.next(); step.done !== true; step = await rows.next());
      })(),
    ).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    expect(await rows.next()).toEqual({ value: undefined, done: true });
  });

  test('a scan returns rows that stay exactly once, whatever is written meanwhile', async () => {
    const seen: number[] = [];
    for await (const row of scan()) {
      seen.push(row.n);
      if (seen.length % 100 === 0) {
        await many().saveMany(
          upTo(50).map((i) =>
            many().create({ tenant: 't', device: 'd', n: 2000 + seen.length + i, value: 0 }),
          ),
        );
        await many().deleteMany(
          upTo(20).map((i) => ({ tenant: 't', device: 'd', n: 2000 + seen.length + i })),
        );
      }
    }
    const ours = seen.filter((n) => n < 1000);
    expect(ours).toHaveLength(1000);
    expect(new Set(seen).size).toBe(seen.length);
  });

  describe('cursors through all pages', () => {
    test.each([
      ['forwards', false],
      ['backwards', true],
    ])('%s, while rows come and go', async (_name, reverse) => {
      const scanned = reverse ? query().reverse() : query();
      const repository = query === queries[0].query ? many() : spread();
      const seen: number[] = [];
      let after: string | undefined;
      let extra = 5000;
      do {
        const page: { readonly rows: readonly { n: number }[]; readonly next?: string } =
          await scanned.page({ size: 97, after });
        seen.push(...page.rows.map(({ n }) => n));
        // The row of the cursor is deleted, and rows before and after it are added and deleted.
        const last = page.rows.at(-1);
        if (last !== undefined)
          await (repository as ReturnType<typeof many>).delete(last as Reading);
        for (const device of ['a', 'd', 'z'])
          await (repository as ReturnType<typeof many>).save(
            repository.create({ tenant: 't', device, n: extra++, value: 1 }),
          );
        after = page.next;
      } while (after !== undefined);
      const ours = seen.filter((n) => n < 1000);
      expect(ours).toHaveLength(1000);
      expect(new Set(seen).size).toBe(seen.length);
    });
  });
});
