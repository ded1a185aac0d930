/** insertMany, patchMany and incrementMany, on every back end. */
import {
  Column,
  Counter,
  Entity,
  maxVersions,
  rowKey,
  type RowsmithError,
  Segment,
  aggregate,
} from '../../../../src/index.js';
import type { BulkProgress } from '../../../../src/entities/repository/index.js';
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds, type Counted, openCounted } from './counted-back-ends.js';

@Entity({
  table: 'hits',
  families: { m: { gc: maxVersions(1) }, c: { gc: maxVersions(1) }, a: aggregate('sum') },
})
class Hit {
  static readonly key = rowKey('n');
  @Segment('uint', { max: 999_999 }) n!: number;
  @Column('m', 'string') name?: string;
  @Counter('c') seen?: bigint;
  @Counter('c') clicked?: bigint;
  @Counter('a') views?: bigint;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Counts what is taken from it. */
async function* taken<T>(items: Iterable<T>, seen: { taken: number }): AsyncGenerator<T> {
  for (const item of items) {
    seen.taken++;
    if (seen.taken % 50 === 0) await new Promise(setImmediate);
    yield item;
  }
}

describe.each(backEnds)('$name', ({ open }) => {
  if (open === undefined) {
    test.skip('is not installed', () => undefined);
    return;
  }
  let counted: Counted;
  const hits = () => counted.db.repository(Hit);
  const hit = (n: number, name = `name ${n}`) => hits().create({ n, name });
  const reasons = (failed: readonly { readonly index: number; readonly error: RowsmithError }[]) =>
    failed.map(({ index, error: { code, details } }) => [index, code, details.property]);

  beforeEach(async () => {
    counted = await openCounted(await open(), [Hit]);
  });
  afterEach(() => counted.close());

  test('insertMany writes new rows, and reports those that exist', async () => {
    await hits().saveMany([3, 7].map((n) => hit(n, 'old')));
    counted.calls.length = 0;
    counted.maxInFlight = 0;
    const source = { taken: 0 };
    const progress: BulkProgress[] = [];
    const entities = [...upTo(200).map((n) => hit(n)), hits().create({ n: 200 })];
    const { written, failures } = await hits().insertMany(taken(entities, source), {
      inFlight: 10,
      onProgress: (report) => progress.push(report),
    });
    expect(written).toBe(198);
    expect(reasons(failures)).toEqual([
      [3, 'ROW_EXISTS', undefined],
      [7, 'ROW_EXISTS', undefined],
      [200, 'EMPTY_ROW', undefined],
    ]);
    expect(failures[0].item).toBe(entities[3]);
    expect(failures.map(({ mayBeWritten }) => mayBeWritten)).toEqual([false, false, false]);
    expect(counted.calls).toEqual(upTo(200).map(() => 'checkAndMutateRow'));
    expect(counted.maxInFlight).toBe(10);
    expect(progress.at(-1)).toEqual({ written: 198, failed: 3 });
    expect((await hits().get({ n: 3 }))?.name).toBe('old');
    expect(await hits().scanAll().count()).toBe(200);
  });

  test('patchMany is one request for a batch; a row with a condition is its own', async () => {
    await hits().saveMany(upTo(100).map((n) => hit(n)));
    counted.calls.length = 0;
    const { written, failures } = await hits().patchMany([
      ...upTo(100).map((n) => ({ key: { n }, changes: { name: `patched ${n}` } })),
      { key: { n: 5 }, changes: { name: 'five' }, if: { equals: { name: 'other' } } },
      { key: { n: 6 }, changes: { name: 'six' }, if: { exists: true } },
      { key: { n: 7 }, changes: {} },
    ]);
    expect(written).toBe(102);
    expect(reasons(failures)).toEqual([[100, 'CONDITION_FAILED', undefined]]);
    expect([...counted.calls].sort()).toEqual([
      'checkAndMutateRow',
      'checkAndMutateRow',
      'mutateRows',
    ]);
    expect((await hits().get({ n: 7 }))?.name).toBe('patched 7');
  });

  test('patchMany writes, removes and adds in batches', async () => {
    await hits().saveMany(upTo(300).map((n) => hit(n)));
    await hits().increment({ n: 1 }, 'seen');
    counted.calls.length = 0;
    const progress: BulkProgress[] = [];
    const { written, failures } = await hits().patchMany(
      upTo(300).map((n) => ({
        key: { n },
        changes: { name: 'x' },
        remove: ['seen'] as const,
        add: { views: BigInt(n) },
      })),
      { batchRows: 100, onProgress: (report) => progress.push(report) },
    );
    expect({ written, failures }).toEqual({ written: 300, failures: [] });
    expect(counted.calls).toEqual(['mutateRows', 'mutateRows', 'mutateRows']);
    expect(progress.map((report) => report.written)).toEqual([100, 200, 300]);
    expect((await hits().scanAll().all()).map(({ views }) => views)).toEqual(upTo(300).map(BigInt));
    expect(await hits().get({ n: 1 })).toEqual(hits().create({ n: 1, name: 'x', views: 1n }));
  });

  test('an item of patchMany with all parts and a condition is one CheckAndMutateRow', async () => {
    await hits().save(hit(1));
    await hits().increment({ n: 1 }, { seen: 3n, clicked: 4n });
    counted.calls.length = 0;
    const item = { key: { n: 1 }, changes: { name: 'x' }, remove: ['seen'], add: { views: 2n } };
    const { written, failures } = await hits().patchMany([
      { ...item, remove: ['seen'], if: { equals: { name: 'name 1' } } },
      { ...item, key: { n: 2 }, remove: [], if: { exists: true } },
    ]);
    expect([written, reasons(failures)]).toEqual([1, [[1, 'CONDITION_FAILED', undefined]]]);
    expect(counted.calls).toEqual(['checkAndMutateRow', 'checkAndMutateRow']);
    const changed = hits().create({ n: 1, name: 'x', clicked: 4n, views: 2n });
    expect(await hits().scanAll().all()).toEqual([changed]);
  });

  test('incrementMany is a request for a row, or a batch for aggregate families', async () => {
    counted.calls.length = 0;
    counted.maxInFlight = 0;
    const { written, failures } = await hits().incrementMany(
      [
        ...upTo(100).map((n) => ({ key: { n }, changes: { seen: 1n, clicked: BigInt(n) } })),
        ...upTo(100).map((n) => ({ key: { n }, changes: { views: 2n } })),
        { key: { n: 0 }, changes: { seen: 1n, views: 1n } },
        { key: { n: 0 }, changes: {} },
      ],
      { inFlight: 5 },
    );
    expect(written).toBe(201);
    expect(reasons(failures)).toEqual([[200, 'INVALID_ARGUMENT', 'views']]);
    const requests = counted.calls.filter((call) => call === 'readModifyWriteRow');
    expect([requests.length, counted.calls.length]).toEqual([100, 101]);
    // Batches and single rows together.
    expect(counted.maxInFlight).toBeLessThanOrEqual(5);
    expect(counted.maxInFlight).toBeGreaterThan(3);
    const stored = await hits().scanAll().all();
    expect(stored).toEqual(
      upTo(100).map((n) =>
        Object.assign(new Hit(), { n, seen: 1n, clicked: BigInt(n), views: 2n }),
      ),
    );
  });

  test('every item is checked by itself', async () => {
    const items = [
      { key: { n: 1 }, changes: { name: 'x' } },
      { key: { n: -1 }, changes: { name: 'x' } },
      { key: { n: 2 }, changes: { nam: 'x' } },
      { key: { n: 2 }, changes: {}, increment: { seen: 1n } },
      { key: { n: 2 }, changes: 5 },
      { key: 5, changes: { name: 'x' } },
      { changes: { name: 'x' } },
      { key: { n: 2 }, changes: { name: 'x' }, iff: { exists: true } },
      { key: { n: 2 }, changes: { name: 'x' }, if: { exist: true } },
      { key: { n: 2 }, changes: { set: { name: 'x' } } },
      null,
      { key: { n: 2 }, changes: {}, add: { seen: 1n } },
      { key: { n: 2 }, changes: { name: 'x' }, remove: ['name'] },
    ];
    const result = await hits().patchMany(items as never);
    expect(result.written).toBe(1);
    expect(reasons(result.failures)).toEqual([
      [1, 'INVALID_KEY', 'n'],
      [2, 'INVALID_ARGUMENT', 'nam'],
      [3, 'INVALID_ARGUMENT', 'increment'],
      [4, 'INVALID_ARGUMENT', 'changes'],
      [5, 'INVALID_ARGUMENT', 'key'],
      [6, 'INVALID_ARGUMENT', 'key'],
      [7, 'INVALID_ARGUMENT', 'iff'],
      [8, 'INVALID_ARGUMENT', 'exist'],
      [9, 'INVALID_ARGUMENT', 'set'],
      [10, 'INVALID_ARGUMENT', 'changes'],
      [11, 'INVALID_ARGUMENT', 'seen'],
      [12, 'INVALID_ARGUMENT', 'name'],
    ]);
    const patched = [{ key: { n: 2 }, changes: null }, { key: { n: 2 } }];
    expect(reasons((await hits().patchMany(patched as never)).failures)).toEqual([
      [0, 'INVALID_ARGUMENT', 'changes'],
      [1, 'INVALID_ARGUMENT', 'changes'],
    ]);
    const incremented = [
      { key: { n: 2 }, changes: { seen: 1 } },
      { key: { n: 2 }, changes: 1n },
    ];
    expect(reasons((await hits().incrementMany(incremented as never)).failures)).toEqual([
      [0, 'INVALID_ARGUMENT', 'seen'],
      [1, 'INVALID_ARGUMENT', 'changes'],
    ]);
    for (const { error } of result.failures) {
      expect(error.details.entity).toBe('Hit');
      expect(error.details.fix).toBeTruthy();
    }
    expect(await hits().scanAll().count()).toBe(1);
  });

  test('options are checked', async () => {
    const expected = { code: 'INVALID_ARGUMENT' };
    await expect(hits().insertMany([], { inFlight: 0 })).rejects.toMatchObject(expected);
    await expect(hits().insertMany([], { inFlight: 1025 })).rejects.toMatchObject(expected);
    await expect(hits().insertMany([], { batchRows: 1 } as never)).rejects.toMatchObject(expected);
    await expect(hits().patchMany(5 as never)).rejects.toMatchObject(expected);
  });

  test('an abort ends the call and the input', async () => {
    const controller = new AbortController();
    const source = { taken: 0 };
    const inserting = hits().insertMany(
      taken(
        upTo(100_000).map((n) => hit(n)),
        source,
      ),
      {
        signal: controller.signal,
        inFlight: 8,
        onProgress: ({ written }) => {
          if (written === 100) controller.abort(new Error('enough'));
        },
      },
    );
    await expect(inserting).rejects.toThrow('enough');
    expect(source.taken).toBeLessThan(130);
  });

  test('the input is read no faster than rows are written', async () => {
    const source = { taken: 0 };
    let most = 0;
    await hits().incrementMany(
      taken(
        upTo(500).map((n) => ({ key: { n }, changes: { seen: 1n } })),
        source,
      ),
      {
        inFlight: 16,
        onProgress: ({ written }) => (most = Math.max(most, source.taken - written)),
      },
    );
    expect(most).toBeLessThanOrEqual(17);
  });

  test('a table that is gone ends the call', async () => {
    await counted.db.engine.deleteTable('hits');
    const items = upTo(1000).map((n) => ({ key: { n }, changes: { seen: 1n } }));
    await expect(hits().incrementMany(items)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    expect(counted.calls.length).toBeLessThanOrEqual(64);
  });
});

test('an increment without an answer may have been made', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Hit] });
  const hits = db.repository(Hit);
  db.faults.failWrite({ nth: 2, applied: true });
  const items = [1, 2, 3].map((n) => ({ key: { n }, changes: { seen: 1n } }));
  const { written, failures } = await hits.incrementMany(items);
  expect(written).toBe(2);
  expect(
    failures.map(({ index, error, mayBeWritten }) => [index, error.code, mayBeWritten]),
  ).toEqual([[1, 'UNAVAILABLE', true]]);
  db.faults.clear();
  expect((await hits.get({ n: 2 }))?.seen).toBe(1n);
});
