/** The columns that a query reads. */
import { type Database, open } from '../../../src/index.js';
import { Reading, Visit } from './entities.js';

const at = new Date(Date.UTC(2026, 10, 20));
let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Reading, Visit] });
  const readings = db.repository(Reading);
  await readings.save(
    readings.create({
      tenant: 'acme',
      device: 'd1',
      at,
      temperature: 21,
      note: 'n',
      status: { ok: true },
      tags: new Map([['a', '1']]),
    }),
  );
  await readings.save(readings.create({ tenant: 'acme', device: 'd2', at, status: 'only' }));
  await readings.save(readings.create({ tenant: 'acme', device: 'd3', at, temperature: 23 }));
});
afterAll(() => db.close());

const acme = () => db.repository(Reading).prefix({ tenant: 'acme' });

test('select returns plain objects with the key and the selected properties', async () => {
  const rows = await acme().select('temperature').all();
  expect(rows).toEqual([
    { tenant: 'acme', device: 'd1', at, temperature: 21 },
    { tenant: 'acme', device: 'd3', at, temperature: 23 },
  ]);
  expect(rows.map((row) => Object.getPrototypeOf(row) as unknown)).toEqual([
    Object.prototype,
    Object.prototype,
  ]);
});

test('select reads only the families of its properties', () => {
  expect(acme().select('temperature', 'tags').explain().families).toEqual(['m', 't']);
  expect(acme().select('device').explain().families).toEqual(['h', 'm', 's', 't']);
});

test('selecting only segments returns every row', async () => {
  expect(await acme().select('device').all()).toEqual(
    ['d1', 'd2', 'd3'].map((device) => ({ tenant: 'acme', device, at })),
  );
});

test('a count is the number of rows, whatever is selected', async () => {
  for (const query of [
    acme(),
    acme().select('temperature'),
    acme().select('status'),
    acme().select('note', 'status'),
    acme().select('tags'),
    acme().keysOnly(),
    acme().limit(2),
  ]) {
    expect(await query.count()).toBe((await query.all()).length);
  }
});

test('whole rows are instances of the entity class', async () => {
  expect((await acme().all()).every((row) => row instanceof Reading)).toBe(true);
});

test('a row with only a marker exists, with only its key', async () => {
  const visits = db.repository(Visit);
  const key = { day: at, site: 'home', nth: 1 };
  await visits.save(visits.create(key));
  expect(await visits.get(key)).toEqual(visits.create(key));
  expect(await visits.exists(key)).toBe(true);
  expect(await visits.scanAll().keysOnly().all()).toEqual([key]);
  // `hits` was never incremented, so that the family of the selection contains only the marker.
  expect(await visits.scanAll().select('hits').count()).toBe(
    (await visits.scanAll().select('hits').all()).length,
  );
});
