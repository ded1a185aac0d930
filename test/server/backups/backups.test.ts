/** Backups: what is restored, and what is refused. */
import { status } from '@grpc/grpc-js';
import { dayMs, hourMs } from '../../../src/base/index.js';
import { Progress } from '../../../src/server/backups/progress.js';
import { instance, type RawClient, serveMemory, setCell, tableName } from '../raw-client.js';
import {
  backup,
  backupCalls,
  cluster,
  createRows,
  inHours,
  restored,
  seconds,
  write,
} from './backup-calls.js';

let served: Awaited<ReturnType<typeof serveMemory>>;
let client: RawClient;
let calls: ReturnType<typeof backupCalls>;
beforeEach(async () => {
  served = await serveMemory();
  ({ client } = served);
  calls = backupCalls(client);
  await createRows(client);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await served.close();
});

const rows = (table: string) => client.rows({ tableName: table });
const later = (ms: number) => {
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
};
const code = async (method: string, request: object) => (await calls.call(method, request)).code;

test('a backup has all fields, and restores all cells, as they were', async () => {
  const before = await rows(tableName);
  expect(before).toHaveLength(2);
  const { done, response, metadata } = await calls.create();
  expect(done).toBe(true);
  expect(response).toMatchObject({
    name: backup,
    sourceTable: tableName,
    state: 'READY',
    backupType: 'STANDARD',
    encryptionInfo: { encryptionType: 'GOOGLE_DEFAULT_ENCRYPTION' },
  });
  // Keys, qualifiers and values: r1 q old q new, r2 x s 8 bytes.
  expect(Number(response.sizeBytes)).toBe(2 + 4 + 4 + 2 + 1 + 9);
  expect(Number(response.endTime.seconds)).toBeGreaterThanOrEqual(
    Number(response.startTime.seconds),
  );
  expect(metadata).toEqual({
    name: backup,
    sourceTable: tableName,
    startTime: response.startTime,
    endTime: response.endTime,
  });
  expect(await calls.get()).toEqual(response);
  // Changes after the backup are not in it; nor is the table needed any more.
  await write(client, 'r1', [setCell('a', 'q', 'newer', 9000)]);
  await client.unary('tables', 'DeleteTable', { name: tableName });
  const restore = await calls.restore();
  const backupInfo = {
    backup,
    startTime: response.startTime,
    endTime: response.endTime,
    sourceTable: tableName,
  };
  expect(restore.response).toMatchObject({
    name: restored,
    restoreInfo: { sourceType: 'BACKUP', backupInfo },
  });
  expect(restore.metadata).toMatchObject({
    name: restored,
    sourceType: 'BACKUP',
    backupInfo,
    progress: { progressPercent: 100 },
  });
  expect(restore.metadata.optimizeTableOperationName).toBeUndefined();
  expect(await rows(restored)).toEqual(before);
  const table = await client.unary('tables', 'GetTable', { name: restored });
  expect(table).toEqual(restore.response);
  // The restored table is one like any other: its sum is a sum.
  expect(await client.unary('tables', 'GetTable', { name: restored })).toMatchObject({
    columnFamilies: { sum: { valueType: { aggregateType: { sum: {} } } } },
  });
});

test('families, rules, types and the schema of keys are restored; protection and streams are not', async () => {
  const name = `${instance}/tables/full`;
  const rule = { maxNumVersions: 7 };
  const text = { stringType: { encoding: { utf8Bytes: {} } } };
  const field = { fieldName: 'k', type: { bytesType: { encoding: { raw: {} } } } };
  await client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId: 'full',
    table: {
      columnFamilies: { f: { gcRule: rule, valueType: text } },
      granularity: 'MILLIS',
      deletionProtection: true,
      changeStreamConfig: { retentionPeriod: { seconds: 86_400 } },
      automatedBackupPolicy: { retentionPeriod: { seconds: 3 * 86_400 } },
      rowKeySchema: { fields: [field], encoding: { singleton: {} } },
    },
  });
  await calls.create('b', { sourceTable: name });
  await calls.restore();
  const {
    name: _,
    restoreInfo,
    ...table
  } = await client.unary('tables', 'GetTable', {
    name: restored,
  });
  const source = await client.unary('tables', 'GetTable', { name });
  for (const setting of ['deletionProtection', 'changeStreamConfig', 'automatedBackupPolicy'])
    delete source[setting];
  expect({ name, ...table }).toEqual(source);
  // An update of the settings keeps where the table came from.
  await client.unary('tables', 'UpdateTable', {
    table: { name: restored, changeStreamConfig: { retentionPeriod: { seconds: 86_400 } } },
    updateMask: { paths: ['change_stream_config'] },
  });
  expect(await client.unary('tables', 'GetTable', { name: restored })).toMatchObject({
    restoreInfo,
  });
});

test('no client sees the tables of backups, or can name them', async () => {
  const home = 'projects/rowsmith/instances/local';
  await calls.create();
  const [internal] = (await served.engine.listTables())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('_rowsmith.backup.'));
  expect(internal).toBeDefined();
  for (const parent of [home, instance]) {
    const { tables = [] } = await client.unary('tables', 'ListTables', { parent });
    expect(tables.map(({ name }: { name: string }) => name)).not.toContain(
      `${parent}/tables/${internal}`,
    );
    const name = `${parent}/tables/${internal}`;
    for (const method of ['GetTable', 'DeleteTable'])
      expect(await code(method, { name })).toBe(status.NOT_FOUND);
    for (const method of ['ReadRows', 'SampleRowKeys'])
      expect(await client.call('data', method, { tableName: name })).toMatchObject({
        code: status.NOT_FOUND,
      });
    // A client's own table of that name is another one.
    await client.unary('tables', 'CreateTable', { parent, tableId: internal });
    expect(await rows(name)).toEqual([]);
  }
  expect(await code('RestoreTable', calls.restoreRequest())).toBe(0);
});

test.each<[string, (request: any) => object, number]>([
  ['an id of wrong form', (r) => ({ ...r, backupId: 'a/b' }), status.INVALID_ARGUMENT],
  ['an id that is too long', (r) => ({ ...r, backupId: 'x'.repeat(51) }), status.INVALID_ARGUMENT],
  ['no backup', ({ backup: _, ...r }) => r, status.INVALID_ARGUMENT],
  ['any cluster', (r) => ({ ...r, parent: `${instance}/clusters/-` }), status.INVALID_ARGUMENT],
  ['a cluster that does not exist', (r) => ({ ...r, parent: `${cluster}x` }), status.NOT_FOUND],
  ['a parent of wrong form', (r) => ({ ...r, parent: instance }), status.INVALID_ARGUMENT],
  ...(
    [
      ['another name', { name: `${backup}x` }, status.INVALID_ARGUMENT],
      ['no table', { sourceTable: '' }, status.INVALID_ARGUMENT],
      ['a missing table', { sourceTable: `${tableName}x` }, status.NOT_FOUND],
      [
        'a table of another instance',
        { sourceTable: 'projects/p/instances/other/tables/t' },
        status.INVALID_ARGUMENT,
      ],
      ['no expiry', { expireTime: undefined }, status.INVALID_ARGUMENT],
      ['an expiry in the past', { expireTime: inHours(-1) }, status.INVALID_ARGUMENT],
      ['an expiry in less than 6 hours', { expireTime: inHours(5.9) }, status.INVALID_ARGUMENT],
      ['an expiry in over 90 days', { expireTime: inHours(91 * 24) }, status.INVALID_ARGUMENT],
      ['an unknown type', { backupType: 3 }, status.INVALID_ARGUMENT],
      ['a standard one as hot', { hotToStandardTime: inHours(30) }, status.INVALID_ARGUMENT],
      [
        'a hot one for less than a day',
        { backupType: 'HOT', hotToStandardTime: inHours(23) },
        status.INVALID_ARGUMENT,
      ],
    ] as const
  ).map(([name, content, expected]): [string, (request: any) => object, number] => [
    name,
    (r) => ({ ...r, backup: { ...r.backup, ...content } }),
    expected,
  ]),
])('CreateBackup refuses %s', async (_, change, expected) => {
  expect(await code('CreateBackup', change(calls.createRequest()))).toBe(expected);
  expect(await calls.names()).toEqual([]);
  expect((await served.engine.listTables()).map(({ name }) => name)).not.toContainEqual(
    expect.stringMatching(/^_rowsmith\.backup/),
  );
});

test('names in use, and backups that do not exist', async () => {
  await calls.create();
  const first = await calls.get();
  expect(await code('CreateBackup', calls.createRequest())).toBe(status.ALREADY_EXISTS);
  expect(await code('RestoreTable', calls.restoreRequest('t'))).toBe(status.ALREADY_EXISTS);
  expect(await calls.get()).toEqual(first);
  expect(await rows(tableName)).toHaveLength(2);
  const none = `${backup}x`;
  for (const method of ['GetBackup', 'DeleteBackup']) {
    expect(await code(method, { name: none })).toBe(status.NOT_FOUND);
    expect(await code(method, { name: tableName })).toBe(status.INVALID_ARGUMENT);
  }
  expect(await code('RestoreTable', calls.restoreRequest('new', none))).toBe(status.NOT_FOUND);
  for (const change of [{ tableId: 'a/b' }, { parent: 'x' }, { backup: '' }, { backup: 'x' }])
    expect(await code('RestoreTable', { ...calls.restoreRequest(), ...change })).toBe(
      status.INVALID_ARGUMENT,
    );
  expect(
    await code('RestoreTable', { ...calls.restoreRequest(), parent: 'projects/p/instances/none' }),
  ).toBe(status.NOT_FOUND);
  const update = { backup: { name: none, expireTime: inHours(9) } };
  const updateMask = { paths: ['expire_time'] };
  expect(await code('UpdateBackup', { ...update, updateMask })).toBe(status.NOT_FOUND);
});

test('updates: the expiry within its limits, and nothing else', async () => {
  await calls.create();
  const update = (content: object, ...paths: string[]) =>
    code('UpdateBackup', { backup: { name: backup, ...content }, updateMask: { paths } });
  const before = await calls.get();
  for (const paths of [[], ['name'], ['source_table'], ['unknown'], ['expire_time', 'state']])
    expect(await update({ expireTime: inHours(9) }, ...paths)).toBe(status.INVALID_ARGUMENT);
  for (const expireTime of [undefined, inHours(-1), inHours(5), inHours(91 * 24)])
    expect(await update({ expireTime }, 'expire_time')).toBe(status.INVALID_ARGUMENT);
  expect(await update({ hotToStandardTime: inHours(48) }, 'hot_to_standard_time')).toBe(
    status.INVALID_ARGUMENT,
  );
  expect(await calls.get()).toEqual(before);
  const expireTime = { seconds: String((inHours(72) as any).seconds), nanos: 123_456_789 };
  expect(await update({ expireTime, sourceTable: 'ignored' }, 'expire_time')).toBe(0);
  expect(await calls.get()).toEqual({ ...before, expireTime });
  // Seven hours after the backup would be allowed, but has passed.
  later(7.5 * hourMs);
  const passed = seconds(Date.now() - hourMs / 2);
  expect(await update({ expireTime: passed }, 'expire_time')).toBe(status.INVALID_ARGUMENT);
});

test('an expired backup is gone, with its rows, and its id is free', async () => {
  await calls.create();
  later(8 * hourMs + 1000);
  expect(await code('GetBackup', { name: backup })).toBe(status.NOT_FOUND);
  expect(await calls.names()).toEqual([]);
  expect(await code('RestoreTable', calls.restoreRequest())).toBe(status.NOT_FOUND);
  expect(await code('DeleteBackup', { name: backup })).toBe(status.NOT_FOUND);
  await calls.create('b', { expireTime: inHours(8) });
  expect(await calls.names()).toEqual(['b']);
  expect(
    (await served.engine.listTables()).filter(({ name }) => name.startsWith('_rowsmith.backup')),
  ).toHaveLength(1);
});

test('a clock that is set back: a backup never ends before it starts, and expires later', async () => {
  await calls.create();
  later(-10 * dayMs);
  expect(await calls.names()).toEqual(['b']);
  const start = new Date(Date.now() + dayMs);
  expect(new Progress(start).end()).toEqual(start);
  expect(
    await code('UpdateBackup', {
      backup: { name: backup, expireTime: inHours(9) },
      updateMask: { paths: ['expire_time'] },
    }),
  ).toBe(status.INVALID_ARGUMENT);
});

test('a hot backup becomes a standard one', async () => {
  const { response } = await calls.create('b', {
    expireTime: inHours(72),
    backupType: 'HOT',
    hotToStandardTime: inHours(25),
  });
  expect(response).toMatchObject({ backupType: 'HOT' });
  later(26 * hourMs);
  const { hotToStandardTime, backupType } = await calls.get();
  expect([hotToStandardTime, backupType]).toEqual([undefined, 'STANDARD']);
});

test('copies: into another cluster, with the times of the source; no copies of copies', async () => {
  await calls.create();
  const source = await calls.get();
  const parent = 'projects/p/instances/elsewhere/clusters/local';
  await client.unary('tables', 'CreateTable', {
    parent: 'projects/p/instances/elsewhere',
    tableId: 't',
  });
  const request = { parent, backupId: 'copy', sourceBackup: backup, expireTime: inHours(9) };
  for (const [change, expected] of [
    [{ backupId: '' }, status.INVALID_ARGUMENT],
    [{ expireTime: undefined }, status.INVALID_ARGUMENT],
    [{ expireTime: inHours(31 * 24) }, status.INVALID_ARGUMENT],
    [{ sourceBackup: `${backup}x` }, status.NOT_FOUND],
    [{ sourceBackup: '' }, status.INVALID_ARGUMENT],
    [{ parent: `${parent}x` }, status.NOT_FOUND],
    [{ parent: cluster, backupId: 'b' }, status.ALREADY_EXISTS],
  ] as const)
    expect([change, await code('CopyBackup', { ...request, ...change })]).toEqual([
      change,
      expected,
    ]);
  const { response, metadata } = await calls.operation('CopyBackup', request);
  const name = `${parent}/backups/copy`;
  expect(response).toEqual({
    ...source,
    name,
    sourceBackup: backup,
    expireTime: response.expireTime,
  });
  expect(metadata).toMatchObject({
    name,
    sourceBackupInfo: { backup, sourceTable: tableName },
    progress: { progressPercent: 100 },
  });
  expect(await code('CopyBackup', { ...request, sourceBackup: name, backupId: 'c2' })).toBe(
    status.FAILED_PRECONDITION,
  );
  const before = await rows(tableName);
  await client.unary('tables', 'DeleteBackup', { name: backup });
  await calls.restore('restored', name);
  expect(await rows(restored)).toEqual(before);
  const { restoreInfo } = await client.unary('tables', 'GetTable', { name: restored });
  expect(restoreInfo.backupInfo).toMatchObject({ backup: name, sourceBackup: backup });
});

test('an instance and a cluster with backups cannot be deleted', async () => {
  const parent = 'projects/p/instances/created';
  const clusterOf = (id: string) => `${parent}/clusters/${id}`;
  await client.unary('instances', 'CreateInstance', {
    parent: 'projects/p',
    instanceId: 'created',
    instance: { displayName: 'c' },
    clusters: { 'cluster-1': { serveNodes: 1 }, 'cluster-2': { serveNodes: 1 } },
  });
  await client.unary('tables', 'CreateTable', { parent, tableId: 't' });
  await calls.operation(
    'CreateBackup',
    calls.createRequest('b', { sourceTable: `${parent}/tables/t` }, clusterOf('cluster-2')),
  );
  const refused = [
    ['DeleteCluster', { name: clusterOf('cluster-2') }],
    ['DeleteInstance', { name: parent }],
  ] as const;
  for (const [method, request] of refused)
    expect((await client.call('instances', method, request)).code).toBe(status.FAILED_PRECONDITION);
  expect((await client.unary('tables', 'ListTables', { parent })).tables).toHaveLength(1);
  await client.unary('tables', 'DeleteBackup', { name: `${clusterOf('cluster-2')}/backups/b` });
  for (const [method, request] of refused)
    expect((await client.call('instances', method, request)).code).toBe(0);
});

test('a policy of a backup is kept, and goes with it', async () => {
  await calls.create();
  const policy = { bindings: [{ role: 'roles/viewer', members: ['user:a'] }] };
  await client.unary('tables', 'SetIamPolicy', { resource: backup, policy });
  expect(await client.unary('tables', 'GetIamPolicy', { resource: backup })).toMatchObject(policy);
  const permissions = ['bigtable.backups.get'];
  expect(
    await client.unary('tables', 'TestIamPermissions', { resource: backup, permissions }),
  ).toEqual({ permissions });
  await client.unary('tables', 'DeleteBackup', { name: backup });
  expect(await code('GetIamPolicy', { resource: backup })).toBe(status.NOT_FOUND);
  await calls.create();
  expect(
    (await client.unary('tables', 'GetIamPolicy', { resource: backup })).bindings,
  ).toBeUndefined();
});
