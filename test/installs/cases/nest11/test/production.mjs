/** The compiled application, stopped and started again on the same directory. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

const data = new URL('../data', import.meta.url).pathname;
rmSync(data, { recursive: true, force: true });

async function withServer(work) {
  const env = { ...process.env, PORT: '0', DATABASE: `file:${data}` };
  const child = spawn(process.execPath, ['dist/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const url = await new Promise((done, fail) => {
      let output = '';
      child.stdout.on('data', (text) => {
        output += text;
        const [, found] = /listening at (\S+)/.exec(output) ?? [];
        if (found !== undefined) done(found);
      });
      child.on('exit', () => fail(new Error(output)));
    });
    await work(url);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

await withServer(async (url) => {
  const response = await fetch(`${url}/notes/home`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'a', title: 'milk' }),
  });
  assert.equal(response.status, 201);
});
await withServer(async (url) => {
  const notes = await (await fetch(`${url}/notes/home`)).json();
  assert.deepEqual(notes, [{ list: 'home', id: 'a', title: 'milk' }]);
});
console.log('production: saved and read');
