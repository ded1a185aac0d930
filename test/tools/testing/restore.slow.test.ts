/** What a restore of a test database costs. */
import { testDatabase } from '../../../src/tools/testing/index.js';
import { keyOf, Reading, readingsOf } from './entities.js';

test('takes constant time: no row is copied', async () => {
  await using db = await testDatabase([Reading]);
  await db.seed(Reading, readingsOf(20_000));
  const readings = db.repository(Reading);
  const snapshot = db.snapshot();
  // A thousand restores that copied 20,000 rows each would take minutes.
  for (let i = 0; i < 1_000; i++) await db.restore(snapshot);
  await readings.delete(keyOf(0));
  await db.restore(snapshot);
  expect(await readings.scanAll().count()).toBe(20_000);
});
