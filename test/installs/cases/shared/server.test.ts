import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { start } from './app';

const directory = mkdtempSync(join(tmpdir(), 'notes-'));
after(() => rmSync(directory, { recursive: true }));

async function send(url: string, id: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/notes/home`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, title: `note ${id}` }),
  });
  return { status: response.status, body: await response.json() };
}
const list = async (url: string): Promise<unknown> => (await fetch(`${url}/notes/home`)).json();
const saved = [
  { list: 'home', id: 'a', title: 'note a' },
  { list: 'home', id: 'b', title: 'note b' },
];

for (const database of ['memory:', `file:${join(directory, 'data')}`]) {
  test(database, async () => {
    const server = await start(database);
    assert.equal((await send(server.url, 'b')).status, 201);
    assert.equal((await send(server.url, 'a')).status, 201);
    assert.deepEqual(await send(server.url, 'a'), { status: 409, body: { code: 'ROW_EXISTS' } });
    assert.deepEqual(await list(server.url), saved);
    await server.close();
  });
}

test('a second start reads what the first one has saved', async () => {
  const server = await start(`file:${join(directory, 'data')}`);
  assert.deepEqual(await list(server.url), saved);
  await server.close();
});
