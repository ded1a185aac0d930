/** Entities that were read in part cannot be saved, because save() would delete the rest. */
import { type Database, open } from '../../../../src/index.js';
import { Reading, upTo } from '../support/entities.js';

let db: Database;
const key = { tenant: 't', device: 'd', n: 1 };
const readings = () => db.repository(Reading);
const rejected = (read: string) => ({
  code: 'INVALID_ARGUMENT',
  details: { entity: 'Reading', problem: expect.stringContaining(`${read}()`) as string },
});
beforeEach(async () => {
  db = await open('memory:', { entities: [Reading] });
  const history = upTo(3).map((n) => ({ at: new Date(n * 1000), value: `v${n}` }));
  await readings().save(readings().create({ ...key, value: 1, history }));
});
afterEach(() => db.close());

const stored = async () => (await readings().get(key))!.history!.map(({ value }) => value);

test.each([
  ['versions', () => readings().scanAll().versions(1)],
  ['asOf', () => readings().scanAll().asOf(new Date(2000))],
  ['asOf', () => readings().scanAll().versions(5).asOf(new Date())],
])('a result of %s', async (read, query) => {
  const entity = (await query().first())!;
  expect(entity).toBeInstanceOf(Reading);
  await expect(readings().save(entity)).rejects.toMatchObject(rejected(read));
  const { failures, written } = await readings().saveMany([entity]);
  expect(written).toBe(0);
  expect(failures[0].error).toMatchObject(rejected(read));
  expect(await stored()).toEqual(['v2', 'v1', 'v0']);
});

test('a patch with values that were read in part adds to the stored ones', async () => {
  const entity = (await readings().scanAll().versions(1).first())!;
  await readings().patch(key, { history: entity.history });
  expect(await stored()).toEqual(['v2', 'v1', 'v0']);
});

test('a whole read can be saved, also one whose columns have no versions', async () => {
  const entity = (await readings().scanAll().first())!;
  await readings().save(entity);
  expect(await stored()).toEqual(['v2', 'v1', 'v0']);
});
