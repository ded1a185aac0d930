/**
 * Workloads for which published guidance names the key, in two sizes each: what is recommended, and
 * what is not. Google: docs.cloud.google.com/bigtable/docs/schema-design ("Row keys", "Row keys to
 * avoid") and .../schema-design-time-series; HBase: hbase.apache.org/book.html ("Rowkey Design",
 * "Schema Design Case Studies").
 */
import { accessPatterns, Column, Entity, rowKey, Segment } from '../../../src/index.js';
import type { SimulationReport } from '../../../src/tools/simulate/index.js';
import { designOf, sequential, simulated, time } from './simulated.js';

/** All writes of this design are in one tablet, so that it serves few times the load. */
function expectHot(report: SimulationReport, name: string): void {
  const { tablets, growth, needs } = designOf(report, name);
  expect(tablets.busiestWriteNode).toBeCloseTo(1, 1);
  expect(growth).toBeLessThan(10);
  if (growth < 1) expect(needs.ssd.forLoad).toBeUndefined();
}

@Entity({ table: 'phones', families: { s: {} } })
class Phone {
  static readonly key = rowKey('type', 'id', 'date');
  static readonly patterns = accessPatterns({
    days: { prefix: ['type', 'id'], between: 'date' },
  });
  @Segment('string') type!: string;
  @Segment('string') id!: string;
  @Segment('isoDate', { precision: 'day' }) date!: Date;
  @Column('s', 'bytes') data?: Uint8Array;
}

// Google, "Row keys": phone#4c410523#20190501.
test.each([
  { writesPerSecond: 2_000, phones: 10_000 },
  { writesPerSecond: 50_000, phones: 5_000_000 },
])('phone#id#date is kept; the date first is bad: %j', async ({ writesPerSecond, phones }) => {
  const report = await simulated(Phone, {
    writesPerSecond,
    readsPerSecond: writesPerSecond / 20,
    segments: { type: { cardinality: 2 }, id: { cardinality: phones }, date: time },
    reads: { days: { share: 1, span: '7d' } },
  });
  expect(report.recommendation.design).toBe('declared');
  expectHot(report, 'date first');
});

@Entity({ table: 'trades', families: { t: {} } })
class Trade {
  static readonly key = rowKey('exchange', 'symbol', 'at');
  static readonly patterns = accessPatterns({
    trades: { prefix: ['exchange', 'symbol'], between: 'at' },
  });
  @Segment('string') exchange!: string;
  @Segment('string') symbol!: string;
  @Segment('timestamp') at!: Date;
  @Column('t', 'double') price?: number;
}

// Google's course of 2018 on Bigtable: NASDAQ#GOOG#1234561234561; never begin with the time.
test.each([
  { writesPerSecond: 3_000, symbols: 500 },
  { writesPerSecond: 40_000, symbols: 5_000 },
])('exchange#symbol#time is kept; the time first is bad: %j', async (size) => {
  const report = await simulated(Trade, {
    writesPerSecond: size.writesPerSecond,
    readsPerSecond: size.writesPerSecond / 10,
    segments: {
      exchange: { cardinality: 10 },
      symbol: { distribution: 'zipf', cardinality: size.symbols, exponent: 0.6 },
      at: time,
    },
    reads: { trades: { share: 1, span: '1m' } },
  });
  expect(report.recommendation.design).toBe('declared');
  expectHot(report, 'at first');
});

@Entity({ table: 'posts', families: { p: {} } })
class Post {
  static readonly key = rowKey('user', 'at');
  static readonly patterns = accessPatterns({ newest: { prefix: ['user'], limit: 20 } });
  @Segment('string') user!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('p', 'string') text?: string;
}

@Entity({ table: 'posts', families: { p: {} } })
class PostByTime {
  static readonly key = rowKey('at', 'user');
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('string') user!: string;
  @Column('p', 'string') text?: string;
}

// Google, "Row keys": reversed timestamps after the user, for the most recent records.
test.each([
  { writesPerSecond: 2_000, users: { cardinality: 10_000 } },
  {
    writesPerSecond: 30_000,
    users: { distribution: 'zipf', cardinality: 500_000, exponent: 0.7 } as const,
  },
])('the newest of a user: the reversed time after the user: %j', async (size) => {
  const { writesPerSecond } = size;
  const segments = { user: size.users, at: time };
  const declared = await simulated(Post, {
    writesPerSecond,
    readsPerSecond: writesPerSecond / 4,
    segments,
    reads: { newest: 1 },
  });
  expect(declared.recommendation.design).toBe('declared');
  const byTime = await simulated(PostByTime, { writesPerSecond, segments });
  expect(byTime.recommendation.design).toBe('user first');
  expectHot(byTime, 'declared');
});

@Entity({ table: 'pages', families: { c: {} } })
class Page {
  static readonly key = rowKey('domain', 'path');
  static readonly patterns = accessPatterns({ site: { subdomains: 'domain' } });
  @Segment('domain') domain!: string;
  @Segment('string') path!: string;
  @Column('c', 'string') html?: string;
}

// Google, "Row keys": reverse domain names; the web table of the paper on Bigtable (2006).
test.each([
  { writesPerSecond: 500, domains: { cardinality: 5_000 } },
  {
    writesPerSecond: 5_000,
    domains: { distribution: 'zipf', cardinality: 50_000, exponent: 0.6 } as const,
  },
])('pages by reversed domain are kept: %j', async ({ writesPerSecond, domains }) => {
  const { recommendation } = await simulated(Page, {
    rows: 4_000_000,
    writesPerSecond,
    readsPerSecond: writesPerSecond,
    segments: {
      domain: {
        ...domains,
        value: (n: number) => `www.site${n}.${['com', 'org', 'de'][n % 3]}`,
      },
      path: { cardinality: 1_000 },
    },
    columns: { html: { bytes: 1_000 } },
    reads: { get: 0.99, site: { share: 0.01, values: 1 } },
  });
  expect(recommendation.design).toBe('declared');
});

@Entity({ table: 'orders', families: { o: {} } })
class Order {
  static readonly key = rowKey('number');
  @Segment('uint', { max: 9_999_999_999 }) number!: number;
  @Column('o', 'string') state?: string;
}

@Entity({ table: 'orders', families: { o: {} } })
class OrderInPages extends Order {
  static readonly patterns = accessPatterns({ page: { between: 'number' } });
}

// Google, "Row keys to avoid": sequential numeric IDs; reverse them. HBase: salt them.
test.each([{ writesPerSecond: 3_000 }, { writesPerSecond: 60_000 }])(
  'sequential order numbers are reversed, or sharded if they are read in order: %j',
  async ({ writesPerSecond }) => {
    const load = { writesPerSecond, readsPerSecond: 100, segments: { number: sequential } };
    const alone = await simulated(Order, load);
    expect(alone.recommendation.design).toBe('reversed id');
    expectHot(alone, 'declared');
    const read = await simulated(OrderInPages, {
      ...load,
      reads: { page: { share: 1, values: 50 } },
    });
    expect(read.recommendation.design).toMatch(/^\d+ shards by number$/);
    expect(read.workloads[0].leftOut).toEqual([{ name: 'reversed id', pattern: 'page' }]);
  },
);

@Entity({ table: 'visits', families: { v: {} } })
class Visit {
  static readonly key = rowKey('state', 'at', 'id');
  @Segment('enum', { values: ['CA', 'FL', 'NY', 'TX', 'WA'] }) state!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uuid') id!: string;
  @Column('v', 'string') url?: string;
}

@Entity({ table: 'visits', families: { v: {} } })
class VisitOfState extends Visit {
  static readonly patterns = accessPatterns({ recent: { prefix: ['state'], since: 'at' } });
}

// Google, "Row keys": a prefix of many values; HBase, "Hotspotting": salt a prefix of few values.
test.each([
  { writesPerSecond: 40_000, states: 2 },
  { writesPerSecond: 100_000, states: 5 },
])('few states in front: something finer in front, or shards: %j', async (size) => {
  const { writesPerSecond } = size;
  const segments = { state: { cardinality: size.states }, at: time, id: sequential };
  const load = { writesPerSecond, readsPerSecond: 10, segments };
  const alone = await simulated(Visit, load);
  expect(alone.recommendation.design).toBe('id first');
  expect(designOf(alone, 'declared').needs.ssd.forLoad).toBeUndefined();
  const read = await simulated(VisitOfState, {
    ...load,
    reads: { recent: { share: 1, span: '10s' } },
  });
  expect(read.recommendation.design).toMatch(/^\d+ shards by state, at, id$/);
  expect(read.workloads[0].leftOut).toContainEqual({ name: 'id first', pattern: 'recent' });
});

@Entity({ table: 'events', families: { e: {} } })
class Event {
  static readonly key = rowKey('at', 'id');
  static readonly patterns = accessPatterns({ recent: { since: 'at' } });
  @Segment('timestamp') at!: Date;
  @Segment('uuid') id!: string;
  @Column('e', 'string') text?: string;
}

@Entity({ table: 'events', families: { e: {} } })
class EventNewestFirst {
  static readonly key = rowKey('at', 'id');
  static readonly patterns = accessPatterns({ recent: { since: 'at', limit: 100 } });
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uuid') id!: string;
  @Column('e', 'string') text?: string;
}

// HBase, "Case Study - Log Data and Timeseries Data": timestamps in front, behind salted buckets.
test.each([
  { entity: Event, writesPerSecond: 20_000 },
  { entity: EventNewestFirst, writesPerSecond: 60_000 },
])(
  'an event log that is read across everything by time: shards before the time: $writesPerSecond',
  async ({ entity, writesPerSecond }) => {
    const report = await simulated(entity, {
      writesPerSecond,
      readsPerSecond: 5,
      segments: { at: time, id: sequential },
      reads: { recent: { share: 1, span: '10s' } },
    });
    expect(report.recommendation.design).toMatch(/^\d+ shards by at, id$/);
    expectHot(report, 'declared');
  },
);

@Entity({ table: 'documents', families: { d: {} } })
class TenantEvent {
  static readonly key = rowKey('tenant', 'at', 'id');
  static readonly patterns = accessPatterns({ newest: { prefix: ['tenant'], limit: 100 } });
  @Segment('string') tenant!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uuid') id!: string;
  @Column('d', 'string') text?: string;
}

// Google, "Row keys": a prefix for multitenancy, unless tenants are too uneven.
test.each([
  { writesPerSecond: 25_000, exponent: 2.5 },
  { writesPerSecond: 60_000, exponent: 1.5 },
])('tenants of very different sizes: the tenant first, with shards: %j', async (size) => {
  const report = await simulated(TenantEvent, {
    writesPerSecond: size.writesPerSecond,
    readsPerSecond: 500,
    segments: {
      tenant: { distribution: 'zipf', cardinality: 50, exponent: size.exponent },
      at: time,
      id: sequential,
    },
    reads: { newest: 1 },
  });
  expect(report.recommendation.design).toMatch(/^\d+ shards by tenant, at, id$/);
  expect(designOf(report, report.recommendation.design!).growth).toBeGreaterThan(2);
  // Another order of segments would return other rows: nothing else is compared.
  expect(report.workloads[0].leftOut.map(({ name }) => name)).toEqual(['id first', 'at last']);
  expect(designOf(report, 'declared').needs.ssd.forLoad).toBeUndefined();
});

test('tenants of equal sizes need no shards', async () => {
  const report = await simulated(TenantEvent, {
    writesPerSecond: 20_000,
    readsPerSecond: 500,
    segments: { tenant: { cardinality: 500 }, at: time, id: sequential },
    reads: { newest: 1 },
  });
  expect(report.recommendation.design).toBe('declared');
});

@Entity({ table: 'metrics', families: { m: {} } })
class Metric {
  static readonly key = rowKey('host', 'metric', 'hour');
  static readonly patterns = accessPatterns({
    chart: { prefix: ['host', 'metric'], between: 'hour' },
  });
  @Segment('string') host!: string;
  @Segment('enum', { values: ['cpu', 'memory', 'disk', 'network'] }) metric!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('m', 'double') value?: number;
}

// Google, time series: a row of each host, metric and time bucket.
test.each([
  { writesPerSecond: 2_000, hosts: 1_000 },
  { writesPerSecond: 50_000, hosts: 20_000 },
])('metrics of hosts in time buckets are kept: %j', async ({ writesPerSecond, hosts }) => {
  const report = await simulated(Metric, {
    writesPerSecond,
    readsPerSecond: 500,
    segments: { host: { cardinality: hosts }, metric: { cardinality: 4 }, hour: time },
    reads: { chart: { share: 1, span: '1d' } },
  });
  expect(report.recommendation.design).toBe('declared');
  expectHot(report, 'hour first');
});
