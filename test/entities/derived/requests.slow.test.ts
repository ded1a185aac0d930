/**
 * Which requests every write method makes, by what follows from the row: nothing, an index, copies,
 * rollups. Written down in test/golden/write-requests.txt, because a change of it is a change of
 * what every user pays; `npm run bench -- bench/derived/costs.ts --only requests` prints the same.
 */
import { countRequests } from '../../../bench/derived/requests/count.js';
import { requestTables } from '../../../bench/derived/requests/table.js';
import { expectGolden } from '../../support/golden.js';

test('the requests of every write', async () => {
  const counted = await countRequests();
  expectGolden('write-requests.txt', requestTables(counted, { varying: false }));
  // What follows from nothing is one request, and figures are not written down twice.
  const save = counted.find(
    ({ feature, call }) => feature === 'nothing' && call.startsWith('save,'),
  );
  expect([save?.requests, save?.trips, save?.outcome]).toEqual([1, 1, 'ok']);
  expect(new Set(counted.map(({ feature, call }) => `${feature} ${call}`)).size).toBe(
    counted.length,
  );
});
