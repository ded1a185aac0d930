/**
 * Views are compared with golden files, and run. No Bigtable with SQL is available to tests, so an
 * evaluator of GoogleSQL's documented functions runs each view over keys and cells that the real
 * codecs wrote, and must return their values.
 */
import { defineEntity, defineMessage, field, packed, rowKey } from '../../../src/index.js';
import { sqlKeyPattern, sqlView } from '../../../src/tools/codegen/sql/sql-view.js';
import { sqlBytes } from '../../../src/tools/codegen/sql/sql-literal.js';
import { keyStruct, sqlTypeOf } from '../../../src/tools/codegen/tables/row-key-schema.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import { readOrderedInt64 } from '../../../src/data/key/encoding/int64.js';
import {
  buildModel,
  buildModels,
  type Constructor,
  type EntityModel,
} from '../../../src/entities/model/index.js';
import { expectGolden } from '../../support/golden.js';
import { all, EveryKind, EveryOrderedKind, Order, Total, User, Visit } from './entities.js';
import { Day, runView, Timestamp, type Sql } from './sql-evaluator.js';
import fc, { anyCharacter } from '../../support/fast-check.js';

const models = buildModels(all);
const viewOf = (model: EntityModel): string =>
  sqlView(
    model,
    models.filter((other) => other.table.name === model.table.name),
  );

test('golden files', () => {
  expectGolden(
    'codegen/views.sql',
    tablesOf(models)
      .flatMap((table) => table.models.map(viewOf))
      .join('\n'),
  );
});

/** A value of the entity as SQL returns it; `day` when that is a DATE. */
function asSql(value: unknown, day = false): Sql {
  if (value instanceof Date)
    return day
      ? new Day(value.toISOString().slice(0, 10))
      : new Timestamp(BigInt(value.getTime()) * 1000n);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : (value as Sql);
}

const text = fc
  .string({ unit: anyCharacter, maxLength: 8 })
  .filter((value) => value.length <= 8 && value.isWellFormed());
const date = (min: number, max: number, step = 1): fc.Arbitrary<Date> =>
  fc
    .integer({ min: Math.ceil(min / step), max: Math.floor(max / step) })
    .map((n) => new Date(n * step));
const maxMillis = 9_999_999_999_999;
const year1 = Date.UTC(2001, 0) - 2000 * 365.2425 * 86_400_000;
const year9999 = Date.UTC(9999, 11, 31);
const uint = (width: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: Math.min(10 ** width - 1, Number.MAX_SAFE_INTEGER) });
const int = (width: number): fc.Arbitrary<number> =>
  fc.integer({ min: -(10 ** width - 1), max: 10 ** width - 1 });
const cents = int(12).map(
  (n) =>
    `${n < 0 ? '-' : ''}${Math.floor(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, '0')}`,
);
const int64 = fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n });
const float = fc.double({ noNaN: true }).map((value) => value + 0);
const bytes = fc.uint8Array({ maxLength: 8 });
const domain = fc.constantFrom('example.com', 'maps.google.com', 'a-b.co.uk', 'localhost');
const member = fc.constantFrom('NEW', 'DONE');
const floored = (value: Date, size: number): Date =>
  new Date(Math.floor(value.getTime() / size) * size);

const everyKind = fc.record({
  string: text,
  nullable: fc.option(text),
  int: int(5),
  intDesc: fc.option(int(5)),
  uint: fc.integer({ min: 0, max: 4_294_967_295 }),
  uintDesc: uint(16),
  wide: int64,
  big: fc.bigInt({ min: -(10n ** 99n) + 1n, max: 10n ** 99n - 1n }),
  bigFixed: int64,
  float,
  floatDesc: float,
  decimal: cents,
  boolDesc: fc.boolean(),
  name: member,
  ordinal: member,
  seconds: date(0, maxMillis, 1000),
  nanosDesc: date(0, maxMillis),
  longDesc: date(0, maxMillis),
  hour: date(year1, year9999),
  dayDesc: date(year1, year9999),
  interval: date(-maxMillis + 300_000, maxMillis),
  micros: fc.bigInt({ min: 0n, max: 10n ** 16n - 1n }),
  microsLong: fc.bigInt({ min: 0n, max: 10n ** 16n - 1n }),
  iso: date(year1, year9999),
  isoDay: date(year1, year9999),
  uuid: fc.uuid(),
  ulid: fc.constantFrom('01ARZ3NDEKTSV4RRFFQ69G5FAV', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'),
  bytes,
  reversed: uint(10),
  domain,
  lastDesc: fc.option(date(0, maxMillis)),
});

test('a view decodes every kind of segment of a text key', () => {
  const model = buildModel(EveryKind);
  const view = viewOf(model);
  const family = new Map<string, Sql>();
  fc.assert(
    fc.property(everyKind, (values) => {
      const key = Buffer.from(model.key.encode(values));
      expect(key.toString()).toMatch(new RegExp(sqlKeyPattern(model).replace('(?s)', ''), 'su'));
      const row = runView(
        view,
        new Map<string, Sql>([
          ['_key', key],
          ['f', family],
        ]),
      );
      const expected = {
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asSql(value)])),
        float: values.float,
        floatDesc: values.floatDesc,
        big: String(values.big),
        micros: new Timestamp(values.micros),
        microsLong: new Timestamp(values.microsLong),
        hour: asSql(floored(values.hour, 3_600_000)),
        dayDesc: asSql(floored(values.dayDesc, 86_400_000)),
        interval: asSql(floored(values.interval, 300_000)),
        isoDay: asSql(values.isoDay, true),
      };
      expect(Object.fromEntries([...row!].filter(([name]) => name in values))).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

const everyOrderedKind = fc.record({
  string: text,
  stringDesc: text,
  nullable: fc.option(text),
  int: int(15),
  intDesc: int(15),
  intNullable: fc.option(int(5)),
  big: int64,
  wide: int64,
  float,
  decimal: cents,
  bool: fc.boolean(),
  name: member,
  ordinal: member,
  at: date(year1, year9999),
  atDesc: date(year1, year9999),
  hour: date(year1, year9999),
  micros: int64,
  iso: date(year1, year9999),
  isoDay: date(year1, year9999),
  uuid: fc.uuid(),
  ulid: fc.constant('01ARZ3NDEKTSV4RRFFQ69G5FAV'),
  bytes,
  bytesDesc: bytes,
  reversed: uint(10),
  domain,
});

/** The columns that SQL sees through the row_key_schema, as types.proto defines them. */
function registered(model: EntityModel, key: Uint8Array): Map<string, Sql> {
  const { fields } = keyStruct(model);
  // A part ends at 00 01. Every other 00 is followed by FF, or by a second 00 in an empty part.
  const raw = Buffer.from(key)
    .toString('latin1')
    .split('\u0000\u0001')
    .map((part) =>
      Buffer.from(
        part === '\u0000\u0000' ? '' : part.replaceAll('\u0000\u00ff', '\u0000'),
        'latin1',
      ),
    );
  return new Map(
    fields.map(({ fieldName, type }, i): [string, Sql] => {
      const part = raw[i] ?? Buffer.alloc(0);
      if (sqlTypeOf(type) === 'STRING') return [fieldName, part.toString()];
      if (sqlTypeOf(type) === 'BYTES') return [fieldName, part];
      const integer = BigInt(readOrderedInt64(part, 0, part.length)!);
      return [fieldName, sqlTypeOf(type) === 'INT64' ? integer : new Timestamp(integer)];
    }),
  );
}

test('a view decodes every kind of segment of a binary key from the columns of its row_key_schema', () => {
  const model = buildModel(EveryOrderedKind);
  const view = viewOf(model);
  fc.assert(
    fc.property(everyOrderedKind, (values) => {
      const key = Buffer.from(model.key.encode(values));
      const row = runView(
        view,
        new Map<string, Sql>([
          ...registered(model, key),
          ['_key', key],
          ['f', new Map<string, Sql>()],
        ]),
      );
      const expected = {
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asSql(value)])),
        micros: new Timestamp(values.micros),
        hour: asSql(floored(values.hour, 3_600_000)),
        isoDay: asSql(floored(values.isoDay, 86_400_000)),
        // Not decoded: the stored bytes or number.
        intNullable: expect.any(Buffer),
        big: expect.any(Buffer),
        float: expect.any(BigInt),
        ulid: Buffer.from('01563e3ab5d3d6764c61efb99302bd5b', 'hex'),
      };
      expect(Object.fromEntries([...row!].filter(([name]) => name in values))).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('a view decodes cells', () => {
  const model = buildModel(EveryKind);
  const values: Record<string, unknown> = {
    string_: 'é',
    bytes_: Uint8Array.of(0, 255),
    bool_: true,
    int32_: -5,
    uint32_: 4_294_967_295,
    int64_: -(2n ** 63n),
    double_: 1.5,
    float_: 0.25,
    timestamp_: new Date(1_795_170_600_123),
    date_: '2026-11-20',
    json_: { a: [1] },
    binary_: 'x',
    counter_: 7n,
  };
  const cells = new Map<string, Sql>();
  for (const column of model.columns) {
    if (column.kind !== 'columnMap')
      cells.set(
        Buffer.from(column.qualifier).toString('latin1'),
        Buffer.from(column.codec.encode(values[column.property])),
      );
  }
  const [sample] = fc.sample(everyKind, { numRuns: 1, seed: 1 });
  const row = runView(
    viewOf(model),
    new Map<string, Sql>([
      ['_key', Buffer.from(model.key.encode(sample))],
      ['f', cells],
    ]),
  )!;
  const sqlValues: Record<string, unknown> = {
    json_: '{"a":[1]}',
    date_: new Day('2026-11-20'),
    double_: values.double_,
    float_: values.float_,
  };
  for (const [name, value] of Object.entries(values))
    expect([name, row.get(name)]).toEqual([name, sqlValues[name] ?? asSql(value)]);
});

test('a column falls back to its earlier names when its own is absent', () => {
  const nameOf = (cells: readonly (readonly [string, string])[]): Sql | undefined => {
    const family = new Map<string, Sql>(
      cells.map(([qualifier, value]) => [qualifier, Buffer.from(value)]),
    );
    return runView(
      viewOf(buildModel(User)),
      new Map<string, Sql>([
        ['_key', Buffer.from('u1#profile')],
        ['d', family],
      ]),
    )?.get('name');
  };
  expect([
    nameOf([
      ['name', 'a'],
      ['fullName', 'b'],
    ]),
    nameOf([
      ['fullName', 'b'],
      ['nick', 'c'],
    ]),
    nameOf([['nick', 'c']]),
    nameOf([]),
  ]).toEqual(['a', 'b', 'c', null]);
});

test('a view skips rows of other entities, as a scan does', () => {
  const at = new Date(Date.UTC(2026, 10, 20));
  const keys = {
    user: buildModel(User).key.encode({ user: 'u\n1' }),
    order: buildModel(Order).key.encode({ user: 'profile', placed: at }),
    visit: buildModel(Visit).key.encode({ source: '$', e: 7 }),
    total: buildModel(Total).key.encode({ country: 'NO', day: at }),
    stray: Buffer.from('stray'),
    broken: Buffer.from([0x61, 0xff, 0x23]),
  };
  const families = ['m', 's', 'tags', 'hits', 'd', 'e', 'f', 'peak', 'total'].map(
    (name): [string, Sql] => [name, new Map()],
  );
  const matching = Object.entries({ user: User, order: Order, visit: Visit, total: Total }).map(
    ([name, entity]) => {
      const pattern = new RegExp(
        sqlKeyPattern(buildModel(entity as new () => object)).replace('(?s)', ''),
        'su',
      );
      return [
        name,
        Object.entries(keys)
          .filter(([, key]) => pattern.test(Buffer.from(key).toString()))
          .map(([other]) => other),
      ];
    },
  );
  expect(matching).toEqual(['user', 'order', 'visit', 'total'].map((name) => [name, [name]]));
  const total = runView(
    viewOf(buildModel(Total)),
    new Map<string, Sql>([['_key', Buffer.from(keys.total)], ...families]),
  );
  expect(total).toEqual(
    new Map<string, Sql>([
      ['_key', Buffer.from('NO|2026-11-20')],
      ['country', 'NO'],
      ['day', new Day('2026-11-20')],
      ['orders', null],
    ]),
  );
  expect(
    runView(
      viewOf(buildModel(Total)),
      new Map<string, Sql>([['_key', Buffer.from(keys.broken)], ...families]),
    ),
  ).toBeUndefined();
});

test('messages are expanded three levels deep', () => {
  const nested = (level: number): Constructor =>
    defineMessage(class {}, {
      name: `test.Level${level}`,
      fields: level === 5 ? { end: field(1, 'int32') } : { in: field(1, () => nested(level + 1)) },
    });
  const model = buildModel(
    defineEntity(class Nested {}, {
      table: 'nested',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { packet: packed('m', () => nested(1)) },
    } as never),
  );
  const [, select] = sqlView(model, [model]).split('SELECT');
  const names = [...select.matchAll(/packet(?:_in)*/g)].map(([name]) => name);
  expect([...new Set(names)]).toEqual(['packet', 'packet_in_in_in']);
});

test('bytes are escaped unless they are printable ASCII', () => {
  expect(sqlBytes(Uint8Array.of(0x1f, 0x20, 0x27, 0x5c, 0x7e, 0x7f, 0xff))).toBe(
    String.raw`b'\x1f \'\\~\x7f\xff'`,
  );
});
