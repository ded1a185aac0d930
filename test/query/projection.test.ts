import { type Database, open } from '../../src/index.js';
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

const ours = () => db.repository(Reading).prefix({ tenant: 'acme' });

test('select gives plain objects with the key and the chosen properties', async () => {
  const rows = await ours().select('temperature').all();
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
  expect(ours().select('temperature', 'tags').explain().families).toEqual(['m', 't']);
  expect(ours().select('device').explain().families).toEqual(['h', 'm', 's', 't']);
});

test('selecting segments only gives every row', async () => {
  expect(await ours().select('device').all()).toEqual(
    ['d1', 'd2', 'd3'].map((device) => ({ tenant: 'acme', device, at })),
  );
});

test('a count is the length of the answer, whatever is selected', async () => {
  for (const query of [
    ours(),
    ours().select('temperature'),
    ours().select('status'),
    ours().select('note', 'status'),
    ours().select('tags'),
    ours().keysOnly(),
    ours().limit(2),
  ]) {
    expect(await query.count()).toBe((await query.all()).length);
  }
});

test('whole rows are instances', async () => {
  expect((await ours().all()).every((row) => row instanceof Reading)).toBe(true);
});

test('a marked row without columns is there, with nothing but its key', async () => {
  const visits = db.repository(Visit);
  const key = { day: at, site: 'home', nth: 1 };
  await visits.save(visits.create(key));
  expect(await visits.get(key)).toEqual(visits.create(key));
  expect(await visits.exists(key)).toBe(true);
  expect(await visits.scanAll().keysOnly().all()).toEqual([key]);
  // `hits` was never incremented, so nothing of the selection is stored beside the marker, which is
  // in its family.
  expect(await visits.scanAll().select('hits').count()).toBe(
    (await visits.scanAll().select('hits').all()).length,
  );
});
