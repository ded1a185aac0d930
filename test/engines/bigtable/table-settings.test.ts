/**
 * Settings of tables: the requests that the live engine sends, read by Google's own messages, and
 * tables of Google's messages, as the engine reads them. Embedded engines reject the settings.
 */
import { keyStruct } from '../../../src/tools/codegen/tables/row-key-schema.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { openEngine } from '../../../src/engines/index.js';
import { buildModels, column, defineEntity, rowKey } from '../../../src/entities/model/index.js';
import { decodeTable, encodeRowKeySchema, Table } from '../../../src/engines/protocol/index.js';
import type { Engine, TableUpdate } from '../../../src/data/store/index.js';
import { encodePublished, publishedType } from '../protocol/published.js';
import { startFaultServer } from '../../support/fault-server.js';
import { liveUrl, openOverOurServer } from './live-backends.js';

const UpdateTableRequest = publishedType('google.bigtable.admin.v2.UpdateTableRequest');
const day = 86_400e6;

function structOf(format: 'text' | 'ordered') {
  class Reading {
    device!: string;
    at!: Date;
    n!: number;
    value?: string;
  }
  const Defined = defineEntity(Reading, {
    table: 'readings',
    families: { m: {} },
    key: rowKey('device', 'n', 'at'),
    keyFormat: format,
    segments: {
      device: { kind: 'string', maxLength: 10 },
      n: { kind: 'uint', max: 9 },
      at: { kind: 'timestamp' },
    },
    columns: { value: column('m', 'string') },
  });
  return keyStruct(buildModels([Defined])[0]);
}

/** The request of an update, which our server rejects or not. */
async function requestOf(update: TableUpdate) {
  const server = await openOverOurServer();
  const proxy = await startFaultServer(server.address, () => undefined);
  const engine = await openLiveEngine(liveUrl, { emulatorHost: proxy.address });
  try {
    await server.engine.createTable({ name: 't', families: new Map() });
    await engine.updateTable('t', update).catch(() => undefined);
    const call = proxy.calls.find(({ method }) => method.endsWith('/UpdateTable'));
    if (call === undefined) return undefined;
    return UpdateTableRequest.toObject(UpdateTableRequest.decode(call.request), {
      longs: Number,
      bytes: String,
    });
  } finally {
    await engine.close();
    await proxy.close();
    await server.close();
  }
}
const name = 'projects/p/instances/instance-1/tables/t';

test('an update sends what it changes, with its mask', async () => {
  expect(await requestOf({})).toBeUndefined();
  expect(await requestOf({ deletionProtection: false, changeStreamMicros: 2 * day })).toMatchObject(
    {
      table: { name, changeStreamConfig: { retentionPeriod: { seconds: 172_800 } } },
      updateMask: { paths: ['deletion_protection', 'change_stream_config'] },
    },
  );
  const automatedBackup = { retentionMicros: 3 * day, frequencyMicros: day };
  expect(await requestOf({ automatedBackup })).toMatchObject({
    table: {
      automatedBackupPolicy: {
        retentionPeriod: { seconds: 259_200 },
        frequency: { seconds: 86_400 },
      },
    },
    updateMask: { paths: ['automated_backup_policy'] },
  });
});

test('null removes a setting; a row key schema only with ignore_warnings', async () => {
  const stream = await requestOf({ changeStreamMicros: null, automatedBackup: null });
  expect(stream).toEqual({
    table: { name },
    updateMask: { paths: ['change_stream_config', 'automated_backup_policy'] },
  });
  expect(await requestOf({ rowKeySchema: null })).toEqual({
    table: { name },
    updateMask: { paths: ['row_key_schema'] },
    ignoreWarnings: true,
  });
});

test.each(['text', 'ordered'] as const)(
  'a row key schema of a key in the format %s',
  async (format) => {
    const struct = structOf(format);
    const request = await requestOf({ rowKeySchema: encodeRowKeySchema(struct) });
    // The generated JSON equals the JSON of Google's message.
    expect(request?.table).toEqual({ name, rowKeySchema: struct });
  },
);

test('a table of Google is read with its settings, and equals what was sent', () => {
  const struct = structOf('text');
  const rowKeySchema = encodeRowKeySchema(struct);
  const bytes = encodePublished('google.bigtable.admin.v2.Table', {
    name,
    columnFamilies: { m: {} },
    deletionProtection: true,
    changeStreamConfig: { retentionPeriod: { seconds: 86_400 } },
    automatedBackupPolicy: {
      retentionPeriod: { seconds: 259_200 },
      frequency: { seconds: 86_400 },
    },
    rowKeySchema: struct,
  });
  expect(decodeTable(Table.decode(new Uint8Array(bytes)), 't')).toMatchObject({
    deletionProtection: true,
    changeStreamMicros: day,
    automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day },
    rowKeySchema,
  });
});

const settings: readonly TableUpdate[] = [
  { changeStreamMicros: day },
  { automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day } },
  { rowKeySchema: Uint8Array.of(1) },
  { changeStreamMicros: null },
];

test.each(settings)('embedded: %j is rejected, and the table stays', async (update) => {
  const engine = await openEngine('memory:');
  await engine.createTable({ name: 't', families: new Map() });
  const error = { code: 'UNSUPPORTED', details: { table: 't', property: Object.keys(update)[0] } };
  await expect(
    engine.updateTable('t', { deletionProtection: true, ...update }),
  ).rejects.toMatchObject(error);
  expect((await engine.listTables())[0].deletionProtection).not.toBe(true);
  if (Object.values(update)[0] !== null) {
    const schema = { name: 'u', families: new Map(), ...update } as Parameters<
      Engine['createTable']
    >[0];
    await expect(engine.createTable(schema)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await engine.listTables()).toHaveLength(1);
  }
  await engine.close();
});

test.each([
  { changeStreamMicros: '1d' },
  { changeStreamMicros: 0.5 },
  { changeStreamMicros: -1 },
  { automatedBackup: true },
  { automatedBackup: { retentionMicros: day } },
  { rowKeySchema: 'a' },
])('%j is not a setting', async (update) => {
  const engine = await openEngine('memory:');
  await engine.createTable({ name: 't', families: new Map() });
  await expect(engine.updateTable('t', update as TableUpdate)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: expect.stringContaining(Object.keys(update)[0]), fix: expect.any(String) },
  });
  await engine.close();
});
