/** `next dev` compiles edited modules again within one process. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { startNext } from './next-server.mjs';

function edit(name, text, replacement) {
  const path = new URL(`../${name}`, import.meta.url);
  const source = readFileSync(path, 'utf8');
  assert.ok(source.includes(text), `${name}: ${text}`);
  writeFileSync(path, source.replace(text, replacement));
  return () => writeFileSync(path, source);
}

async function post(server, body) {
  const response = await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 201, `${text}\n${server.output()}`);
}

async function get(server) {
  const response = await fetch(`${server.url}/api/notes?list=home`);
  const text = await response.text();
  assert.equal(response.status, 200, `${text}\n${server.output()}`);
  return JSON.parse(text);
}

/** Polls, because the server notices an edited file after some time. */
async function until(server, isExpected) {
  const end = Date.now() + 30_000;
  for (;;) {
    const rows = await get(server);
    if (isExpected(rows)) return rows;
    assert.ok(Date.now() < end, `${JSON.stringify(rows)}\n${server.output()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function page(server) {
  const response = await fetch(`${server.url}/notes`);
  const text = await response.text();
  assert.equal(response.status, 200, server.output());
  return text;
}

for (const [url, kept] of [
  ['file:./dev-data', 1],
  ['memory:', 0],
]) {
  test(url, async () => {
    rmSync(new URL('../dev-data', import.meta.url), { recursive: true, force: true });
    const server = await startNext('dev', { DATABASE: url });
    const undo = [];
    try {
      await post(server, { list: 'home', id: 'a', title: 'milk' });
      assert.match(await page(server), /a: milk!/);
      assert.equal((await get(server)).length, 1);
      // A module that does not change the entity: what was in memory stays.
      undo.push(
        edit('app/api/notes/route.ts', 'title: note.title,', 'title: note.title, edit: 1,'),
      );
      await until(server, ([row]) => row?.edit === 1);
      // The entity itself: the database is closed and opened again.
      const column = "@Column('n', 'string') title?: string;";
      undo.push(edit('lib/note.ts', column, `${column}\n  @Column('n', 'int32') stars?: number;`));
      await until(server, (rows) => rows.length === kept);
      await post(server, { list: 'home', id: 'b', title: 'bread' });
      assert.equal((await get(server)).length, kept + 1);
      assert.match(await page(server), /b: bread!/);
    } finally {
      for (const each of undo.reverse()) each();
      await server.close();
    }
  });
}
