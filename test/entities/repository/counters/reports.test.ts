/** What closing and flushing buffered counters reports, and what add() rejects. */
import { bufferedCounters, type FlushResult, RowsmithError } from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { Page, pageOf } from './counter-entities.js';
import { error, TestPages, turns } from './test-pages.js';

const store = new TestPages();

describe('closing', () => {
  test('writes what is pending and what waits, and reports every outcome', async () => {
    store.db.faults.delay({ millis: 10 });
    store.db.faults.failWrite({ keyPrefix: 'bad', code: 'QUOTA_EXCEEDED' });
    store.db.faults.failWrite({ keyPrefix: 'odd' });
    const counters = store.counters({ maxKeys: 10 });
    const added: (Promise<void> | undefined)[] = [];
    for (const site of ['odd', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'bad'])
      added.push(counters.add(pageOf(site), 'hits'));
    const { written, failed, unknown } = await counters.close();
    await Promise.all(added.filter((each) => each !== undefined));
    // The flush that the size began has reported its own.
    expect(written.length + store.flushed[0]).toBeGreaterThanOrEqual(11);
    for (const site of 'abcdefghijk') expect(await store.hits(site)).toBe(1n);
    expect(failed).toMatchObject([{ key: pageOf('bad'), error: { code: 'QUOTA_EXCEEDED' } }]);
    expect(unknown).toMatchObject([{ key: pageOf('odd'), error: { code: 'UNAVAILABLE' } }]);
  });

  test('admits and writes what waits as often as it takes', async () => {
    store.db.faults.delay({ millis: 5 });
    const counters = store.counters({ maxKeys: 2 });
    const sites = ['a', 'b', 'c', 'd'];
    const added = sites.map((site) => counters.add(pageOf(site), 'hits'));
    expect(counters.waiting).toBe(2);
    await counters.close();
    await Promise.all(added.filter((each) => each !== undefined));
    for (const site of sites) expect(await store.hits(site)).toBe(1n);
  });

  test('add() is rejected afterwards; closing again sends what failed', async () => {
    const fault = store.db.faults.failWrite({ code: 'QUOTA_EXCEEDED' });
    const counters = store.counters();
    void counters.add(pageOf('a'), 'hits', 5n);
    const first = counters.close();
    expect(() => counters.add(pageOf('a'), 'hits')).toThrow(
      error('COUNTERS_CLOSED', { entity: 'Page' }),
    );
    expect(counters.close()).toBe(first);
    expect((await first).failed).toMatchObject([{ amount: 5n }]);
    store.db.clock.advance('1h');
    await turns();
    expect(counters.pending).toMatchObject([{ amount: 5n }]);
    fault.clear();
    expect(await counters.close()).toMatchObject({ written: [{ amount: 5n }], failed: [] });
    expect(await counters.close()).toEqual({ written: [], failed: [], unknown: [] });
    expect(await store.hits('a')).toBe(5n);
  });

  test('what waits for room that does not come is rejected, and was not counted', async () => {
    store.db.faults.failWrite({ code: 'QUOTA_EXCEEDED' });
    const counters = store.counters({ maxKeys: 2 });
    void counters.add(pageOf('a'), 'hits');
    void counters.add(pageOf('b'), 'hits');
    const waits = expect(counters.add(pageOf('c'), 'hits')).rejects.toEqual(
      error('COUNTERS_CLOSED'),
    );
    expect((await counters.close()).failed).toHaveLength(2);
    await waits;
    expect(counters.pending).toHaveLength(2);
  });

  test('`await using` writes everything, or throws what it could not write', async () => {
    {
      await using counters = store.counters();
      void counters.add(pageOf('a'), 'hits', 2n);
    }
    expect(await store.hits('a')).toBe(2n);
    store.db.faults.failWrite({ keyPrefix: 'bad', code: 'QUOTA_EXCEEDED' });
    store.db.faults.failWrite({ keyPrefix: 'odd' });
    const use = async () => {
      await using counters = store.counters();
      void counters.add(pageOf('bad'), 'hits', 3n);
      void counters.add(pageOf('odd'), 'hits', 4n);
      void counters.add(pageOf('good'), 'hits', 5n);
    };
    const thrown: unknown = await use().catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(RowsmithError);
    expect(thrown).toMatchObject({
      code: 'COUNTERS_NOT_WRITTEN',
      details: {
        entity: 'Page',
        failed: [{ key: pageOf('bad'), amount: 3n }],
        unknown: [{ key: pageOf('odd'), amount: 4n }],
      },
    });
    expect((thrown as RowsmithError).explain()).toContain('"amount":"3n"');
    expect(await store.hits('good')).toBe(5n);
  });

  test('after the database was closed, nothing is lost silently', async () => {
    const other = await testDatabase([Page]);
    const counters = bufferedCounters(other.repository(Page));
    void counters.add(pageOf('a'), { hits: 1n, views: 2n });
    await other.close();
    const { failed } = await counters.close();
    expect(failed).toMatchObject([
      { amount: 2n, error: { code: 'DATABASE_CLOSED' } },
      { amount: 1n, error: { code: 'DATABASE_CLOSED' } },
    ]);
  });
});

describe('flush()', () => {
  test('covers all that was added before, also what another flush is sending', async () => {
    store.db.faults.delay({ millis: 20 });
    const counters = store.counters();
    void counters.add(pageOf('a'), 'hits');
    const first = counters.flush();
    void counters.add(pageOf('a'), 'hits', 2n);
    void counters.add(pageOf('b'), 'hits', 3n);
    expect(counters.pending).toMatchObject([
      { amount: 2n, inFlight: false },
      { amount: 3n, inFlight: false },
      { amount: 1n, inFlight: true },
    ]);
    const [second, third] = [counters.flush(), counters.flush()];
    expect(third).toBe(second);
    expect((await first).written).toMatchObject([{ amount: 1n }]);
    expect((await second).written).toMatchObject([{ amount: 1n }, { amount: 2n }, { amount: 3n }]);
    expect(store.flushed).toEqual([1, 2]);
    expect(await counters.flush()).toEqual({ written: [], failed: [], unknown: [] });
    expect(store.flushed).toEqual([1, 2]);
  });

  test('what onFlush throws rejects it, and changes no sum', async () => {
    const problem = new Error('from onFlush');
    const counters = bufferedCounters(store.pages, {
      onFlush: () => {
        throw problem;
      },
    });
    void counters.add(pageOf('a'), 'hits');
    await expect(counters.flush()).rejects.toBe(problem);
    expect([counters.size, await store.hits('a')]).toEqual([0, 1n]);
    void counters.add(pageOf('a'), 'hits');
    await expect(counters.close()).rejects.toBe(problem);
    expect(await store.hits('a')).toBe(2n);
  });

  test('onFlush may add, flush and close', async () => {
    const results: FlushResult[] = [];
    const counters = bufferedCounters(store.pages, {
      onFlush: (result) => {
        results.push(result);
        if (results.length > 2) return;
        void counters.add(pageOf('again'), 'hits');
        void counters.flush();
      },
    });
    void counters.add(pageOf('a'), 'hits');
    const [one, two] = [counters.flush(), counters.flush()];
    await Promise.all([one, two]);
    await counters.close();
    expect(await store.hits('again')).toBe(2n);
    expect(results).toHaveLength(3);
  });
});

describe('bad input leaves everything as it was', () => {
  const key = pageOf('a');
  test.each<[string, unknown[], Record<string, unknown>, string?]>([
    ['an amount that is a number', [key, 'hits', 1], { property: 'hits' }],
    ['an amount beyond an int64', [key, 'hits', 2n ** 63n], { property: 'hits' }],
    ['a second amount that is bad', [key, { hits: 1n, errors: 1.5 }], { property: 'errors' }],
    ['a plain column', [key, 'size', 1n], { property: 'size' }],
    ['a segment', [key, 'site', 1n], { property: 'site' }],
    ['a misspelt counter', [key, 'hitz', 1n], { fix: "did you mean 'hits'?" }],
    ['no counter', [key, undefined], { property: 'what' }],
    ['an amount beside an object', [key, { hits: 1n }, 1n], { property: 'amount' }],
    ['an entry without a Map', [key, { days: { mon: 1n } }], { property: 'days' }],
    ['a map by name', [key, 'days'], { property: 'days' }],
    ['an entry of another type', [key, { days: new Map([[1, 1n]]) }], {}, 'INVALID_VALUE'],
    ['no key', [undefined, 'hits'], { property: 'key' }, 'INVALID_KEY'],
    ['half a key', [{ site: 'a' }, 'hits'], { property: 'hour' }, 'INVALID_KEY'],
  ])('%s', (_, values, details, code = 'INVALID_ARGUMENT') => {
    const counters = store.counters();
    const add = counters.add.bind(counters) as (...values: unknown[]) => unknown;
    expect(() => add(...values)).toThrow(error(code, { entity: 'Page', ...details }));
    expect(counters.size).toBe(0);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ flushEvery: 0 }, 'flushEvery'],
    [{ flushEvery: 2 ** 31 }, 'flushEvery'],
    [{ flushEvery: '1s' }, 'flushEvery'],
    [{ maxKeys: 0 }, 'maxKeys'],
    [{ maxKeys: 1.5 }, 'maxKeys'],
    [{ inFlight: 0 }, 'inFlight'],
    [{ inFlight: 1025 }, 'inFlight'],
    [{ onFlush: true }, 'onFlush'],
    [{ flushevery: 1 }, 'flushevery'],
  ])('options %j', (options, property) => {
    expect(() => bufferedCounters(store.pages, options)).toThrow(
      error('INVALID_ARGUMENT', { entity: 'Page', property }),
    );
  });

  test('something that is no repository', () => {
    expect(() => bufferedCounters(store.db as never)).toThrow(
      error('INVALID_ARGUMENT', { property: 'repository' }),
    );
  });

  test('a key and an entry that are changed after the call', async () => {
    const counters = store.counters();
    const mutable = { ...pageOf('a'), hour: new Date(key.hour) };
    void counters.add(mutable, 'hits');
    mutable.hour.setTime(0);
    mutable.site = 'b';
    expect(counters.pending).toMatchObject([{ key }]);
    await counters.close();
    expect(await store.hits('a')).toBe(1n);
  });
});
