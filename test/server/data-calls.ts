/** The server, and calls of it, that the suites of the Data API share. */
import { shown } from '../engines/conformance.js';
import { createTestTable, serveMemory, tableName, type TestServer } from './raw-client.js';

/** A server in memory for the tests of a file, with a table that each test finds empty. */
export function dataServer() {
  let now: TestServer;
  beforeAll(async () => {
    now = await serveMemory();
    await createTestTable(now.client);
  });
  afterAll(() => now.close());
  beforeEach(() =>
    now.client.unary('tables', 'DropRowRange', { name: tableName, deleteAllDataFromTable: true }),
  );
  return {
    served: {
      get client() {
        return now.client;
      },
      get server() {
        return now.server;
      },
    },
    mutate: (rowKey: string | Buffer, ...mutations: object[]) =>
      now.client.call('data', 'MutateRow', { tableName, rowKey: Buffer.from(rowKey), mutations }),
    read: async (more: object = {}): Promise<string[]> =>
      shown(await now.client.rows({ tableName, ...more })),
  };
}
