/** Designs that their sources recommend. Lint must not warn of them. */
import {
  accessPatterns,
  aggregate,
  column,
  columnMap,
  counter,
  delimited,
  indexOn,
  indexes,
  literal,
  maxAge,
  maxVersions,
  rollups,
  rowKey,
  union,
  versions,
} from '../../../../src/index.js';
import { expecting, one } from '../support/findings.js';
import {
  day,
  type Design,
  domain,
  good,
  hour,
  long,
  newestFirst,
  number,
  time,
  uuid,
} from './design.js';
import { amazon, google, hbase, various, sql } from './sources.js';

const week = { kind: 'timestamp', floor: 7 * 24 * 3_600_000 };

const keysOfGoogle: readonly Design[] = [
  good('phone#4c410523#20190501', google.keys, { deviceType: 10, deviceId: 20, day }),
  good('phone#india#pke5preri2eru#8923695', google.keySchemas, {
    deviceType: 10,
    country: 20,
    manufacturerId: 20,
    serialNumber: 20,
  }),
  good('asia#india#bangalore', google.keys, { continent: 10, country: 20, city: 40 }),
  good('com.google.maps', google.keys, { site: domain }),
  good('machineId#at with a numeric id', google.avoid, { machineId: number, at: time }),
  good('a random id for a user', google.avoid, { userId: uuid }),
  good('a user id with reversed digits', google.avoid, { userId: { kind: 'reversedId' } }),
  good('a tenant before everything else', google.keys, { customerId: 20, deviceId: 20, at: time }),
  good('customer, then a reversed timestamp', google.keys, { customerId: 20, at: newestFirst }),
  good('4c410523#memusage#1423523569918', google.avoid, { deviceId: 20, metric: 20, at: time }),
  good('us-west2#3698#2021-03-05-1204', google.timeSeries, {
    location: 20,
    balloonId: number,
    at: { kind: 'timestamp', unit: 's' },
  }),
  good('a region before numeric ids', google.timeSeries, {
    region: 20,
    balloonId: number,
    at: time,
  }),
  good(
    'us-west2#3698#week9',
    google.timeSeries,
    { location: 20, balloonId: number, week },
    {
      columns: { pressure: columnMap('m', 'double', { qualifiers: 'timestamp', unit: 's' }) },
    },
  ),
  good(
    'raw, statistics and metadata in families',
    google.timeSeries,
    { sensor: 30, at: time },
    {
      families: {
        raw: { gc: maxAge('30d') },
        stats: { gc: maxAge('365d') },
        meta: one,
      },
      columns: {
        celsius: column('raw', 'double'),
        mean: column('stats', 'double'),
        unit: column('meta', 'string'),
      },
    },
  ),
  good('bus company, line, hour, vehicle', google.busCodelab, {
    company: 10,
    line: 12,
    hour,
    vehicle: 12,
  }),
  good(
    'keys with a delimiter of numbers',
    google.keySchemas,
    {
      sensorType: { kind: 'uint', max: 99 },
      sensorId: { kind: 'uint', max: 999_999 },
      at: time,
    },
    { keyFormat: delimited('|') },
  ),
];

const paper: readonly Design[] = [
  good(
    'webtable: reversed URL, contents and anchors',
    google.paper,
    { site: domain, path: 400 },
    {
      families: { c: { gc: maxVersions(3) }, a: one },
      columns: { contents: versions('c', 'bytes'), anchors: columnMap('a', 'string') },
      ...expecting({ contents: { maxBytes: 1_000_000 }, anchors: { maxEntries: 10_000 } }),
    },
  ),
  good('raw clicks: web site, then the time of the session', google.paper, {
    site: domain,
    startedAt: time,
  }),
  good('summaries of a web site', google.paper, { site: domain, summary: 20 }),
  good(
    'personalized search: a row for each user',
    google.paper,
    { userId: 30 },
    {
      families: { q: { gc: maxAge('180d') }, p: one },
      columns: {
        queries: columnMap('q', 'string', { qualifiers: 'timestamp' }),
        profile: column('p', 'bytes'),
      },
    },
  ),
  good('imagery: geographic segments', google.paper, { geohash: 12, layer: 10 }),
];

const hbaseDesigns: readonly Design[] = [
  good('log data: host, event, time', hbase.cases, { hostname: 32, logEvent: 20, at: time }),
  good('log data: host, event, newest first', hbase.cases, {
    hostname: 32,
    logEvent: 20,
    at: newestFirst,
  }),
  good('customer number, order number', hbase.cases, {
    customerNumber: number,
    orderNumber: number,
  }),
  good('lists of a user', hbase.cases, { userId: 20, valueId: 20 }),
  good(
    'metric, hour, tags; an entry for each second',
    hbase.openTsdb,
    {
      metric: 40,
      hour,
      tags: 120,
    },
    {
      columns: { points: columnMap('m', 'double', { qualifiers: 'uint', max: 3_599 }) },
    },
  ),
  good(
    'metrics behind a salt',
    hbase.openTsdb,
    { metric: 40, hour, tags: 120 },
    {
      shards: { count: 20, by: ['metric', 'tags'] },
    },
  ),
  good(
    'a time behind salt buckets',
    hbase.phoenix,
    { createdAt: time, eventId: uuid },
    {
      shards: { count: 20, by: ['eventId'] },
    },
  ),
  good(
    'shard, week, space filling curve, feature',
    hbase.geoMesa,
    {
      week,
      z3: { kind: 'uint' },
      feature: uuid,
    },
    { shards: { count: 16, by: ['feature'] } },
  ),
];

const sqlDesigns: readonly Design[] = [
  good('access log: user before time', sql.hotspots, { userId: number, lastAccess: newestFirst }),
  good(
    'access log: shard before time',
    sql.hotspots,
    { lastAccess: time, userId: 36 },
    {
      shards: { count: 16, by: ['userId'] },
    },
  ),
  good('company, user, time', sql.timestamps, { companyId: 36, userId: uuid, timestamp: time }),
  good('singers and albums', sql.interleaved, { singerId: number, albumId: number }),
  good('bit-reversed order ids', sql.defaults, { orderId: { kind: 'reversedId' } }),
  good('an order and its lines', sql.defaults, {
    orderId: uuid,
    lineNumber: { kind: 'uint', max: 999 },
  }),
];

const amazonDesigns: readonly Design[] = [
  good('user id, game title', amazon.leaderboard, { userId: 40, gameTitle: 60 }),
  good('device id of many devices', amazon.uniform, { deviceId: 40, timestamp: time }),
  good('places below an id', amazon.hierarchies, {
    chain: 30,
    country: 2,
    region: 30,
    city: 40,
    store: 20,
  }),
  good(
    'a day with calculated suffixes',
    amazon.sharding,
    { day, orderId: uuid },
    {
      shards: { count: 32, by: ['orderId'] },
    },
  ),
  good(
    'customer, then order; status in a column',
    amazon.design,
    { customerId: uuid, orderId: uuid },
    {
      columns: { status: column('m', 'string'), total: column('m', 'double') },
      indexes: indexes({ byStatus: indexOn('customerId', 'status') }),
    },
  ),
];

const messages: readonly Design[] = [
  good('channel, bucket, message', various.discord, {
    channelId: long,
    bucket: number,
    messageId: long,
  }),
  good('inbox: user, folder, newest first', various.cassandra, {
    userId: uuid,
    folder: 20,
    receivedAt: newestFirst,
    messageId: uuid,
  }),
  good('home timeline: user, tweet', various.twissandra, { userId: uuid, tweetId: long }),
  good('followers: user, since, follower', various.twissandra, {
    userId: uuid,
    since: time,
    followerId: uuid,
  }),
];

const series: readonly Design[] = [
  good('weather station, time', various.cassandraSeries, {
    weatherstationId: 20,
    eventTime: newestFirst,
  }),
  good('weather station, day, time', various.cassandraSeries, {
    weatherstationId: 20,
    day,
    at: time,
  }),
  good(
    'traces: trace, span',
    various.jaeger,
    { traceId: 32, spanId: 16 },
    {
      families: { s: { gc: union(maxVersions(1), maxAge('3d')) } },
      columns: { span: column('s', 'bytes') },
      ...expecting({ span: { maxBytes: 100_000 } }),
    },
  ),
  good('operations: service, operation, start', various.jaeger, {
    service: 60,
    operation: 100,
    startTime: newestFirst,
  }),
  good('index of metrics: tenant, day, metric', various.cortex, { tenant: 40, day, metric: 100 }),
  good('ledger: account, then time', various.azurePatterns, { accountId: 30, at: newestFirst }),
  good('employees of a department', various.azurePatterns, { department: 30, employeeId: 20 }),
  good('log tail: user, reversed ticks', various.azurePatterns, { userId: 40, at: newestFirst }),
  good('device and time as shard key', various.mongo, { deviceId: 30, ts: time }),
  good('exchange, symbol, time', google.keys, {
    exchange: { kind: 'enum', values: ['NASDAQ', 'NYSE'] },
    symbol: 12,
    at: time,
  }),
];

const countersAndRollups: readonly Design[] = [
  good(
    'clicks of an ad by day',
    google.aggregates,
    { advertiser: 30, campaign: 30, ad: uuid, day },
    {
      families: { c: aggregate('sum') },
      columns: { clicks: counter('c'), views: counter('c') },
    },
  ),
  good(
    'page views: site, path, day',
    google.aggregates,
    { site: domain, path: 300, day },
    {
      families: { c: aggregate('sum') },
      columns: { views: counter('c') },
    },
  ),
  good(
    'rollups by device and hour',
    google.timeSeries,
    { deviceId: 20, at: time },
    {
      columns: { celsius: column('m', 'double') },
      rollups: rollups({
        hourly: {
          by: ['deviceId', { time: 'at', every: '1h' }],
          values: { n: 'count' },
        },
      } as never),
    },
  ),
  good(
    'agg#hourly#sensor',
    google.timeSeries,
    { sensor: 30, hour },
    {
      key: rowKey(literal('agg'), literal('hourly'), 'sensor', 'hour'),
    },
  ),
  good(
    'the newest of a user',
    google.keys,
    { userId: 30, at: newestFirst },
    {
      patterns: accessPatterns({ newest: { prefix: ['userId'], limit: 100 } } as never),
    },
  ),
  good(
    'user and item with a score',
    google.keys,
    { userId: 30, itemId: 30 },
    {
      columns: { score: column('m', 'double'), model: column('m', 'string') },
    },
  ),
  good(
    'a profile of a user',
    google.rows,
    { userId: uuid },
    {
      columns: { email: column('m', 'string'), plan: column('m', 'string') },
    },
  ),
];

/** What sources recommend. */
export const goodDesigns: readonly Design[] = [
  ...keysOfGoogle,
  ...paper,
  ...hbaseDesigns,
  ...sqlDesigns,
  ...amazonDesigns,
  ...messages,
  ...series,
  ...countersAndRollups,
];
