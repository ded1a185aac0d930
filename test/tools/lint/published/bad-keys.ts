/** Keys that their sources warn of: where writes meet, and which rows can be read together. */
import {
  accessPatterns,
  column,
  counter,
  indexOn,
  indexes,
  literal,
  rollups,
  rowKey,
} from '../../../../src/index.js';
import { bad, day, type Design, hour, long, newestFirst, number, time, uuid } from './design.js';
import { amazon, google, hbase, various, sql } from './sources.js';

const timesFirst: readonly Design[] = [
  bad('K01', 'time, host, event', hbase.cases, { timestamp: time, hostname: 32, logEvent: 20 }),
  bad('K01', 'last access, user', sql.hotspots, { lastAccess: time, userId: 36 }),
  bad('K01', 'last access as a number', sql.hotspots, { lastAccess: long, userId: 36 }),
  bad('K01', 'a reversed timestamp', google.avoid, { at: newestFirst, userId: 20 }),
  bad('K01', 'a reversed timestamp as text', google.avoid, { reverseTimestamp: 19, userId: 20 }),
  bad('K01', 'a date as text', various.azureKeys, { date: 8, employeeId: 20 }),
  bad('K01', 'item created on a day', amazon.uniform, { createdDate: 10, itemId: 36 }),
  bad('K01', 'an ObjectId', various.mongo, { objectId: 24, userId: 20 }),
  bad('K01', 'a time UUID', various.twissandra, { timeuuid: uuid, userId: 36 }),
  bad('K01', 'all events of a day', various.cassandraSeries, { eventDay: day, sensor: uuid }),
  bad(
    'K01',
    'a literal before the time',
    google.avoid,
    { ts: time, host: 20 },
    {
      key: rowKey(literal('log'), 'ts', 'host'),
    },
  ),
  bad('K01', 'an hour as digits', hbase.openTsdb, { yyyymmddhh: number, metric: 30 }),
  bad(
    'K01',
    'shards that hash the hour',
    google.timeSeries,
    { hour, device: 20 },
    {
      shards: { count: 16, by: ['hour'] },
    },
  ),
];

const sequencesFirst: readonly Design[] = [
  bad('K02', 'sequential numeric ids of users', google.avoid, { userId: number }),
  bad('K02', 'order numbers', sql.defaults, { orderNumber: number }),
  bad('K02', 'an order id and its lines', sql.defaults, {
    orderId: long,
    lineNumber: { kind: 'uint', max: 999 },
  }),
  bad('K02', 'SERIAL', sql.cockroach, { id: number }),
  bad('K02', 'an auto-increment id before a customer', sql.cockroach, { id: long, customer: 20 }),
  bad('K02', 'invoice numbers', hbase.keys, { invoiceNo: number, customer: 20 }),
  bad('K02', 'message ids', various.discord, { messageId: long }),
  bad('K02', 'transactions before accounts', sql.hotspots, { transactionId: long, account: 20 }),
  bad('K02', 'offsets of a log', various.kafka, { offset: long }),
  bad(
    'K02',
    'declared to be issued in order',
    google.avoid,
    { ticket: 12 },
    {
      lint: { expect: { ticket: { sequential: true } } },
    },
  ),
];

const fewBeforeTimes: readonly Design[] = [
  bad('K03', 'a status code', amazon.uniform, { status: 20, at: time }),
  bad('K03', 'a region', google.keys, { region: 20, at: time, device: 20 }),
  bad('K03', 'a country', amazon.uniform, { country: 2, createdAt: time }),
  bad('K03', 'a level of a log', hbase.cases, { level: 10, at: time, host: 20 }),
  bad('K03', 'a type of events', amazon.uniform, { eventType: 20, createdAt: time }),
  bad('K03', 'a flag', amazon.uniform, { active: { kind: 'bool' }, at: time }),
  bad('K03', 'an exchange of two', google.keys, {
    exchange: { kind: 'enum', values: ['NASDAQ', 'NYSE'] },
    at: time,
    symbol: 12,
  }),
  bad('K03', 'a severity', various.azurePatterns, { severity: 8, at: newestFirst }),
  bad('K03', 'an environment', hbase.cases, { env: 10, at: time, host: 20 }),
  bad('K03', 'a platform and a status', amazon.uniform, {
    platform: { kind: 'enum', values: ['ios', 'web'] },
    paid: { kind: 'bool' },
    day,
    user: 20,
  }),
  bad('K03', 'four salts of one digit', hbase.phoenix, {
    salt: { kind: 'uint', max: 3 },
    at: time,
  }),
  bad(
    'K03',
    'five places that are declared',
    google.keys,
    { exchange: 10, at: time },
    {
      lint: { expect: { exchange: { values: 5 } } },
    },
  ),
  bad('K03', 'a kind before sequential numbers', sql.hotspots, { kind: 10, orderNumber: number }),
];

const hashes: readonly Design[] = [
  bad('K04', 'an MD5 of the host', hbase.keys, { md5: 32, at: time }),
  bad('K04', 'a hash of a user', google.avoid, { userHash: 40, userId: 20 }),
  bad('K04', 'a hashed device', google.avoid, { hashedDeviceId: 64, at: time }),
  bad('K04', 'a hash as a number', sql.hotspots, { hash: number, at: time, userId: 20 }),
];

const uses: readonly Design[] = [
  bad(
    'K11',
    'a scan of the whole table',
    google.reads,
    { user: 20 },
    {
      patterns: accessPatterns({ everyone: { scanAll: true } }),
    },
  ),
  bad('K12', 'the tenant after the user', google.keys, { userId: 20, tenantId: 20 }),
  bad('K12', 'the organization at the end', google.keys, { device: 20, at: time, orgId: 20 }),
  bad(
    'K12',
    'shards before the tenant',
    google.keys,
    { tenant: 20, at: time, device: 20 },
    {
      shards: { count: 16, by: ['device'] },
    },
  ),
  bad(
    'K14',
    'fewer shards than nodes',
    hbase.phoenix,
    { at: time, device: 20 },
    {
      shards: { count: 4, by: ['device'] },
    },
  ),
  bad(
    'K14',
    'a thousand shards',
    hbase.phoenix,
    { at: time, device: 20 },
    {
      shards: { count: 1_000, by: ['device'] },
    },
  ),
  bad(
    'K14',
    'a hash of what no query gives',
    amazon.sharding,
    { at: time, device: 20 },
    {
      shards: { count: 16, by: ['device'] },
      patterns: accessPatterns({ since: { since: 'at' } } as never),
    },
  ),
  bad('K16', 'a city before its country', google.keys, { city: 40, country: 2, shop: 20 }),
  bad('K16', 'a day before its month', amazon.hierarchies, { device: 20, day: 2, month: 2 }),
  bad(
    'K16',
    'many devices before few metrics',
    hbase.openTsdb,
    { device: 20, metric: 20, at: time },
    {
      lint: { expect: { device: { values: 100_000 }, metric: { values: 50 } } },
    },
  ),
];

const columns = {
  createdAt: column('m', 'timestamp'),
  status: column('m', 'string'),
  country: column('m', 'string'),
  total: column('m', 'double'),
};
const orders = { tenant: 20, orderId: uuid };

const derived: readonly Design[] = [
  bad('K17', 'an index by time', google.indexes, orders, {
    columns,
    indexes: indexes({ byTime: indexOn('createdAt') }),
  }),
  bad('K17', 'an index by status and time', google.indexes, orders, {
    columns,
    indexes: indexes({ byStatus: indexOn('status', 'createdAt') }),
  }),
  bad('K17', 'an index by country and time', sql.hotspots, orders, {
    columns,
    indexes: indexes({ byCountry: indexOn('country', 'createdAt') }),
  }),
  bad(
    'K17',
    'a total of everything by hour',
    google.aggregates,
    { device: 20, at: time },
    {
      columns,
      rollups: rollups({
        hourly: { by: [{ time: 'at', every: '1h' }], values: { n: 'count' } },
      } as never),
    },
  ),
];

const frequentUpdates: readonly Design[] = [
  bad(
    'K18',
    '4c410523#memusage',
    google.avoid,
    { deviceId: 20, metric: 20 },
    {
      columns: { value: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'memory usage of a device',
    google.avoid,
    { deviceId: 20 },
    {
      columns: { memoryUsage: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'the last price of a symbol',
    google.timeSeries,
    { symbol: 12 },
    {
      columns: { lastPrice: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'the current position of a vehicle',
    google.timeSeries,
    { vehicle: 12 },
    {
      columns: { currentPosition: column('m', 'string') },
    },
  ),
  bad(
    'K18',
    'the latest reading of a sensor',
    various.azurePatterns,
    { sensorId: 20 },
    {
      name: 'LatestReading',
      columns: { celsius: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'a gauge',
    hbase.openTsdb,
    { host: 20, gauge: 20 },
    {
      columns: { value: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'declared to be updated frequently',
    google.avoid,
    { device: 20 },
    {
      columns: { used: column('m', 'double') },
      lint: { expect: { used: { updates: 'frequent' } } },
    },
  ),
];

const counters: readonly Design[] = [
  bad(
    'F08',
    'likes in a plain family',
    google.aggregates,
    { post: uuid },
    {
      columns: { likes: counter('m') },
    },
  ),
  bad(
    'F08',
    'page views in a plain family',
    google.writes,
    { page: 60, day },
    {
      columns: { views: counter('m') },
    },
  ),
];

/** What sources warn of in keys. */
export const badKeys: readonly Design[] = [
  ...timesFirst,
  ...sequencesFirst,
  ...fewBeforeTimes,
  ...hashes,
  ...uses,
  ...derived,
  ...frequentUpdates,
  ...counters,
];
