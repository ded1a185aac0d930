/**
 * Settings of tables that are kept: change streams, automated backups, schemas of row keys. They
 * survive a restart, and go with their table.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { openDiskEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { RawClient, utf8 } from './raw-client.js';
import {
  create,
  instance,
  invalid,
  missing,
  precondition,
  resourceServer,
  table,
  unoffered,
} from './resource-calls.js';

const { served, tables, rejected } = resourceServer();

const days = (seconds: number): object => ({ seconds: String(seconds * 86_400) });
const changeStreamConfig = { retentionPeriod: days(2) };
const automatedBackupPolicy = { retentionPeriod: days(3), frequency: days(1) };
const fields = [{ fieldName: 'id', type: { stringType: { encoding: { utf8Bytes: {} } } } }];
const rowKeySchema = { fields, encoding: { delimitedBytes: { delimiter: utf8('#') } } };
const settings = { changeStreamConfig, automatedBackupPolicy, rowKeySchema };

const getTable = (name: string, view = 'SCHEMA_VIEW') =>
  served.client.unary('tables', 'GetTable', { name, view });
const update = (paths: readonly string[], content: object, more: object = {}) =>
  tables('UpdateTable', { table: { name: table, ...content }, updateMask: { paths }, ...more });

test('a new table has its settings, in the views of the schema', async () => {
  const request = { parent: instance, tableId: 'u', table: settings };
  expect(await served.client.unary('tables', 'CreateTable', request)).toMatchObject(settings);
  const name = `${instance}/tables/u`;
  for (const view of ['SCHEMA_VIEW', 'FULL'])
    expect(await getTable(name, view)).toMatchObject(settings);
  expect(await getTable(name, 'NAME_ONLY')).toEqual({ name });
  await served.client.unary('tables', 'DeleteTable', { name });
  await served.client.unary('tables', 'CreateTable', { parent: instance, tableId: 'u' });
  expect(Object.keys(await getTable(name))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(change|automated|rowKey)/)]),
  );
});

test('an update changes what its mask names', async () => {
  const types = (await getTable(table)).columnFamilies;
  const all = ['change_stream_config', 'automated_backup_policy', 'row_key_schema'];
  expect(await update(all, settings)).toMatchObject({ code: status.OK });
  await update(['change_stream_config.retention_period', 'deletion_protection'], {
    changeStreamConfig: { retentionPeriod: days(7) },
    automatedBackupPolicy: { retentionPeriod: days(9) },
    deletionProtection: true,
  });
  const changed = { ...settings, changeStreamConfig: { retentionPeriod: days(7) } };
  expect(await getTable(table)).toMatchObject({ ...changed, deletionProtection: true });
  // Other changes of the table leave them as they are.
  await tables('ModifyColumnFamilies', { name: table, modifications: [{ id: 'x', create: {} }] });
  expect(await getTable(table)).toMatchObject(changed);
  await update(['change_stream_config', 'automated_backup_policy'], {});
  const left = await getTable(table);
  expect(left).toMatchObject({ rowKeySchema, deletionProtection: true });
  expect(left.changeStreamConfig).toBeUndefined();
  expect(left.columnFamilies).toEqual({ ...types, x: { gcRule: {} } });
  await update(['row_key_schema'], {}, { ignoreWarnings: true });
  expect((await getTable(table)).rowKeySchema).toBeUndefined();
});

test('bad input leaves the table as it was', async () => {
  await update(['row_key_schema'], { rowKeySchema });
  const updated = (paths: readonly string[], content: object, more: object = {}) => ({
    table: { name: table, ...content },
    updateMask: { paths },
    ...more,
  });
  const stream = (retentionPeriod?: object) =>
    updated(['change_stream_config'], { changeStreamConfig: { retentionPeriod } });
  const backup = (content: object) =>
    updated(['automated_backup_policy'], { automatedBackupPolicy: content });
  const schema = (content: object) => updated(['row_key_schema'], { rowKeySchema: content });
  const name = `${table}x`;
  await rejected(tables, [
    ['UpdateTable', { table: { name: table } }, invalid],
    ['UpdateTable', updated(['unknown'], {}), invalid],
    ['UpdateTable', updated(['change_stream_config.unknown'], {}), invalid],
    ['UpdateTable', updated(['deletion_protection', 'granularity'], {}), invalid],
    ['UpdateTable', updated(['column_families'], {}), unoffered],
    ['UpdateTable', updated(['change_stream_config'], { name, changeStreamConfig }), missing],
    ['UpdateTable', stream(), invalid],
    ['UpdateTable', stream({ seconds: 86_399 }), invalid],
    ['UpdateTable', stream({ seconds: 7 * 86_400, nanos: 1000 }), invalid],
    ['UpdateTable', backup({}), invalid],
    ['UpdateTable', backup({ retentionPeriod: days(2) }), invalid],
    ['UpdateTable', backup({ retentionPeriod: days(91) }), invalid],
    ['UpdateTable', backup({ retentionPeriod: days(3), frequency: days(2) }), invalid],
    ['UpdateTable', schema({}), invalid],
    ['UpdateTable', schema({ fields }), invalid],
    ['UpdateTable', schema({ fields: [], encoding: { singleton: {} } }), invalid],
    ['UpdateTable', schema({ fields, encoding: { singleton: {} } }), precondition],
    ['UpdateTable', updated(['row_key_schema'], {}), invalid],
    [
      'UpdateTable',
      schema({ fields: [{ fieldName: 'n', type: { boolType: {} } }], encoding: { singleton: {} } }),
      unoffered,
    ],
    // Nothing of the update is done: neither the protection nor the setting.
    [
      'UpdateTable',
      updated(['deletion_protection', 'change_stream_config'], {
        deletionProtection: true,
        changeStreamConfig: { retentionPeriod: days(9) },
      }),
      invalid,
    ],
    ['CreateTable', { parent: instance, tableId: 'v', table: { changeStreamConfig: {} } }, invalid],
  ]);
});

test('a schema of row keys has the invariants of table.proto', async () => {
  const string = { stringType: { encoding: { utf8Bytes: {} } } };
  const named = (...names: readonly string[]) =>
    names.map((fieldName) => ({ fieldName, type: string }));
  const singleton = { singleton: {} };
  const delimitedBy = (bytes: number) => ({
    delimitedBytes: { delimiter: Buffer.alloc(bytes, '#') },
  });
  const columnFamilies = { f: {} };
  const wrong = [
    { fields: named('f'), encoding: singleton },
    { fields: named('_key'), encoding: singleton },
    { fields: named('_timestamp'), encoding: singleton },
    { fields: named(''), encoding: singleton },
    { fields: named('a', 'b'), encoding: singleton },
    { fields: named('a'), encoding: delimitedBy(0) },
    { fields: named('a'), encoding: delimitedBy(51) },
    { fields: [{ fieldName: 'a', type: { int64Type: {} } }], encoding: singleton },
    { fields: [{ fieldName: 'a' }], encoding: singleton },
  ];
  const right = [
    { fields: named('a'), encoding: singleton },
    { fields: named('a', 'b'), encoding: delimitedBy(50) },
    { fields: named('a', 'b'), encoding: { orderedCodeBytes: {} } },
  ];
  const outcomes = (list: readonly object[]) =>
    Promise.all(
      list.map(async (rowKeySchema, i) => {
        const tableId = `keys-${list === wrong ? 'wrong' : 'right'}-${i}`;
        const content = { columnFamilies, rowKeySchema };
        const { code } = await tables('CreateTable', { parent: instance, tableId, table: content });
        return { code };
      }),
    );
  expect(await outcomes(wrong)).toEqual(wrong.map(() => invalid));
  expect(await outcomes(right)).toEqual(right.map(() => ({ code: status.OK })));
  // An update compares with the families that the table has.
  await tables('ModifyColumnFamilies', { name: table, modifications: [{ id: 'x', create: {} }] });
  const collision = { fields: named('x'), encoding: singleton };
  expect(await update(['row_key_schema'], { rowKeySchema: collision })).toMatchObject(invalid);
});

test('a restart keeps them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'server-settings-'));
  try {
    for (const isFirst of [true, false]) {
      const engine = await openDiskEngine(directory);
      const server = await startServer(engine);
      const client = new RawClient(server.address);
      if (isFirst) {
        await create(client);
        await client.unary('tables', 'UpdateTable', {
          table: { name: table, ...settings },
          updateMask: { paths: ['change_stream_config', 'row_key_schema'] },
        });
      }
      const found = await client.unary('tables', 'GetTable', { name: table });
      expect(found).toMatchObject({ changeStreamConfig, rowKeySchema });
      client.close();
      await server.close({ graceMs: 200 });
      await engine.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
