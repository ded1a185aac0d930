/** Rows of 256 MiB through the data API. */
import { status } from '@grpc/grpc-js';
import { shown } from '../engines/conformance.js';
import { createTestTable, serveMemory, setCell, tableName, type TestServer } from './raw-client.js';

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
});
afterAll(() => served.close());

const mutate = (rowKey: string | Buffer, ...mutations: object[]) =>
  served.client.call('data', 'MutateRow', { tableName, rowKey: Buffer.from(rowKey), mutations });

const read = async (more: object = {}): Promise<string[]> =>
  shown(await served.client.rows({ tableName, ...more }));

test('A9b: a write that makes a row larger than 256 MiB is FAILED_PRECONDITION', async () => {
  const large = (qualifier: string, mebibytes: number) =>
    mutate('r', setCell('a', qualifier, Buffer.alloc(mebibytes * 1024 * 1024)));
  for (const qualifier of ['x', 'y']) expect(await large(qualifier, 90)).toMatchObject({ code: 0 });
  const tooLarge = { code: status.FAILED_PRECONDITION };
  expect(await large('z', 90)).toMatchObject(tooLarge);
  expect(await large('z', 60)).toMatchObject({ code: 0 });
  const cells = { filter: { stripValueTransformer: true } };
  expect(await read(cells)).toEqual(['r{a:x@1000= a:y@1000= a:z@1000=}']);
});
