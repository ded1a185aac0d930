/**
 * Designs that were written after the rules were finished, and run once before anything was
 * changed for them: how well the rules do on names that they were not written for.
 */
import {
  accessPatterns,
  column,
  columnMap,
  indexOn,
  indexes,
  maxAge,
} from '../../../../src/index.js';
import { expecting } from '../support/findings.js';
import {
  bad,
  badTables,
  type Design,
  domain,
  good,
  long,
  newestFirst,
  number,
  time,
  uuid,
} from './design.js';
import { google, later, sql } from './sources.js';

/** What sources warn of. */
export const heldOutBad: readonly Design[] = [
  bad('K01', 'the time of creation as partition key', later.cosmos, { creationTime: 30, id: 36 }),
  bad('K01', 'the time of an ingestion', later.druid, { ingestionTime: long, source: 30 }),
  bad('K01', 'an index of posts by their date', later.firestore, { postedAt: long, author: 36 }),
  bad('K01', 'the date of a trade', later.kudu, { tradeDate: 10, symbol: 12 }),
  bad('K02', 'AUTO_INCREMENT', later.tidb, { bookId: long }),
  bad('K02', 'customers in order', later.firestore, { customerNumber: number }),
  bad('K02', 'bills', later.tidb, { billNumber: number, customer: 30 }),
  bad('K02', 'a number of a sequence', later.tidb, { seqNo: long, source: 30 }),
  bad('K02', 'payments', sql.hotspots, { paymentId: long, currency: 3 }),
  bad('K03', 'a category', later.cosmos, { category: 30, createdAt: time }),
  bad('K03', 'the state of an order', later.cosmos, { orderStatus: 12, placedAt: newestFirst }),
  bad('K03', 'a country code', later.cosmos, { countryCode: 2, at: time }),
  bad('K03', 'deleted or not', later.cosmos, { isDeleted: { kind: 'bool' }, at: time }),
  bad('K03', 'a data center', later.scylla, { datacenter: 10, at: time, host: 40 }),
  bad('K04', 'a SHA-1 of the content', google.avoid, { sha1: 40, at: time }),
  bad('K06', 'the number of a mobile phone', google.keys, { mobileNumber: 15, at: time }),
  bad('K06', 'the name of a driver', google.keys, { driverName: 60, at: time }),
  bad('K06', 'the IMSI of a subscriber', google.keys, { subscriberImsi: 15, at: time }),
  bad('K06', 'the address of a home', google.keys, { homeAddress: 100, at: time }),
  bad('K07', 'the number of a receipt', google.keys, { shop: 30, receiptNumber: 12 }),
  bad('K07', 'a chapter', google.keys, { book: 30, chapterNo: 4 }),
  bad('K07', 'a rank', later.cosmos, { game: 30, rank: 8 }),
  bad('K13', 'a date of publication', later.scylla, { author: 36, publishedOn: 20 }),
  bad('K13', 'the last change', later.scylla, { document: 36, lastModified: 30 }),
  bad('K13', 'the start of a session', later.scylla, { userId: 36, startDate: 20 }),
  bad('K13', 'the time of a reading', later.scylla, { sensor: 36, readingTime: 30 }),
  bad('K12', 'a workspace after the account', google.keys, { accountId: 36, workspaceId: 36 }),
  bad('K16', 'a street before its city', google.keys, { street: 60, city: 40, house: 10 }),
  bad(
    'K17',
    'an index of categories by time',
    later.firestore,
    { id: uuid },
    {
      columns: { category: column('m', 'string'), publishedAt: column('m', 'timestamp') },
      indexes: indexes({ newest: indexOn('category', 'publishedAt') }),
    },
  ),
  bad(
    'K18',
    'the load of a host',
    google.avoid,
    { host: 40 },
    {
      columns: { cpuLoad: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'where a driver is',
    later.scylla,
    { driver: 36 },
    {
      columns: { lastLocation: column('m', 'string') },
    },
  ),
  bad(
    'K18',
    'heartbeats of a service',
    google.avoid,
    { service: 40 },
    {
      name: 'Heartbeat',
      columns: { latency: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'the best bid of a symbol',
    later.kudu,
    { symbol: 12 },
    {
      columns: { bestBid: column('m', 'double') },
    },
  ),
  bad('K19', 'the address of a site', google.keys, { siteUrl: 300 }),
  bad('K19', 'a home page', google.keys, { homepage: 300 }),
  bad(
    'F05',
    'an appointment',
    google.collection,
    { doctor: uuid },
    {
      families: { m: { gc: maxAge('30d') } },
      columns: { scheduledFor: column('m', 'timestamp') },
      cellTimestamp: 'scheduledFor',
    },
  ),
  bad(
    'F07',
    'all likes of a post',
    later.cosmos,
    { post: uuid },
    {
      columns: { likedBy: columnMap('m', 'bool') },
    },
  ),
  bad(
    'F07',
    'a month of kilobytes',
    later.scylla,
    { sensor: 36, month: { kind: 'uint', max: 999_912 } },
    {
      columns: { packets: columnMap('m', 'bytes', { qualifiers: 'timestamp' }) },
      ...expecting({ packets: { maxBytes: 1_000 } }),
    },
  ),
  bad(
    'K11',
    'a nightly report',
    google.reads,
    { order: uuid },
    {
      patterns: accessPatterns({ nightly: { scanAll: true } }),
    },
  ),
  badTables('F09', 'a quarter', google.tables, ['metrics_q1_2025'], { device: 30, at: time }),
  badTables(
    'F09',
    'tenants in the middle',
    google.tables,
    ['app_acme_events', 'app_globex_events'],
    {
      device: 30,
      at: time,
    },
  ),
  badTables('F09', 'two shops', google.tables, ['stock_store1', 'stock_store2'], { sku: 30 }),
  badTables('F09', 'a month with a dash', google.tables, ['logs-2025-06'], { host: 30, at: time }),
];

/** What sources recommend, or do as a matter of course. */
export const heldOutGood: readonly Design[] = [
  good('bookings of a flight', google.keys, { flightNumber: 8, departure: time, seat: 4 }),
  good('parcels', google.keys, { trackingNumber: 30, at: newestFirst }),
  good('books', google.keys, { isbn: 13 }),
  good('rooms of a hotel', google.keys, { hotelId: number, roomNumber: 6, at: time }),
  good('a ledger', google.keys, { accountNumber: 34, postedAt: time }),
  good('posts of a forum', later.cosmos, { forumId: number, topicId: number, postId: number }),
  good('state of a place, city, shop', google.keys, { state: 2, city: 40, shop: 30 }),
  good('campaigns', google.keys, { emailCampaignId: 30, at: time }),
  good(
    'posts of an author',
    later.firestore,
    { authorId: uuid, postId: uuid },
    {
      columns: { title: column('m', 'string'), lastEditor: column('m', 'string') },
      indexes: indexes({ byAuthor: indexOn('authorId', 'title') }),
    },
  ),
  good(
    'a catalogue',
    later.cosmos,
    { sku: 30 },
    {
      columns: { price: column('m', 'double'), currentVersion: column('m', 'int64') },
    },
  ),
  good('versions of a document', later.scylla, {
    documentId: uuid,
    version: { kind: 'uint', max: 99_999 },
  }),
  good('feeds', later.scylla, { feedId: uuid, bucket: number, at: newestFirst }),
  good('certificates of a domain', google.keys, { domain, issuedAt: time }),
  good('cells of a mobile network', google.timeSeries, { cellId: long, at: time }),
  good(
    'settings',
    google.rows,
    { userId: uuid, section: 30 },
    {
      columns: { value: column('m', 'string') },
    },
  ),
];
