/**
 * An issue tracker over HTTP: tenants in scopes, unique slugs, revisions, a counter of comments, and
 * an inbox by index. The routes are in issue-tracker/app.ts. It needs `npm install express`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { open } from 'rowsmith';
import { issueTracker } from './issue-tracker/app.js';
import { Comment, Issue } from './issue-tracker/entities.js';

await using db = await open('memory:', { entities: [Issue, Comment] });
const server = issueTracker(db).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function send(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-tenant': 'acme', 'x-user': 'ann' };
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  console.log(method, path, response.status);
  return response;
}

const created = await send('POST', '/issues', { slug: 'leak', title: 'A leak', assignee: 'ann' });
assert.equal(created.status, 201);
const { revision } = (await created.json()) as { revision: string };

// Another issue cannot have the slug, and an old revision does not overwrite a new one.
assert.equal((await send('POST', '/issues', { slug: 'leak', title: 'Another' })).status, 409);
assert.equal((await send('PATCH', '/issues/leak', { title: 'A big leak', revision })).status, 200);
assert.equal((await send('PATCH', '/issues/leak', { title: 'A drop', revision })).status, 409);

await send('POST', '/issues/leak/comments', { text: 'It is in the cellar.' });
const inbox = (await (await send('GET', '/inbox')).json()) as { rows: { comments: string }[] };
assert.deepEqual(
  inbox.rows.map(({ comments }) => comments),
  ['1'],
);

server.close();
server.closeAllConnections();
