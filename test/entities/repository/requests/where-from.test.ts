/** Conditions of untrusted objects: what a request may test, and whatever else it may send. */
import { parse } from 'node:querystring';
import {
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  indexes,
  indexOn,
  open,
  Packed,
  rowKey,
  Segment,
  type RowsmithError,
} from '../../../../src/index.js';
import { Status } from '../query/where-entities.js';

@Entity({ table: 'issues', families: { i: {}, l: {} } })
class Issue {
  static readonly key = rowKey('tenant', 'n');
  static readonly indexes = indexes({ byStatus: indexOn('status') });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('i', 'string') status?: string;
  @Column('i', 'bool') closed?: boolean;
  @Column('i', 'int32') votes?: number;
  @Column('i', 'int64') size?: bigint;
  @Column('i', 'double') score?: number;
  @Column('i', 'timestamp') due?: Date;
  @Column('i', 'date') day?: string;
  @Column('i', 'bytes') raw?: Uint8Array;
  @Column('i', 'json') extra?: unknown;
  @Counter('i') views?: bigint;
  @Packed('i', Status) state?: Status;
  @ColumnMap('l', 'string') labels?: Map<string, string>;
  @Column('i', 'string') secret?: string;
}

const allow = {
  n: ['equals', 'above', 'below'],
  status: ['equals', 'not', 'oneOf', 'startsWith'],
  closed: ['equals'],
  votes: ['equals', 'atLeast', 'below', 'noneOf'],
  size: ['equals'],
  score: ['atMost'],
  due: ['below'],
  day: ['startsWith', 'atLeast'],
  raw: ['equals'],
  views: ['above'],
} as const;

let db: Database;
const issues = () => db.repository(Issue);
const mine = () => issues().prefix({ tenant: 'a' });

beforeAll(async () => {
  db = await open('memory:', { entities: [Issue] });
  await issues().saveMany([
    issues().create({
      tenant: 'a',
      n: 1,
      status: 'open',
      closed: false,
      votes: 3,
      size: 2n ** 60n,
      score: 0.5,
      due: new Date('2026-11-20T09:00:00Z'),
      day: '2026-11-20',
      raw: Uint8Array.of(1),
    }),
    issues().create({ tenant: 'a', n: 2, status: 'opened', closed: true, votes: 30, secret: 's' }),
    issues().create({ tenant: 'a', n: 3, status: 'done' }),
    issues().create({ tenant: 'b', n: 4, status: 'open' }),
  ]);
  await issues().increment({ tenant: 'a', n: 3 }, 'views', 7n);
});
afterAll(() => db.close());

/** The numbers of the issues that the untyped conditions find. */
async function found(untrusted: unknown): Promise<number[]> {
  const rows = await mine().whereFrom(untrusted, { allow }).all();
  return rows.map(({ n }) => n);
}

test.each<[string, number[]]>([
  ['', [1, 2, 3]],
  ['status=open', [1]],
  ['status[equals]=open', [1]],
  ['status[not]=open', [2, 3]],
  ['status[oneOf]=open&status[oneOf]=done', [1, 3]],
  ['status[oneOf]=done', [3]],
  ['status[startsWith]=open', [1, 2]],
  ['status=', []],
  ['n=2', [2]],
  ['n[above]=1&n[below]=3', [2]],
  ['closed=true', [2]],
  ['closed=false&status=open', [1]],
  ['votes=3', [1]],
  ['votes[atLeast]=4', [2]],
  ['votes[atLeast]=3&votes[below]=30', [1]],
  ['votes[noneOf]=3', [2]],
  ['size=1152921504606846976', [1]],
  ['score[atMost]=5e-1', [1]],
  ['due[below]=2026-11-20T10:00:00%2B02:00', []],
  ['due[below]=2026-11-20T10:00:00Z', [1]],
  ['day[startsWith]=2026-1', [1]],
  ['day[atLeast]=2026-11-20', [1]],
  ['raw=AQ%3D%3D', [1]],
  ['views[above]=6', [3]],
])('?%s', async (text, expected) => {
  expect(await found(parse(text))).toEqual(expected);
});

test('nested objects, as other parsers return them, and values of JSON', async () => {
  expect(await found({ votes: { atLeast: '3', below: 30 } })).toEqual([1]);
  expect(await found({ status: { oneOf: ['open', 'done'] }, n: 3 })).toEqual([3]);
  expect(await found({ closed: true })).toEqual([2]);
});

test('a query keeps its other conditions, and its text is the same as that of where()', async () => {
  const query = mine().where({ votes: { above: 5 } });
  expect(await query.whereFrom({ status: 'open' }, { allow }).count()).toBe(0);
  expect(await query.whereFrom({}, { allow }).count()).toBe(1);
  expect(String(mine().whereFrom(parse('votes[atLeast]=4&status=open'), { allow }).explain())).toBe(
    String(
      mine()
        .where({ votes: { atLeast: 4 }, status: 'open' })
        .explain(),
    ),
  );
});

test('indexes and scopes', async () => {
  const open1 = issues().index('byStatus').prefix({ status: 'open' });
  const rows = await open1.whereFrom({ n: '4' }, { allow: { n: ['equals'] } }).all();
  expect(rows.map(({ tenant }) => tenant)).toEqual(['b']);
  const scoped = db.scope({ tenant: 'a' }).repository(Issue).scanAll();
  expect(await scoped.whereFrom({ status: 'open' }, { allow }).count()).toBe(1);
  expect(() => scoped.whereFrom({}, { allow: { tenant: ['equals'] } as never })).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});

const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, 'x']));
const throwing = (name: string): object =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error('getter');
    },
  });

/** A proxy that fails whatever is done with it. */
function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A proxy with a trap that throws what cannot be looked at. */
function trapped(trap: keyof ProxyHandler<object>, target: object = {}): object {
  const handler: ProxyHandler<object> = {
    [trap]: () => {
      throw revoked({});
    },
  };
  return new Proxy(target, handler);
}

const faults: [string, unknown, string, RegExp][] = [
  ['undefined', undefined, 'whereFrom', /are undefined/],
  ['null', null, 'whereFrom', /are null/],
  ['text', 'status=open', 'whereFrom', /the string/],
  ['an array', [{ status: 'open' }], 'whereFrom', /an array/],
  ['a Map', new Map([['status', 'open']]), 'whereFrom', /a Map/],
  ['URLSearchParams', new URLSearchParams('status=open'), 'whereFrom', /URLSearchParams/],
  ['a property that is not allowed', { secret: 's' }, 'secret', /cannot test 'secret'/],
  ['a property in other case', { Status: 'open' }, 'Status', /cannot test 'Status'/],
  ['the segment of the prefix', { tenant: 'b' }, 'tenant', /cannot test/],
  ['a long name', { ['x'.repeat(9999)]: '1' }, `${'x'.repeat(60)}...`, /^.{0,100}$/],
  ['10,000 properties', many, 'p0', /'p0'/],
  ['an operator that is not allowed', parse('votes[not]=3'), 'votes', /'votes' with 'not'/],
  ['an operator of where()', { status: { noneOf: [] } }, 'status', /with 'noneOf'/],
  ['an operator of messages', { status: { fields: {} } }, 'status', /with 'fields'/],
  ['an unknown operator', { status: { $ne: 'open' } }, 'status', /with '\$ne'/],
  ['an operator in other case', parse('status[NOT]=open'), 'status', /with 'NOT'/],
  ['no operator', parse('status[]=open'), 'status', /with ''/],
  ['two operators', parse('votes[atLeast][below]=3'), 'votes[atLeast][below]', /cannot test/],
  ['10,000 operators', { status: many }, 'status', /with 'p0'/],
  ['null as a value', { status: null }, 'status', /is null/],
  ['undefined as a value', { status: undefined }, 'status', /undefined/],
  ['an array as a value', parse('status=open&status=done'), 'status', /2 values/],
  ['an array of an operator', { status: { not: ['a', 'b'] } }, 'status', /2 values/],
  ['an array without values', { status: [] }, 'status', /0 values/],
  ['a Date', { due: { below: new Date(0) } }, 'due', /a Date/],
  ['an object as a value', { status: { not: { toString: 'x' } } }, 'status', /an object/],
  ['an object in a list', { status: { oneOf: [{ not: 'a' }] } }, 'status', /an object/],
  ['a list in a list', { status: { oneOf: [['a']] } }, 'status', /an array/],
  ['a hole in a list', { status: { oneOf: Array(1) } }, 'status', /undefined/],
  ['null in a list', { status: { oneOf: [null] } }, 'status', /null/],
  ['a long list', { status: { oneOf: Array(101).fill('a') } }, 'status', /101 values/],
  ['an object without tests', { status: {} }, 'status', /are empty/],
  ['a function', { status: () => 'open' }, 'status', /./],
  ['a symbol', { status: Symbol('open') }, 'status', /./],
  ['a long text', { status: 'x'.repeat(1025) }, 'status', /too long/],
  ['half a character', { n: '\ud800' }, 'n', /whole number/],
  ['text for a number', { votes: 'three' }, 'votes', /whole number/],
  ['no text for a number', { votes: '' }, 'votes', /whole number/],
  ['a fraction', { votes: '1.5' }, 'votes', /whole number/],
  ['a number out of range', { votes: '2147483648' }, 'votes', /./],
  ['a segment out of range', { n: '10000' }, 'n', /./],
  ['a bound out of range', parse('n[above]=1e99'), 'n', /whole number/],
  ['hexadecimal digits', { size: '0x10' }, 'size', /digits/],
  ['a number of JSON that is rounded', { size: 2 ** 60 }, 'size', /whole number/],
  ['an order of NaN', parse('score[atMost]=NaN'), 'score', /NaN/],
  ['another boolean', { closed: '1' }, 'closed', /true or false/],
  ['a time without a zone', parse('due[below]=2026-11-20T09:00'), 'due', /zone/],
  ['a day that is none', parse('day[atLeast]=2026-02-30'), 'day', /./],
  ['bytes that are no base64', { raw: '*' }, 'raw', /base64/],
  ['a test twice', { votes: { atLeast: '1' }, 'votes[atLeast]': '2' }, 'votes', /another/],
  ['an equality twice', { status: 'a', 'status[oneOf]': 'b' }, 'status', /another/],
  ['__proto__', JSON.parse('{"__proto__":{"status":"open"}}'), '__proto__', /'__proto__'/],
  ['constructor', { constructor: 'x' }, 'constructor', /'constructor'/],
  ['an operator __proto__', JSON.parse('{"status":{"__proto__":"x"}}'), 'status', /'__proto__'/],
  ['an operator of Object', { status: { toString: 'x' } }, 'status', /'toString'/],
  ['a revoked proxy', revoked({}), 'whereFrom', /cannot be read/],
  ['names that throw', trapped('ownKeys'), 'whereFrom', /cannot be read/],
  ['a prototype that throws', trapped('getPrototypeOf'), 'whereFrom', /cannot be read/],
  ['a revoked value', { status: revoked({}) }, 'whereFrom', /cannot be read/],
  ['tests with names that throw', { status: trapped('ownKeys') }, 'whereFrom', /cannot be read/],
  ['a revoked list', { status: { oneOf: revoked([]) } }, 'whereFrom', /cannot be read/],
  ['a list that throws', { status: { oneOf: trapped('get', ['a']) } }, 'whereFrom', /cannot be/],
  ['a list that throws a proxy', { votes: trapped('get', ['1']) }, 'whereFrom', /cannot be/],
  ['a getter that throws', throwing('status'), 'status', /cannot be read/],
  ['an operator that throws', { status: throwing('not') }, 'status', /cannot be read/],
];

test.each(faults)('%s is refused', (_, untrusted, property, problem) => {
  expect(() => mine().whereFrom(untrusted, { allow })).toThrow(
    expect.objectContaining({
      code: 'INVALID_QUERY',
      details: expect.objectContaining({
        entity: 'Issue',
        property,
        problem: expect.stringMatching(problem),
        fix: expect.stringMatching(/./),
      }),
    }),
  );
});

test('the details of a value that is refused are those of every fault of a query', () => {
  let error: unknown;
  try {
    mine().whereFrom(parse('day[above]=2026-13-45'), { allow });
  } catch (thrown) {
    error = thrown;
  }
  const { details } = error as RowsmithError;
  expect(Object.keys(details).sort()).toEqual(['entity', 'fix', 'problem', 'property']);
});

test('inherited properties are no conditions', async () => {
  expect(await found(Object.assign(Object.create({ status: 'open' }), { n: '2' }))).toEqual([2]);
});

test('of 10,000 faults only the first is looked at', () => {
  let reads = 0;
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        reads++;
        return Reflect.get(object, name) as unknown;
      },
    });
  const values = { status: { oneOf: counted(Array(100_000).fill('x'.repeat(2000))) } };
  for (const request of [counted(many), { status: counted(many) }, values])
    expect(() => mine().whereFrom(request, { allow })).toThrow(/not a range|query/);
  expect(reads).toBeLessThan(100);
});

const wrongOptions: [string, unknown, string, RegExp][] = [
  ['no options', undefined, 'allow', /undefined/],
  ['an unknown option', { allowed: allow }, 'allowed', /no option/],
  ['a list', { allow: ['status'] }, 'allow', /an array/],
  ['true', { allow: { status: true } }, 'status', /true/],
  ['an unknown property', { allow: { statsu: ['equals'] } }, 'statsu', /not a property/],
  ['the property of the prefix', { allow: { tenant: ['equals'] } }, 'tenant', /prefix already/],
  ['an unknown operator', { allow: { status: ['eq'] } }, 'status', /'eq'/],
  ['an operator of other kinds', { allow: { closed: ['above'] } }, 'closed', /'above'/],
  ['undefined among operators', { allow: { status: [undefined] } }, 'status', /undefined/],
  ['a message', { allow: { state: ['equals'] } }, 'state', /not a single value/],
  ['JSON', { allow: { extra: ['equals'] } }, 'extra', /not a single value/],
  ['a column map', { allow: { labels: ['equals'] } }, 'labels', /not a single value/],
];

test.each(wrongOptions)('%s: a fault of the program', (_, options, property, problem) => {
  expect(() => mine().whereFrom({}, options as never)).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ property, problem: expect.stringMatching(problem) }),
    }),
  );
});

test('types: properties and operators of their kinds', () => {
  const query = mine();
  query.whereFrom({}, { allow: { votes: ['atLeast'], closed: ['not'], due: ['below'] } });
  // @ts-expect-error: a boolean has no order
  expect(() => query.whereFrom({}, { allow: { closed: ['above'] } })).toThrow();
  // @ts-expect-error: a number has no beginning
  expect(() => query.whereFrom({}, { allow: { votes: ['startsWith'] } })).toThrow();
  // @ts-expect-error: a message has fields
  expect(() => query.whereFrom({}, { allow: { state: ['equals'] } })).toThrow();
  // @ts-expect-error: no such property
  expect(() => query.whereFrom({}, { allow: { statsu: ['equals'] } })).toThrow();
});
