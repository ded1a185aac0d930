/** The channel to an instance, over real connections. */
import { connect } from '../../../src/engines/bigtable/channel/connect.js';
import { CallError, type Channel } from '../../../src/engines/bigtable/channel/channel.js';
import {
  parseTarget,
  resolveSettings,
  type LiveSettings,
} from '../../../src/engines/bigtable/settings.js';
import { MutateRowRequest, SampleRowKeysResponse } from '../../../src/engines/protocol/index.js';
import { RowsmithError } from '../../../src/base/index.js';
import {
  instance,
  createTestTable,
  serveMemory,
  tableName,
  utf8,
  type TestServer,
} from '../../server/raw-client.js';
import { decodePublished, encodePublished } from '../protocol/published.js';

const data = '/google.bigtable.v2.Bigtable';
const routing = `table_name=${encodeURIComponent(tableName)}`;
const target = { project: 'p', instance: 'instance-1', appProfile: undefined };

async function codeOf(call: Promise<unknown>): Promise<number | string> {
  const reason = await call.then(
    () => 'no error',
    (error: unknown) => error,
  );
  return reason instanceof CallError ? reason.code : String(reason);
}

async function drain(stream: ReturnType<Channel['stream']>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (let some = await stream.read(); some !== undefined; some = await stream.read())
    all.push(...some);
  return all;
}

describe.each(['auto', 'generated'] as const)('transport %s', (transport) => {
  let served: TestServer;
  let channel: Channel;
  const open = (settings: LiveSettings = {}) =>
    connect(target, { emulatorHost: served.server.address, transport, ...settings });
  const write = (key: string, value: Buffer) =>
    channel.unary(
      `${data}/MutateRow`,
      MutateRowRequest.encode({
        tableName,
        rowKey: utf8(key),
        mutations: [
          {
            setCell: { familyName: 'a', columnQualifier: utf8('q'), timestampMicros: 1000n, value },
          },
        ],
      }),
      { routing },
    );
  const readAll = (settings: object = {}) =>
    channel.stream(
      `${data}/ReadRows`,
      encodePublished('google.bigtable.v2.ReadRowsRequest', { tableName, ...settings }),
      { routing },
    );

  beforeEach(async () => {
    served = await serveMemory();
    await createTestTable(served.client);
    channel = await open();
  });
  afterEach(async () => {
    await channel.close();
    await served.close();
  });

  test('runs unary calls, streams and calls of the admin API', async () => {
    expect(channel.instance).toBe(instance);
    expect(await write('k', Buffer.from([0, 255, 10]))).toHaveLength(0);
    const [message] = await drain(readAll());
    const [chunk] = (
      decodePublished('google.bigtable.v2.ReadRowsResponse', Buffer.from(message)) as unknown as {
        chunks: { rowKey: Buffer; value: Buffer }[];
      }
    ).chunks;
    expect([
      Buffer.from(chunk.rowKey).toString(),
      Buffer.from(chunk.value).toString('hex'),
    ]).toEqual(['k', '00ff0a']);
    const samples = await drain(
      channel.stream(
        `${data}/SampleRowKeys`,
        encodePublished('google.bigtable.v2.SampleRowKeysRequest', { tableName }),
        { routing },
      ),
    );
    expect(SampleRowKeysResponse.decode(samples.at(-1)!).rowKey ?? new Uint8Array(0)).toHaveLength(
      0,
    );
    const response = await channel.unary(
      '/google.bigtable.admin.v2.BigtableTableAdmin/GetTable',
      encodePublished('google.bigtable.admin.v2.GetTableRequest', { name: tableName }),
      { routing: `name=${encodeURIComponent(tableName)}` },
    );
    expect(
      (
        decodePublished('google.bigtable.admin.v2.Table', Buffer.from(response)) as {
          name?: string;
        }
      ).name,
    ).toBe(tableName);
  });

  test('an error status becomes a CallError with its code and text', async () => {
    const missing = `${instance}/tables/none`;
    await expect(
      channel.unary(
        `${data}/MutateRow`,
        MutateRowRequest.encode({
          tableName: missing,
          rowKey: utf8('k'),
          mutations: [{ deleteFromRow: {} }],
        }),
        { routing },
      ),
    ).rejects.toMatchObject({ code: 5, message: expect.stringContaining('not found') });
    expect(
      await codeOf(
        channel
          .stream(
            `${data}/ReadRows`,
            encodePublished('google.bigtable.v2.ReadRowsRequest', { tableName: missing }),
            { routing },
          )
          .read(),
      ),
    ).toBe(5);
  });

  test('abort rejects calls with its reason, cancel ends a stream, and close ends all calls', async () => {
    const reason = new Error('enough');
    const alreadyAborted = AbortSignal.abort(reason);
    await expect(
      channel.unary(`${data}/MutateRow`, new Uint8Array(0), { routing, signal: alreadyAborted }),
    ).rejects.toBe(reason);
    await expect(
      channel
        .stream(`${data}/ReadRows`, new Uint8Array(0), { routing, signal: alreadyAborted })
        .read(),
    ).rejects.toBe(reason);
    for (let i = 0; i < 12; i++) await write(`k${i}`, Buffer.alloc(1_000_000));
    const abort = new AbortController();
    const aborted = channel.stream(
      `${data}/ReadRows`,
      encodePublished('google.bigtable.v2.ReadRowsRequest', { tableName }),
      { routing, signal: abort.signal },
    );
    await aborted.read();
    abort.abort(reason);
    await expect(drain(aborted)).rejects.toBe(reason);
    const cancelled = readAll();
    await cancelled.read();
    cancelled.cancel();
    cancelled.cancel();
    expect(await cancelled.read()).toBeUndefined();
    const running = readAll();
    await running.read();
    await channel.close();
    expect(await codeOf(drain(running))).toBe(1);
    expect(await codeOf(write('k', Buffer.of(1)))).toBe(1);
    expect(await codeOf(readAll().read())).toBe(1);
  });

  test('an attempt ends at its deadline', async () => {
    const mutateRow = served.engine.mutateRow.bind(served.engine);
    served.engine.mutateRow = () => new Promise(() => undefined);
    const call = channel.unary(
      `${data}/MutateRow`,
      MutateRowRequest.encode({ tableName, rowKey: utf8('k'), mutations: [{ deleteFromRow: {} }] }),
      { routing, timeoutMs: 50 },
    );
    expect(await codeOf(call)).toBe(4);
    served.engine.mutateRow = mutateRow;
  });

  test('calls fail, and close is prompt, if no server listens', async () => {
    await served.close();
    expect(await codeOf(write('k', Buffer.of(1)))).toBe(14);
    await channel.close();
  });
});

test.each([
  ['bigtable://p/i', { project: 'p', instance: 'i', appProfile: undefined }],
  [
    'bigtable://example.com:p/i-1?appProfile=batch_1',
    { project: 'example.com:p', instance: 'i-1', appProfile: 'batch_1' },
  ],
  ['bigtable:///i', { project: undefined, instance: 'i', appProfile: undefined }],
])('the url %s', (url, parts) => expect(parseTarget(url)).toEqual(parts));

test.each([
  'bigtable:',
  'bigtable://p',
  'bigtable://p/',
  'bigtable://p/i/t',
  'bigtable://p/I',
  'bigtable://p q/i',
  'bigtable://p/i?profile=x',
  'bigtable://p/i?appProfile=',
  'bigtable://p/i#x',
])('the url %s is rejected', (url) => {
  expect(() => parseTarget(url)).toThrow(RowsmithError);
});

test.each([
  { windowBytes: 1000 },
  { connections: 0 },
  { attemptTimeoutMs: 1.5 },
  { transport: 'rest' },
  { gatherGets: 1 },
  { batchWriteFlowControl: 'yes' },
  { proejctId: 'p' },
])('the settings %j are rejected', (settings) => {
  expect(() => resolveSettings(settings as LiveSettings)).toThrow(RowsmithError);
});
