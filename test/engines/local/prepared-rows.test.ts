/**
 * Rows that only set cells are prepared as records and merged as bytes, whether they are mutations
 * or offsets in a request. The pairs must be equal, byte for byte, to pairs written by RowBuilder,
 * which is used for the same rows with an additional mutation that has no effect.
 */
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import { decodeMutateRowsRequest, MutateRowsRequest } from '../../../src/engines/protocol/index.js';
import { timestampOrigin } from '../../../src/engines/protocol/messages/data-messages.js';
import {
  PackedRow,
  type GcRule,
  type Mutation,
  type RowMutation,
} from '../../../src/data/store/index.js';
import fc from '../../support/fast-check.js';

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

const now = 1_700_000_000_000;
const rule: fc.Arbitrary<GcRule | undefined> = fc.constantFrom<(GcRule | undefined)[]>(
  undefined,
  { kind: 'maxVersions', versions: 1 },
  { kind: 'maxVersions', versions: 2 },
  { kind: 'maxAge', micros: 10_000_000 },
  {
    kind: 'union',
    rules: [
      { kind: 'maxAge', micros: 5_000_000 },
      { kind: 'maxVersions', versions: 2 },
    ],
  },
  {
    kind: 'intersection',
    rules: [
      { kind: 'maxAge', micros: 5_000_000 },
      { kind: 'maxVersions', versions: 1 },
    ],
  },
);
const key = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(3), fc.nat(12))
      .map(([device, n]) => Buffer.from(`device-${device}#${String(n).padStart(4, '0')}`)),
  },
  { weight: 2, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[3999, 4000, 4001, 4096].map((length) => Buffer.alloc(length, 'k')),
    ),
  },
);
const timestamp = fc.oneof(
  fc.integer({ min: -12, max: 2 }).map((seconds) => (now + seconds * 1000) * 1000),
  fc.constantFrom(0, -1, -1n, 0n, 2n ** 62n - (2n ** 62n % 1000n)),
  fc.constantFrom(now * 1000 + 1, BigInt(now) * 1000n + 999n),
);
const value = fc.oneof(
  { weight: 12, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(127, 128, 4096, 4097)
      .map((length) => new Uint8Array(length).fill(1)),
  },
);
const qualifier = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'c').map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(300, 'q')) },
);
const setCell: fc.Arbitrary<SetCell> = fc.record(
  {
    kind: fc.constant('setCell' as const),
    family: fc.constantFrom('f', 'f', 'f', 'e', 'g', 'missing'),
    qualifier,
    timestamp,
    value,
    truncate: fc.constant(true as const),
  },
  { requiredKeys: ['kind', 'family', 'qualifier', 'timestamp', 'value'] },
);
const row = fc.record({
  key,
  mutations: fc.oneof(
    { weight: 3, arbitrary: fc.array(setCell, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(setCell, { minLength: 1, maxLength: 6 }) },
  ),
});
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.constantFrom('e', 'g') }) },
);

const noEffect: Mutation = {
  kind: 'deleteFromColumn',
  family: 'f',
  qualifier: Buffer.from('in no row'),
};

const firstTable = Uint8Array.of(0, 0, 0, 1);

/**
 * All pairs as text, without the blocks: where a block is split depends on the order and the size
 * of commits, and additional mutations are larger (FORMAT.md, Blocks).
 */
function pairs(store: LoggedStore): string[] {
  const found: string[] = [];
  const hex = (bytes: Uint8Array, start: number, end: number): string =>
    Buffer.from(bytes.subarray(start, end)).toString('hex');
  // Records of tables, the rows of the table, and values that overflow.
  for (const [start, end] of [
    [Uint8Array.of(0), firstTable],
    [firstTable, Uint8Array.of(0, 0, 0, 2)],
    [Uint8Array.of(0x80), Uint8Array.of(0x81)],
  ]) {
    const cursor = store.scan(start, end, false);
    while (cursor.next())
      found.push(
        `${hex(cursor.keyBytes, cursor.keyStart, cursor.keyEnd)} ` +
          hex(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
      );
    cursor.release();
  }
  return found;
}

/** The rows as the server reads them: offsets in the bytes of a request. */
function packed(
  rows: readonly { readonly key: Uint8Array; readonly mutations: readonly SetCell[] }[],
): RowMutation[] {
  const request = MutateRowsRequest.encode({
    entries: rows.map((one) => ({
      rowKey: one.key,
      mutations: one.mutations.map((cell) => ({
        setCell: {
          familyName: cell.family,
          columnQualifier: cell.qualifier,
          timestampMicros: BigInt(cell.timestamp),
          value: cell.value,
        },
        timestampOrigin: cell.truncate === true ? timestampOrigin.clientAutoGenerated : undefined,
      })),
    })),
  });
  return decodeMutateRowsRequest(request).entries.map((entry, i) => {
    const isSafe = rows[i].mutations.every((cell) => Number.isSafeInteger(Number(cell.timestamp)));
    expect(entry instanceof PackedRow).toBe(isSafe);
    return entry as RowMutation;
  });
}

async function opened(
  gc: 'onRead' | 'manual',
  families: Readonly<Record<string, GcRule | undefined>>,
): Promise<{ logged: LoggedStore; engine: LocalEngine }> {
  const logged = new LoggedStore(new BlockStore(await openMemoryStore()));
  const engine = new LocalEngine('memory:', logged, { clock: () => now, gc });
  await engine.createTable({
    name: 't',
    families: new Map(
      Object.entries(families).map(([name, gcRule]) => [
        name,
        gcRule === undefined ? {} : { gc: gcRule },
      ]),
    ),
  });
  return { logged, engine };
}

test('prepared rows store the same bytes as row builders, and fail with the same errors', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('onRead' as const, 'onRead' as const, 'manual' as const),
      rule,
      rule,
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (gc, first, second, steps) => {
        const families = { f: first, e: second, g: undefined };
        const engines = Array.from({ length: 3 }, () => opened(gc, families));
        const [prepared, asPacked, built] = await Promise.all(engines);
        for (const one of steps) {
          if ('drop' in one) {
            // Not awaited, so that the following writes are prepared under the old schema.
            for (const { engine } of [prepared, asPacked, built])
              void engine
                .modifyFamilies('t', [{ kind: 'drop', family: one.drop }])
                .catch(() => undefined);
            continue;
          }
          const results = await Promise.all([
            prepared.engine.mutateRows('t', one.rows),
            asPacked.engine.mutateRows('t', packed(one.rows)),
            built.engine.mutateRows(
              't',
              one.rows.map(({ key: rowKey, mutations }) => ({
                key: rowKey,
                mutations: [...mutations, noEffect],
              })),
            ),
          ]);
          // Codes only: of two families that were dropped meanwhile, either may be reported.
          const codes = results.map((errors) => errors.map((error) => error?.code));
          expect(codes.slice(0, 2)).toEqual([codes[2], codes[2]]);
        }
        for (const { logged } of [prepared, asPacked, built]) await logged.flush();
        // Closing empties the stores.
        expect(pairs(prepared.logged)).toEqual(pairs(built.logged));
        expect(pairs(asPacked.logged)).toEqual(pairs(built.logged));
        expect(pairs(built.logged).length).toBeGreaterThan(0);
        for (const { engine } of [prepared, asPacked, built]) await engine.close();
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});

const cellOf = (text: string): SetCell => ({
  kind: 'setCell',
  family: 'f',
  qualifier: Buffer.from(text),
  timestamp: 1000,
  value: Buffer.from(text),
});
const rowOf = (rowKey: string, ...mutations: readonly SetCell[]): RowMutation => ({
  key: Buffer.from(rowKey),
  mutations,
});

/** Expects that the store has what one has to which the rows were written. */
async function expectRows(logged: LoggedStore, rows: readonly RowMutation[]): Promise<void> {
  const { engine, logged: expected } = await opened('manual', { f: undefined });
  await engine.mutateRows('t', rows);
  await Promise.all([logged.flush(), expected.flush()]);
  const pairsOf = (store: LoggedStore): string[] => {
    const cursor = store.scan(Uint8Array.of(0, 0, 0, 1), Uint8Array.of(1), false);
    const found: string[] = [];
    while (cursor.next()) {
      const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd } = cursor;
      const value = Buffer.from(valueBytes.slice(valueStart, valueEnd)).toString('hex');
      found.push(`${Buffer.from(keyBytes.slice(keyStart, keyEnd)).toString('hex')} ${value}`);
    }
    return found;
  };
  expect(pairsOf(logged)).toEqual(pairsOf(expected));
  await engine.close();
}

test('a row that cannot be read leaves no cell to the next one', async () => {
  const { engine, logged } = await opened('manual', { f: undefined });
  const unreadable: SetCell = {
    ...cellOf('unreadable'),
    get value(): Uint8Array {
      throw new Error('not loaded');
    },
  };
  await expect(engine.mutateRow('t', rowOf('a', cellOf('first'), unreadable))).rejects.toThrow(
    'not loaded',
  );
  await engine.mutateRow('t', rowOf('b', cellOf('second')));
  await expectRows(logged, [rowOf('b', cellOf('second'))]);
  await engine.close();
});

test('a row that writes another one while it is read keeps its cells', async () => {
  const { engine, logged } = await opened('manual', { f: undefined });
  let inner: Promise<void> | undefined;
  const writing: SetCell = {
    ...cellOf('writing'),
    get value(): Uint8Array {
      inner ??= engine.mutateRow('t', rowOf('b', cellOf('inner')));
      return Buffer.from('writing');
    },
  };
  await engine.mutateRow('t', rowOf('a', cellOf('first'), writing));
  await inner;
  await expectRows(logged, [
    rowOf('a', cellOf('first'), cellOf('writing')),
    rowOf('b', cellOf('inner')),
  ]);
  await engine.close();
});
