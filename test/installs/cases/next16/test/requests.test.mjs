/** Each bundle of the server reads what other bundles save, with its own copy of the classes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { startNext } from './next-server.mjs';

const data = new URL('../data-of-requests', import.meta.url).pathname;
after(() => rmSync(data, { recursive: true, force: true }));

async function post(server, body) {
  const response = await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function get(server, list) {
  const response = await fetch(`${server.url}/api/notes?list=${list}`);
  assert.equal(response.status, 200, server.output());
  return response.json();
}

async function page(server) {
  const response = await fetch(`${server.url}/notes`);
  assert.equal(response.status, 200, server.output());
  return response.text();
}

/** Submits the form as a browser without JavaScript does. */
async function submit(server, fields) {
  const form = new FormData();
  for (const [, name, value] of (await page(server)).matchAll(
    /<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g,
  ))
    form.append(name, value ?? '');
  assert.notEqual([...form.keys()].length, 0, 'the form has no action');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await fetch(`${server.url}/notes`, { method: 'POST', body: form });
  assert.equal(response.status, 200, server.output());
  return response.text();
}

for (const url of ['memory:', `file:${data}`]) {
  describe(url, () => {
    let server;
    after(() => server?.close());

    test('the handler saves, the page, the action and the handler read', async () => {
      server = await startNext('start', { DATABASE: url });
      assert.deepEqual(await post(server, { list: 'home', id: 'a', title: 'milk' }), {
        status: 201,
        body: { saved: 'a' },
      });
      assert.match(await page(server), /a: milk!/);
      assert.match(await submit(server, { id: 'b', title: 'bread' }), /b: bread!/);
      assert.deepEqual(await get(server, 'home'), [
        { id: 'a', title: 'milk', shout: 'milk!', isNote: true },
        { id: 'b', title: 'bread', shout: 'bread!', isNote: true },
      ]);
    });

    test('errors are typed and name the entity as declared', async () => {
      assert.deepEqual(await post(server, { list: 'home', id: 'a', title: 'x' }), {
        status: 409,
        body: { code: 'ROW_EXISTS', entity: 'Note', isInstance: true },
      });
    });
  });
}

test('a second start reads what the first one has saved', async () => {
  const server = await startNext('start', { DATABASE: `file:${data}` });
  try {
    assert.equal((await get(server, 'home')).length, 2);
  } finally {
    await server.close();
  }
});
