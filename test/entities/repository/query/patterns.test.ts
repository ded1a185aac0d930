/**
 * Access patterns: each is the same query as the builder calls; faults of declarations are reported
 * together.
 */
import {
  accessPatterns,
  Column,
  type Database,
  defineEntity,
  column,
  Entity,
  literal,
  maxVersions,
  open,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import type { EntityModel } from '../../../../src/types.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { expectGolden } from '../../../support/golden.js';

@Entity({ table: 'patterns', families: { m: { gc: maxVersions(1) }, n: {} } })
class Reading {
  static readonly key = rowKey(literal('reading'), 'tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latestOfDevice: {
      prefix: ['tenant', 'device'],
      limit: 1,
      purpose: 'The value that a dashboard shows.',
    },
    ofDay: { prefix: ['device', 'tenant'], between: 'at', select: ['temperature'] },
    since: { prefix: ['tenant', 'device'], since: 'at', reverse: true },
    before: { prefix: ['tenant', 'device'], until: 'at' },
    devices: { prefix: ['tenant'], startsWith: 'device' },
    constructor: { prefix: ['tenant'] },
    everything: { scanAll: true, limit: 2 },
  });
  @Segment('string', { maxLength: 10 }) tenant!: string;
  @Segment('string', { maxLength: 10 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('n', 'string') note?: string;
}

@Entity({ table: 'hosts', families: { m: {} }, shards: { count: 4, by: ['domain'] } })
class Host {
  static readonly key = rowKey('domain', 'port');
  static readonly patterns = accessPatterns({
    below: { subdomains: 'domain' },
    ports: { prefix: ['domain'], since: 'port' },
  });
  @Segment('domain') domain!: string;
  @Segment('uint', { max: 65_535 }) port!: number;
  @Column('m', 'string') banner?: string;
}

const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 20, n));
let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Host] });
  const readings = db.repository(Reading);
  await readings.saveMany(
    ['d1', 'd2', 'e1'].flatMap((device) =>
      [8, 9, 10].map((n) =>
        readings.create({ tenant: 'acme', device, at: hour(n), temperature: n, note: device }),
      ),
    ),
  );
  const hosts = db.repository(Host);
  await hosts.saveMany(
    ['example.com', 'maps.example.com', 'example-x.com'].map((domain) =>
      hosts.create({ domain, port: 80, banner: domain }),
    ),
  );
});
afterAll(() => db.close());

const device = { tenant: 'acme', device: 'd1' };

test('each is the query that it declares', async () => {
  const { patterns, ...readings } = {
    patterns: db.repository(Reading).patterns,
    query: db.repository(Reading),
  };
  const { query } = readings;
  const pairs = [
    [patterns.latestOfDevice(device), query.prefix(device).limit(1)],
    [
      patterns.ofDay({ ...device, at: { from: hour(8), to: hour(10) } }),
      query.prefix(device).between('at', hour(8), hour(10)).select('temperature'),
    ],
    [
      patterns.since({ ...device, at: hour(9) }),
      query.prefix(device).since('at', hour(9)).reverse(),
    ],
    [patterns.before({ ...device, at: hour(9) }), query.prefix(device).until('at', hour(9))],
    [
      patterns.devices({ tenant: 'acme', device: 'd' }),
      query.prefix({ tenant: 'acme' }).startsWith('device', 'd'),
    ],
    [patterns.constructor({ tenant: 'acme' }), query.prefix({ tenant: 'acme' })],
    [patterns.everything(), query.scanAll().limit(2)],
  ] as const;
  for (const [pattern, built] of pairs) {
    expect(String(pattern.explain())).toBe(String(built.explain()));
    expect(await pattern.all()).toEqual(await built.all());
  }
  expect((await patterns.latestOfDevice(device).first())?.temperature).toBe(10);
  expect(
    (await patterns.ofDay({ ...device, at: { from: hour(8), to: hour(10) } }).all()).map(
      (row) => row.temperature,
    ),
  ).toEqual([9, 8]);
  expect(
    (await db.repository(Host).patterns.below({ domain: 'example.com' }).all())
      .map(({ domain }) => domain)
      .sort((a, b) => (a < b ? -1 : 1)),
  ).toEqual(['example.com', 'maps.example.com']);
});

test('the plans of all patterns', () => {
  const { patterns: readings } = db.repository(Reading);
  const { patterns: hosts } = db.repository(Host);
  const plans = {
    'Reading.latestOfDevice': readings.latestOfDevice(device),
    'Reading.ofDay': readings.ofDay({ ...device, at: { from: hour(8), to: hour(10) } }),
    'Reading.since': readings.since({ ...device, at: hour(9) }),
    'Reading.before': readings.before({ ...device, at: hour(9) }),
    'Reading.devices': readings.devices({ tenant: 'acme', device: 'd' }),
    'Reading.everything': readings.everything(),
    'Host.below': hosts.below({ domain: 'example.com' }),
    'Host.ports': hosts.ports({ domain: 'example.com', port: 80 }),
  };
  expectGolden(
    'access-patterns.txt',
    Object.entries(plans)
      .map(([name, query]) => `# ${name}\n${query.explain().toString()}\n`)
      .join('\n'),
  );
});

type Loose = Readonly<Record<string, (values?: unknown) => unknown>>;
const loose = (): Loose => db.repository(Reading).patterns as unknown as Loose;

test.each<[string, (patterns: Loose) => unknown, RegExp]>([
  [
    'a value is missing',
    (patterns) => patterns.latestOfDevice({ tenant: 'acme' }),
    /^prefix\(\) takes leading segments without gaps: add 'device'/,
  ],
  ['no values', (patterns) => patterns.latestOfDevice(), /add 'tenant'/],
  [
    'null',
    (patterns) => patterns.latestOfDevice(null),
    /^access pattern 'latestOfDevice' takes an object of tenant, device/,
  ],
  ['text', (patterns) => patterns.everything('acme'), /takes no values/],
  [
    'an extra value',
    (patterns) => patterns.latestOfDevice({ ...device, at: hour(8) }),
    /takes tenant, device, but 'at' was given/,
  ],
  [
    'a value for a scan',
    (patterns) => patterns.everything({ tenant: 'acme' }),
    /takes no values, but 'tenant' was given/,
  ],
  [
    'one end',
    (patterns) => patterns.ofDay({ ...device, at: { from: hour(8) } }),
    /^between\(\) needs a value for 'at'/,
  ],
  ['no ends', (patterns) => patterns.ofDay(device), /needs 'at': \{ from, to \}/],
  ['no bound', (patterns) => patterns.since(device), /^since\(\) needs a value for 'at'/],
])('%s is rejected', (_what, run, problem) => {
  try {
    run(loose());
  } catch (error) {
    expect(error).toBeInstanceOf(RowsmithError);
    expect((error as RowsmithError).details.problem).toMatch(problem);
    expect((error as RowsmithError).details.fix).toBeTruthy();
    return;
  }
  throw new Error('it was accepted');
});

test('an entity without patterns has an empty object', () => {
  class Plain {
    id = '';
    value?: number;
  }
  const defined = defineEntity(Plain, {
    table: 'plain',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { value: column('m', 'double') },
  });
  expect(buildModel(defined).patterns).toEqual([]);
});

describe('declarations', () => {
  const faultsOf = (
    patterns: unknown,
    kind: 'string' | 'domain' | 'reversedId' = 'string',
  ): string[] => {
    class Wrong {
      a = '';
      b = '';
      c = '';
      value?: number;
    }
    const defined = defineEntity(Wrong, {
      table: 'wrong',
      families: { m: {} },
      key: rowKey('a', 'b', 'c'),
      segments: { a: 'string', b: kind, c: 'string' } as never,
      columns: { value: column('m', 'double') },
      patterns: patterns as never,
    });
    try {
      buildModel(defined);
      return [];
    } catch (error) {
      return (error as RowsmithError).details.faults!.map(
        ({ property, problem, fix }) => `${property}: ${problem}: ${fix.slice(0, 12)}`,
      );
    }
  };
  const wrong = (pattern: object): string[] => faultsOf(accessPatterns({ x: pattern }));

  test('are reported together', () => {
    const faults = faultsOf(
      accessPatterns({
        'a b': { scanAll: true },
        x: { prefix: ['b'], limit: 0 },
        y: { prefix: ['d'] },
        z: { select: ['nothing'], prefix: ['a'] },
      }),
    );
    expect(faults.map((fault) => fault.split(': ')[1])).toEqual([
      "access pattern 'a b' is not a method name",
      "access pattern 'x' takes leading segments without gaps",
      "access pattern 'x' has the limit 0",
      "access pattern 'y' names 'd', which is not a segment of the key",
      "access pattern 'z' selects 'nothing', which is not a mapped property",
    ]);
  });

  test.each([
    [{ prefix: ['a', 'b', 'c'] }, "takes all segments but the last, and 'c' is the last"],
    [{ prefix: 'a' }, 'has a prefix that is not a list of segments'],
    [{ since: 'b' }, "bounds 'b', but the segment after its prefix is 'a'"],
    [{ prefix: ['a'], since: 'a' }, "bounds 'a', but the segment after its prefix is 'b'"],
    [{ since: 'a', until: 'a' }, "has two bounds, 'since', 'until'"],
    [{ subdomains: 'a' }, "needs a domain for subdomains, and 'a' is a string"],
    [{ scanAll: true, prefix: ['a'] }, 'has scanAll and a prefix or a bound'],
    [{ scanAll: 1 }, 'has scanAll: 1'],
    [{ limt: 1, prefix: ['a'] }, "has the option 'limt', which does not exist"],
    [{ prefix: ['a'], select: [] }, 'selects nothing'],
    [{ prefix: ['a'], purpose: 5 }, 'has a purpose that is not a string'],
  ])('%j', (pattern, problem) =>
    expect(wrong(pattern)[0]).toContain(`patterns: access pattern 'x' ${problem}`),
  );

  test('bounds that the kind of the segment does not support', () => {
    expect(faultsOf(accessPatterns({ x: { prefix: ['a'], since: 'b' } }), 'domain')[0]).toContain(
      "bounds 'b', and a domain has no ranges: use ",
    );
    expect(
      faultsOf(accessPatterns({ x: { prefix: ['a'], between: 'b' } }), 'reversedId')[0],
    ).toContain('a reversedId has no ranges');
    expect(
      faultsOf(accessPatterns({ x: { prefix: ['a'], startsWith: 'b' } }), 'domain')[0],
    ).toContain("needs an ascending string for startsWith, and 'b' is not one");
  });

  test('something other than accessPatterns()', () => {
    expect(faultsOf({ x: { prefix: ['a'] } })).toEqual([
      expect.stringContaining('the access patterns were not created with accessPatterns'),
    ]);
    expect(faultsOf(accessPatterns({ x: null as never }))).toEqual([
      expect.stringContaining("access pattern 'x' is not an object"),
    ]);
  });

  test('the model has them in the order of the key, frozen', () => {
    const { patterns } = buildModel(Reading) as EntityModel;
    expect(patterns[1]).toEqual({
      name: 'ofDay',
      prefix: ['tenant', 'device'],
      bound: { kind: 'between', segment: 'at' },
      reverse: false,
      scanAll: false,
      select: ['temperature'],
    });
    expect(Object.isFrozen(patterns) && Object.isFrozen(patterns[1].prefix)).toBe(true);
  });
});
