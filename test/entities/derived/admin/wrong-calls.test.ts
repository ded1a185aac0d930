/** Wrong calls of `db.derived` and `db.admin`: each is refused with a typed error that teaches. */
import {
  Column,
  copies,
  copyOf,
  type Database,
  Entity,
  indexOn,
  indexes,
  open,
  rollups,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'sites', families: { m: {} } })
class Site {
  static readonly key = rowKey('site');
  @Segment('string') site!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'visits', families: { m: {} } })
class Visit {
  static readonly key = rowKey('site', 'at');
  static readonly indexes = indexes({ bySite: indexOn('site', 'state') });
  static readonly rollups = rollups({
    hourly: { by: ['site', { time: 'at', every: '1h' }], values: { count: 'count' } },
    daily: { by: ['site', { time: 'at', every: '1d' }], values: { count: 'count' } },
  });
  @Segment('string') site!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') state?: string;
}

@Entity({ table: 'reviews', families: { m: {} }, marker: true })
class Review {
  static readonly key = rowKey('site', 'id');
  static readonly indexes = indexes({ bySite: indexOn('site') });
  static readonly copies = copies({ name: copyOf(() => Site, 'name', { site: 'site' }) });
  @Segment('string') site!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

let db: Database;
const visit = { site: 'a', at: new Date(0) };
beforeAll(async () => {
  db = await open('memory:', { entities: [Site, Visit, Review] });
  const sites = db.repository(Site);
  await sites.save(sites.create({ site: 'a', name: 'A' }));
  const visits = db.repository(Visit);
  await visits.save(visits.create({ ...visit, state: 'new' }));
});
afterAll(() => db.close());

type Call = (...args: readonly unknown[]) => unknown;
/** What JavaScript passes for an argument, beside what is right. */
const junk: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['-1', -1],
  ['NaN', NaN],
  ['1.5', 1.5],
  ['a bigint', 1n],
  ['empty text', ''],
  ['text', 'no such'],
  ['a symbol', Symbol('x')],
  ['an array', ['bySite']],
  ['a Map', new Map([['site', 'a']])],
  ['a Promise', Promise.resolve(1)],
  ['an invalid Date', new Date(NaN)],
  ['a function', () => undefined],
  ['an object without a prototype', Object.create(null)],
  ['an object that cannot be text', { toString: null, valueOf: null }],
  ['a Proxy', new Proxy({}, {})],
];
type Junk = (typeof junk)[number][0];

const bound = (of: (db: Database) => object, name: string): Call => {
  return (...args) => (of(db) as Record<string, Call>)[name](...args);
};
const derived = (name: string): Call => bound(({ derived }) => derived, name);
const ofRollups = (name: string): Call => bound((each) => each.derived.rollups, name);
const pending: Call = async (...args) => {
  const all = db.derived.pending(...(args as [never]));
  for await (const each of all) void each;
};

/** One argument or option of a call: how it is passed, its name in errors, and what is right. */
interface Place {
  readonly name: string;
  readonly call: (value: unknown) => unknown;
  /** The `property` of the error; default: the name. */
  readonly property?: readonly string[] | undefined;
  readonly accepts: readonly Junk[];
  /** Whether errors name the entity. */
  readonly entity?: string | undefined;
}

const noOptions: readonly Junk[] = ['null', 'an object without a prototype', 'a Proxy'];
const objects: readonly Junk[] = ['an object without a prototype', 'a Proxy'];
const callbacks: readonly Junk[] = ['a function'];

/** The arguments of a call that are an entity. */
function entities(name: string, call: Call, ...rest: readonly unknown[]): Place {
  return { name: `${name} of`, call: (value) => call(value, ...rest), accepts: [] };
}

/** The options of a call, and the whole of them. */
function options(
  name: string,
  call: (options: unknown) => unknown,
  accepted: Readonly<Record<string, readonly Junk[]>>,
  entity?: string,
): readonly Place[] {
  const whole: Place = { name: `${name}: options`, call, accepts: noOptions, entity };
  return [
    whole,
    ...Object.entries(accepted).map(([option, accepts]): Place => ({
      name: `${name}: ${option}`,
      call: (value) => call({ [option]: value }),
      // An object with `toString` is a prefix with a segment of that name.
      property: option === 'prefix' ? [option, 'toString'] : [option],
      accepts,
      entity,
    })),
    {
      name: `${name}: an unknown option`,
      call: () => call({ noSuch: 1 }),
      property: ['noSuch'],
      accepts: [],
      entity,
    },
  ];
}

const none: readonly Junk[] = [];
const building = {
  maxFindings: none,
  inFlight: none,
  onFinding: callbacks,
  onProgress: callbacks,
  signal: none,
};
const checking = { ...building, index: none, after: none, limit: none, onDifference: callbacks };
const comparing = {
  prefix: objects,
  since: none,
  until: none,
  after: none,
  onDifference: callbacks,
  onProgress: callbacks,
  signal: none,
};
const prefixes = (name: string, call: (options: unknown) => unknown): Place => ({
  name: `${name}: a segment of prefix`,
  call: (value) => call({ name: 'daily', prefix: { site: value } }),
  property: ['site'],
  accepts: ['empty text', 'text'],
  entity: 'Visit',
});

const places: readonly Place[] = [
  ...['verify', 'repair'].flatMap((name) => {
    const call = (given: unknown): unknown => derived(name)(Visit, given);
    return [entities(name, derived(name)), ...options(name, call, checking, 'Visit')];
  }),
  entities('rebuild', derived('rebuild'), 'bySite'),
  {
    name: 'rebuild: index',
    call: (value) => derived('rebuild')(Visit, value),
    property: ['index'],
    accepts: [],
    entity: 'Visit',
  },
  ...options('rebuild', (given) => derived('rebuild')(Visit, 'bySite', given), building, 'Visit'),
  entities('drop', derived('drop'), 'some-id'),
  {
    name: 'drop: id',
    call: (value) => derived('drop')(Visit, value),
    property: ['id'],
    accepts: [],
  },
  ...options(
    'drop',
    (given) => derived('drop')(Visit, 'some-id', given),
    { onProgress: none, signal: none },
    undefined,
  ).map((place): Place => ({
    ...place,
    accepts: [],
    property: place.property && [...place.property, 'id'],
  })),
  entities('pending', pending),
  entities('propagate', derived('propagate')),
  ...options(
    'propagate',
    (given) => derived('propagate')(Site, given),
    { key: none, onProgress: callbacks, signal: none },
    'Site',
  ).map((place): Place =>
    place.name === 'propagate: key' ? { ...place, property: ['key', 'site'] } : place,
  ),
  {
    name: 'propagate: a segment of key',
    call: (value) => derived('propagate')(Site, { key: { site: value } }),
    // Empty text makes an empty key, which is no fault of the segment.
    property: ['site', 'undefined'],
    accepts: ['text'],
    entity: 'Site',
  },
  ...['verify', 'repair'].flatMap((name) => {
    const label = `rollups.${name}`;
    const call = (given: unknown): unknown => ofRollups(name)(Visit, given);
    // An `after` belongs to one rollup, which is named beside it.
    const named = (given: unknown): unknown =>
      call(
        given !== null &&
          typeof given === 'object' &&
          !Array.isArray(given) &&
          Object.keys(given).length > 0
          ? { name: 'daily', ...given }
          : given,
      );
    return [
      entities(label, ofRollups(name)),
      ...options(label, named, { ...comparing, name: none }, 'Visit').map((place): Place =>
        place.name === `${label}: name` ? { ...place, property: ['name', 'rollup'] } : place,
      ),
      prefixes(label, call),
    ];
  }),
  entities('rollups.rebuild', ofRollups('rebuild'), 'daily'),
  {
    name: 'rollups.rebuild: name',
    call: (value) => ofRollups('rebuild')(Visit, value),
    property: ['rollup'],
    accepts: [],
    entity: 'Visit',
  },
  ...options(
    'rollups.rebuild',
    (given) => ofRollups('rebuild')(Visit, 'daily', given),
    comparing,
    'Visit',
  ),
  ...options('apply', (given) => db.admin.apply(given as never), { allowDataLoss: ['true'] }),
];

test.each(places)('$name', async ({ call, property, accepts, entity }) => {
  const faults: string[] = [];
  for (const [name, value] of junk) {
    const fault = faultOf(await errorOf(() => call(value)), { property, entity });
    const expected = accepts.includes(name) ? 'no error' : 'a typed error';
    if (fault !== expected) faults.push(`${name}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What an error lacks. */
function faultOf(error: unknown, expected: Pick<Place, 'property' | 'entity'>): string {
  if (error === undefined) return 'no error';
  if (!(error instanceof RowsmithError)) return `a raw error, ${String(error)}`;
  const { problem, fix, entity, property, faults } = error.details;
  // A class that is no entity has faults, each with its fix.
  if (error.code === 'INVALID_DECLARATION' && Array.isArray(faults)) return 'a typed error';
  if (typeof problem !== 'string' || typeof fix !== 'string') return `no help, ${error.message}`;
  // An error about the key of a rollup names `Visit.daily`.
  if (expected.entity !== undefined && String(entity).split('.')[0] !== expected.entity)
    return `entity ${String(entity)}`;
  if (expected.property?.includes(String(property)) === false)
    return `property ${String(property)}`;
  return 'a typed error';
}
