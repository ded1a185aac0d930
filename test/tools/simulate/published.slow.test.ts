/** Workloads for which the published guidance names the key: what is recommended, and what is not. */
import { accessPatterns, Column, Entity, rowKey, Segment } from '../../../src/index.js';
import { designOf, sequential, simulated, time } from './simulated.js';

const writesPerSecond = 20_000;

/** No number of nodes serves this design: it writes to one tablet. */
async function expectHot(report: ReturnType<typeof simulated>, name: string): Promise<void> {
  const design = designOf(await report, name);
  expect(design.tablets.busiestWriteNode).toBeCloseTo(1, 2);
  expect(design.needs.ssd.forLoad).toBeUndefined();
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

test('phone#id#date is kept; the date first is bad', async () => {
  const report = simulated(Phone, {
    writesPerSecond,
    readsPerSecond: 1_000,
    segments: { type: { cardinality: 2 }, id: { cardinality: 1_000_000 }, date: time },
    reads: { days: { share: 1, span: '7d' } },
  });
  expect((await report).recommendation.design).toBe('declared');
  await expectHot(report, 'date first');
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

test('exchange#symbol#time is kept; the time first is bad', async () => {
  const report = simulated(Trade, {
    writesPerSecond,
    readsPerSecond: 2_000,
    segments: {
      exchange: { cardinality: 10 },
      symbol: { distribution: 'zipf', cardinality: 5_000, exponent: 0.6 },
      at: time,
    },
    reads: { trades: { share: 1, span: '1m' } },
  });
  expect((await report).recommendation.design).toBe('declared');
  await expectHot(report, 'at first');
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

test('the newest of a user: the reversed time after the user', async () => {
  const segments = { user: { cardinality: 500_000 }, at: time };
  const declared = await simulated(Post, {
    writesPerSecond,
    readsPerSecond: 5_000,
    segments,
    reads: { newest: 1 },
  });
  expect(declared.recommendation.design).toBe('declared');
  const byTime = simulated(PostByTime, { writesPerSecond, segments });
  expect((await byTime).recommendation.design).toBe('user first');
  await expectHot(byTime, 'declared');
});

@Entity({ table: 'pages', families: { c: {} } })
class Page {
  static readonly key = rowKey('domain', 'path');
  static readonly patterns = accessPatterns({ site: { subdomains: 'domain' } });
  @Segment('domain') domain!: string;
  @Segment('string') path!: string;
  @Column('c', 'string') html?: string;
}

test('pages by reversed domain are kept', async () => {
  const { recommendation } = await simulated(Page, {
    writesPerSecond: 2_000,
    readsPerSecond: 2_000,
    segments: {
      domain: {
        cardinality: 50_000,
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

test('sequential order numbers are reversed', async () => {
  const report = simulated(Order, {
    writesPerSecond,
    readsPerSecond: 1_000,
    segments: { number: sequential },
  });
  expect((await report).recommendation.design).toBe('reversed id');
  expect(designOf(await report, '16 shards by number').needs.ssd.forLoad).toBe(3);
  await expectHot(report, 'declared');
});

@Entity({ table: 'visits', families: { v: {} } })
class Visit {
  static readonly key = rowKey('state', 'at', 'id');
  @Segment('enum', { values: ['CA', 'NY', 'TX'] }) state!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uuid') id!: string;
  @Column('v', 'string') url?: string;
}

@Entity({ table: 'visits', families: { v: {} } })
class VisitOfState extends Visit {
  static readonly patterns = accessPatterns({ recent: { prefix: ['state'], since: 'at' } });
}

test('few states in front: something finer in front, or shards', async () => {
  const segments = { state: { cardinality: 3 }, at: time, id: sequential };
  const load = { writesPerSecond: 60_000, readsPerSecond: 10, segments };
  const alone = await simulated(Visit, load);
  expect(alone.recommendation.design).toBe('id first');
  expect(designOf(alone, 'declared').needs.ssd.forLoad).toBeUndefined();
  const read = await simulated(VisitOfState, {
    ...load,
    reads: { recent: { share: 1, span: '1m' } },
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

test('an event log that is read across everything by time: shards before the time', async () => {
  const report = simulated(Event, {
    writesPerSecond,
    readsPerSecond: 5,
    segments: { at: time, id: sequential },
    reads: { recent: { share: 1, span: '10s' } },
  });
  expect((await report).recommendation.design).toMatch(/^\d+ shards by at, id$/);
  await expectHot(report, 'declared');
});

@Entity({ table: 'documents', families: { d: {} } })
class TenantEvent {
  static readonly key = rowKey('tenant', 'at', 'id');
  static readonly patterns = accessPatterns({ newest: { prefix: ['tenant'], limit: 100 } });
  @Segment('string') tenant!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uuid') id!: string;
  @Column('d', 'string') text?: string;
}

test('tenants of very different sizes: the tenant first, with shards', async () => {
  const report = await simulated(TenantEvent, {
    writesPerSecond: 60_000,
    readsPerSecond: 500,
    segments: {
      tenant: { distribution: 'zipf', cardinality: 50, exponent: 1.5 },
      at: time,
      id: sequential,
    },
    reads: { newest: 1 },
  });
  expect(report.recommendation.design).toMatch(/^\d+ shards by tenant, at, id$/);
  // Another order of segments would return other rows: nothing else is compared.
  expect(report.workloads[0].leftOut.map(({ name }) => name)).toEqual(['id first', 'at last']);
  expect(designOf(report, 'declared').needs.ssd.forLoad).toBeUndefined();
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

test('metrics of hosts in time buckets are kept', async () => {
  const report = simulated(Metric, {
    writesPerSecond,
    readsPerSecond: 500,
    segments: { host: { cardinality: 10_000 }, metric: { cardinality: 4 }, hour: time },
    reads: { chart: { share: 1, span: '1d' } },
  });
  expect((await report).recommendation.design).toBe('declared');
  await expectHot(report, 'hour first');
});
