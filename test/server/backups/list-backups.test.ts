/** ListBackups: filters, orders and pages. */
import { status } from '@grpc/grpc-js';
import { instance, serveMemory, tableName, type RawClient } from '../raw-client.js';
import { backupCalls, cluster, createRows, inHours } from './backup-calls.js';

let served: Awaited<ReturnType<typeof serveMemory>>;
let client: RawClient;
let calls: ReturnType<typeof backupCalls>;
beforeAll(async () => {
  served = await serveMemory();
  ({ client } = served);
  calls = backupCalls(client);
  await createRows(client);
  await client.unary('tables', 'CreateTable', { parent: instance, tableId: 'empty' });
  for (const [id, hours, table] of [
    ['daily-1', 10, 't'],
    ['daily-2', 30, 't'],
    ['Weekly', 20, 'empty'],
  ] as const) {
    const sourceTable = `${instance}/tables/${table}`;
    await calls.create(id, { expireTime: inHours(hours), sourceTable });
    // The order is by start time, in milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
});
afterAll(() => served.close());

const all = ['Weekly', 'daily-2', 'daily-1'];
test.each<[filter: string, expected: string[]]>([
  ['', all],
  ['name:daily', ['daily-2', 'daily-1']],
  ['name:DAILY', ['daily-2', 'daily-1']],
  [`name:"${cluster}/backups/weekly"`, ['Weekly']],
  ['name:"daily"', []],
  [`source_table = ${tableName}`, ['daily-2', 'daily-1']],
  ['state:READY', all],
  ['state:CREATING', []],
  ['state != ready', []],
  ['size_bytes > 0', ['daily-2', 'daily-1']],
  ['size_bytes = 0', ['Weekly']],
  ['(name:daily) AND (start_time < "2018-03-28T14:50:00Z")', []],
  ['(name:daily) (start_time > "2018-03-28T14:50:00Z")', ['daily-2', 'daily-1']],
  ['name:weekly OR name:daily-1', ['Weekly', 'daily-1']],
  ['NOT name:weekly', ['daily-2', 'daily-1']],
  ['NOT (name:weekly OR name:daily-1)', ['daily-2']],
  ['name:daily AND name:weekly OR size_bytes > 0', ['daily-2', 'daily-1']],
])('filter %s', async (filter, expected) => {
  expect(await calls.names({ filter })).toEqual(expected);
});

test.each<[orderBy: string, expected: string[]]>([
  ['', all],
  ['start_time', ['daily-1', 'daily-2', 'Weekly']],
  ['expire_time desc', ['daily-2', 'Weekly', 'daily-1']],
  [' name ', ['Weekly', 'daily-1', 'daily-2']],
  ['size_bytes desc,  name   desc', ['daily-2', 'daily-1', 'Weekly']],
])('order %s, in pages of one and of two', async (orderBy, expected) => {
  expect(await calls.names({ orderBy })).toEqual(expected);
  for (const pageSize of [1, 2]) {
    const found: string[] = [];
    let pageToken = '';
    do {
      const request = { parent: cluster, orderBy, pageSize, pageToken };
      const page = await client.unary('tables', 'ListBackups', request);
      expect(page.backups.length).toBeLessThanOrEqual(pageSize);
      found.push(...page.backups.map(({ name }: { name: string }) => name.split('/').pop()));
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
    expect(found).toEqual(expected);
  }
});

test('parents: one cluster, all of an instance, all instances', async () => {
  expect(await calls.names({ parent: `${instance}/clusters/-` })).toEqual(all);
  expect(await calls.names({ parent: 'projects/p/instances/-/clusters/-' })).toEqual(all);
  expect(await calls.names({ parent: 'projects/rowsmith/instances/local/clusters/local' })).toEqual(
    [],
  );
  expect(await calls.names({ pageSize: -1 })).toEqual(all);
});

test.each<[object, number]>([
  [{ filter: 'x' }, status.INVALID_ARGUMENT],
  [{ filter: 'unknown:x' }, status.INVALID_ARGUMENT],
  [{ filter: 'name' }, status.INVALID_ARGUMENT],
  [{ filter: 'name:' }, status.INVALID_ARGUMENT],
  [{ filter: 'name ~ x' }, status.INVALID_ARGUMENT],
  [{ filter: '(name:x' }, status.INVALID_ARGUMENT],
  [{ filter: 'name:x)' }, status.INVALID_ARGUMENT],
  [{ filter: 'name:"x' }, status.INVALID_ARGUMENT],
  [{ filter: 'size_bytes > many' }, status.INVALID_ARGUMENT],
  [{ filter: 'start_time > yesterday' }, status.INVALID_ARGUMENT],
  [{ filter: '('.repeat(5000) }, status.INVALID_ARGUMENT],
  [{ filter: 'NOT '.repeat(2000) }, status.INVALID_ARGUMENT],
  [{ filter: 'name:x '.repeat(5000) }, status.INVALID_ARGUMENT],
  [{ orderBy: 'unknown' }, status.INVALID_ARGUMENT],
  [{ orderBy: 'name up' }, status.INVALID_ARGUMENT],
  [{ orderBy: 'name,' }, status.INVALID_ARGUMENT],
  [{ pageToken: '*' }, status.INVALID_ARGUMENT],
  [{ pageToken: 'AAAA' }, status.INVALID_ARGUMENT],
  [{ parent: instance }, status.INVALID_ARGUMENT],
  [{ parent: `${cluster}x` }, status.NOT_FOUND],
])('%j is refused', async (request, code) => {
  expect(await client.call('tables', 'ListBackups', { parent: cluster, ...request })).toMatchObject(
    { code },
  );
});
