import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NestFactory } from '@nestjs/core';
import { testDatabase } from 'rowsmith/testing';
import { appModule, Note } from './notes.js';

let app;
before(async () => {
  app = await NestFactory.create(
    appModule(() => testDatabase([Note])),
    { logger: ['error'] },
  );
  await app.listen(0, '127.0.0.1');
});
after(() => app.close());

async function send(body) {
  const response = await fetch(`${await app.getUrl()}/notes`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('a note is saved and read', async () => {
  const note = { id: 'a', title: 'milk' };
  assert.deepEqual(await send(note), { status: 201, body: note });
  assert.deepEqual(await send(), { status: 200, body: [note] });
});

test('an error is answered with its status', async () => {
  assert.equal((await send({ id: 'a', title: 'tea' })).status, 409);
  assert.equal((await send({ id: 7 })).body.code, 'INVALID_VALUE');
});
