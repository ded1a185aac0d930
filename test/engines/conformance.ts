/**
 * The conformance tests of engines. docs/fidelity.md describes the cases (A1, B3...). They can be
 * run with any implementation of Engine.
 */
import {
  type ErrorCode,
  everyKey,
  pointRange,
  prefixRange,
  RowsmithError,
} from '../../src/base/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type FamilySchema,
  type Mutation,
  type ReadPlan,
  type Row,
} from '../../src/data/store/index.js';

/** An open engine under test; `clock` is what it was opened with. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** Closes and opens the same database again, where it outlives its process. */
  readonly reopen?: () => Promise<Engine>;
  readonly close: () => Promise<void>;
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
export const set = (
  family: string,
  qualifier: string,
  value: string,
  timestamp: number | bigint = 1000,
): Mutation => ({
  kind: 'setCell',
  family,
  qualifier: utf8(qualifier),
  timestamp,
  value: utf8(value),
});
export const deleteColumn = (qualifier: string, start?: number, end?: number): Mutation => ({
  kind: 'deleteFromColumn',
  family: 'a',
  qualifier: utf8(qualifier),
  start,
  end,
});

/** Rows as one line of text each: `key{family:qualifier@timestamp=value ...}`. */
export function shown(rows: readonly Row[]): string[] {
  return rows.map(({ key, cells }) => {
    const shownCells = cells.map(
      ({ family, qualifier, timestamp, value }) =>
        `${family}:${text(qualifier)}@${timestamp}=${text(value)}`,
    );
    return `${text(key)}{${shownCells.join(' ')}}`;
  });
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export async function read(
  engine: Engine,
  plan: Partial<ReadPlan> = {},
  pageRows?: number,
): Promise<string[]> {
  return shown(
    await collectRows(
      engine.readRows({ table: 't', ranges: [everyKey], reversed: false, ...plan }, { pageRows }),
    ),
  );
}

/** Expects the promise to reject with the code. */
export async function rejects(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RowsmithError);
  expect((error as RowsmithError).code).toBe(code);
}

/**
 * The tests that a foreign storage is known to fail, and why: by title, or by its part before the
 * colon. They are run and must fail, so that the list is kept up to date, except tests that fail by
 * chance.
 */
export type Deviations = Readonly<Record<string, string | { readonly byChance: string }>>;

/**
 * Defines the tests. `open` opens an engine on an empty database with the given clock and otherwise
 * default options. Tests in `deviations` are run and expected to fail.
 */
export function describeEngine(
  name: string,
  open: (clock: () => number) => Promise<EngineUnderTest>,
  deviations: Deviations = {},
): void {
  const usedDeviations = new Set<string>();
  const test = (title: string, run: () => Promise<void>): void => {
    const deviation = [title, title.split(':')[0]].find((key) => key in deviations);
    if (deviation === undefined) return globalThis.test(title, run);
    usedDeviations.add(deviation);
    const how = deviations[deviation];
    globalThis.test(
      `${title} (known to break: ${typeof how === 'string' ? how : how.byChance})`,
      async () => {
        const holds = await run().then(
          () => true,
          () => false,
        );
        if (typeof how === 'string')
          expect({ promise: title, holds }).toEqual({ promise: title, holds: false });
      },
    );
  };

  describe(`${name}: engine conformance`, () => {
    afterAll(() => expect([...usedDeviations].sort()).toEqual(Object.keys(deviations).sort()));
    let under: EngineUnderTest;
    let engine: Engine;
    let now: number;
    const put = (key: string, ...mutations: Mutation[]) =>
      engine.mutateRow('t', { key: utf8(key), mutations });
    const table = (families: Record<string, FamilySchema>) =>
      engine.createTable({ name: 't', families: new Map(Object.entries(families)) });

    beforeEach(async () => {
      now = 1_700_000_000_000;
      under = await open(() => now);
      engine = under.engine;
      await table({
        b: {},
        a: {},
        sum: { aggregate: 'sum' },
        min: { aggregate: 'min' },
        max: { aggregate: 'max' },
      });
    });
    afterEach(() => under.close());

    test('A1: an empty row key is rejected everywhere', async () => {
      await rejects(put(''), 'INVALID_ARGUMENT');
      await rejects(
        engine.readModifyWriteRow('t', utf8(''), [
          { kind: 'increment', family: 'a', qualifier: utf8('q'), amount: 1n },
        ]),
        'INVALID_ARGUMENT',
      );
      await rejects(
        engine.checkAndMutateRow('t', { key: utf8(''), onFalse: [set('a', 'q', 'v')] }),
        'INVALID_ARGUMENT',
      );
      const [first, second] = await engine.mutateRows('t', [
        { key: utf8(''), mutations: [set('a', 'q', 'v')] },
        { key: utf8('k'), mutations: [set('a', 'q', 'v')] },
      ]);
      expect([first?.code, second]).toEqual(['INVALID_ARGUMENT', undefined]);
      expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
    });

    test('A2, A3: an unknown family rejects the whole entry', async () => {
      await rejects(put('k', set('a', 'q', 'v1'), set('zz', 'q', 'x')), 'FAMILY_NOT_FOUND');
      await rejects(put('k', { kind: 'deleteFromFamily', family: 'zz' }), 'FAMILY_NOT_FOUND');
      await rejects(
        put('k', { kind: 'deleteFromColumn', family: 'zz', qualifier: utf8('q') }),
        'FAMILY_NOT_FOUND',
      );
      await rejects(
        engine.readModifyWriteRow('t', utf8('k'), [
          { kind: 'append', family: 'a', qualifier: utf8('s'), value: utf8('A') },
          { kind: 'append', family: 'zz', qualifier: utf8('s'), value: utf8('B') },
        ]),
        'FAMILY_NOT_FOUND',
      );
      expect(await read(engine)).toEqual([]);
    });

    test('A4, A5: each row of mutateRows is independent', async () => {
      const results = await engine.mutateRows('t', [
        { key: utf8('m1'), mutations: [set('a', 'q', '1')] },
        { key: utf8('m2'), mutations: [set('a', 'q', '2'), set('zz', 'q', 'x')] },
        { key: utf8('z1'), mutations: [] },
        { key: utf8('m3'), mutations: [set('a', 'q', '3')] },
      ]);
      expect(results.map((error) => error?.code)).toEqual([
        undefined,
        'FAMILY_NOT_FOUND',
        'INVALID_ARGUMENT',
        undefined,
      ]);
      expect(await read(engine)).toEqual(['m1{a:q@1000=1}', 'm3{a:q@1000=3}']);
    });

    test('A6: mutations of an entry apply in order', async () => {
      await put('k', set('a', 'q', 'x'), deleteColumn('q'), set('a', 'q', 'y', 2000));
      expect(await read(engine)).toEqual(['k{a:q@2000=y}']);
      await put('k', { kind: 'deleteFromRow' }, set('b', 'q', 'new', 500_000));
      expect(await read(engine)).toEqual(['k{b:q@500000=new}']);
      await put('k', set('a', 'q', 'x'), { kind: 'deleteFromRow' });
      expect(await read(engine)).toEqual([]);
    });

    test('A8: timestamps are whole milliseconds, or set from the clock', async () => {
      for (const timestamp of [-2, 1001, 9223372036854775807n, 1.5])
        await rejects(put('k', set('a', 'q', 'v', timestamp)), 'INVALID_ARGUMENT');
      await put(
        'k',
        set('a', 'server', 'v', -1),
        set('a', 'last', 'v', 9223372036854775000n),
        set('a', 'zero', 'v', 0),
      );
      expect(await read(engine)).toEqual([
        `k{a:last@9223372036854775000=v a:server@${now}000=v a:zero@0=v}`,
      ]);
    });

    test('A10: qualifiers and values may be empty', async () => {
      await put('k', set('a', '', ''));
      expect(await read(engine)).toEqual(['k{a:@1000=}']);
      expect(
        await engine.checkAndMutateRow('t', { key: utf8('k'), onTrue: [set('b', 'q', 'v')] }),
      ).toBe(true);
    });

    test('B1, B3, B4: a column is deleted within a range of timestamps', async () => {
      const versions = [1000, 2000, 3000, 4000].map((timestamp) =>
        set('a', 'q', `${timestamp / 1000}`, timestamp),
      );
      await put('x', ...versions, deleteColumn('q', 2000, 4000));
      await put('y', ...versions, deleteColumn('q', 0, 3000));
      await put('z', ...versions, deleteColumn('q', 3000));
      expect(await read(engine)).toEqual([
        'x{a:q@4000=4 a:q@1000=1}',
        'y{a:q@4000=4 a:q@3000=3}',
        'z{a:q@2000=2 a:q@1000=1}',
      ]);
      for (const [start, end] of [
        [3000, 1000],
        [2000, 2000],
        [-1000, 1000],
        [1500, 2500],
      ])
        await rejects(put('missing', deleteColumn('q', start, end)), 'INVALID_ARGUMENT');
    });

    test('B5, B6, B8: deletions create no row, remove a row with its last cell, and do not mask later writes', async () => {
      await put('none', { kind: 'deleteFromRow' }, deleteColumn('q'), {
        kind: 'deleteFromFamily',
        family: 'a',
      });
      expect(await read(engine)).toEqual([]);
      await put('x', set('a', 'q', 'v', 5000));
      await put('x', deleteColumn('q'));
      expect(await read(engine, { limit: 1 })).toEqual([]);
      expect(
        await engine.checkAndMutateRow('t', {
          key: utf8('x'),
          onFalse: [set('a', 'q', 'back', 1000)],
        }),
      ).toBe(false);
      expect(await read(engine)).toEqual(['x{a:q@1000=back}']);
    });

    test('B9: rows are dropped by prefix', async () => {
      const keys = ['FE', 'FFFE', 'FFFF', 'FFFF01', '78', '7801', '79'].map(
        (key) => new Uint8Array(Buffer.from(key, 'hex')),
      );
      await engine.mutateRows(
        't',
        keys.map((key) => ({ key, mutations: [set('a', 'q', 'v')] })),
      );
      await rejects(
        engine.dropRowRange('t', { kind: 'prefix', prefix: new Uint8Array(0) }),
        'INVALID_ARGUMENT',
      );
      await engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('x') });
      await engine.dropRowRange('t', { kind: 'prefix', prefix: new Uint8Array([255, 255]) });
      expect(
        (
          await collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false }))
        ).map(({ key }) => Buffer.from(key).toString('hex')),
      ).toEqual(['79', 'fe', 'fffe']);
      await engine.dropRowRange('t', { kind: 'all' });
      expect(await read(engine)).toEqual([]);
    });

    test('C: increments and appends', async () => {
      const key = utf8('k');
      const increment = async (amount: bigint, qualifier = 'n') =>
        Buffer.from(
          (
            await engine.readModifyWriteRow('t', key, [
              { kind: 'increment', family: 'a', qualifier: utf8(qualifier), amount },
            ])
          ).cells[0].value,
        ).toString('hex');
      const append = async (value: string, qualifier: string) =>
        (
          await engine.readModifyWriteRow('t', key, [
            {
              kind: 'append',
              family: 'a',
              qualifier: utf8(qualifier),
              value: new Uint8Array(Buffer.from(value, 'hex')),
            },
          ])
        ).cells;
      expect(await increment(5n)).toBe('0000000000000005');
      expect(await increment(-7n)).toBe('fffffffffffffffe');
      expect(await increment(2n ** 63n - 1n)).toBe('7ffffffffffffffd');
      expect(await increment(5n)).toBe('8000000000000002');
      expect((await append('000000', 'i')).length).toBe(1);
      await append('0000000011', 'i');
      expect(await increment(8n, 'i')).toBe('0000000000000019');
      await append('', 'empty');
      await rejects(increment(1n, 'empty'), 'FAILED_PRECONDITION');
      await rejects(engine.readModifyWriteRow('t', key, []), 'INVALID_ARGUMENT');
      await rejects(
        engine.readModifyWriteRow('t', utf8('other'), [
          { kind: 'append', family: 'a', qualifier: utf8('x'), value: utf8('12345') },
          { kind: 'increment', family: 'a', qualifier: utf8('x'), amount: 1n },
        ]),
        'FAILED_PRECONDITION',
      );
      expect(await read(engine, { ranges: [pointRange(utf8('other'))] })).toEqual([]);
    });

    test('C7: the result is never older than the cell it replaces', async () => {
      await put('k', set('a', 'q', 'v', 9_000_000_000_000_000));
      const row = await engine.readModifyWriteRow('t', utf8('k'), [
        { kind: 'append', family: 'a', qualifier: utf8('q'), value: utf8('w') },
      ]);
      expect(shown([row])).toEqual(['k{a:q@9000000000000000=vw}']);
      expect(await read(engine)).toEqual(['k{a:q@9000000000000000=vw}']);
    });

    test('D: check and mutate', async () => {
      await rejects(engine.checkAndMutateRow('t', { key: utf8('k') }), 'INVALID_ARGUMENT');
      expect(
        await engine.checkAndMutateRow('t', { key: utf8('k'), onFalse: [set('a', 'q', '1')] }),
      ).toBe(false);
      expect(
        await engine.checkAndMutateRow('t', { key: utf8('k'), onFalse: [set('a', 'q', '2')] }),
      ).toBe(true);
      const predicate: Filter = {
        kind: 'chain',
        filters: [
          { kind: 'columns', columns: [{ family: 'a', qualifiers: [utf8('q')] }] },
          { kind: 'cellsPerColumn', count: 1 },
          { kind: 'valueEquals', value: utf8('1') },
        ],
      };
      expect(
        await engine.checkAndMutateRow('t', {
          key: utf8('k'),
          predicate,
          onTrue: [set('a', 'q', '3', 2000)],
        }),
      ).toBe(true);
      expect(
        await engine.checkAndMutateRow('t', {
          key: utf8('k'),
          predicate,
          onTrue: [set('a', 'q', '4', 3000)],
        }),
      ).toBe(false);
      await rejects(
        engine.checkAndMutateRow('t', {
          key: utf8('k'),
          onTrue: [set('a', 'q', 'ok', 4000), set('zz', 'q', 'x')],
        }),
        'FAMILY_NOT_FOUND',
      );
      expect(await read(engine)).toEqual(['k{a:q@2000=3 a:q@1000=1}']);
    });

    test('E1, M4: rows and columns are in byte order, families in the order of their creation', async () => {
      await engine.modifyFamilies('t', [{ kind: 'create', family: 'Z', schema: {} }]);
      const keys = ['00', '0000', '61', '6100', '617c', '6161', 'ff', 'ff00', 'ffff'];
      await engine.mutateRows(
        't',
        [...keys].reverse().map((key) => ({
          key: new Uint8Array(Buffer.from(key, 'hex')),
          mutations: [
            set('b', 'q', 'v'),
            set('a', 'é', 'v'),
            set('a', 'q', 'o'),
            set('a', 'q', 'n', 2000),
            set('Z', 'q', 'v'),
          ],
        })),
      );
      const rows = await collectRows(
        engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
      );
      expect(rows.map(({ key }) => Buffer.from(key).toString('hex'))).toEqual(
        keys.sort((a, b) => Buffer.compare(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))),
      );
      expect(
        rows[0].cells.map(
          (cell) => `${cell.family}:${Buffer.from(cell.qualifier).toString()}@${cell.timestamp}`,
        ),
      ).toEqual(['a:q@2000', 'a:q@1000', 'a:é@1000', 'b:q@1000', 'Z:q@1000']);
      const changed = await engine.readModifyWriteRow(
        't',
        utf8('k'),
        ['Z', 'b', 'a'].map((family) => ({
          kind: 'append' as const,
          family,
          qualifier: utf8('q'),
          value: utf8('v'),
        })),
      );
      expect(changed.cells.map(({ family }) => family)).toEqual(['a', 'b', 'Z']);
    });

    test('E3, E4, E5: ranges, limits and reversed reads', async () => {
      for (const key of ['r1', 'r2', 'r3', 'r4', 'r5'])
        await put(key, set('a', 'q', key), set('a', 'q', 'old', 0));
      const keys = async (plan: Partial<ReadPlan>, pageRows?: number) =>
        (await read(engine, plan, pageRows)).map((row) => row.slice(0, 2)).join(' ');
      expect(await keys({ ranges: [] })).toBe('');
      expect(
        await keys({ ranges: [{ start: utf8('r2'), end: utf8('r4') }, pointRange(utf8('r5'))] }),
      ).toBe('r2 r3 r5');
      expect(
        await keys(
          {
            ranges: [{ start: utf8('r2'), end: utf8('r4') }, pointRange(utf8('r5'))],
            reversed: true,
          },
          1,
        ),
      ).toBe('r5 r3 r2');
      expect(await keys({ reversed: true, limit: 2 })).toBe('r5 r4');
      expect(await keys({ ranges: [prefixRange(utf8('r'))], limit: 3 }, 2)).toBe('r1 r2 r3');
      expect(await keys({ limit: 1, filter: { kind: 'valueEquals', value: utf8('r4') } })).toBe(
        'r4',
      );
      expect((await read(engine, { reversed: true, limit: 1 }))[0]).toBe(
        'r5{a:q@1000=r5 a:q@0=old}',
      );
      for (const limit of [0, -1, 1.5]) await rejects(read(engine, { limit }), 'INVALID_ARGUMENT');
    });

    test('F: filters by count', async () => {
      await put(
        'k',
        ...['a', 'b'].flatMap((family) =>
          ['x', 'y'].flatMap((qualifier) =>
            [3000, 2000, 1000].map((timestamp) =>
              set(family, qualifier, `${timestamp}`, timestamp),
            ),
          ),
        ),
      );
      const cells = async (filter: Filter) =>
        (await read(engine, { filter }))[0]?.match(/[ab]:.@\d/g)?.join(' ');
      expect(await cells({ kind: 'cellsPerRow', count: 4 })).toBe('a:x@3 a:x@2 a:x@1 a:y@3');
      expect(await cells({ kind: 'cellsPerColumn', count: 2 })).toBe(
        'a:x@3 a:x@2 a:y@3 a:y@2 b:x@3 b:x@2 b:y@3 b:y@2',
      );
      expect(
        await cells({
          kind: 'chain',
          filters: [
            { kind: 'cellsPerRow', count: 4 },
            { kind: 'cellsPerColumn', count: 1 },
          ],
        }),
      ).toBe('a:x@3 a:y@3');
      expect(
        await cells({
          kind: 'chain',
          filters: [
            { kind: 'timestampRange', start: 1000, end: 3000 },
            { kind: 'cellsPerColumn', count: 1 },
          ],
        }),
      ).toBe('a:x@2 a:y@2 b:x@2 b:y@2');
      expect(
        await cells({
          kind: 'chain',
          filters: [
            { kind: 'families', families: ['b'] },
            {
              kind: 'columns',
              columns: [
                { family: 'a', qualifiers: 'all' },
                { family: 'b', qualifiers: [utf8('y'), utf8('zz')] },
              ],
            },
          ],
        }),
      ).toBe('b:y@3 b:y@2 b:y@1');
      for (const count of [0, -1, 2.5])
        await rejects(read(engine, { filter: { kind: 'cellsPerRow', count } }), 'INVALID_ARGUMENT');
    });

    test('G, I: conditions, strips, blocks and timestamps; unknown families, filters and tables are rejected', async () => {
      await put('r1', set('a', 'p', '1'), set('b', 'q', '3', 2000));
      await put('r2', set('a', 'p', '9'));
      const predicate: Filter = { kind: 'families', families: ['b'] };
      expect(
        await read(engine, {
          filter: {
            kind: 'condition',
            predicate,
            onTrue: { kind: 'stripValue' },
            onFalse: { kind: 'passAll' },
          },
        }),
      ).toEqual(['r1{a:p@1000= b:q@2000=}', 'r2{a:p@1000=9}']);
      expect(
        await read(engine, {
          filter: { kind: 'condition', predicate, onTrue: { kind: 'passAll' } },
        }),
      ).toEqual(['r1{a:p@1000=1 b:q@2000=3}']);
      expect(await read(engine, { filter: { kind: 'blockAll' } })).toEqual([]);
      expect(await read(engine, { filter: { kind: 'timestampRange', start: 2000 } })).toEqual([
        'r1{b:q@2000=3}',
      ]);
      await rejects(
        read(engine, { filter: { kind: 'timestampRange', start: 1500, end: 2500 } }),
        'INVALID_ARGUMENT',
      );
      await rejects(
        read(engine, { filter: { kind: 'timestampRange', start: 3000, end: 2000 } }),
        'INVALID_ARGUMENT',
      );
      await rejects(
        read(engine, { filter: { kind: 'families', families: ['zz'] } }),
        'FAMILY_NOT_FOUND',
      );
      await rejects(
        read(engine, {
          filter: {
            kind: 'condition',
            predicate: { kind: 'columns', columns: [{ family: 'zz', qualifiers: 'all' }] },
            onTrue: { kind: 'passAll' },
          },
        }),
        'FAMILY_NOT_FOUND',
      );
      await rejects(
        read(engine, { filter: { kind: 'sample' } as unknown as Filter }),
        'INVALID_ARGUMENT',
      );
      await rejects(read(engine, { table: 'nowhere' }), 'TABLE_NOT_FOUND');
    });

    test('J: reads hide cells that the rules collect, by version and by age, permanently', async () => {
      const day = 86_400_000;
      const gc = {
        kind: 'union',
        rules: [
          { kind: 'maxVersions', versions: 2 },
          { kind: 'maxAge', micros: day * 1000 },
        ],
      } as const;
      await engine.modifyFamilies('t', [{ kind: 'create', family: 'g', schema: { gc } }]);
      for (const age of [3, 2, 1, 0])
        await put('k', set('g', 'q', `${age}`, BigInt(now - age * 1000) * 1000n));
      expect((await read(engine))[0].match(/=\d/g)).toEqual(['=0', '=1']);
      now += day - 500;
      expect((await read(engine))[0].match(/=\d/g)).toEqual(['=0']);
      expect(
        await engine.checkAndMutateRow('t', {
          key: utf8('k'),
          predicate: { kind: 'valueEquals', value: utf8('1') },
          onFalse: [set('a', 'q', 'no')],
        }),
      ).toBe(false);
      await engine.modifyFamilies('t', [{ kind: 'update', family: 'g', gc: undefined }]);
      expect((await read(engine))[0].match(/g:q@\d+=\d/g)?.length).toBe(1);
    });

    test('K: aggregates', async () => {
      const add = (family: string, input: bigint): Mutation => ({
        kind: 'addToCell',
        family,
        qualifier: utf8('q'),
        timestamp: 1000,
        input,
      });
      for (const input of [5n, -7n, 3n])
        await put('k', add('sum', input), add('min', input), add('max', input));
      const [row] = await collectRows(
        engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
      );
      expect(
        row.cells.map((cell) => `${cell.family}=${Buffer.from(cell.value).readBigInt64BE()}`),
      ).toEqual(['max=5', 'min=-7', 'sum=1']);
      await rejects(put('k', set('sum', 'q', 'v')), 'INVALID_ARGUMENT');
      await rejects(put('k', { ...add('a', 1n) }), 'INVALID_ARGUMENT');
      await rejects(put('k', { ...add('sum', 1n), timestamp: -1 } as Mutation), 'INVALID_ARGUMENT');
      await rejects(
        engine.readModifyWriteRow('t', utf8('k'), [
          { kind: 'increment', family: 'sum', qualifier: utf8('q'), amount: 1n },
        ]),
        'INVALID_ARGUMENT',
      );
    });

    test('L2, L3: tables and families', async () => {
      for (const name of ['', '-a', 'a b', 'x'.repeat(51)])
        await rejects(engine.createTable({ name, families: new Map() }), 'INVALID_ARGUMENT');
      for (const family of ['', '.a', 'a:b', 'x'.repeat(65)])
        await rejects(
          engine.modifyFamilies('t', [{ kind: 'create', family, schema: {} }]),
          'INVALID_ARGUMENT',
        );
      await rejects(engine.createTable({ name: 't', families: new Map() }), 'TABLE_EXISTS');
      await rejects(engine.deleteTable('nowhere'), 'TABLE_NOT_FOUND');
      await rejects(
        engine.mutateRow('nowhere', { key: utf8('k'), mutations: [set('a', 'q', 'v')] }),
        'TABLE_NOT_FOUND',
      );
      await rejects(
        engine.modifyFamilies('t', [
          { kind: 'create', family: 'new', schema: {} },
          { kind: 'drop', family: 'zz' },
        ]),
        'FAMILY_NOT_FOUND',
      );
      expect([...(await engine.listTables())[0].families.keys()]).toEqual([
        'a',
        'b',
        'max',
        'min',
        'sum',
      ]);
    });

    test('dropped tables and families are empty when created again', async () => {
      await put('k', set('a', 'q', 'v'), set('b', 'q', 'v'));
      await put('only', set('a', 'q', 'v'));
      await engine.modifyFamilies('t', [{ kind: 'drop', family: 'a' }]);
      await engine.modifyFamilies('t', [{ kind: 'create', family: 'a', schema: {} }]);
      expect(await read(engine)).toEqual(['k{b:q@1000=v}']);
      await engine.deleteTable('t');
      await table({ b: {} });
      expect(await read(engine)).toEqual([]);
    });

    test('a read returns page by page, may be abandoned at any time, and obeys its signal', async () => {
      await engine.mutateRows(
        't',
        Array.from({ length: 10 }, (_, at) => ({
          key: utf8(`r${at}`),
          mutations: [set('a', 'q', 'v')],
        })),
      );
      const abandoned = engine.readRows(
        { table: 't', ranges: [everyKey], reversed: false },
        { pageRows: 4 },
      );
      const page = await abandoned.next();
      expect(page!.nextRow()).toBe(true);
      const rest: string[] = [];
      for (let next = await abandoned.next(); next !== undefined; next = await abandoned.next())
        while (next.nextRow()) rest.push(text(next.keyBytes.slice(next.keyStart, next.keyEnd)));
      expect(rest.join(' ')).toBe('r4 r5 r6 r7 r8 r9');
      const closed = engine.readRows({ table: 't', ranges: [everyKey], reversed: false });
      await closed.next();
      await closed.close();
      await closed.close();
      expect(await closed.next()).toBeUndefined();
      const abort = new AbortController();
      const aborted = engine.readRows(
        { table: 't', ranges: [everyKey], reversed: false },
        { pageRows: 1, signal: abort.signal },
      );
      await aborted.next();
      abort.abort(new Error('enough'));
      await expect(aborted.next()).rejects.toThrow('enough');
    });

    test('two reads may be interleaved, and a row stays valid while other rows are read', async () => {
      await engine.mutateRows(
        't',
        Array.from({ length: 20 }, (_, at) => ({
          key: utf8(`r${at + 10}`),
          mutations: [set('a', 'q', `v${at + 10}`), set('a', 'r', 'x')],
        })),
      );
      const streams = [false, true].map((reversed) =>
        engine.readRows({ table: 't', ranges: [everyKey], reversed }),
      );
      const [up, down] = await Promise.all(streams.map((stream) => stream.next()));
      let at = 10;
      // Until the end of the shorter first page: over a network, a page holds what has arrived.
      for (; at < 30 && up!.nextRow() && down!.nextRow(); at++) {
        expect([up!.nextCell(), down!.nextCell()]).toEqual([true, true]);
        const slice = (bytes: Uint8Array, start: number, end: number) =>
          text(Uint8Array.from({ length: end - start }, (_, i) => bytes[start + i]));
        expect([
          slice(up!.keyBytes, up!.keyStart, up!.keyEnd),
          slice(up!.valueBytes, up!.valueStart, up!.valueEnd),
        ]).toEqual([`r${at}`, `v${at}`]);
        expect([
          slice(down!.keyBytes, down!.keyStart, down!.keyEnd),
          slice(down!.valueBytes, down!.valueStart, down!.valueEnd),
        ]).toEqual([`r${39 - at}`, `v${39 - at}`]);
        expect([up!.nextCell(), up!.nextCell(), up!.family]).toEqual([true, false, 'a']);
      }
      expect(at).toBeGreaterThan(10);
      for (const stream of streams) await stream.close();
    });

    test('concurrent writes of one row are all applied', async () => {
      await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          at % 2 === 0
            ? engine.readModifyWriteRow('t', utf8('k'), [
                { kind: 'increment', family: 'a', qualifier: utf8('n'), amount: 1n },
              ])
            : put('k', set('b', `${at}`, 'v')),
        ),
      );
      const [row] = await collectRows(
        engine.readRows({
          table: 't',
          ranges: [everyKey],
          reversed: false,
          filter: { kind: 'cellsPerColumn', count: 1 },
        }),
      );
      expect([Buffer.from(row.cells[0].value).readBigInt64BE(), row.cells.length]).toEqual([
        25n,
        26,
      ]);
    });

    test('the caller may reuse its buffers at once', async () => {
      const key = Buffer.from('key');
      const value = Buffer.from('value');
      const written = engine.mutateRow('t', {
        key,
        mutations: [{ kind: 'setCell', family: 'a', qualifier: key, timestamp: 1000, value }],
      });
      key.fill(0);
      value.fill(0);
      await written;
      expect(await read(engine)).toEqual(['key{a:key@1000=value}']);
    });

    test('sampled keys end with the empty key', async () => {
      expect((await engine.sampleRowKeys('t')).at(-1)!.key.length).toBe(0);
    });

    test('E7: sampled keys begin with the split keys', async () => {
      const keys = async () =>
        (await engine.sampleRowKeys('split')).map(({ key }) => Buffer.from(key).toString());
      const splitKeys = ['m', 'c', 'm'].map((key) => Buffer.from(key));
      await engine.createTable({ name: 'split', families: new Map([['a', {}]]), splitKeys });
      expect(await keys()).toEqual(['c', 'm', '']);
      for (const key of ['b', 'c', 'd', 'x'])
        await engine.mutateRow('split', {
          key: Buffer.from(key),
          mutations: [set('a', 'q', key.repeat(1000))],
        });
      const samples = await engine.sampleRowKeys('split');
      expect(await keys()).toEqual(['c', 'm', '']);
      const offsets = samples.map(({ offsetBytes }) => Math.round(offsetBytes / 1000));
      expect(offsets).toEqual([1, 3, 4]);
    });

    test('a closed engine rejects all calls', async () => {
      await engine.close();
      await engine.close();
      await rejects(engine.listTables(), 'DATABASE_CLOSED');
      await rejects(put('k', set('a', 'q', 'v')), 'DATABASE_CLOSED');
      await rejects(read(engine), 'DATABASE_CLOSED');
    });

    test('M1, M2: written data is present after reopening', async () => {
      if (under.reopen === undefined) return;
      await engine.modifyFamilies('t', [
        { kind: 'create', family: 'g', schema: { gc: { kind: 'maxVersions', versions: 3 } } },
      ]);
      await put('k', set('a', 'q', 'v'), set('g', 'big', 'x'.repeat(100_000)));
      const before = [await read(engine), await engine.listTables()];
      engine = await under.reopen();
      expect([await read(engine), await engine.listTables()]).toEqual(before);
    });
  });
}
