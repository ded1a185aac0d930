/**
 * The entities of vectors.jsonl. Generate a language from them, and run the lines of the file:
 * `Value` has each kind of column, and each entity `Ordered...` one kind of segment four times.
 */
import {
  aggregate,
  column,
  columnMap,
  counter,
  defineEntity,
  type EntityClass,
  packed,
  rowKey,
  versions,
} from '../../../src/index.js';
import type { SegmentType } from '../../../src/data/key/index.js';
import { Status } from './entities.js';

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

/** Each kind of column, alone in its rows or with others. */
export const valueColumns = {
  text: column('m', 'string'),
  raw: column('m', 'bytes'),
  flag: column('m', 'bool'),
  number: column('m', 'int32'),
  natural: column('m', 'uint32'),
  whole: column('m', 'int64'),
  real: column('m', 'double'),
  half: column('m', 'float'),
  moment: column('m', 'timestamp'),
  day: column('m', 'date'),
  data: column('m', 'json'),
  renamed: column('m', 'string', { alsoReads: ['before'] }),
  state: column('m', 'string', { oneOf: ['open', 'closed'] }),
  votes: column('m', 'int32', { default: 3, min: 0, max: 5 }),
  code: column('m', 'string', { minLength: 2, maxLength: 4, pattern: /^[a-z]+$/ }),
  status: packed('m', () => Status),
  history: versions('v', 'double'),
  texts: columnMap('texts', 'string'),
  ints: columnMap('ints', 'int32', { qualifiers: 'int', width: 5 } as never),
  uints: columnMap('uints', 'bool', { qualifiers: 'uint', max: 999, order: 'desc' } as never),
  bigints: columnMap('bigints', 'string', { qualifiers: 'bigint' } as never),
  times: columnMap('times', 'double', { qualifiers: 'timestamp', order: 'desc' } as never),
  levels: columnMap('levels', 'int64', { qualifiers: 'enum', values: ['LOW', 'HIGH'] } as never),
  hits: counter('c'),
  reads: counter('sums'),
};

/** The entity `Value` with some of its columns. */
export function valueWith(columns: object): EntityClass {
  return declare(class {}, {
    name: 'Value',
    table: 'values',
    families: {
      ...{
        m: {},
        v: {},
        texts: {},
        ints: {},
        uints: {},
        bigints: {},
        times: {},
        levels: {},
        c: {},
      },
      sums: aggregate('sum'),
    },
    key: rowKey('id' as never),
    segments: { id: { kind: 'string', maxLength: 20 } },
    columns,
  });
}

export const Value = valueWith(valueColumns);

/** A kind of segment with values in ascending order, and values that it refuses. */
export interface OrderedKind {
  readonly name: string;
  readonly type: SegmentType;
  readonly values: readonly unknown[];
  readonly wrong: readonly unknown[];
}

const at = (text: string): Date => new Date(`${text}Z`);
const members = ['NEW', 'ACTIVE', 'CLOSED'];
const anUlid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const anUuid = '123e4567-e89b-12d3-a456-426614174000';

/** Each kind of segment that the ordered format has. */
export const orderedKinds: readonly OrderedKind[] = [
  {
    name: 'String',
    type: { kind: 'string', minLength: 0 },
    values: ['', '\0', '\0\x01', 'a', 'a\0b', 'aa', 'ü', '😀'],
    wrong: [null, 5, '\ud800', 'x'.repeat(4097)],
  },
  {
    name: 'Short',
    type: { kind: 'string', minLength: 0, maxLength: 3, lower: true },
    values: ['', 'ABC', 'É'],
    wrong: ['abcd'],
  },
  {
    name: 'Int',
    type: { kind: 'int' },
    values: [-9_007_199_254_740_991, -65, -64, -1, 0, 1, 63, 64, 8191, 9_007_199_254_740_991],
    wrong: [true, 2 ** 53, 'one'],
  },
  { name: 'Uint', type: { kind: 'uint', max: 99 }, values: [0, 99], wrong: [-1, 100] },
  {
    name: 'Bigint',
    type: { kind: 'bigint' },
    values: [-(10n ** 30n), -1n, 0n, 9n, 10n, 10n ** 98n],
    wrong: [10n ** 99n, 'one'],
  },
  {
    name: 'Bigint18',
    type: { kind: 'bigint', width: 18 },
    values: [-(10n ** 18n) + 1n, -1n, 0n, 10n ** 18n - 1n],
    wrong: [10n ** 18n],
  },
  {
    name: 'Float',
    type: { kind: 'float' },
    values: [-Infinity, -1.5, -5e-324, 0, 5e-324, 0.1, 1, Infinity],
    wrong: [NaN, 'one'],
  },
  {
    name: 'Decimal',
    type: { kind: 'decimal', width: 9, scale: 2 },
    values: ['-9999999.99', '-0.01', '0.00', '12.30'],
    wrong: ['0.001', '10000000.00', true],
  },
  { name: 'Bool', type: { kind: 'bool' }, values: [false, true], wrong: ['true'] },
  {
    name: 'Enum',
    type: { kind: 'enum', values: members },
    values: ['ACTIVE', 'NEW'],
    wrong: ['X'],
  },
  {
    name: 'Ordinal',
    type: { kind: 'enum', values: members, by: 'ordinal' },
    values: ['NEW', 'CLOSED'],
    wrong: ['X', true],
  },
  {
    name: 'Timestamp',
    type: { kind: 'timestamp' },
    values: [at('1970-01-01T00:00'), at('2026-11-28T12:30:00.123')],
    wrong: [at('1969-12-31T23:59:59.999'), 'now'],
  },
  {
    name: 'Hour',
    type: { kind: 'timestamp', floor: 'hour' },
    values: [at('2026-11-28T12:30:00.123')],
    wrong: ['now'],
  },
  { name: 'Micros', type: { kind: 'micros' }, values: [0n, 10n ** 16n - 1n], wrong: [-1n] },
  {
    name: 'IsoDate',
    type: { kind: 'isoDate' },
    values: [at('1900-02-28T00:00'), at('2026-11-28T12:30:00.123')],
    wrong: ['now'],
  },
  {
    name: 'IsoDay',
    type: { kind: 'isoDate', precision: 'day' },
    values: [at('2026-11-28T12:30:00.123')],
    wrong: ['now'],
  },
  { name: 'Uuid', type: { kind: 'uuid' }, values: [anUuid], wrong: ['123e4567', `${anUuid}0`] },
  { name: 'Ulid', type: { kind: 'ulid' }, values: [anUlid], wrong: [`8${anUlid.slice(1)}`] },
  {
    name: 'Bytes',
    type: { kind: 'bytes', maxLength: 3 },
    values: [Uint8Array.of(), Uint8Array.of(0), Uint8Array.of(0, 255), Uint8Array.of(255)],
    wrong: [new Uint8Array(4), 'text'],
  },
  {
    name: 'ReversedId',
    type: { kind: 'reversedId', width: 4 },
    values: [0, 1234],
    wrong: [10_000],
  },
  {
    name: 'Domain',
    type: { kind: 'domain' },
    values: ['com', 'maps.google.com'],
    wrong: ['127.0.0.1', 'a..b'],
  },
];

/** Ascending and descending, each without and with null, as far as the kind has them. */
export function orderedSegments({ type }: OrderedKind): Readonly<Record<string, SegmentType>> {
  const ascending = { a: type, b: { ...type, nullable: true } };
  if (type.kind === 'reversedId' || type.kind === 'domain') return ascending;
  const descending = { ...type, order: 'desc' as const };
  return { ...ascending, c: descending, d: { ...descending, nullable: true } };
}

export const orderedEntities: readonly EntityClass[] = orderedKinds.map((kind) => {
  const segments = orderedSegments(kind);
  return declare(class {}, {
    name: `Ordered${kind.name}`,
    table: `ordered-${kind.name.toLowerCase()}`,
    keyFormat: 'ordered',
    families: { m: {} },
    key: rowKey(...(Object.keys(segments) as [never])),
    segments,
    columns: { note: column('m', 'string') },
  });
});

/** Has a key of words with literals and shards, for conditions and scopes. */
export const Event = declare(class {}, {
  name: 'Event',
  table: 'events',
  keyFormat: 'ordered',
  families: { m: {} },
  key: rowKey('tenant' as never, 'site' as never, 'at' as never),
  segments: {
    tenant: { kind: 'string', maxLength: 20 },
    site: { kind: 'domain' },
    at: { kind: 'timestamp', order: 'desc' },
  },
  columns: { note: column('m', 'string') },
});

export const vectorEntities: readonly EntityClass[] = [Value, ...orderedEntities, Event];
