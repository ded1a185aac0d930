/**
 * The direct encoder of MutateRowsRequest entries: it encodes like the declared messages, and its
 * bytes decode to the same mutations.
 */
import { WireWriter } from '../../../src/data/cell/wire/wire-writer.js';
import { RowsmithError } from '../../../src/base/index.js';
import {
  MutateRowsRequest,
  encodeMutations,
  decodeMutations,
  encodeMutateRowsEntry,
} from '../../../src/engines/protocol/index.js';
import type { Mutation, RowMutation } from '../../../src/data/store/index.js';
import fc from '../../support/fast-check.js';

const family = fc.constantFrom('a', 'constructor', '__proto__', 'x'.repeat(64));
const qualifier = fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ maxLength: 200 }));
const value = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.constant(new Uint8Array(20_000).fill(9)),
);
const number = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    1000,
    127,
    128,
    2 ** 31,
    2 ** 32,
    2 ** 32 + 1,
    2 ** 49,
    2 ** 53 - 1,
    -(2 ** 53) + 1,
  ),
  fc.maxSafeInteger(),
);
const bigint = fc.oneof(
  fc.constantFrom(
    -1n,
    0n,
    2n ** 53n,
    2n ** 56n - 1n,
    2n ** 56n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    9223372036854775000n,
  ),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const micros = fc.oneof(number, bigint);
const positive = micros.map((one) => (one < 0 ? 0n : BigInt(one)));
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('setCell' as const),
      family,
      qualifier,
      timestamp: micros,
      value,
      truncate: fc.constantFrom(undefined, true as const),
    }),
  },
  fc.record({
    kind: fc.constant('addToCell' as const),
    family,
    qualifier,
    timestamp: positive,
    input: bigint,
  }),
  fc.record({
    kind: fc.constant('mergeToCell' as const),
    family,
    qualifier,
    timestamp: positive,
    input: value,
  }),
  fc.record({ kind: fc.constant('deleteFromColumn' as const), family, qualifier, start: positive }),
  fc.record({
    kind: fc.constant('deleteFromColumn' as const),
    family,
    qualifier,
    start: fc.constant(0n),
    end: positive.filter((end) => end > 0n),
  }),
  fc.record({ kind: fc.constant('deleteFromColumn' as const), family, qualifier }),
  fc.record({ kind: fc.constant('deleteFromFamily' as const), family }),
  fc.constant({ kind: 'deleteFromRow' as const }),
);
const row: fc.Arbitrary<RowMutation> = fc.record({
  key: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  mutations: fc.array(mutation, { minLength: 1, maxLength: 5 }),
});

function comparableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' ? BigInt(value) : value;
}

/** Mutations in comparable form; a start of 0 means no start. */
const comparable = (mutations: readonly Mutation[]) =>
  mutations.map((one) =>
    Object.fromEntries(
      Object.entries(one)
        .filter(([name, part]) => name !== 'start' || BigInt(part as bigint) !== 0n)
        .filter(([, part]) => part !== undefined)
        .map(([name, part]) => [name, comparableValue(part)]),
    ),
  );

test('rows are encoded as entries', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const w = new WireWriter();
      for (const one of rows) encodeMutateRowsEntry(w, one);
      const bytes = w.bytes.subarray(0, w.at);
      const declared = MutateRowsRequest.encode({
        entries: rows.map(({ key, mutations }) => ({
          rowKey: key,
          mutations: encodeMutations(mutations),
        })),
      });
      expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(declared).toString('hex'));
      const back = MutateRowsRequest.decode(bytes).entries!.map(({ rowKey, mutations }) => ({
        key: Buffer.from(rowKey!).toString('hex'),
        mutations: comparable(decodeMutations(mutations)),
      }));
      expect(back).toEqual(
        rows.map(({ key, mutations }) => ({
          key: Buffer.from(key).toString('hex'),
          mutations: comparable(mutations),
        })),
      );
    }),
    { numRuns: 150 },
  );
});

const valid: Mutation = {
  kind: 'setCell',
  family: 'a',
  qualifier: new Uint8Array(0),
  timestamp: 0,
  value: new Uint8Array(0),
};
test.each<[string, unknown, string]>([
  ['no key', { key: new Uint8Array(0), mutations: [valid] }, 'INVALID_ARGUMENT'],
  ['a long key', { key: new Uint8Array(4097), mutations: [valid] }, 'LIMIT_EXCEEDED'],
  ['a key that is text', { key: 'k', mutations: [valid] }, 'INVALID_ARGUMENT'],
  ['no mutations', { key: Uint8Array.of(1), mutations: [] }, 'INVALID_ARGUMENT'],
  [
    'a long qualifier',
    { key: Uint8Array.of(1), mutations: [{ ...valid, qualifier: new Uint8Array(16_385) }] },
    'LIMIT_EXCEEDED',
  ],
  [
    'a value that is text',
    { key: Uint8Array.of(1), mutations: [{ ...valid, value: 'v' }] },
    'INVALID_ARGUMENT',
  ],
  [
    'a fraction of a microsecond',
    { key: Uint8Array.of(1), mutations: [{ ...valid, timestamp: 0.5 }] },
    'INVALID_ARGUMENT',
  ],
  [
    'a timestamp beyond int64',
    { key: Uint8Array.of(1), mutations: [{ ...valid, timestamp: 2n ** 63n }] },
    'INVALID_ARGUMENT',
  ],
  [
    'an amount beyond int64',
    { key: Uint8Array.of(1), mutations: [{ ...valid, kind: 'addToCell', input: 2n ** 63n }] },
    'INVALID_ARGUMENT',
  ],
  [
    'a family that is not a string',
    { key: Uint8Array.of(1), mutations: [{ kind: 'deleteFromFamily', family: 5 }] },
    'INVALID_ARGUMENT',
  ],
  [
    'a lone surrogate',
    { key: Uint8Array.of(1), mutations: [valid, { kind: 'deleteFromFamily', family: '\ud800' }] },
    'INVALID_ARGUMENT',
  ],
  [
    'an unknown kind',
    { key: Uint8Array.of(1), mutations: [valid, { kind: 'deleteAll' }] },
    'INVALID_ARGUMENT',
  ],
])('%s is rejected, and nothing is written', (_what, invalid, code) => {
  const w = new WireWriter();
  encodeMutateRowsEntry(w, { key: Uint8Array.of(7), mutations: [valid] });
  const before = w.at;
  let error: unknown;
  try {
    encodeMutateRowsEntry(w, invalid as RowMutation);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(RowsmithError);
  expect([(error as RowsmithError).code, w.at]).toEqual([code, before]);
});
