/** Faults of declarations that say what values must be, and the ids that the library makes. */
import {
  column,
  defineEntity,
  packed,
  rowKey,
  RowsmithError,
  type EntityDefinition,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { idMakers } from '../../../src/entities/model/rules/generated-ids.js';
import { jsonSchema } from '../../../src/tools/codegen/documents/json-schema.js';
import { describeEntity } from '../../../src/tools/index.js';
import { Issue } from '../repository/held/held-entities.js';

/** The faults of an entity with one column, or with other segments. */
function faultsOf(a: unknown, others: object = {}): readonly string[] {
  const Thing = defineEntity(
    class Thing {
      id = '';
      a: unknown;
    },
    {
      table: 't',
      families: { m: {}, day: { gc: { kind: 'maxAge', micros: 86_400_000_000 } } },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { a },
      ...others,
    } as unknown as EntityDefinition<{ id: string; a: unknown }, readonly ['id']>,
  );
  try {
    buildModel(Thing);
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    return (error.details.faults ?? []).map(({ property, problem }) => `${property}: ${problem}`);
  }
  return [];
}

const segment = (options: object): object => ({ segments: { id: options } });
const plain = column('m', 'string');

test.each<[problem: string, a: unknown, others?: object]>([
  ["a: a column of bool has no option 'minLength'", column('m', 'bool', { minLength: 1 })],
  ["a: a column of json has no option 'max'", column('m', 'json', { max: 1 })],
  ['a: required is the number 1', column('m', 'string', { required: 1 as never })],
  ['a: it has a default and is required', column('m', 'string', { required: true, default: 'x' })],
  ['a: it has a default and is initial', column('m', 'string', { initial: 'y', default: 'x' })],
  ['a: oneOf is not a list of values', column('m', 'string', { oneOf: [] })],
  ['a: oneOf is not a list of values', column('m', 'string', { oneOf: 'open' as never })],
  ['a: oneOf has a value twice', column('m', 'string', { oneOf: ['x', 'x'] })],
  ['a: oneOf has 5, which cannot be stored', column('m', 'string', { oneOf: [5 as never] })],
  [
    'a: it has both oneOf and suggestions',
    column('m', 'string', { oneOf: ['x'], suggestions: ['x'] }),
  ],
  ['a: minLength is -1', column('m', 'string', { minLength: -1 })],
  [
    'a: minLength 3 is greater than maxLength 2',
    column('m', 'string', { minLength: 3, maxLength: 2 }),
  ],
  ['a: min 3 is greater than max 2', column('m', 'int32', { min: 3, max: 2 })],
  ['a: min is 1, not a bigint', column('m', 'int64', { min: 1 as never })],
  ['a: max is null, not a number', column('m', 'int32', { max: null as never })],
  ['a: the pattern is the string "x"', column('m', 'string', { pattern: 'x' as never })],
  [
    'a: the default is "z", which is not in oneOf',
    column('m', 'string', { oneOf: ['x'], default: 'z' }),
  ],
  [
    'a: the initial is "z", which is not in oneOf',
    column('m', 'string', { oneOf: ['x'], initial: 'z' }),
  ],
  ['a: initial is a Date', column('m', 'timestamp', { initial: new Date() })],
  ['a: initial cannot be stored', column('m', 'int32', { initial: 1.5 })],
  [
    "a: the rule maxage=1d of family 'day' deletes the required value before 'b'",
    column('day', 'string', { required: true }),
    { columns: { a: column('day', 'string', { required: true }), b: plain } },
  ],
  ["id: a uuid segment has no option 'minLength'", plain, segment({ kind: 'uuid', minLength: 2 })],
  [
    "id: a bool segment has no option 'generate'",
    plain,
    segment({ kind: 'bool', generate: 'ulid' }),
  ],
  ['id: generate is "ulid"', plain, segment({ kind: 'uuid', generate: 'ulid' })],
  ['id: generate is "toString"', plain, segment({ kind: 'string', generate: 'toString' })],
  [
    'id: minLength 5 is greater than maxLength 4',
    plain,
    segment({ kind: 'string', minLength: 5, maxLength: 4 }),
  ],
  ['undefined: mustExist is the string "yes"', plain, { mustExist: 'yes' }],
])('%s', (problem, ...[a, others]) => {
  expect(faultsOf(a, others)).toEqual([expect.stringContaining(problem)]);
});

test('a packed column has required and initial, and no other rules', () => {
  const codec = { encode: (): Uint8Array => new Uint8Array(), decode: (): object => ({}) };
  expect(faultsOf(packed('m', codec, { required: true }))).toEqual([]);
  expect(faultsOf(packed('m', codec, { maxLength: 3 } as never))).toEqual([
    expect.stringContaining("@Packed has no option 'maxLength'"),
    expect.stringContaining("has no option 'maxLength'"),
  ]);
});

test('the flags g and y of a pattern do not carry over from value to value', () => {
  const [{ rules }] = buildModel(
    defineEntity(
      class Tagged {
        id = '';
        tag = '';
      },
      {
        table: 't',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { tag: column('m', 'string', { pattern: /^a/gi }) },
      },
    ),
  ).columns;
  expect(rules?.pattern?.flags).toBe('i');
});

describe('generated ids', () => {
  test.each(['uuidv7', 'ulid'] as const)('%s: each is greater than the one before', (name) => {
    const made = Array.from({ length: 5_000 }, () => idMakers[name]());
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  test('they begin with the time', () => {
    const before = Date.now();
    const uuid = parseInt(idMakers.uuidv7().replaceAll('-', '').slice(0, 12), 16);
    // Ids of the test before may be ahead by the milliseconds that their random parts have filled.
    expect(uuid).toBeGreaterThanOrEqual(before);
    expect(uuid).toBeLessThan(before + 60_000);
    expect(idMakers.uuidv7()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(idMakers.ulid()).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  });
});

test('generated documents say what is declared', () => {
  const schema = JSON.parse(jsonSchema(buildModel(Issue))) as {
    readonly required: unknown;
    readonly properties: Record<string, unknown>;
  };
  expect(schema.required).toEqual(['tenant', 'id', 'title']);
  expect(schema.properties).toMatchObject({
    tenant: { type: 'string', minLength: 1, maxLength: 20, pattern: '^[a-z]+$' },
    title: { type: 'string', minLength: 2, maxLength: 10 },
    status: { enum: ['open', 'closed'] },
    label: { type: 'string', examples: ['bug', 'idea'] },
    votes: { type: 'integer', minimum: 0, maximum: 5 },
  });
  const text = String(describeEntity(Issue));
  expect(text).toContain('required, at least 3 long, at most 10 long');
  expect(text).toContain("one of 'open', 'closed'");
});
