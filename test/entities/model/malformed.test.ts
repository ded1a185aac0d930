/**
 * Declarations from JavaScript, in which any part is replaced by a value of another type: each is
 * valid, or a RowsmithError that says what to write.
 */
import * as decorators from '../../../decorators/index.js';
import { RowsmithError } from '../../../src/base/index.js';
import * as model from '../../../src/entities/model/index.js';

type Any = any;
/** Every function untyped, as JavaScript sees them. */
const {
  aggregate,
  accessPatterns,
  buildModels,
  column,
  columnMap,
  copies,
  copyOf,
  counter,
  createdAt,
  defineEntity,
  defineMessage,
  enumOf,
  field,
  indexOn,
  indexes,
  literal,
  mapField,
  maxAge,
  maxVersions,
  packed,
  repeatedField,
  revision,
  rollups,
  rowKey,
  table,
  union,
  uniqueIndexOn,
  versions,
} = model as Any;

const wrongValues: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['undefined', undefined],
  ['0', 0],
  ['NaN', NaN],
  ['-1', -1],
  ['5n', 5n],
  ['true', true],
  ['an empty string', ''],
  ['text', 'x'],
  ['a name of Object.prototype', 'constructor'],
  ['an empty array', []],
  ['an array', [null]],
  ['an empty object', {}],
  ['an object without a prototype', Object.create(null)],
  ['an object', { family: 'm', type: 'double' }],
  ['an object of a kind', { kind: 'x' }],
  ['a function', () => 1],
  ['a class', class Other {}],
  ['a symbol', Symbol('x')],
  ['a Date', new Date(NaN)],
];

/** An entity with a correct definition but for the given part. */
const entity = (change: object): Any =>
  defineEntity(
    class Item {
      id = '';
      v?: string;
      w?: unknown;
      at?: Date;
    },
    {
      table: 't',
      families: { m: {}, n: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { v: column('m', 'string') },
      ...change,
    },
  );
const withColumn = (declared: unknown): Any =>
  entity({ columns: { v: column('m', 'string'), w: declared } });
const withSegment = (segment: unknown): Any => entity({ segments: { id: segment } });
const messageOf = (fields: unknown): Any =>
  withColumn(packed('n', defineMessage(class Part {}, { fields, name: 'test.Part' })));
const decorated = (decorator: Any): Any => {
  class Item {
    static readonly key = rowKey('id');
  }
  (decorators as Any).Segment('string')(Item.prototype, 'id');
  (decorators as Any).Column('m', 'string')(Item.prototype, 'v');
  decorator(Item);
  if (model.declarationOf(Item).entity === undefined)
    decorators.Entity({ table: 't', families: { m: {}, n: {} } })(Item as never);
  return Item;
};
const onProperty = (make: (d: Any) => Any): Any =>
  decorated((item: Any) => make(decorators)(item.prototype, 'w'));
class Author {}
defineEntity(Author, {
  table: 'a',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: 'string' },
  columns: { name: column('m', 'string') },
});

const positions: Readonly<Record<string, (x: Any) => unknown>> = {
  'defineEntity(x)': (x) => defineEntity(x, { table: 't', families: { m: {} }, key: rowKey('id') }),
  'defineEntity(C, x)': (x) => defineEntity(class Item {}, x),
  name: (x) => entity({ name: x }),
  table: (x) => entity({ table: x }),
  'table(x)': (x) => entity({ table: table(x, { families: { m: {} } }), families: undefined }),
  "table('t', x)": (x) => entity({ table: table('t', x), families: undefined }),
  "table('t', { families: x })": (x) =>
    entity({ table: table('t', { families: x }), families: undefined }),
  families: (x) => entity({ families: x }),
  'families.m': (x) => entity({ families: { m: x } }),
  'families.m.gc': (x) => entity({ families: { m: { gc: x } } }),
  'families.m.aggregate': (x) => entity({ families: { m: { aggregate: x } } }),
  'maxAge(x)': (x) => entity({ families: { m: { gc: maxAge(x) } } }),
  'maxVersions(x)': (x) => entity({ families: { m: { gc: maxVersions(x) } } }),
  'union(x)': (x) => entity({ families: { m: { gc: union(x, x) } } }),
  'aggregate(sum, x)': (x) => entity({ families: { m: aggregate('sum', x), n: {} } }),
  keyFormat: (x) => entity({ keyFormat: x }),
  shards: (x) => entity({ shards: x }),
  'shards.count': (x) => entity({ shards: { count: x, by: ['id'] } }),
  'shards.by': (x) => entity({ shards: { count: 4, by: x } }),
  cellTimestamp: (x) => entity({ cellTimestamp: x }),
  expiresAt: (x) => entity({ expiresAt: x }),
  marker: (x) => entity({ marker: x }),
  lint: (x) => entity({ lint: x }),
  'lint.rowsPerSecond': (x) => entity({ lint: { rowsPerSecond: x, ignore: x } }),
  key: (x) => entity({ key: x }),
  'rowKey(x)': (x) => entity({ key: rowKey(x) }),
  "rowKey('id', x)": (x) => entity({ key: rowKey('id', x) }),
  'literal(x)': (x) => entity({ key: rowKey(literal(x), 'id') }),
  segments: (x) => entity({ segments: x }),
  'segments.id': withSegment,
  'segments.id.kind': (x) => withSegment({ kind: x }),
  'segments.id.maxLength': (x) => withSegment({ kind: 'string', maxLength: x }),
  'segments.id.order': (x) => withSegment({ kind: 'int', order: x, width: x, max: x }),
  'segments.id.unit': (x) => withSegment({ kind: 'timestamp', unit: x, floor: x }),
  'segments.id.values': (x) => withSegment({ kind: 'enum', values: x }),
  'segments.id.nullable': (x) => withSegment({ kind: 'string', nullable: x, fold: x }),
  columns: (x) => entity({ columns: x }),
  'columns.w': withColumn,
  'column(x)': (x) => withColumn(column(x, 'string')),
  "column('n', x)": (x) => withColumn(column('n', x)),
  "column('n', 'string', x)": (x) => withColumn(column('n', 'string', x)),
  'column: qualifier': (x) => withColumn(column('n', 'string', { qualifier: x })),
  'column: alsoReads': (x) => withColumn(column('n', 'string', { alsoReads: x })),
  'column: default': (x) => withColumn(column('n', 'string', { default: x })),
  "packed('n', x)": (x) => withColumn(packed('n', x)),
  'packed: options': (x) => withColumn(packed('n', class Part {}, x)),
  'packed: upgrades': (x) => withColumn(packed('n', class Part {}, { version: x, upgrades: x })),
  "columnMap('n', x)": (x) => withColumn(columnMap('n', x)),
  'columnMap: options': (x) => withColumn(columnMap('n', 'int64', x)),
  'columnMap: qualifiers': (x) => withColumn(columnMap('n', 'int64', { qualifiers: x })),
  'columnMap: values': (x) =>
    withColumn(columnMap('n', 'int64', { qualifiers: 'enum', values: x })),
  "versions('n', x)": (x) => withColumn(versions('n', x)),
  'versions: options': (x) => withColumn(versions('n', 'string', x)),
  'counter(x)': (x) => withColumn(counter(x)),
  'counter: options': (x) => withColumn(counter('n', x)),
  'revision(x)': (x) => withColumn(revision(x)),
  'createdAt: options': (x) => withColumn(createdAt('n', x)),
  'fields of a message': messageOf,
  'a field': (x) => messageOf({ a: x }),
  'field(x)': (x) => messageOf({ a: field(x, 'string') }),
  'field(1, x)': (x) => messageOf({ a: field(1, x) }),
  "field(1, 'string', x)": (x) => messageOf({ a: field(1, 'string', x) }),
  'repeatedField(1, x)': (x) => messageOf({ a: repeatedField(1, x) }),
  'mapField(1, x)': (x) => messageOf({ a: mapField(1, x, 'string') }),
  "mapField(1, 'string', x)": (x) => messageOf({ a: mapField(1, 'string', x) }),
  'enumOf(Mode, x)': (x) => messageOf({ a: field(1, enumOf({ UNSPECIFIED: 0 }, x)) }),
  'enumOf(x)': (x) => messageOf({ a: field(1, enumOf(x)) }),
  patterns: (x) => entity({ patterns: x }),
  'accessPatterns(x)': (x) => entity({ patterns: accessPatterns(x) }),
  'a pattern': (x) => entity({ patterns: accessPatterns({ p: x }) }),
  'a pattern: prefix': (x) => entity({ patterns: accessPatterns({ p: { prefix: x } }) }),
  'a pattern: select': (x) =>
    entity({ patterns: accessPatterns({ p: { scanAll: true, select: x, limit: x, purpose: x } }) }),
  'a pattern: bound': (x) => entity({ patterns: accessPatterns({ p: { since: x, between: x } }) }),
  indexes: (x) => entity({ indexes: x }),
  'indexes(x)': (x) => entity({ indexes: indexes(x) }),
  'an index': (x) => entity({ indexes: indexes({ i: x }) }),
  'indexOn(x)': (x) => entity({ indexes: indexes({ i: indexOn(x) }) }),
  'uniqueIndexOn(x)': (x) => entity({ indexes: indexes({ i: uniqueIndexOn(x) }) }),
  'including(x)': (x) => entity({ indexes: indexes({ i: indexOn('v').including(x) }) }),
  rollups: (x) => entity({ rollups: x }),
  'rollups(x)': (x) => entity({ rollups: rollups(x) }),
  'a rollup': (x) => entity({ rollups: rollups({ r: x }) }),
  'a rollup: by': (x) => entity({ rollups: rollups({ r: { by: x, values: { n: 'count' } } }) }),
  'a rollup: a part of by': (x) =>
    entity({ rollups: rollups({ r: { by: ['id', x], values: { n: 'count' } } }) }),
  'a rollup: values': (x) => entity({ rollups: rollups({ r: { by: ['id'], values: x } }) }),
  'a rollup: a value': (x) => entity({ rollups: rollups({ r: { by: ['id'], values: { n: x } } }) }),
  'a rollup: kind': (x) =>
    entity({ rollups: rollups({ r: { by: ['id'], kind: x, values: { n: 'count' } } }) }),
  copies: (x) => entity({ copies: x }),
  'copies(x)': (x) => entity({ copies: copies(x) }),
  'a copy': (x) => entity({ copies: copies({ v: x }) }),
  'copyOf(x)': (x) => entity({ copies: copies({ v: copyOf(x, 'name', { id: 'id' }) }) }),
  'copyOf(() => Author, x)': (x) =>
    entity({ copies: copies({ v: copyOf(() => Author, x, { id: 'id' }) }) }),
  'copyOf: key': (x) => entity({ copies: copies({ v: copyOf(() => Author, 'name', x) }) }),
  'copyOf: a segment': (x) =>
    entity({ copies: copies({ v: copyOf(() => Author, 'name', { id: x }) }) }),
  '@Entity(x)': (x) => decorated((item: Any) => (decorators as Any).Entity(x)(item)),
  '@Segment(x)': (x) => onProperty((d) => d.Segment(x)),
  "@Segment('string', x)": (x) => onProperty((d) => d.Segment('string', x)),
  '@Column(x)': (x) => onProperty((d) => d.Column(x)),
  "@Column('n', x)": (x) => onProperty((d) => d.Column('n', x)),
  "@Column('n', 'string', x)": (x) => onProperty((d) => d.Column('n', 'string', x)),
  "@Packed('n', x)": (x) => onProperty((d) => d.Packed('n', x)),
  "@ColumnMap('n', x)": (x) => onProperty((d) => d.ColumnMap('n', x)),
  "@ColumnMap('n', 'string', x)": (x) => onProperty((d) => d.ColumnMap('n', 'string', x)),
  "@Versions('n', x)": (x) => onProperty((d) => d.Versions('n', x)),
  "@Counter('n', x)": (x) => onProperty((d) => d.Counter('n', x)),
  '@AlsoReads(x)': (x) =>
    decorated((item: Any) => (decorators as Any).AlsoReads(x)(item.prototype, 'v')),
  '@LintIgnore(x)': (x) =>
    decorated((item: Any) => (decorators as Any).LintIgnore(x, x)(item.prototype, 'v')),
  '@Message(x)': (x) => {
    class Part {}
    (decorators as Any).Field(1, 'string')(Part.prototype, 'a');
    (decorators as Any).Message(x)(Part);
    return withColumn(packed('n', Part));
  },
};

/** What is wrong with the way in which a declaration is rejected; undefined if nothing is. */
function rejection(declare: () => unknown): string | undefined {
  try {
    buildModels([declare()]);
    return undefined;
  } catch (error) {
    if (!(error instanceof RowsmithError))
      return String(
        error instanceof Error ? error.stack?.split(/\n\s+at .*(?:test|node:)/)[0] : error,
      );
    const faults = error.details.faults ?? [error.details];
    const texts = faults.flatMap(({ problem, fix }: Any) => [problem, fix]);
    const bad = texts.filter(
      (text: unknown) => typeof text !== 'string' || text === '' || /\[object|=> 1\b/.test(text),
    );
    const fixes = faults.map(({ fix }: Any) => String(fix));
    bad.push(...fixes.filter((fix) => /[('`]undefined|\bNaN\b/.test(fix)));
    return bad.length === 0 ? undefined : `${error.code}: ${JSON.stringify(faults)}`;
  }
}

test.each(Object.keys(positions))('%s', (position) => {
  const wrong = wrongValues.flatMap(([what, value]) => {
    const found = rejection(() => positions[position](value));
    return found === undefined ? [] : [`${what}: ${found}`];
  });
  expect(wrong).toEqual([]);
});
