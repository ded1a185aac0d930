/** `rowsmith health`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { startServer } from '../../src/server/index.js';
import { command } from '../support/command.js';
import { selfSigned } from '../support/self-signed.js';

const run = (...args: string[]) => command(tmpdir(), ['health', ...args]);

let engine: Engine;
beforeEach(async () => {
  engine = await openMemoryEngine();
});
afterEach(() => engine.close());

test('0 and the address for a server that serves, 1 for one that does not or is gone', async () => {
  const token = 'a-token-of-more-than-16-characters';
  const server = await startServer(engine, { token });
  const { address } = server;
  expect(await run(address)).toEqual({ status: 0, out: `${address} serves.\n`, err: '' });
  const { out } = await run(address, '--json');
  expect(JSON.parse(out)).toEqual({ address, serving: true });
  await engine.close();
  expect(await run(address)).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining(`the server at ${address} does not serve`),
  });
  await server.close({ graceMs: 200 });
  expect(await run(address, '--timeout', '1000')).toMatchObject({
    status: 1,
    err: expect.stringContaining(`the server at ${address} does not answer`),
  });
});

test('a server with TLS is asked with its certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-health-'));
  const tls = selfSigned('elsewhere');
  writeFileSync(join(folder, 'cert.pem'), tls.cert);
  const server = await startServer(engine, { tls });
  try {
    const asked = [server.address, '--tls-cert', join(folder, 'cert.pem')];
    expect(await run(...asked)).toMatchObject({ status: 0 });
    expect(await run(server.address, '--timeout', '1000')).toMatchObject({ status: 1 });
    writeFileSync(join(folder, 'cert.pem'), selfSigned('elsewhere').cert);
    expect(await run(...asked, '--timeout', '1000')).toMatchObject({ status: 1 });
  } finally {
    await server.close({ graceMs: 200 });
    rmSync(folder, { recursive: true });
  }
});

test('usage errors', async () => {
  expect(await run('--timeout', '0')).toMatchObject({ status: 2 });
  expect(await run('127.0.0.1:1', '--tls-cert', '/none/cert.pem')).toMatchObject({ status: 1 });
});
