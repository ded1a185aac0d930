/** When buffered counters write, how much they hold, and which outcomes are unknown. */
import { pageOf } from './counter-entities.js';
import { error, TestPages, turns } from './test-pages.js';

const store = new TestPages();

describe('the clock', () => {
  test('begins a flush an interval after the first amount, not before', async () => {
    const counters = store.counters({ flushEvery: 5000 });
    store.db.clock.advance('1h');
    void counters.add(pageOf('a'), 'hits');
    store.db.clock.advance(4000);
    void counters.add(pageOf('a'), 'hits', 2n);
    store.db.clock.advance(999);
    await turns();
    expect(await store.hits('a')).toBeUndefined();
    store.db.clock.advance(1);
    await turns();
    expect(await store.hits('a')).toBe(3n);
    expect(store.flushed).toEqual([1]);
    expect(counters.size).toBe(0);
  });

  test('begins no flush without amounts, and one after each first amount', async () => {
    const counters = store.counters({ flushEvery: 1000 });
    for (let i = 0; i < 3; i++) {
      void counters.add(pageOf('a'), 'hits');
      store.db.clock.advance('1h');
      await turns();
      store.db.clock.advance('1h');
      await turns();
    }
    expect(store.flushed).toEqual([1, 1, 1]);
    expect(await store.hits('a')).toBe(3n);
  });

  test('an explicit flush puts the clock off', async () => {
    const counters = store.counters({ flushEvery: 1000 });
    void counters.add(pageOf('a'), 'hits');
    store.db.clock.advance(900);
    await counters.flush();
    void counters.add(pageOf('a'), 'hits');
    store.db.clock.advance(900);
    await turns();
    expect(store.flushed).toEqual([1]);
    store.db.clock.advance(100);
    await turns();
    expect(store.flushed).toEqual([1, 1]);
  });

  test('repeats a failed flush at its next interval, with what was added meanwhile', async () => {
    const counters = store.counters({ flushEvery: 1000, maxKeys: 4 });
    const fault = store.db.faults.failWrite({ code: 'QUOTA_EXCEEDED' });
    void counters.add(pageOf('a'), 'hits', 2n);
    store.db.clock.advance(1000);
    await turns();
    expect(counters.lastError).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(counters.pending).toMatchObject([
      { key: pageOf('a'), amount: 2n, inFlight: false, error: { code: 'QUOTA_EXCEEDED' } },
    ]);
    // Half of maxKeys begins no flush after a failure: storage would be asked without a pause.
    void counters.add(pageOf('b'), 'hits');
    void counters.add(pageOf('a'), 'hits', 3n);
    await turns();
    expect(fault.matched).toBe(1);
    fault.clear();
    store.db.clock.advance(1000);
    await turns();
    expect(await store.hits('a')).toBe(5n);
    expect(await store.hits('b')).toBe(1n);
    expect(counters.lastError).toBeUndefined();
    expect(store.flushed).toEqual([0, 2]);
  });
});

describe('the size', () => {
  test('half of maxKeys begins a flush', async () => {
    const counters = store.counters({ maxKeys: 10 });
    for (let i = 0; i < 4; i++) void counters.add(pageOf(`s${i}`), 'hits');
    await turns();
    expect(store.flushed).toEqual([]);
    void counters.add(pageOf('s4'), 'hits');
    await turns();
    expect(store.flushed).toEqual([5]);
  });

  test('with maxKeys sums add() waits for room, and is counted once it resolves', async () => {
    store.db.faults.delay({ millis: 30 });
    const counters = store.counters({ maxKeys: 4, inFlight: 1 });
    const added: (Promise<void> | undefined)[] = [];
    for (let i = 0; i < 8; i++) added.push(counters.add(pageOf(`s${i}`), 'hits'));
    expect(added.map((each) => each === undefined)).toEqual([
      ...new Array<boolean>(4).fill(true),
      ...new Array<boolean>(4).fill(false),
    ]);
    expect([counters.size, counters.waiting]).toEqual([4, 4]);
    // Sums that exist take no room.
    expect(counters.add(pageOf('s3'), 'hits', 10n)).toBeUndefined();
    // As much may wait as may be held.
    expect(() => counters.add(pageOf('s9'), 'hits')).toThrow(error('COUNTERS_FULL'));
    let largest = 0;
    await Promise.all(
      added.map(async (each) => {
        await each;
        largest = Math.max(largest, counters.size);
      }),
    );
    expect(largest).toBeLessThanOrEqual(4);
    expect(counters.waiting).toBe(0);
    await counters.close();
    for (let i = 0; i < 8; i++) expect(await store.hits(`s${i}`)).toBe(i === 3 ? 11n : 1n);
    expect(await store.hits('s9')).toBeUndefined();
  });

  test('a call waits until there is room for all of it, and later calls do not pass it', async () => {
    store.db.faults.delay({ millis: 20 });
    const counters = store.counters({ maxKeys: 3 });
    void counters.add(pageOf('a'), { hits: 1n, views: 1n });
    const both = counters.add(pageOf('b'), { hits: 1n, views: 1n });
    const small = counters.add(pageOf('c'), 'hits');
    expect([both, small]).toEqual([expect.any(Promise), expect.any(Promise)]);
    const order: string[] = [];
    await Promise.all([
      both!.then(() => order.push('both')),
      small!.then(() => order.push('small')),
    ]);
    expect(order).toEqual(['both', 'small']);
    await counters.close();
    expect(await store.pages.get(pageOf('b'))).toMatchObject({ hits: 1n, views: 1n });
    expect(() => store.counters({ maxKeys: 1 }).add(pageOf('a'), { hits: 1n, errors: 1n })).toThrow(
      error('INVALID_ARGUMENT', { entity: 'Page' }),
    );
  });

  test('while storage fails, what waits stays waiting, and is counted when it recovers', async () => {
    const fault = store.db.faults.failWrite({ code: 'QUOTA_EXCEEDED' });
    const counters = store.counters({ maxKeys: 2, flushEvery: 1000 });
    void counters.add(pageOf('a'), 'hits');
    void counters.add(pageOf('b'), 'hits');
    const third = counters.add(pageOf('c'), 'hits')!;
    await turns();
    expect([counters.size, counters.waiting]).toEqual([2, 1]);
    const { matched } = fault;
    await turns();
    expect(fault.matched).toBe(matched);
    fault.clear();
    store.db.clock.advance(1000);
    await third;
    await counters.close();
    for (const site of ['a', 'b', 'c']) expect(await store.hits(site)).toBe(1n);
  });
});

describe('unknown outcomes', () => {
  test('are listed with key, property and amount, and not sent again', async () => {
    store.db.faults.failWrite({ nth: 1, applied: true });
    const counters = store.counters();
    void counters.add(pageOf('a'), { hits: 3n, errors: 1n });
    const { written, failed, unknown } = await counters.flush();
    expect([written, failed, counters.pending]).toEqual([[], [], []]);
    expect(unknown).toMatchObject([
      { key: pageOf('a'), property: 'hits', amount: 3n, error: { code: 'UNAVAILABLE' } },
      { key: pageOf('a'), property: 'errors', amount: 1n },
    ]);
    expect(counters.unknown).toEqual(unknown);
    expect(counters.size).toBe(2);
    void counters.add(pageOf('a'), 'hits', 10n);
    await counters.flush();
    expect(await store.hits('a')).toBe(13n);
    expect(unknown.map((sum) => sum.drop())).toEqual([true, true]);
    expect(unknown.map((sum) => [sum.drop(), sum.again()])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect([counters.size, counters.unknown]).toEqual([0, []]);
    await counters.close();
    expect(await store.hits('a')).toBe(13n);
  });

  test('are added again on request, also after close', async () => {
    store.db.faults.failWrite({ nth: 1, times: 2 });
    const counters = store.counters();
    void counters.add(pageOf('a'), 'hits', 3n);
    const [first] = (await counters.flush()).unknown;
    expect(first.again()).toBe(true);
    expect(counters.pending).toMatchObject([{ amount: 3n }]);
    const { unknown } = await counters.close();
    expect(unknown).toMatchObject([{ amount: 3n }]);
    expect(await store.hits('a')).toBeUndefined();
    unknown[0].again();
    expect(await counters.close()).toMatchObject({ written: [{ amount: 3n }], unknown: [] });
    expect(await store.hits('a')).toBe(3n);
  });

  test('take room until they are settled; what can never have room is rejected', async () => {
    store.db.faults.failWrite({ nth: 1, times: 2 });
    store.db.faults.delay({ millis: 20 });
    const counters = store.counters({ maxKeys: 2 });
    void counters.add(pageOf('a'), 'hits');
    void counters.add(pageOf('b'), 'hits');
    const waits = expect(counters.add(pageOf('c'), 'hits')).rejects.toEqual(
      error('COUNTERS_FULL', { entity: 'Page', maxKeys: 2 }),
    );
    await waits;
    expect(counters.unknown).toHaveLength(2);
    expect(() => counters.add(pageOf('c'), 'hits')).toThrow(error('COUNTERS_FULL'));
    counters.unknown[0].drop();
    expect(counters.add(pageOf('c'), 'hits')).toBeUndefined();
    await counters.close();
    expect(await store.hits('c')).toBe(1n);
  });

  test('a storage error that says nothing about the write is one of them', async () => {
    const counters = store.counters();
    for (const [code, list] of [
      ['STORAGE_FAILED', 'unknown'],
      ['UNAVAILABLE', 'unknown'],
      ['CORRUPT_DATA', 'unknown'],
      ['QUOTA_EXCEEDED', 'failed'],
      ['TABLE_NOT_FOUND', 'failed'],
      ['PERMISSION_DENIED', 'failed'],
    ] as const) {
      for (const property of ['hits', 'views'] as const) {
        store.db.faults.failWrite({ nth: 1, code });
        void counters.add(pageOf(`${code} ${property}`.slice(0, 20)), property);
        const result = await counters.flush();
        expect(result[list]).toMatchObject([{ property, error: { code } }]);
        for (const sum of result.unknown) sum.drop();
        if (list === 'failed') await counters.flush();
      }
    }
    expect(counters.size).toBe(0);
  });

  test('a batch that fails as a whole is reported row by row', async () => {
    store.db.faults.failBatch({ nth: 1, code: 'PERMISSION_DENIED' });
    store.db.faults.failBatch({ nth: 2 });
    const counters = store.counters();
    for (const site of ['a', 'b']) void counters.add(pageOf(site), 'views');
    expect((await counters.flush()).failed).toMatchObject([{ amount: 1n }, { amount: 1n }]);
    expect((await counters.flush()).unknown).toMatchObject([{ amount: 1n }, { amount: 1n }]);
  });
});
