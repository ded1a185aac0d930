/** Full scans must be requested with scanAll. */
import { type Database, open } from '../../../src/index.js';
import { Host, Reading } from './entities.js';

let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Host] });
});
afterAll(() => db.close());

/** For example the text of an empty search box. */
test('an empty startsWith on the first segment is rejected: it would be an unrequested full scan', () => {
  expect(() => db.repository(Reading).startsWith('tenant', '')).toThrow(
    expect.objectContaining({ code: 'INVALID_QUERY' }),
  );
  expect(db.repository(Reading).scanAll().explain().toString()).toMatch(/^FULL SCAN Reading/);
});

test('an empty startsWith after a prefix reads the rows of the prefix', () => {
  const plan = db.repository(Reading).prefix({ tenant: 'acme' }).startsWith('device', '').explain();
  expect(plan.fullScan).toBe(false);
});

test('a bound that excludes rows is not a full scan', () => {
  const readings = db.repository(Reading);
  const bounded = [
    readings.startsWith('tenant', 'a'),
    readings.since('tenant', 'a'),
    readings.until('tenant', 'a'),
    db.repository(Host).subdomains('domain', 'example.com'),
  ];
  expect(bounded.map((query) => query.explain().fullScan)).toEqual([false, false, false, false]);
});
