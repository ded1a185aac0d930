/**
 * A second set of held-out designs: written after the rules were corrected by the first, with
 * names of other fields, and run once before anything was changed for them.
 */
import {
  column,
  columnMap,
  indexOn,
  indexes,
  maxVersions,
  versions,
} from '../../../../src/index.js';
import { expecting } from '../support/findings.js';
import { bad, badTables, type Design, day, good, long, number, time, uuid } from './design.js';
import { google, hbase, later, various, sql } from './sources.js';

/** What sources warn of. */
export const heldOutBadAgain: readonly Design[] = [
  bad('K01', 'the epoch of a block', google.avoid, { blockTimestamp: long, chain: 20 }),
  bad('K01', 'the time of arrival', later.kudu, { arrivalTime: time, truck: 20 }),
  bad('K01', 'a shift of a day', google.avoid, { workDate: 10, worker: 36 }),
  bad('K02', 'blocks of a chain', google.avoid, { blockNumber: long, txHash: 66 }),
  bad('K02', 'tickets of a help desk', later.tidb, { ticketId: number, replyNo: number }),
  bad('K02', 'claims of an insurance', sql.hotspots, { claimNumber: long }),
  bad('K03', 'a sport and a time', later.cosmos, { sport: 20, startTime: time }),
  bad('K03', 'an alert by severity', various.azurePatterns, { alertSeverity: 10, raisedAt: time }),
  bad('K03', 'a stage of a deployment', hbase.cases, { stage: 10, deployedAt: time }),
  bad('K04', 'a fingerprint of a query', google.avoid, { queryFingerprint: 32, at: time }),
  bad('K05', 'bytes of a tile', google.avoid, { tile: { kind: 'bytes', maxLength: 8 } }),
  bad('K06', 'the name of a patient', google.keys, { patientName: 60, visit: uuid }),
  bad('K06', 'a card', google.keys, { creditCardNumber: 19, at: time }),
  bad('K06', 'the user name of a player', google.keys, { game: 20, username: 30 }),
  bad('K07', 'the altitude of a flight', google.keys, { flight: 20, altitude: { kind: 'float' } }),
  bad('K07', 'the number of an episode', google.keys, { show: 30, episodeNumber: 5 }),
  bad('K07', 'a bid as text', google.keys, { auction: 36, bidAmount: 12 }),
  bad('K08', 'a query without a limit', google.keys, { user: uuid, query: { kind: 'string' } }),
  bad('K13', 'a departure', google.timeSeries, { train: 20, departureTime: 25 }),
  bad('K13', 'the date of an invoice', google.timeSeries, { customer: 36, invoiceDate: 10 }),
  bad('K13', 'when a reading was taken', later.scylla, { meter: 36, measuredAt: 30 }),
  bad('K12', 'an organisation after the project', google.keys, {
    projectId: 36,
    organisationId: 36,
  }),
  bad(
    'K17',
    'an index of shipments',
    google.indexes,
    { shipment: uuid },
    {
      columns: { carrierStatus: column('m', 'string'), shippedAt: column('m', 'timestamp') },
      indexes: indexes({ byStatus: indexOn('carrierStatus', 'shippedAt') }),
    },
  ),
  bad(
    'K18',
    'the temperature of a room',
    google.avoid,
    { room: 30 },
    {
      columns: { currentTemperature: column('m', 'double') },
    },
  ),
  bad(
    'K18',
    'the ask of an instrument',
    later.kudu,
    { isin: 12 },
    {
      columns: { lastAsk: column('m', 'double') },
    },
  ),
  bad('K19', 'the link of a bookmark', google.keys, { user: uuid, link: 1_000 }),
  bad('K19', 'the host of a crawl', google.paper, { crawlHost: 253, at: time }),
  bad(
    'F02',
    'a price history of one version',
    google.collection,
    { product: uuid },
    {
      columns: { prices: versions('m', 'double') },
    },
  ),
  bad(
    'F07',
    'the members of a group',
    various.discord,
    { groupId: uuid },
    {
      columns: { members: columnMap('m', 'string') },
    },
  ),
  bad(
    'F14',
    'a hundred versions of pictures',
    google.rows,
    { camera: 20 },
    {
      families: { m: { gc: maxVersions(100) } },
      columns: { picture: column('m', 'bytes') },
      ...expecting({ picture: { maxBytes: 3_000_000 } }),
    },
  ),
  badTables('F09', 'a table of each airline', google.tables, ['flights_lh', 'flights_ba'], {
    flight: 20,
    day,
  }),
  badTables('F09', 'an archive of a year', google.tables, ['archive2023'], { document: uuid }),
];

/** What sources recommend, or do as a matter of course. */
export const heldOutGoodAgain: readonly Design[] = [
  good('blocks by their hash', google.keys, { blockHeight: { kind: 'reversedId' } }),
  good('votes of a poll', google.keys, { pollId: uuid, voterId: uuid }),
  good('trains', google.timeSeries, { trainNumber: 8, stop: 10, at: time }),
  good('a wiki', google.keys, {
    language: 5,
    title: 200,
    revision: { kind: 'uint', max: 999_999 },
  }),
  good('tiles of a map', google.keys, { quadkey: 24, layer: 20 }),
  good('genes', google.keys, { chromosome: 5, position: number, sample: 20 }),
  good('meters of a utility', google.timeSeries, { meterId: number, day, at: time }),
  good(
    'a game and its players',
    google.keys,
    { gameId: long, playerId: long },
    {
      columns: { level: column('m', 'int64'), lastMove: column('m', 'string') },
    },
  ),
  good(
    'sessions',
    google.keys,
    { sessionId: uuid },
    {
      columns: { state: column('m', 'json'), lastSeen: column('m', 'timestamp') },
    },
  ),
  good('vehicles and their telemetry', google.timeSeries, { vin: 17, signal: 40, at: time }),
];
