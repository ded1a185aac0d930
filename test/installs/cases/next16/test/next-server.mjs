/** Starts `next` in a separate process, and waits until it listens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';

const next = createRequire(import.meta.url).resolve('next/dist/bin/next');

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export async function startNext(command, env = {}) {
  const port = await freePort();
  const args = [next, command, '-H', '127.0.0.1', '-p', String(port)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'exit');
  await new Promise((done, fail) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
        if (output.includes('Ready in')) done();
      });
    child.on('exit', () => fail(new Error(`next ${command} ended:\n${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
