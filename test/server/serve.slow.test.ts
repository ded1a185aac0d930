/** `rowsmith serve` as a process: its output, its exit, and its data after it was killed. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { selfSigned } from '../support/self-signed.js';
import { until } from '../support/until.js';
import { folder, printed, program, root, serve, start, useCommand } from './serve-process.js';
import { collectCall, RawClient, setCell, utf8 } from './raw-client.js';

useCommand();

async function failing(
  ...args: readonly string[]
): Promise<{ readonly code: number | string; readonly output: string }> {
  const { ended, output } = start(...args);
  return { code: await ended, output: output() };
}

const parent = 'projects/p/instances/instance-1';
const tableName = `${parent}/tables/t`;
const write = (client: RawClient, key: string) =>
  client.call('data', 'MutateRow', {
    tableName,
    rowKey: utf8(key),
    mutations: [setCell('a', 'q', key)],
  });
const makeTable = (client: RawClient, name: string) =>
  client.unary('tables', 'CreateTable', {
    parent: name,
    tableId: 't',
    table: { columnFamilies: { a: {} } },
  });

test('a server that cannot start does not create its directory', async () => {
  // Without @grpc/grpc-js, and with options that startServer rejects.
  const bare = mkdtempSync(join(tmpdir(), 'rowsmith-without-grpc-'));
  mkdirSync(join(bare, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@grpc')
      symlinkSync(join(root, 'node_modules', name), join(bare, 'node_modules', name));
  copyFileSync(program, join(bare, 'rowsmith.mjs'));
  const data = join(bare, 'data');
  const missing = spawnSync(
    process.execPath,
    [join(bare, 'rowsmith.mjs'), 'serve', '--dir', data, '--port', '0'],
    { encoding: 'utf8', timeout: 30_000 },
  );
  expect(missing).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm install @grpc/grpc-js') as string,
  });
  const token = join(bare, 'token');
  writeFileSync(token, 'short');
  for (const options of [
    ['--instance', 'nowhere'],
    ['--token-file', token],
  ])
    expect(await failing('serve', '--dir', data, '--port', '0', ...options)).toMatchObject({
      code: 1,
    });
  expect(existsSync(data)).toBe(false);
  rmSync(bare, { recursive: true });
});

test('help, and invalid arguments', async () => {
  expect(await failing('--help')).toMatchObject({
    code: 0,
    output: expect.stringContaining('serve'),
  });
  expect(await failing('serve', '--help')).toMatchObject({
    code: 0,
    output: expect.stringContaining('--dir DIRECTORY'),
  });
  const wrong: [string[], string][] = [
    [[], 'Usage'],
    [['serf'], "there is no command 'serf'"],
    [['serve'], '--dir DIRECTORY or --memory'],
    [['serve', '--dir'], '--dir needs a directory'],
    [['serve', '--memory', '--dir', 'x'], 'exclude each other'],
    [['serve', '--dir', 'file:///tmp/x'], "--dir takes a directory, not the url 'file:///tmp/x'"],
    [['serve', '--memory', '--tls-cert', 'x'], '--tls-cert and --tls-key are given together'],
    [['serve', '--memory', '--port', '99999'], 'from 0 to 65,535'],
    [['serve', '--memory', '--gc', 'never'], 'lazy, onRead or manual'],
    [['serve', '--memory', '--prot', '1'], "there is no option '--prot'; did you mean '--port'?"],
  ];
  for (const [args, text] of wrong)
    expect(await failing(...args)).toMatchObject({
      code: 2,
      output: expect.stringContaining(text),
    });
});

test('a host that other machines can reach is warned about', async () => {
  const exposed = await serve('--memory', '--host', '0.0.0.0');
  expect(exposed.output()).toContain('Warning: 0.0.0.0 can be reached from other machines');
  expect(exposed.output()).toContain('Give --token-file');
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'a-token-of-more-than-16-characters\n');
  const plain = await serve('--memory', '--host', '0.0.0.0', '--token-file', tokenFile);
  expect(plain.output()).toContain('calls are not encrypted');
  const local = await serve('--memory');
  expect(local.output()).not.toContain('Warning');
});

test('--tls-cert, --tls-key and --token-file', async () => {
  const { cert, key } = selfSigned('localhost');
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const security = [
    ...['--tls-cert', file('cert.pem', cert), '--tls-key', file('key.pem', key)],
    ...['--token-file', file('token.txt', 'a-token-of-more-than-16-characters\n')],
  ];
  const started = start('serve', '--memory', '--host', '0.0.0.0', '--port', '0', ...security);
  const port = await printed(started, /^Serving memory at 0\.0\.0\.0:(\d+), TLS\.$/m);
  expect(started.output()).not.toContain('Warning');
  const client = new Client(`localhost:${port}`, credentials.createSsl(Buffer.from(cert)));
  const listed = (metadata: Metadata): Promise<number> =>
    new Promise((resolve) =>
      client.makeUnaryRequest(
        '/google.bigtable.admin.v2.BigtableInstanceAdmin/ListInstances',
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        Buffer.from('\n\nprojects/p', 'latin1'),
        metadata,
        (error) => resolve(error?.code ?? status.OK),
      ),
    );
  const metadata = new Metadata();
  expect(await listed(metadata)).toBe(status.UNAUTHENTICATED);
  metadata.set('authorization', 'Bearer a-token-of-more-than-16-characters');
  expect(await listed(metadata)).toBe(status.OK);
  client.close();
  const missing = await failing('serve', '--memory', '--token-file', join(folder, 'none'));
  expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('there is no file') });
});

test('a directory in use by another process, and one that is not a database', async () => {
  const directory = join(folder, 'held');
  const first = await serve('--dir', directory);
  const second = await failing('serve', '--dir', directory, '--port', '0');
  expect(second).toMatchObject({
    code: 1,
    output: expect.stringContaining('The database is in use'),
  });
  expect(second.output).toContain(String(first.child.pid));
  expect(second.output).not.toMatch(/\n\s+at /);
  const taken = await failing('serve', '--memory', '--port', first.address.split(':')[1]);
  expect(taken).toMatchObject({ code: 1, output: expect.stringContaining('cannot listen') });
  writeFileSync(join(folder, 'a-file'), 'x');
  expect(await failing('serve', '--dir', join(folder, 'a-file'))).toMatchObject({
    code: 1,
    output: expect.stringContaining('not a Rowsmith database'),
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s completes a running scan and closes the database, and all data is there after a restart',
  async (signal) => {
    const directory = join(folder, signal);
    const first = await serve('--dir', directory);
    let client = new RawClient(first.address);
    await makeTable(client, parent);
    await makeTable(client, 'projects/other/instances/instance-1');
    const entries = Array.from({ length: 500 }, (_, i) => ({
      rowKey: utf8(`row-${i}`),
      mutations: [setCell('a', 'q', Buffer.alloc(20_000, i))],
    }));
    expect(await client.call('data', 'MutateRows', { tableName, entries })).toMatchObject({
      code: status.OK,
    });
    const stream = client.stream('data', 'ReadRows', { tableName });
    const end = collectCall(stream);
    stream.pause();
    // Running calls are completed; a call that arrives after the signal would be rejected.
    await once(stream, 'metadata');
    first.child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    stream.resume();
    expect((await end).code).toBe(status.OK);
    client.close();
    expect(await first.ended).toBe(0);
    expect(first.output()).toContain(`${signal}: closing.`);

    const second = await serve('--dir', directory);
    client = new RawClient(second.address);
    expect(await client.rows({ tableName })).toHaveLength(500);
    expect(
      await client.rows({ tableName: 'projects/other/instances/instance-1/tables/t' }),
    ).toEqual([]);
    const { tables } = (await client.unary('tables', 'ListTables', { parent })) as {
      tables: { name: string }[];
    };
    expect(tables.map(({ name }) => name)).toEqual([tableName]);
    client.close();
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  },
);

test('kill -9 under load loses no acknowledged write', async () => {
  const directory = join(folder, 'killed');
  const first = await serve('--dir', directory);
  let client = new RawClient(first.address);
  await makeTable(client, parent);
  const acknowledged: string[] = [];
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let i = 0; ; i++) {
      const key = `w${writer}-${i}`;
      const { code } = await write(client, key);
      if (code !== status.OK) return;
      acknowledged.push(key);
    }
  });
  await Promise.race([
    ...writers,
    (async () => {
      await until(() => acknowledged.length >= 100);
    })(),
  ]);
  first.child.kill('SIGKILL');
  await Promise.all(writers);
  client.close();
  expect(await first.ended).toBe('SIGKILL');
  expect(acknowledged.length).toBeGreaterThanOrEqual(100);

  const second = await serve('--dir', directory);
  client = new RawClient(second.address);
  const stored = new Set(
    (await client.rows({ tableName })).map(({ key }) => Buffer.from(key).toString()),
  );
  expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
  client.close();
});
