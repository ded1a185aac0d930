/** Values in keys, families, cells and tables that their sources warn of. */
import {
  column,
  columnMap,
  delimited,
  indexes,
  literal,
  maxAge,
  maxVersions,
  revision,
  rowKey,
  uniqueIndexOn,
  updatedAt,
  versions,
} from '../../../../src/index.js';
import { expecting, one } from '../support/findings.js';
import { bad, badTables, day, type Design, number, time, uuid } from './design.js';
import { amazon, google, hbase, various } from './sources.js';

const numbered = (count: number, prefix: string, of: (name: string) => unknown): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${prefix}${i}`, of(`${prefix}${i}`)]),
  );

const readable: readonly Design[] = [
  bad('K05', 'raw bytes', google.avoid, { id: { kind: 'bytes', maxLength: 16 } }),
  bad(
    'K05',
    'a binary key without need',
    google.keys,
    { site: 20, device: number },
    {
      keyFormat: 'ordered',
    },
  ),
];

const people: readonly Design[] = [
  bad('K06', 'an e-mail address', google.keys, { email: 100 }),
  bad('K06', 'the e-mail of a customer', google.keys, { customerEmail: 100, at: time }),
  bad('K06', 'a telephone number', google.keys, { phoneNumber: 15 }),
  bad('K06', 'a postal address', google.keys, { city: 40, address: 100 }),
  bad('K06', 'the address of a wallet', google.keys, { walletAddress: 42, at: time }),
  bad('K06', 'a MAC address', google.keys, { macAddress: 17, at: time }),
  bad('K06', 'an IMEI', google.keys, { imei: 15, at: time }),
  bad('K06', 'an IP address', google.keys, { clientIp: 45, at: time }),
  bad('K06', 'a social security number', google.keys, { ssn: 11 }),
  bad('K06', 'a passport', google.keys, { country: 2, passportNumber: 12 }),
  bad('K06', 'an IBAN', google.keys, { iban: 34, at: time }),
  bad(
    'K06',
    'an index of e-mail addresses',
    google.indexes,
    { userId: uuid },
    {
      columns: { email: column('m', 'string') },
      indexes: indexes({ byEmail: uniqueIndexOn('email') }),
    },
  ),
  bad(
    'K06',
    'a family with a name of a person',
    google.families,
    { userId: uuid },
    {
      families: { email: one },
      columns: { work: column('email', 'string') },
    },
  ),
];

const numbers: readonly Design[] = [
  bad('K07', 'an order number as text', hbase.keys, { customer: 20, orderNumber: 20 }),
  bad('K07', 'an invoice number as text', google.keys, { customer: 20, invoiceNumber: 12 }),
  bad('K07', 'a price that is a float', google.keys, { product: 20, price: { kind: 'float' } }),
  bad('K07', 'a latitude', google.keys, {
    latitude: { kind: 'float' },
    longitude: { kind: 'float' },
  }),
  bad('K07', 'a score as text', amazon.leaderboard, { gameTitle: 60, score: 10, userId: 40 }),
  bad('K07', 'a page number as text', google.keys, { book: 20, pageNumber: 6 }),
  bad('K07', 'a sequence as text', hbase.keys, { device: 20, sequence: 12 }),
];

const lengths: readonly Design[] = [
  bad('K08', 'a path without a limit', google.keys, { path: { kind: 'string' } }),
  bad('K08', 'bytes without a limit', google.keys, { user: 20, blob: { kind: 'bytes' } }),
  bad('K08', 'a key of up to 3,900 bytes', google.keys, { user: 20, path: 1_280 }),
  bad(
    'K09',
    'a delimiter in the middle of the values',
    google.keys,
    { zone: 10, device: 20 },
    {
      keyFormat: delimited('|'),
    },
  ),
  bad(
    'K15',
    'a long prefix',
    google.keys,
    { device: 20 },
    {
      key: rowKey(literal('measurements-of-device'), 'device'),
    },
  ),
];

const textTimes: readonly Design[] = [
  bad('K13', 'a timestamp as text', google.timeSeries, { device: 20, timestamp: 30 }),
  bad('K13', 'createdAt as text', google.timeSeries, { userId: 20, createdAt: 30 }),
  bad('K13', 'a day as text', amazon.timeSeries, { device: 20, day: 10 }),
  bad('K13', 'a date in the third place', various.azureKeys, { shop: 20, till: 10, date: 10 }),
  bad('K13', 'the time of an event', various.cassandraSeries, { stationId: 20, eventTime: 30 }),
  bad('K13', 'a month as text', amazon.timeSeries, { account: 20, month: 7 }),
  bad('K13', 'a segment that may be null', google.keySchemas, {
    venue: 20,
    seat: { kind: 'string', maxLength: 8, nullable: true },
  }),
];

const domains: readonly Design[] = [
  bad('K19', 'a domain name', google.keys, { domain: 253 }),
  bad('K19', 'the name of a host', google.keys, { hostname: 253, at: time }),
  bad('K19', 'a URL', google.paper, { url: 1_000 }),
  bad('K19', 'the address of a page', google.paper, { pageUrl: 1_000, fetchedAt: time }),
  bad('K19', 'a web site', google.paper, { website: 253, sessionStart: time }),
];

const families: readonly Design[] = [
  bad(
    'F01',
    'over a hundred families',
    hbase.numbers,
    { device: 20 },
    {
      families: numbered(101, 'f', () => one),
      columns: { v: column('f0', 'string') },
    },
  ),
  bad(
    'F01',
    'a long name',
    google.families,
    { device: 20 },
    {
      families: { measurements: one },
      columns: { v: column('measurements', 'double') },
    },
  ),
  bad(
    'F02',
    'a history that is not kept',
    google.collection,
    { machine: 20 },
    {
      columns: { state: versions('m', 'string') },
    },
  ),
  bad(
    'F02',
    'a day and a month in one family',
    google.collection,
    { device: 20, at: time },
    {
      columns: { raw: column('m', 'double'), mean: column('m', 'double') },
      ...expecting({ raw: { keep: '1d' }, mean: { keep: '30d' } }),
    },
  ),
  bad(
    'F02',
    'values that are needed for longer',
    google.collection,
    { device: 20, at: time },
    {
      families: { m: { gc: maxAge('7d') } },
      ...expecting({ v: { keep: '365d' } }),
    },
  ),
  bad(
    'F03',
    'the time of the last change',
    google.collection,
    { user: uuid },
    {
      families: { m: {} },
      columns: { changedAt: updatedAt('m') },
    },
  ),
  bad(
    'F03',
    'a revision',
    google.collection,
    { user: uuid },
    {
      families: { m: {} },
      columns: { v: column('m', 'string'), r: revision('m') },
    },
  ),
  bad(
    'F03',
    'a thousand versions of a busy value',
    hbase.numbers,
    { device: 20, at: time },
    {
      families: { m: { gc: maxVersions(1_000) } },
      ...expecting({ v: { updates: 'frequent' } }),
    },
  ),
  bad(
    'F05',
    'a due date',
    google.sequenceNumbers,
    { task: uuid },
    {
      families: { m: { gc: maxAge('30d') } },
      columns: { dueAt: column('m', 'timestamp') },
      cellTimestamp: 'dueAt',
    },
  ),
  bad(
    'F05',
    'an expiry',
    google.collection,
    { session: uuid },
    {
      families: { m: { gc: maxAge('1d') } },
      columns: { expiresAt: column('m', 'timestamp') },
      cellTimestamp: 'expiresAt',
    },
  ),
];

const rows: readonly Design[] = [
  bad(
    'F07',
    'all followers of a user in a row',
    various.twissandra,
    { userId: uuid },
    {
      columns: { followers: columnMap('m', 'timestamp') },
    },
  ),
  bad(
    'F07',
    'all messages of a channel in a row',
    various.discord,
    { channelId: uuid },
    {
      columns: { messages: columnMap('m', 'string', { qualifiers: 'timestamp' }) },
    },
  ),
  bad(
    'F07',
    'every version',
    google.rows,
    { device: 20 },
    {
      families: { m: {} },
      columns: { state: versions('m', 'string') },
    },
  ),
  bad(
    'F07',
    'a list that is appended to',
    various.mongoUnbounded,
    { publisher: 40 },
    {
      columns: { books: column('m', 'json') },
      ...expecting({ books: { updates: 'append' } }),
    },
  ),
  bad(
    'F07',
    'frames of a camera in a row for each day',
    google.timeSeries,
    { camera: 20, day },
    {
      columns: { frames: columnMap('m', 'bytes', { qualifiers: 'timestamp' }) },
      ...expecting({ frames: { maxBytes: 50_000 } }),
    },
  ),
  bad(
    'F07',
    'a million entries of a kilobyte',
    google.rows,
    { device: 20 },
    {
      columns: { entries: columnMap('m', 'bytes') },
      ...expecting({ entries: { maxEntries: 1_000_000, maxBytes: 1_000 } }),
    },
  ),
  bad(
    'F10',
    'a long qualifier',
    google.columns,
    { device: 20 },
    {
      columns: { averageTemperature: column('m', 'double') },
    },
  ),
  bad(
    'F10',
    'forty columns',
    google.columns,
    { device: 20 },
    {
      columns: numbered(40, 'c', () => column('m', 'double')),
    },
  ),
  bad(
    'F13',
    'a video',
    google.cells,
    { video: uuid },
    {
      columns: { content: column('m', 'bytes') },
      ...expecting({ content: { maxBytes: 80_000_000 } }),
    },
  ),
  bad(
    'F13',
    'a document of 20 MB',
    amazon.large,
    { document: uuid },
    {
      columns: { content: column('m', 'string') },
      ...expecting({ content: { maxBytes: 20_000_000 } }),
    },
  ),
  bad(
    'F14',
    'ten thousand versions of pictures',
    google.rows,
    { sensor: 20 },
    {
      families: { m: { gc: maxVersions(10_000) } },
      columns: { frames: versions('m', 'bytes') },
      ...expecting({ frames: { maxBytes: 20_000 } }),
    },
  ),
  bad(
    'F14',
    'fifty columns of 5 MB',
    google.rows,
    { album: uuid },
    {
      columns: numbered(30, 'p', () => column('m', 'bytes')),
      ...expecting(numbered(30, 'p', () => ({ maxBytes: 5_000_000 }))),
    },
  ),
  bad(
    'L01',
    'a rule that is ignored and finds nothing',
    google.keys,
    { device: 20, at: time },
    {
      lint: { ignore: [{ rule: 'K01', reason: 'written once a day' }] },
    },
  ),
  bad(
    'L01',
    'a fault that was corrected',
    google.aggregates,
    { post: uuid },
    {
      families: { m: one },
      columns: { likes: column('m', 'int64') },
      lint: { ignore: [{ rule: 'F08', property: 'likes', reason: 'few writes' }] },
    },
  ),
];

const shape = { device: 20, at: time };

const tables: readonly Design[] = [
  badTables('F09', 'a table of one year', google.tables, ['sales_2025'], shape),
  badTables('F09', 'tables of two years', google.tables, ['events_2024', 'events_2025'], shape),
  badTables('F09', 'a table of a month', various.cassandraTables, ['events_2024_01'], shape),
  badTables('F09', 'a table of a day', amazon.timeSeries, ['log20240131'], shape),
  badTables('F09', 'two customers', google.tables, ['orders_acme', 'orders_globex'], shape),
  badTables('F09', 'customers in front', google.tables, ['acme-orders', 'globex-orders'], shape),
  badTables('F09', 'numbered tenants', google.tables, ['tenant1', 'tenant2', 'tenant3'], shape),
];

/** What sources warn of in values, families and tables. */
export const badValues: readonly Design[] = [
  ...readable,
  ...people,
  ...numbers,
  ...lengths,
  ...textTimes,
  ...domains,
  ...families,
  ...rows,
  ...tables,
];
