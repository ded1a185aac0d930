/** The content of a model, that it is built once, and that it cannot be changed. */
import { compareBytes } from '../../../src/base/index.js';
import {
  accessPatterns,
  buildModel,
  buildModels,
  column,
  columnMap,
  counter,
  defineEntity,
  defineMessage,
  describeEntity,
  enumOf,
  field,
  keyWarnings,
  literal,
  maxVersions,
  messagesOf,
  packed,
  rowKey,
  aggregate,
  table,
  tableSchemas,
  versions,
} from '../../../src/entities/model/index.js';

class Status {
  firmware?: string;
  inner?: Status;
  mode?: number;
}
defineMessage(Status, {
  name: 't.Status',
  fields: {
    firmware: field(2, 'string'),
    inner: field(1, () => Status),
    mode: field(3, enumOf({ OFF: 0, ON: 1 })),
  },
});

class Plain {
  tenant = '';
  at = new Date(0);
  zulu?: number;
  alpha?: string;
  status?: Status;
  tags?: Map<string, string>;
  hits?: bigint;
  steps?: bigint;
  history?: { at: Date; value: number }[];
  raw?: { a: number };
}
const customCodec = {
  encode: ({ a }: { a: number }) => Uint8Array.of(a),
  decode: (bytes: Uint8Array) => ({ a: bytes[0] }),
};
const Reading = defineEntity(Plain, {
  table: 'telemetry',
  families: { s: {}, m: { gc: maxVersions(1) }, t: {}, c: aggregate('sum') },
  key: rowKey(literal('r'), 'tenant', 'at'),
  segments: { tenant: { kind: 'string', maxLength: 10 }, at: { kind: 'timestamp', order: 'desc' } },
  columns: {
    zulu: column('m', 'double'),
    alpha: column('m', 'string', { qualifier: '\u{1F600}' }),
    raw: packed('m', customCodec, { qualifier: Uint8Array.of(0xef, 0xbf, 0xbd) }),
    status: packed('s', Status),
    tags: columnMap('t', 'string'),
    hits: counter('c'),
    steps: counter('m'),
    history: versions('s', 'double'),
  },
  cellTimestamp: 'at',
  marker: true,
});

test('the model', () => {
  const model = buildModel(Reading);
  expect(model).toMatchObject({
    name: 'Plain',
    entityClass: Plain,
    cellTimestamp: 'at',
    table: { name: 'telemetry' },
    marker: { family: 's', qualifier: new Uint8Array(0) },
  });
  expect([...model.table.families.keys()]).toEqual(['c', 'm', 's', 't']);
  expect(model.segments).toEqual([
    { property: 'tenant', type: { kind: 'string', maxLength: 10 }, rules: { minLength: 1 } },
    { property: 'at', type: { kind: 'timestamp', order: 'desc' } },
  ]);
  expect(model.key.names).toEqual(['tenant', 'at']);
  expect(Buffer.from(model.key.encode({ tenant: 'a', at: new Date(0) })).toString()).toBe(
    'r#a#9999999999999',
  );
});

test('columns are in storage order: by bytes, not by UTF-16 units', () => {
  const { columns } = buildModel(Reading);
  expect(columns.map(({ property }) => property)).toEqual([
    'hits',
    'steps',
    'zulu',
    'raw',
    'alpha',
    'history',
    'status',
    'tags',
  ]);
  const qualifiers = columns
    .filter((each) => each.kind !== 'columnMap')
    .filter((each) => each.family === 'm')
    .map((each) => each.qualifier);
  expect([...qualifiers].sort(compareBytes)).toEqual(qualifiers);
});

test('a counter in an aggregate family is an aggregate', () => {
  const kinds = Object.fromEntries(
    buildModel(Reading).columns.map((each) => [
      each.property,
      each.kind === 'counter' ? each.aggregate : each.kind,
    ]),
  );
  expect(kinds).toEqual({
    hits: true,
    steps: false,
    zulu: 'column',
    alpha: 'column',
    raw: 'packed',
    history: 'versions',
    status: 'packed',
    tags: 'columnMap',
  });
});

test('codecs encode and decode the values of their columns', () => {
  const codec = (property: string) =>
    buildModel(Reading).columns.find((each) => each.property === property)!.codec;
  const roundTrip = (property: string, value: unknown): unknown => {
    const bytes = codec(property).encode(value);
    return codec(property).decode(bytes, 0, bytes.length);
  };
  expect(roundTrip('zulu', 1.5)).toBe(1.5);
  expect(roundTrip('hits', 7n)).toBe(7n);
  expect(roundTrip('raw', { a: 9 })).toEqual({ a: 9 });
  const status = Object.assign(new Status(), {
    firmware: 'x',
    inner: Object.assign(new Status(), { mode: 5 }),
  });
  expect(roundTrip('status', status)).toMatchObject({ firmware: 'x', inner: { mode: 5 } });
  expect(roundTrip('status', status)).toBeInstanceOf(Status);
});

test('a message has one shape, with its fields sorted by number', () => {
  const [shape, ...rest] = messagesOf(buildModel(Reading));
  expect(rest).toEqual([]);
  expect(shape.fields.map(({ name }) => name)).toEqual(['inner', 'firmware', 'mode']);
  const inner = shape.fields[0].type;
  expect(inner.kind === 'message' && inner.shape()).toBe(shape);
  class Other {
    id = '';
    status?: Status;
  }
  const other = buildModel(
    defineEntity(Other, {
      table: 'o',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { status: packed('m', Status) },
    }),
  );
  expect(other.columns[0].message).toBe(shape);
});

test('a model is built once', () =>
  expect(buildModel(Reading)).toBe(buildModels([Reading, Reading])[0]));

test('a model is deeply frozen, including its families', () => {
  const model = buildModel(Reading);
  const mutable: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (
      typeof value !== 'object' ||
      value === null ||
      ArrayBuffer.isView(value) ||
      path.endsWith('.codec') ||
      path === '.key'
    )
      return;
    if (!Object.isFrozen(value)) mutable.push(path);
    for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`);
  };
  visit(model, '');
  expect(mutable).toEqual([]);
  expect(() => (model.table.families as Map<string, object>).set('x', {})).toThrow(TypeError);
  expect(() => (model.table.families as Map<string, object>).delete('m')).toThrow(TypeError);
  expect(model.table.families.size).toBe(4);
});

test('tables have the families and split keys of all their entities', () => {
  const shared = table('shared', { families: { m: {}, a: aggregate('sum') } });
  class Alpha {
    id = '';
    v?: string;
  }
  class Beta {
    id = '';
    v?: string;
  }
  const common = {
    table: shared,
    segments: { id: 'string' },
    columns: { v: column('m', 'string') },
  } as const;
  const models = buildModels([
    defineEntity(Alpha, { ...common, key: rowKey(literal('a'), 'id') }),
    defineEntity(Beta, { ...common, key: rowKey(literal('b'), 'id') }),
  ]);
  expect(tableSchemas(models)).toEqual([
    {
      name: 'shared',
      families: new Map([
        ['a', { aggregate: 'sum' }],
        ['m', {}],
      ]),
    },
  ]);
  class Gamma {
    id = '';
    v?: string;
  }
  const [sharded] = tableSchemas([
    buildModel(
      defineEntity(Gamma, {
        ...common,
        table: 'c',
        families: { m: {} },
        key: rowKey('id'),
        shards: { count: 3, by: ['id'] },
      }),
    ),
  ]);
  expect(sharded.splitKeys!.map((key) => Buffer.from(key).toString())).toEqual(['1#', '2#']);
});

test('a key without a maximum size has a warning', () => {
  expect(describeEntity(Reading).warnings).toEqual([]);
  expect(keyWarnings({ key: { ...buildModel(Reading).key, maxLength: Infinity } })).toEqual([
    'the key has no maximum size, and Bigtable allows 4096 bytes: give strings and bytes a maxLength',
  ]);
  expect(keyWarnings({ key: { ...buildModel(Reading).key, maxLength: 4_096 } })).toEqual([]);
});

test('a description is plain data', () => {
  expect(JSON.parse(JSON.stringify(describeEntity(Reading)))).toMatchObject({
    entity: 'Plain',
    table: 'telemetry',
    marker: 's',
    cellTimestamp: 'at',
    key: { format: 'text', maxBytes: expect.any(Number) },
    families: [
      { name: 'c', gc: 'never', aggregate: 'sum' },
      { name: 'm', gc: 'maxversions=1' },
      { name: 's', gc: 'never' },
      { name: 't', gc: 'never' },
    ],
  });
});

test('a description has a line for each access pattern', () => {
  class Visit {
    user = '';
    at = new Date(0);
    page?: string;
  }
  const patterns = accessPatterns({
    latest: { prefix: ['user'], reverse: true, limit: 1, purpose: 'What the home page shows.' },
    ofPeriod: { prefix: ['user'], between: 'at', select: ['page'] },
    all: { scanAll: true },
  });
  const described = describeEntity(
    defineEntity(Visit, {
      table: 't',
      families: { m: {} },
      key: rowKey('user', 'at'),
      segments: { user: 'string', at: 'timestamp' },
      columns: { page: column('m', 'string') },
      patterns,
    }),
  );
  expect(String(described)).toContain(`access patterns
  latest    user              reverse; limit 1  What the home page shows.
  ofPeriod  user, between at  select page
  all       every row`);
  expect(described.patterns.map(({ name }) => name)).toEqual(['latest', 'ofPeriod', 'all']);
});

test('enumOf takes TypeScript enums and records', () => {
  enum Mode {
    OFF,
    ON = 7,
    ALSO = 7,
  }
  expect([...enumOf(Mode).values]).toEqual([
    ['OFF', 0],
    ['ON', 7],
    ['ALSO', 7],
  ]);
  expect(enumOf({ LOW: -1, ZERO: 0 }, 'p.Level')).toMatchObject({
    name: 'p.Level',
    values: new Map([
      ['LOW', -1],
      ['ZERO', 0],
    ]),
  });
});
