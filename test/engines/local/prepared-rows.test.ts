/**
 * Rows that only set cells are prepared as records and merged as bytes. The store must be equal,
 * byte for byte, to one written by RowBuilder, which is used for the same rows with an additional
 * mutation that has no effect.
 */
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { openMemoryStore, type MemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import type { GcRule, Mutation, RowMutation } from '../../../src/store/index.js';
import fc from '../../support/fast-check.js';

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
const setCell: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constant('setCell' as const),
  family: fc.constantFrom('f', 'f', 'f', 'e', 'g', 'missing'),
  qualifier,
  timestamp,
  value,
});
const row: fc.Arbitrary<RowMutation> = fc.record({
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

/** All pairs as text. */
function pairs(store: MemoryStore): string[] {
  return [...store.tree.entries()].map(
    ([treeKey, { value: bytes }]) =>
      `${Buffer.from(treeKey, 'latin1').toString('hex')} ${Buffer.from(bytes).toString('hex')}`,
  );
}

async function opened(
  gc: 'onRead' | 'manual',
  families: Readonly<Record<string, GcRule | undefined>>,
): Promise<{ store: MemoryStore; logged: LoggedStore; engine: LocalEngine }> {
  const store = await openMemoryStore();
  const logged = new LoggedStore(new BlockStore(store));
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
  return { store, logged, engine };
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
        const [prepared, built] = await Promise.all([opened(gc, families), opened(gc, families)]);
        for (const one of steps) {
          if ('drop' in one) {
            // Not awaited, so that the following writes are prepared under the old schema.
            for (const { engine } of [prepared, built])
              void engine
                .modifyFamilies('t', [{ kind: 'drop', family: one.drop }])
                .catch(() => undefined);
            continue;
          }
          const results = await Promise.all([
            prepared.engine.mutateRows('t', one.rows),
            built.engine.mutateRows(
              't',
              one.rows.map(({ key: rowKey, mutations }) => ({
                key: rowKey,
                mutations: [...mutations, noEffect],
              })),
            ),
          ]);
          // Codes only: of two families that were dropped meanwhile, either may be reported.
          const [actual, expected] = results.map((errors) => errors.map((error) => error?.code));
          expect(actual).toEqual(expected);
        }
        for (const { logged } of [prepared, built]) await logged.flush();
        // Closing empties the stores.
        expect(pairs(prepared.store)).toEqual(pairs(built.store));
        expect(pairs(built.store).length).toBeGreaterThan(0);
        for (const { engine } of [prepared, built]) await engine.close();
      },
    ),
    { numRuns: 200 },
  );
});
