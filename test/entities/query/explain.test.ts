/** Explanations of queries. */
import { type Database, open } from '../../../src/index.js';
import { expectGolden } from '../../support/golden.js';
import { Host, Reading, Visit } from './entities.js';

const from = new Date(Date.UTC(2026, 10, 20));
const to = new Date(Date.UTC(2026, 10, 21));
let db: Database;

beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Visit, Host] });
});
afterAll(() => db.close());

test('explanations as text', () => {
  const readings = db.repository(Reading);
  const visits = db.repository(Visit);
  const hosts = db.repository(Host);
  const device = readings.prefix({ device: 'd#1', tenant: 'acme' });
  const queries = {
    'every row': readings.scanAll(),
    'a prefix': readings.prefix({ tenant: 'acme' }),
    'a prefix of two segments, given in another order': device,
    'a range of a descending segment': device.between('at', from, to),
    'an open range, backwards, one family': device
      .since('at', from)
      .reverse()
      .limit(10)
      .select('temperature'),
    'text with a given beginning': readings.prefix({ tenant: 'acme' }).startsWith('device', 'd'),
    'keys only': readings.prefix({ tenant: 'acme' }).keysOnly(),
    'keys of a selection': readings.prefix({ tenant: 'acme' }).select('status').keysOnly(),
    'versions as of a timestamp': device.versions(3).asOf(from),
    'as of the last possible timestamp': device.asOf(new Date(8.64e15)),
    'a range without keys': device.between('at', to, to),
    'a range on the first segment': readings.between('tenant', 'a', 'b'),
    'all shards': visits.prefix({ day: from }),
    'one shard': visits.prefix({ day: from, site: 'home' }).since('nth', 5),
    'a domain and its subdomains, ordered format': hosts.subdomains('domain', 'example.com'),
    'one value, ordered format': hosts.prefix({ domain: 'example.com' }).until('port', 1024),
  };
  expectGolden(
    'explain-queries.txt',
    Object.entries(queries)
      .map(([name, query]) => `# ${name}\n${query.explain().toString()}\n`)
      .join('\n'),
  );
});

test('an explanation as data', () => {
  const plan = db.repository(Visit).prefix({ day: from }).limit(7).explain();
  expect(plan).toMatchObject({
    entity: 'Visit',
    table: 'visits',
    fullScan: false,
    fanOut: 4,
    limit: 7,
    families: ['n'],
    properties: ['day', 'site', 'nth', 'hits'],
    conditions: ['day = 2026-11-20T00:00:00.000Z'],
    order: ['day ascending', 'site ascending', 'nth ascending'],
  });
  expect(
    plan.ranges.map(({ shard, start, startHex }) => [
      shard,
      start,
      Buffer.from(startHex, 'hex').toString('latin1'),
    ]),
  ).toEqual([0, 1, 2, 3].map((shard) => [shard, `${shard}#2026-11-20#`, `${shard}#2026-11-20#`]));
  expect(Object.isFrozen(plan)).toBe(true);
});

test('console.log prints the text', () => {
  const plan = db.repository(Reading).scanAll().explain();
  expect(
    (plan as unknown as Record<symbol, () => string>)[Symbol.for('nodejs.util.inspect.custom')](),
  ).toBe(plan.toString());
  expect(plan.fullScan).toBe(true);
});

test('later changes of the arguments do not change the ranges', () => {
  const since = new Date(from);
  const segments = { tenant: 'acme', device: 'd1' };
  const query = db.repository(Reading).prefix(segments).since('at', since);
  const before = query.explain().ranges;
  since.setTime(0);
  segments.tenant = 'other';
  expect(query.explain().ranges).toEqual(before);
});

test('query methods do not change the query', () => {
  const query = db.repository(Reading).prefix({ tenant: 'acme' });
  const before = query.explain().toString();
  query.limit(1);
  query.reverse();
  query.select('note');
  query.keysOnly();
  query.versions(1);
  query.asOf(from);
  query.since('device', 'a');
  expect(query.explain().toString()).toBe(before);
  expect(query.reverse().reverse().explain().toString()).toBe(before);
});
