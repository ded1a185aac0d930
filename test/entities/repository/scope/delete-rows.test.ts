/** Deletions by a query in a scope: the rows of one entity, as far as they are in the scope. */
import { type Database, literal, open } from '../../../../src/index.js';
import { Alarm, Device, entities } from './leaving-entities.js';

let db: Database;
beforeEach(async () => {
  db = await open('memory:', { entities });
  for (const tenant of ['acme', 'acme2', 'a']) {
    const devices = db.repository(Device);
    for (const device of ['d1', 'd2'])
      await devices.save(devices.create({ tenant, device, note: 'x' }));
    const alarms = db.repository(Alarm);
    await alarms.save(alarms.create({ tenant, device: 'd1', n: 1, note: 'x', code: tenant }));
  }
});
afterEach(() => db.close());

const left = async (): Promise<string[]> => {
  const rows = await db.repository(Device).scanAll().keysOnly().all();
  return rows.map(({ tenant, device }) => `${tenant} ${device}`);
};
const otherTenants = ['a d1', 'a d2', 'acme2 d1', 'acme2 d2'];

test('scanAll().delete() deletes all rows of the entity in the scope', async () => {
  const scope = db.scope({ tenant: 'acme' });
  expect(await scope.repository(Device).scanAll().delete()).toMatchObject({
    deleted: 2,
    failed: 0,
  });
  expect(await left()).toEqual(otherTenants);
  expect(await db.repository(Alarm).scanAll().count()).toBe(3);
  await scope.repository(Alarm).scanAll().delete();
  expect(await db.repository(Alarm).index('byCode').scanAll().count()).toBe(2);
});

test.each([
  ['another tenant', { tenant: 'a' }, 'OUTSIDE_SCOPE'],
  ['no segments', {}, 'INVALID_QUERY'],
  ['a segment that is undefined', { device: undefined }, 'INVALID_QUERY'],
  ['a segment of the scope that is undefined', { tenant: undefined }, 'INVALID_QUERY'],
  ['an entity without values', new Device(), 'INVALID_QUERY'],
  ['a Map', new Map(), 'INVALID_QUERY'],
  ['an array', [], 'INVALID_QUERY'],
  ['a promise', Promise.resolve({ device: 'd1' }), 'INVALID_QUERY'],
  ['undefined', undefined, 'INVALID_QUERY'],
  ['null', null, 'INVALID_QUERY'],
  ['a literal', literal('d1'), 'INVALID_QUERY'],
])('prefix() of %s deletes nothing', async (_name, segments, code) => {
  const devices = db.scope({ tenant: 'acme' }).repository(Device);
  const deletion = async (): Promise<unknown> => devices.prefix(segments as never).delete();
  await expect(deletion()).rejects.toMatchObject({ code });
  expect(await left()).toEqual(['a d1', 'a d2', 'acme d1', 'acme d2', 'acme2 d1', 'acme2 d2']);
});
