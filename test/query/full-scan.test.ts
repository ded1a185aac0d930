import { type Database, open } from '../../src/index.js';
import { Host, Reading } from './entities.js';

let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Host] });
});
afterAll(() => db.close());

/** A search box handed over as it was, empty: it used to read every row. */
test('a beginning of no characters on the first segment is refused: it would be a full scan that nobody named', () => {
  expect(() => db.repository(Reading).startsWith('tenant', '')).toThrow(
    expect.objectContaining({ code: 'INVALID_QUERY' }),
  );
  expect(db.repository(Reading).scanAll().explain().toString()).toMatch(/^FULL SCAN Reading/);
});

test('under a prefix it is no more than the prefix', () => {
  const plan = db.repository(Reading).prefix({ tenant: 'acme' }).startsWith('device', '').explain();
  expect(plan.fullScan).toBe(false);
});

test('any bound that leaves something out is none', () => {
  const readings = db.repository(Reading);
  const bounded = [
    readings.startsWith('tenant', 'a'),
    readings.since('tenant', 'a'),
    readings.until('tenant', 'a'),
    db.repository(Host).subdomains('domain', 'example.com'),
  ];
  expect(bounded.map((query) => query.explain().fullScan)).toEqual([false, false, false, false]);
});
