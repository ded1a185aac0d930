/** Declarations before and after a change, and rows of the earlier one. */
import {
  column,
  columnMap,
  counter,
  defineEntity,
  defineMessage,
  DateMap,
  type EntityClass,
  enumOf,
  field,
  mapField,
  packed,
  repeatedField,
  rowKey,
  versions,
} from '../../../src/index.js';

/** What an entity declares besides its name, its table and its key `id`. */
interface Declared {
  readonly columns: object;
  readonly key?: readonly string[];
  readonly segments?: object;
  readonly keyFormat?: string | undefined;
  readonly marker?: true;
}

/** A change of a declaration; `rows` are what the earlier one wrote. */
export interface Change {
  readonly name: string;
  readonly before: EntityClass;
  readonly after: EntityClass;
  readonly rows: readonly object[];
  /** Whether entries of a map field have other fields than a key and a value of the new declaration. */
  readonly foreignEntries?: boolean;
}

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;
const families = { m: {}, n: {}, o: {} };

let count = 0;

function entityOf(prefix: string, given: object): EntityClass {
  const name = `${prefix}${count++}`;
  const declared = 'columns' in given ? (given as Declared) : { columns: given };
  const { key = ['id'], segments = { id: { kind: 'string', maxLength: 20 } } } = declared;
  return declare(class {}, {
    families,
    ...declared,
    name,
    table: name.toLowerCase(),
    key: rowKey(...(key as [never])),
    segments,
  });
}

function change(name: string, before: object, after: object, ...rows: readonly object[]): Change {
  return {
    name,
    before: entityOf('Before', before),
    after: entityOf('After', after),
    rows: rows.map((row) => ({ id: 'r', ...row })),
  };
}

const text = (options: object = {}): object => column('m', 'string', options as never);
const int32 = (options: object = {}): object => column('m', 'int32', options as never);
const noon = new Date(Date.UTC(2026, 10, 28, 12));

/** Qualifiers, families and forms of columns. */
function columnChanges(): readonly Change[] {
  const old = { value: text({ qualifier: 'old' }), other: text() };
  const row = { value: 'x', other: 'y' };
  return [
    change('another qualifier', old, { value: text({ qualifier: 'new' }), other: text() }, row),
    change(
      'another qualifier, of a required column',
      old,
      { value: text({ required: true }) },
      row,
    ),
    change(
      'another qualifier, with the earlier one',
      old,
      { value: text({ qualifier: 'new', alsoReads: ['old'] }) },
      row,
    ),
    change(
      'another qualifier twice',
      { value: text({ qualifier: 'b' }), other: text({ qualifier: 'a' }) },
      { value: text({ qualifier: 'c', alsoReads: ['b', 'a'] }) },
      row,
      { value: 'x' },
      { other: 'y' },
    ),
    change(
      'earlier qualifiers in another order',
      { value: text({ qualifier: 'b' }), other: text({ qualifier: 'a' }) },
      { value: text({ qualifier: 'c', alsoReads: ['a', 'b'] }) },
      row,
    ),
    change(
      'another qualifier, and an earlier one of another kind',
      { value: text({ qualifier: 'old' }) },
      { value: int32({ qualifier: 'new', alsoReads: ['old'] }) },
      { value: 'x' },
    ),
    change(
      'a value, and an earlier one of another kind that sorts before it',
      { value: int32({ qualifier: 'b' }), other: text({ qualifier: 'a' }) },
      { value: int32({ qualifier: 'b', alsoReads: ['a'] }) },
      { value: 5, other: 'x' },
    ),
    change(
      'a value, and an earlier one of another kind that sorts after it',
      { value: int32({ qualifier: 'a' }), other: text({ qualifier: 'b' }) },
      { value: int32({ qualifier: 'a', alsoReads: ['b'] }) },
      { value: 5, other: 'x' },
    ),
    change(
      'qualifiers exchanged',
      { value: text({ qualifier: 'a' }), other: int32({ qualifier: 'b' }) },
      { value: text({ qualifier: 'b' }), other: int32({ qualifier: 'a' }) },
      { value: 'x', other: 5 },
      { value: 'x' },
      { other: 5 },
    ),
    change('another family', { value: text() }, { value: column('n', 'string') }, { value: 'x' }),
    change(
      'another family, beside a column of the earlier one',
      { value: text(), other: text() },
      { value: column('n', 'string'), other: text() },
      row,
      { value: 'x' },
    ),
    change(
      'two families with values of another kind',
      { value: column('n', 'string'), other: text() },
      { value: column('n', 'int32'), other: int32() },
      row,
    ),
    change('a column that is removed', { value: text(), other: text() }, { other: text() }, row, {
      value: 'x',
    }),
    change(
      'a required column',
      { value: text() },
      { value: text(), other: text({ required: true }) },
      {
        value: 'x',
      },
    ),
    change(
      'three required columns',
      { value: text() },
      {
        value: text({ required: true }),
        b: int32({ required: true }),
        a: text({ required: true }),
      },
      { value: 'x' },
    ),
    change(
      'a required column beside a value of another kind',
      { value: text() },
      { value: int32(), other: text({ required: true }) },
      { value: 'x' },
    ),
    change(
      'a default',
      { value: text() },
      { value: text(), other: int32({ default: 3 }) },
      {
        value: 'x',
      },
    ),
    change(
      'another member of oneOf',
      { value: text({ oneOf: ['open', 'ajar'] }) },
      { value: text({ oneOf: ['open', 'closed'] }) },
      { value: 'open' },
      { value: 'ajar' },
    ),
    change(
      'narrower limits',
      { value: int32() },
      { value: int32({ min: 0, max: 5 }) },
      { value: 9 },
    ),
    change(
      'narrower lengths',
      { value: text() },
      { value: text({ minLength: 5, pattern: /^a/ }) },
      { value: 'x' },
    ),
    change('a marker', { value: text() }, { columns: {}, marker: true }, { value: 'x' }),
    change(
      'no marker',
      { columns: { value: text() }, marker: true },
      { value: text() },
      {},
      { value: 'x' },
    ),
  ];
}

const zone = { at: noon, value: 'x' };

/** A declaration, and rows of it. */
type Kind = readonly [declared: object, ...rows: readonly object[]];

/** Rows of each declaration, read by each of them. */
function allPairs(kinds: Readonly<Record<string, Kind>>): readonly Change[] {
  const entities = Object.entries(kinds).map(([name, [declared, ...rows]]) => ({
    name,
    entity: entityOf('Any', declared),
    rows: rows.map((row) => ({ id: 'r', ...row })),
  }));
  return entities.flatMap(({ name, entity: before, rows }) =>
    entities.map(({ name: to, entity: after }) => ({
      name: `${name}, read as ${to}`,
      before,
      after,
      rows,
    })),
  );
}

/** Columns, versions, counters and maps read as another of them. */
function formChanges(): readonly Change[] {
  return allPairs({
    'a column': [{ value: text() }, { value: 'x' }],
    versions: [{ value: versions('m', 'string') }, { value: [zone, { ...zone, at: new Date(5) }] }],
    'a map': [{ value: columnMap('m', 'string') }, { value: new Map([['value', 'x']]) }],
    'a map of times': [
      { value: columnMap('m', 'string', { qualifiers: 'timestamp' } as never) },
      { value: new DateMap([[noon, 'x']]) },
    ],
    'an int64': [{ value: column('m', 'int64') }, { value: 7n }],
    'a counter': [{ value: counter('m') }],
  });
}

/** Kinds of map keys, with some of their values. */
const mapKeys: Readonly<
  Record<string, readonly [options: object | undefined, ...keys: unknown[]]>
> = {
  string: [undefined, '', '5', 'LOW', 'a#b'],
  int: [{ qualifiers: 'int', width: 5 }, -7, 5],
  uint: [{ qualifiers: 'uint', max: 999 }, 0, 5, 999],
  'a narrower uint': [{ qualifiers: 'uint', max: 99 }, 5],
  'a descending uint': [{ qualifiers: 'uint', max: 999, order: 'desc' }, 5, 999],
  bigint: [{ qualifiers: 'bigint' }, -(10n ** 20n), 5n],
  timestamp: [{ qualifiers: 'timestamp' }, noon],
  enum: [{ qualifiers: 'enum', values: ['LOW', 'HIGH'] }, 'LOW', 'HIGH'],
  'another enum': [{ qualifiers: 'enum', values: ['LOW'] }, 'LOW'],
};

const mapValues: Readonly<Record<string, unknown>> = {
  string: 'twelve',
  int32: -12,
  double: 0.5,
  bool: true,
  int64: 2n ** 62n,
  json: [12],
};

function mapChanges(): readonly Change[] {
  const values = Object.entries(mapValues).map(([kind, value]): [string, Kind] => [
    `a map with values ${kind}`,
    [{ value: columnMap('m', kind as 'string') }, { value: new Map([['a', value]]) }],
  ]);
  const keys = Object.entries(mapKeys).map(([kind, [options, ...given]]): [string, Kind] => [
    `a map with keys ${kind}`,
    [
      { value: columnMap('m', 'int32', options as never) },
      ...given.map((each) => ({
        value: kind === 'timestamp' ? datesOf(each) : new Map([[each, 1]]),
      })),
    ],
  ]);
  return [...allPairs(Object.fromEntries(values)), ...allPairs(Object.fromEntries(keys))];
}

function datesOf(at: unknown): DateMap<number> {
  return new DateMap([[at as Date, 1]]);
}

enum Light {
  NONE = 0,
  RED = 7,
}

class InnerFields {
  n?: number;
  s?: string;
}
const Inner = defineMessage(InnerFields, {
  name: 'inner.Inner',
  fields: { n: field(1, 'int32'), s: field(2, 'string') },
});

/** A message by the fields of each kind, and values of the field. */
const fieldKinds: Readonly<Record<string, readonly [(() => object) | undefined, ...unknown[]]>> = {
  nothing: [undefined],
  int32: [() => field(1, 'int32'), 0, 1, -1, 2 ** 31 - 1],
  uint32: [() => field(1, 'uint32'), 2 ** 32 - 1],
  sint32: [() => field(1, 'sint32'), -3],
  fixed32: [() => field(1, 'fixed32'), 7],
  int64: [() => field(1, 'int64'), 2n ** 40n, -1n],
  uint64: [() => field(1, 'uint64'), 2n ** 64n - 1n],
  bool: [() => field(1, 'bool'), true, false],
  float: [() => field(1, 'float'), 0.5],
  double: [() => field(1, 'double'), -0.1],
  string: [() => field(1, 'string'), '', 'ü', '\b\x01'],
  bytes: [() => field(1, 'bytes'), Uint8Array.of(255), Uint8Array.of(8, 1)],
  timestamp: [() => field(1, 'timestamp'), noon],
  enum: [() => field(1, enumOf(Light)), Light.RED],
  message: [() => field(1, () => Inner), Object.assign(new Inner(), { n: 1, s: 'x' })],
  'a list of int32': [() => repeatedField(1, 'int32'), [], [1, -1]],
  'a list of string': [() => repeatedField(1, 'string'), ['a', 'b']],
  'a map of int32': [() => mapField(1, 'string', 'int32'), new Map([['a', 1]])],
  'a map of string': [() => mapField(1, 'int32', 'string'), new Map([[1, 'a']])],
};

function messageClass(i: number, kind: string): new () => object {
  const made = fieldKinds[kind][0];
  const rest = field(2, 'string');
  const fields = made === undefined ? { rest } : { value: made(), rest };
  const name = `kinds.Kind${i}`;
  return defineMessage(class {}, { name, fields: fields });
}

/** A message with a field of each kind, read as a message with a field of each other kind. */
function messageChanges(): readonly Change[] {
  const kinds = Object.entries(fieldKinds).map(([kind, [, ...values]], i): [string, Kind] => {
    const made = messageClass(i, kind);
    const rows = [{ rest: 'r' }, ...values.map((value) => ({ value }))];
    return [
      `a message with ${kind}`,
      [
        { status: packed('m', () => made) },
        ...rows.map((row) => ({ status: Object.assign(new made(), row) })),
      ],
    ];
  });
  // The only difference: TypeScript leaves the unknown fields of a time where they are.
  const [map, time] = ['a message with a map of int32', 'a message with timestamp'];
  return allPairs(Object.fromEntries(kinds))
    .filter(({ name }) => name !== `${map}, read as ${time}`)
    .map((each) => {
      const [from, to] = each.name.split(', read as ');
      return { ...each, foreignEntries: from !== to && to.includes('a map of') };
    });
}

class PlaceFields {
  name?: string;
  city?: string;
  schemaVersion?: number;
}
const Place = defineMessage(PlaceFields, {
  name: 'places.Place',
  fields: {
    name: field(1, 'string'),
    city: field(2, 'string'),
    schemaVersion: field(15, 'uint32'),
  },
});
const inCity = (place: PlaceFields): PlaceFields => Object.assign(place, { city: 'x' });

/** A message without a version, and the same with upgrades to version 3. */
export const upgraded = {
  plain: entityOf('Plain', { place: packed('m', () => Place) }),
  versioned: entityOf('Versioned', {
    place: packed('m', () => Place, {
      version: 'schemaVersion',
      upgrades: { 1: inCity, 2: inCity },
    }),
  }),
  place: (schemaVersion: number | undefined): object =>
    Object.assign(new Place(), { name: 'n', schemaVersion }),
};

/** Segments of keys that can be null, or cannot any more. */
function keyChanges(): readonly Change[] {
  const segments: readonly (readonly [object, ...unknown[]])[] = [
    [{ kind: 'string' }, 'x'],
    [{ kind: 'uint', max: 99 }, 5],
    [{ kind: 'timestamp' }, noon],
    [{ kind: 'enum', values: ['LOW', 'HIGH'], by: 'ordinal' }, 'LOW', 'HIGH'],
  ];
  return [undefined, 'ordered'].flatMap((keyFormat) =>
    segments.flatMap(([segment, ...values]) => keyPairs(segment, values, keyFormat)),
  );
}

function keyPairs(
  segment: object,
  values: readonly unknown[],
  keyFormat: string | undefined,
): readonly Change[] {
  const { kind } = segment as { kind: string };
  // Of text keys, strings cannot be descending.
  const orders = kind === 'string' && keyFormat === undefined ? ['asc'] : ['asc', 'desc'];
  const kinds = orders.flatMap((order) =>
    [false, true].map((nullable): [string, Kind] => {
      const declared: Declared = {
        columns: { note: text() },
        key: ['id', 'part'],
        segments: {
          id: { kind: 'string', maxLength: 20 },
          part: { ...segment, order, nullable },
        },
        keyFormat,
      };
      const parts = nullable ? [null, ...values] : values;
      const name = `${keyFormat ?? 'text'} key with ${kind}, ${order}, ${nullable ? 'or null' : 'never null'}`;
      return [name, [declared, ...parts.map((part) => ({ part, note: 'n' }))]];
    }),
  );
  return allPairs(Object.fromEntries(kinds));
}

/** All changes; names are unique. */
export function changes(): readonly Change[] {
  return [
    ...columnChanges(),
    ...formChanges(),
    ...mapChanges(),
    ...messageChanges(),
    ...keyChanges(),
  ];
}
