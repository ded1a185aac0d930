/** For every evolution rule, declarations before and after a change that the rule covers. */
import {
  maxAge,
  column,
  columnMap,
  copies,
  type Copies,
  copyOf,
  counter,
  defineEntity,
  defineMessage,
  delimited,
  type EntityOptions,
  enumOf,
  field,
  type FieldDefinition,
  indexOn,
  indexes,
  type Indexes,
  literal,
  mapField,
  aggregate,
  packed,
  repeatedField,
  rollups,
  type Rollups,
  rowKey,
  uniqueIndexOn,
  versions,
} from '../../../src/index.js';
import type { Constructor } from '../../../src/entities/model/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';
import type { EvolutionRuleName } from '../../../src/tools/schema/index.js';

type Definition = Readonly<Record<string, unknown>>;

/** An entity; by default a small one. */
export function entity(
  definition: {
    name?: string;
    key?: readonly unknown[];
    segments?: Definition;
    columns?: Definition;
  } & Partial<EntityOptions> = {},
): Constructor {
  const {
    name = 'Reading',
    key = ['device'],
    segments = Object.fromEntries(
      key.filter((part) => typeof part === 'string').map((part) => [part, 'string']),
    ),
    columns = { value: column('m', 'double') },
    ...options
  } = definition;
  const entityClass = { [name]: class {} }[name];
  return defineEntity(entityClass, {
    table: 'readings',
    families: { m: {}, n: {}, s: aggregate('sum') },
    ...options,
    key: rowKey(...(key as [string])),
    segments,
    columns,
  } as never);
}

/** A message with the fields. */
export function message(
  fields: Readonly<Record<string, FieldDefinition | FieldDefinition<never>>>,
  name = 'test.Status',
): Constructor {
  return defineMessage(class {}, { name, fields });
}

/** An entity that packs a message with the fields. */
export function packs(
  fields: Readonly<Record<string, unknown>>,
  options: Definition = {},
): Constructor {
  const messageClass = message(fields as never);
  return entity({ columns: { value: packed('m', () => messageClass, options as never) } });
}

const segment = (type: unknown): Constructor => entity({ segments: { device: type } });
const mode = (members: Readonly<Record<string, number>>, name = 'test.Mode'): Constructor =>
  packs({ mode: field(1, enumOf(members, name)) });
const inner = (
  type: 'int32' | 'int64' | 'string',
  name = 'test.Inner',
  list = false,
): Constructor =>
  packs({
    inner: list
      ? repeatedField(2, () => message({ a: field(1, type) }, name))
      : field(2, () => message({ a: field(1, type) }, name)),
  });
const at = (qualifier: string, family = 'm', options: Definition = {}): Constructor =>
  entity({ columns: { value: column(family, 'double', { qualifier, ...options }) } });

const timed = (options: Definition): Constructor =>
  entity({ columns: { tags: columnMap('m', 'double', { qualifiers: 'timestamp', ...options }) } });

/** A change: its rule, a description, and the declarations. */
export type Case = readonly [
  rule: EvolutionRuleName,
  what: string,
  before: readonly Constructor[],
  after: readonly Constructor[],
];

const of = (
  rule: EvolutionRuleName,
  what: string,
  before: Constructor | Constructor[],
  after: Constructor | Constructor[],
): Case => [rule, what, [before].flat(), [after].flat()];

const types = (rule: EvolutionRuleName, pairs: readonly string[]): Case[] =>
  pairs.map((pair) => {
    const [before, after] = pair.split(' to ') as ['int32', 'int64'];
    return of(rule, pair, packs({ a: field(1, before) }), packs({ a: field(1, after) }));
  });
const kinds = (rule: EvolutionRuleName, pairs: readonly string[]): Case[] =>
  pairs.map((pair) => {
    const [before, after] = pair.split(' to ') as ['int32', 'int64'];
    return of(
      rule,
      pair,
      entity({ columns: { value: column('m', before) } }),
      entity({ columns: { value: column('m', after) } }),
    );
  });
const segments = (
  rule: EvolutionRuleName,
  ...pairs: readonly (readonly [before: unknown, after: unknown])[]
): Case[] =>
  pairs.map(([before, after]) =>
    of(
      rule,
      `${JSON.stringify(before)} to ${JSON.stringify(after)}`,
      segment(before),
      segment(after),
    ),
  );

export const cases: readonly Case[] = [
  of(
    'field-number-reused',
    'in use',
    packs({ a: field(1, 'string') }),
    packs({ b: field(1, 'int64') }),
  ),
  ...types('field-type', [
    'int64 to int32',
    'uint64 to uint32',
    'int32 to sint32',
    'int32 to uint32',
    'uint32 to int32',
    'int64 to uint64',
    'fixed32 to sfixed32',
    'fixed32 to uint32',
    'double to float',
    'float to double',
    'bytes to string',
    'string to int32',
    'int32 to bool',
    'timestamp to int64',
    'timestamp to string',
    'sint64 to sint32',
    'int32 to uint64',
    'fixed64 to fixed32',
  ]),
  of(
    'field-type',
    'a message whose fields are misread',
    inner('int64'),
    inner('string', 'test.Other'),
  ),
  of('field-type', 'bytes to a message', packs({ inner: field(2, 'bytes') }), inner('int32')),
  of('field-type', 'uint32 to enum', packs({ mode: field(1, 'uint32') }), mode({ A: 0 })),
  of(
    'field-type',
    'the values of a map',
    packs({ a: mapField(1, 'string', 'int64') }),
    packs({ a: mapField(1, 'string', 'int32') }),
  ),
  of(
    'field-type',
    'the keys of a map',
    packs({ a: mapField(1, 'int64', 'string') }),
    packs({ a: mapField(1, 'int32', 'string') }),
  ),
  of(
    'field-label',
    'repeated to singular',
    packs({ a: repeatedField(1, 'int32') }),
    packs({ a: field(1, 'int32') }),
  ),
  of(
    'field-label',
    'map to repeated',
    packs({ a: mapField(1, 'string', 'int32') }),
    packs({ a: repeatedField(1, 'int32') }),
  ),
  of(
    'field-renumbered',
    'another number',
    packs({ a: field(1, 'string') }),
    packs({ a: field(2, 'string') }),
  ),
  of(
    'oneof-joined',
    'two stored fields',
    packs({ a: field(1, 'string'), b: field(2, 'string') }),
    packs({ a: field(1, 'string', { oneof: 'x' }), b: field(2, 'string', { oneof: 'x' }) }),
  ),
  of(
    'oneof-joined',
    'a stored field into a oneof that is stored',
    packs({ a: field(1, 'string', { oneof: 'x' }), b: field(2, 'string') }),
    packs({ a: field(1, 'string', { oneof: 'x' }), b: field(2, 'string', { oneof: 'x' }) }),
  ),
  of('enum-value-removed', 'a member', mode({ A: 0, B: 1 }), mode({ A: 0 })),
  of('enum-value-renumbered', 'a member', mode({ A: 0, B: 1 }), mode({ A: 0, B: 2, C: 1 })),
  of('segment-added', 'at the end', entity(), entity({ key: ['device', 'at'] })),
  of('segment-added', 'a literal', entity(), entity({ key: [literal('r'), 'device'] })),
  of(
    'segment-removed',
    'in the middle',
    entity({ key: ['a', 'b', 'c'] }),
    entity({ key: ['a', 'c'] }),
  ),
  of(
    'segment-reordered',
    'two of one kind',
    entity({ key: ['a', 'b'] }),
    entity({ key: ['b', 'a'] }),
  ),
  of(
    'segment-reordered',
    'a literal',
    entity({ key: [literal('r'), 'a'] }),
    entity({ key: ['a', literal('r')] }),
  ),
  ...segments(
    'segment-encoded',
    ['string', 'bytes'],
    ['int', 'uint'],
    [
      { kind: 'uint', width: 5 },
      { kind: 'uint', width: 6 },
    ],
    ['timestamp', { kind: 'timestamp', order: 'desc' }],
    ['timestamp', { kind: 'timestamp', unit: 's' }],
    ['timestamp', { kind: 'timestamp', floor: 'day' }],
    ['string', { kind: 'string', nullable: true }],
    ['string', { kind: 'string', lower: true }],
    ['uuid', { kind: 'uuid', dashes: false }],
    [
      { kind: 'decimal', scale: 2 },
      { kind: 'decimal', scale: 3 },
    ],
    [
      { kind: 'uint', max: 999 },
      { kind: 'uint', max: 1000 },
    ],
    ['isoDate', { kind: 'isoDate', precision: 'day' }],
    [
      { kind: 'enum', values: ['A', 'B'], by: 'ordinal' },
      { kind: 'enum', values: ['B', 'A'], by: 'ordinal' },
    ],
    [
      { kind: 'timestamp', order: 'desc' },
      { kind: 'timestamp', order: 'desc', reverseFrom: 'long' },
    ],
  ),
  ...segments(
    'segment-narrowed',
    [
      { kind: 'string', maxLength: 9 },
      { kind: 'string', maxLength: 8 },
    ],
    ['string', { kind: 'string', maxLength: 99 }],
    [
      { kind: 'uint', max: 99 },
      { kind: 'uint', max: 98 },
    ],
    [
      { kind: 'enum', values: ['A', 'B'] },
      { kind: 'enum', values: ['A'] },
    ],
  ),
  of(
    'segment-narrowed',
    'the width of a binary integer',
    entity({ keyFormat: 'ordered', segments: { device: { kind: 'uint', width: 6 } } }),
    entity({ keyFormat: 'ordered', segments: { device: { kind: 'uint', width: 5 } } }),
  ),
  of(
    'literal-renamed',
    'in front',
    entity({ key: [literal('r'), 'device'] }),
    entity({ key: [literal('reading'), 'device'] }),
  ),
  of(
    'shards-changed',
    'the count',
    entity({ shards: { count: 4, by: ['device'] } }),
    entity({ shards: { count: 8, by: ['device'] } }),
  ),
  of(
    'shards-changed',
    'the segments',
    entity({ key: ['a', 'b'], shards: { count: 4, by: ['a'] } }),
    entity({ key: ['a', 'b'], shards: { count: 4, by: ['a', 'b'] } }),
  ),
  of('shards-changed', 'shards added', entity(), entity({ shards: { count: 4, by: ['device'] } })),
  of('key-format', 'text to ordered', entity(), entity({ keyFormat: 'ordered' })),
  of(
    'key-format',
    'another character',
    entity({ keyFormat: delimited('|') }),
    entity({ keyFormat: delimited(':') }),
  ),
  of('table-changed', 'another table', entity(), entity({ table: 'others' })),
  ...kinds('qualifier-reused', [
    'double to int64',
    'string to double',
    'int64 to int32',
    'bytes to string',
    'int32 to uint32',
    'float to double',
    'string to json',
    'int64 to timestamp',
    'bool to int32',
  ]),
  of(
    'qualifier-reused',
    'by another property',
    entity({ columns: { a: column('m', 'double', { qualifier: 'x' }) } }),
    entity({ columns: { b: column('m', 'string', { qualifier: 'x' }) } }),
  ),
  of(
    'qualifier-reused',
    'a map of another kind',
    entity({ columns: { tags: columnMap('m', 'string') } }),
    entity({ columns: { count: column('m', 'int64') } }),
  ),
  of(
    'qualifiers-encoded',
    'a map of text keys that is one of times',
    entity({ columns: { tags: columnMap('m', 'string') } }),
    entity({ columns: { tags: columnMap('m', 'string', { qualifiers: 'timestamp' }) } }),
  ),
  of('qualifiers-encoded', 'another direction', timed({}), timed({ order: 'desc' })),
  of('qualifiers-encoded', 'another unit', timed({}), timed({ unit: 's' })),
  of(
    'qualifiers-encoded',
    'a typed map over stored columns',
    at('v'),
    entity({ columns: { tags: columnMap('m', 'double', { qualifiers: 'uint' }) } }),
  ),
  of(
    'qualifiers-narrowed',
    'a smaller maximum of the same width',
    entity({ columns: { tags: columnMap('m', 'double', { qualifiers: 'uint', max: 99 }) } }),
    entity({ columns: { tags: columnMap('m', 'double', { qualifiers: 'uint', max: 98 }) } }),
  ),
  of(
    'qualifiers-widened',
    'a new member',
    entity({ columns: { tags: columnMap('m', 'double', { qualifiers: 'enum', values: ['A'] }) } }),
    entity({
      columns: { tags: columnMap('m', 'double', { qualifiers: 'enum', values: ['A', 'B'] }) },
    }),
  ),
  of(
    'qualifier-reused',
    'under an earlier name',
    at('old'),
    entity({ columns: { text: column('m', 'string', { alsoReads: 'old' }) } }),
  ),
  of('column-moved', 'another family', at('v'), at('v', 'n')),
  of('column-renamed', 'another qualifier', at('old'), at('new')),
  of(
    'column-version',
    'an upgrade function removed',
    packs(
      { v: field(1, 'uint32') },
      { version: 'v', upgrades: { 1: (x: unknown) => x, 2: (x: unknown) => x } },
    ),
    packs({ v: field(1, 'uint32') }, { version: 'v', upgrades: { 1: (x: unknown) => x } }),
  ),
  of(
    'family-aggregate',
    'sum to max',
    entity({ columns: { value: column('m', 'double'), n: counter('s') } }),
    entity({
      families: { m: {}, n: {}, s: aggregate('max') },
      columns: { value: column('m', 'double'), n: counter('s') },
    }),
  ),
  of('marker-removed', 'gone', entity({ marker: true }), entity()),
  of('marker-removed', 'in another family', entity({ marker: 'm' }), entity({ marker: 'n' })),

  of(
    'field-added',
    'a field',
    packs({ a: field(1, 'string') }),
    packs({ a: field(1, 'string'), b: field(2, 'string') }),
  ),
  of(
    'field-removed',
    'a field',
    packs({ a: field(1, 'string'), b: field(2, 'string') }),
    packs({ a: field(1, 'string') }),
  ),
  of(
    'field-renamed',
    'a field',
    packs({ a: field(1, 'string') }),
    packs({ b: field(1, 'string') }),
  ),
  ...types('field-widened', [
    'int32 to int64',
    'uint32 to uint64',
    'uint32 to int64',
    'sint32 to sint64',
    'bool to int32',
    'bool to uint64',
    'string to bytes',
  ]),
  of(
    'field-widened',
    'a scalar to a list',
    packs({ a: field(1, 'int32') }),
    packs({ a: repeatedField(1, 'int32') }),
  ),
  of(
    'field-widened',
    'a list widened',
    packs({ a: repeatedField(1, 'int32') }),
    packs({ a: repeatedField(1, 'int64') }),
  ),
  of(
    'field-widened',
    'a map widened',
    packs({ a: mapField(1, 'int32', 'int32') }),
    packs({ a: mapField(1, 'int64', 'int64') }),
  ),
  of('field-widened', 'a message to bytes', inner('int32'), packs({ inner: field(2, 'bytes') })),
  of(
    'field-widened',
    'a message to a list of them',
    inner('int32'),
    inner('int32', 'test.Inner', true),
  ),
  of('field-widened', 'another message, read alike', inner('int32'), inner('int64', 'test.Other')),
  of('field-widened', 'an enum to int64', mode({ A: 0 }), packs({ mode: field(1, 'int64') })),
  of('field-widened', 'int32 to an enum', packs({ mode: field(1, 'int32') }), mode({ A: 0 })),
  of('field-widened', 'an enum renamed', mode({ A: 0 }), mode({ A: 0 }, 'test.Kind')),
  of('enum-value-added', 'a member', mode({ A: 0 }), mode({ A: 0, B: 1 })),
  of('enum-value-renamed', 'a member', mode({ A: 0 }), mode({ Z: 0 })),
  of(
    'message-added',
    'a message',
    entity(),
    entity({
      columns: {
        value: column('m', 'double'),
        more: packed('n', () => message({ a: field(1, 'int32') })),
      },
    }),
  ),
  of('entity-added', 'an entity', entity({ key: [literal('a'), 'device'] }), [
    entity({ key: [literal('a'), 'device'] }),
    entity({ name: 'Other', key: [literal('b'), 'device'] }),
  ]),
  of(
    'entity-removed',
    'an entity',
    [
      entity({ key: [literal('a'), 'device'] }),
      entity({ name: 'Other', key: [literal('b'), 'device'] }),
    ],
    entity({ key: [literal('a'), 'device'] }),
  ),
  of('entity-renamed', 'a class', entity(), entity({ name: 'Measurement' })),
  of('segment-renamed', 'a segment', entity(), entity({ key: ['sensor'] })),
  of(
    'segment-renamed',
    'one that is hashed',
    entity({ key: ['a', 'b'], shards: { count: 4, by: ['a'] } }),
    entity({ key: ['x', 'b'], shards: { count: 4, by: ['x'] } }),
  ),
  ...segments(
    'segment-widened',
    [
      { kind: 'string', maxLength: 8 },
      { kind: 'string', maxLength: 9 },
    ],
    [{ kind: 'string', maxLength: 8 }, 'string'],
    [
      { kind: 'uint', max: 98 },
      { kind: 'uint', max: 99 },
    ],
    [
      { kind: 'enum', values: ['A'] },
      { kind: 'enum', values: ['B', 'A'] },
    ],
    [
      { kind: 'enum', values: ['A'], by: 'ordinal' },
      { kind: 'enum', values: ['A', 'B'], by: 'ordinal' },
    ],
  ),
  of(
    'column-added',
    'a column',
    entity(),
    entity({ columns: { value: column('m', 'double'), more: column('n', 'string') } }),
  ),
  of(
    'column-added',
    'a map over stored columns',
    at('v'),
    entity({ columns: { tags: columnMap('m', 'double') } }),
  ),
  of(
    'column-removed',
    'a column',
    entity({ columns: { value: column('m', 'double'), more: column('n', 'string') } }),
    entity(),
  ),
  of(
    'column-property',
    'a property',
    at('v'),
    entity({ columns: { celsius: column('m', 'double', { qualifier: 'v' }) } }),
  ),
  ...kinds('column-widened', [
    'int32 to int64',
    'uint32 to int64',
    'timestamp to int64',
    'date to string',
    'json to string',
    'string to bytes',
    'double to bytes',
  ]),
  of(
    'column-widened',
    'a packed message renamed',
    entity({ columns: { value: packed('m', () => message({ a: field(1, 'int32') }, 'test.A')) } }),
    entity({ columns: { value: packed('m', () => message({ a: field(1, 'int64') }, 'test.B')) } }),
  ),
  of(
    'column-widened',
    'a packed message to bytes',
    packs({ a: field(1, 'string') }),
    entity({ columns: { value: column('m', 'bytes') } }),
  ),
  of('column-also-reads', 'an earlier qualifier', at('old'), at('new', 'm', { alsoReads: 'old' })),
  of(
    'column-versioned',
    'an upgrade function',
    packs({ v: field(1, 'uint32') }),
    packs({ v: field(1, 'uint32') }, { version: 'v', upgrades: { 1: (x: unknown) => x } }),
  ),
  of(
    'family-added',
    'a family',
    entity({ families: { m: {} } }),
    entity({ families: { m: {}, n: {} } }),
  ),
  of('index-added', 'an index', entity(), indexed({ byValue: indexOn('value') })),
  of(
    'index-changed',
    'a covered property',
    indexed({ byDevice: indexOn('device') }),
    indexed({ byDevice: indexOn('device').including('value') }),
  ),
  of(
    'index-changed',
    'unique',
    indexed({ byValue: indexOn('value') }),
    indexed({ byValue: uniqueIndexOn('value') }),
  ),
  of(
    'index-changed',
    'the age of an indexed column',
    indexed({ byValue: indexOn('value') }, { m: { gc: maxAge('1h') } }),
    indexed({ byValue: indexOn('value') }, { m: { gc: maxAge('2h') } }),
  ),
  of('index-removed', 'an index', indexed({ byValue: indexOn('value') }), entity()),
  of('rollup-added', 'a rollup', rolled(), rolled({ hourly: counts() })),
  of('rollup-changed', 'a width', rolled({ a: counts() }), rolled({ a: counts({ every: '1d' }) })),
  of('rollup-changed', 'a table', rolled({ a: counts() }), rolled({ a: counts({ table: 't' }) })),
  of(
    'rollup-changed',
    'decimals',
    rolled({ a: counts({ decimals: 1 }) }),
    rolled({ a: counts({ decimals: 2 }) }),
  ),
  of('rollup-regrouped', 'a segment', rolled({ a: counts() }), rolled({ a: counts({ by: [] }) })),
  of('rollup-removed', 'a rollup', rolled({ hourly: counts() }), rolled()),
  of('copy-added', 'a copy', copying(undefined), copying(labelOf('label'))),
  of('copy-changed', 'another property', copying(labelOf('label')), copying(labelOf('title'))),
  of('copy-removed', 'a copy', copying(labelOf('label')), copying(undefined)),
];

/** An entity with a time, and with rollups. */
export function rolled(declared?: Rollups): Constructor {
  const built = entity({ key: ['device', 'at'], segments: { device: 'string', at: 'timestamp' } });
  return declared === undefined ? built : Object.assign(built, { rollups: rollups(declared) });
}

/** A rollup of `rolled`. */
export function counts({
  by = ['device'],
  every = '1h',
  decimals = 0,
  ...options
}: {
  readonly by?: readonly string[];
  readonly every?: string;
  readonly decimals?: number;
  readonly table?: string;
} = {}): Rollups[string] {
  const values = { n: 'count', total: { sum: 'value', decimals } } as const;
  return { by: [...by, { time: 'at', every }], values, ...options };
}

const Place = entity({
  name: 'Place',
  table: 'places',
  columns: { label: column('m', 'string'), title: column('m', 'string') },
});

function labelOf(property: string): Copies {
  const declared: unknown = copyOf(() => Place as never, property as never, { device: 'place' });
  return { label: declared } as Copies;
}

/** An entity with or without copies. */
function copying(declared: Copies | undefined): Constructor {
  const columns = { place: column('m', 'string'), label: column('m', 'string') };
  return Object.assign(entity({ columns }), {
    indexes: indexes({ byPlace: indexOn('place') }),
    copies: declared && copies(declared),
  });
}

/** The entity with indexes. */
export function indexed(declared: Indexes, families?: Record<string, object>): Constructor {
  return Object.assign(entity(families && { families }), { indexes: indexes(declared) });
}

/** Changes that depend on an earlier removal. */
export const laterCases: readonly (readonly [
  rule: EvolutionRuleName,
  what: string,
  releases: readonly (readonly Constructor[])[],
])[] = [
  [
    'index-restored',
    'an index',
    [
      [indexed({ byValue: indexOn('value') })],
      [entity()],
      [indexed({ byValue: indexOn('value') })],
    ],
  ],
  [
    'rollup-restored',
    'a rollup',
    [[rolled({ hourly: counts() })], [rolled()], [rolled({ hourly: counts() })]],
  ],
  [
    'rollup-regrouped',
    'a removed rollup',
    [[rolled({ hourly: counts() })], [rolled()], [rolled({ hourly: counts({ by: [] }) })]],
  ],
  [
    'field-number-reused',
    'reserved',
    [
      [packs({ a: field(1, 'string'), b: field(2, 'string') })],
      [packs({ a: field(1, 'string') })],
      [packs({ a: field(1, 'string'), c: field(2, 'string') })],
    ],
  ],
  [
    'field-renumbered',
    'a reserved name',
    [
      [packs({ a: field(1, 'string'), b: field(2, 'string') })],
      [packs({ a: field(1, 'string') })],
      [packs({ a: field(1, 'string'), b: field(3, 'string') })],
    ],
  ],
  [
    'field-restored',
    'as it was',
    [
      [packs({ a: field(1, 'string'), b: field(2, 'string') })],
      [packs({ a: field(1, 'string') })],
      [packs({ a: field(1, 'string'), b: field(2, 'string') })],
    ],
  ],
  [
    'enum-value-renumbered',
    'a reserved number',
    [[mode({ A: 0, B: 1 })], [mode({ A: 0 })], [mode({ A: 0, C: 1 })]],
  ],
  [
    'qualifier-reused',
    'removed',
    [
      [at('v')],
      [entity({ columns: { other: column('n', 'string') } })],
      [entity({ columns: { other: column('n', 'string'), v: column('m', 'string') } })],
    ],
  ],
  [
    'column-renamed',
    'an earlier name that rows may still have',
    [[at('old')], [at('new', 'm', { alsoReads: 'old' })], [at('new')]],
  ],
  [
    'column-restored',
    'as it was',
    [
      [at('v')],
      [entity({ columns: { other: column('n', 'string') } })],
      [
        entity({
          columns: {
            other: column('n', 'string'),
            value: column('m', 'double', { qualifier: 'v' }),
          },
        }),
      ],
    ],
  ],
  [
    'key-taken',
    'by a removed entity',
    [
      [entity({ key: [literal('a'), 'device'] })],
      [entity({ name: 'Other', key: [literal('b'), 'device'] })],
      [
        entity({ name: 'Other', key: [literal('b'), 'device'] }),
        entity({ name: 'Third', key: [literal('a'), 'x'], segments: { x: 'uuid' } }),
      ],
    ],
  ],
  [
    'field-added',
    'after two removals',
    [
      [packs({ a: field(1, 'string'), b: field(2, 'string'), c: field(3, 'string') })],
      [packs({ a: field(1, 'string') })],
      [packs({ a: field(1, 'string'), d: field(4, 'string') })],
    ],
  ],
];

/** Declarations that differ without being a change. */
export const unchanged: readonly (readonly [
  what: string,
  before: Constructor,
  after: Constructor,
])[] = [
  ['the same', packs({ a: field(1, 'string') }), packs({ a: field(1, 'string') })],
  [
    'options at their defaults',
    segment('timestamp'),
    segment({ kind: 'timestamp', order: 'asc', unit: 'ms', nullable: false }),
  ],
  ['a width that is the default', segment('uint'), segment({ kind: 'uint', width: 16 })],
  [
    'one value and its history',
    entity({ columns: { value: column('m', 'double') } }),
    entity({ columns: { value: versions('m', 'double') } }),
  ],
  ['a family that is not declared any more', entity(), entity({ families: { m: {} } })],
  [
    'garbage collection',
    entity(),
    entity({
      families: { m: { gc: { kind: 'maxVersions', versions: 1 } }, n: {}, s: aggregate('sum') },
    }),
  ],
];

/** Models of classes that are declared together. */
export function modelsOf(classes: readonly Constructor[]): readonly EntityModel[] {
  return buildModels(classes);
}
