/** A request that storage gets twice, the second time late, is one that no client may repeat. */
import { WatchedRows } from '../../../../src/entities/derived/index.js';
import { entryMutation } from '../../../../src/entities/derived/write/entry-mutations.js';
import { isIdempotent } from '../../../../src/engines/bigtable/write/idempotent.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { Order } from './entities.js';

test('the live engine sends the mutations of an entry once', () => {
  const model = buildModel(Order);
  const rows = new WatchedRows(model);
  const key = model.key.encode({ tenant: 'acme', id: 1 });
  const { family, qualifier } = { family: 'm', qualifier: Buffer.from('customer') };
  const value = Buffer.from('ann');
  const entries = rows.after(key, rows.seen(key, []), {
    mutations: [{ kind: 'setCell', family, qualifier, timestamp: 0, value }],
  });
  expect(entries.map(({ index }) => model.indexes[index].name)).toEqual(['byCustomer']);
  const mutation = entryMutation(model, entries[0], { token: 'token', row: key });
  expect(isIdempotent(mutation.mutations)).toBe(false);
});
