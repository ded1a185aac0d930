/** Requests of MutateRows, and what the declared message reads in them. */
import { RowsmithError } from '../../../src/base/index.js';
import {
  MutateRowsRequest,
  decodeRowKey,
  decodeMutateRowsRequest,
  decodeMutations,
} from '../../../src/engines/protocol/index.js';
import { PackedRow } from '../../../src/data/store/index.js';
import fc from '../../support/fast-check.js';

export type Entry = NonNullable<ReturnType<typeof MutateRowsRequest.decode>['entries']>[number];

/** Bytes as hex, integers as bigints, errors as their code and details. */
export function plain(value: unknown): unknown {
  if (value instanceof RowsmithError) return { code: value.code, details: plain(value.details) };
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof PackedRow) return plain({ key: value.key, mutations: value.mutations });
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([name, part]) => [name, plain(part)]),
  );
}

export function outcome(work: () => unknown): unknown {
  try {
    return plain(work());
  } catch (error) {
    return { thrown: plain(error) };
  }
}

export function declaredRow({ rowKey, mutations }: Entry): unknown {
  try {
    return { key: decodeRowKey(rowKey), mutations: decodeMutations(mutations) };
  } catch (error) {
    return error;
  }
}

/** Decodes through the declared messages. */
export function declared(bytes: Uint8Array): unknown {
  const {
    entries = [],
    tableName,
    appProfileId,
    authorizedViewName,
  } = MutateRowsRequest.decode(bytes);
  return {
    tableName,
    appProfileId,
    authorizedViewName,
    mutations: entries.reduce((sum, { mutations = [] }) => sum + mutations.length, 0),
    entries: entries.map(declaredRow),
  };
}

export const read = (bytes: Uint8Array): unknown => outcome(() => decodeMutateRowsRequest(bytes));
export const name = fc.constantFrom('a', 'a', 'a', '', 'family-2', 'é', '__proto__');
export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constant(new Uint8Array(0)),
  fc.constant(new Uint8Array(200).fill(7)),
);

export const int64 = fc.oneof(
  fc.constantFrom(
    -1n,
    0n,
    127n,
    128n,
    1000n,
    2n ** 32n,
    2n ** 49n - 1n,
    2n ** 49n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 56n - 1n,
    2n ** 56n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

export const setCell = fc.record({
  setCell: fc.record(
    { familyName: name, columnQualifier: bytes, timestampMicros: int64, value: bytes },
    { requiredKeys: [] },
  ),
  timestampOrigin: fc.constantFrom(undefined, undefined, 0, 1, 2, 2, 3, -1),
});

export const rare = fc.oneof(
  fc.constant({}),
  fc.record({
    deleteFromColumn: fc.record(
      {
        familyName: name,
        columnQualifier: bytes,
        timeRange: fc.record(
          { startTimestampMicros: int64, endTimestampMicros: int64 },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ deleteFromFamily: fc.record({ familyName: name }) }),
  fc.constant({ deleteFromRow: {} }),
  fc.record({
    addToCell: fc.record(
      {
        familyName: name,
        columnQualifier: fc.record({ rawValue: bytes }),
        timestamp: fc.record({ rawTimestampMicros: int64 }),
        input: fc.record({ intValue: int64 }),
      },
      { requiredKeys: [] },
    ),
  }),
);

export const entry = fc.record(
  {
    rowKey: bytes,
    mutations: fc.array(
      fc.oneof({ weight: 6, arbitrary: setCell }, { weight: 1, arbitrary: rare }),
      { maxLength: 4 },
    ),
  },
  { requiredKeys: [] },
);

export const request = fc.record(
  {
    tableName: fc.constantFrom('projects/p/instances/i/tables/t', ''),
    entries: fc.array(entry, { maxLength: 6 }),
    appProfileId: fc.constant('default'),
    authorizedViewName: fc.constantFrom('', 'view'),
  },
  { requiredKeys: [] },
);

/** A field with a value of less than 128 bytes. */
export const field = (tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.of(tag, body.length), body]);
};

export const [family, qualifier, value] = [field(0x0a, 'a'), field(0x12, 'q'), field(0x22, 'v')];
export const key = field(0x0a, 'k');
