/** examples/issue-tracker: its routes, over HTTP and on every back end. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueTracker } from '../../examples/issue-tracker/app.js';
import { Comment, Issue } from '../../examples/issue-tracker/entities.js';
import { backEnds, type OpenedBackEnd } from '../entities/repository/support/back-ends.js';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly rows?: readonly Issue[] };
}

describe.each(backEnds)('the issue tracker, $name', (backEnd) => {
  let opened: OpenedBackEnd;
  let server: Server;
  beforeAll(async () => {
    opened = await backEnd.open([Issue, Comment]);
    server = issueTracker(opened.db).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await opened.close();
  });

  async function send(
    method: string,
    path: string,
    body?: object,
    { tenant = 'acme', user = 'ann' } = {},
  ): Promise<Answer> {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-tenant': tenant, 'x-user': user },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  test('a slug is unique within its tenant', async () => {
    const issue = { slug: 'unique', title: 'Once' };
    expect(await send('POST', '/issues', issue)).toMatchObject({
      status: 201,
      body: { slug: 'unique', title: 'Once', status: 'open' },
    });
    const again = await send('POST', '/issues', issue);
    expect(again).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
    expect(JSON.stringify(again)).not.toContain('holder');
    expect((await send('POST', '/issues', issue, { tenant: 'globex' })).status).toBe(201);
  });

  test('a tenant reaches no issue of another one', async () => {
    await send('POST', '/issues', { slug: 'ours', title: 'Ours', tenant: 'globex' });
    expect((await send('GET', '/issues/ours')).status).toBe(200);
    expect((await send('GET', '/issues/ours', undefined, { tenant: 'globex' })).status).toBe(404);
  });

  test('a change of an old revision is refused', async () => {
    const { body } = await send('POST', '/issues', { slug: 'changes', title: 'First' });
    const { revision, createdAt } = body;
    const change = { title: 'Second', revision, createdAt: '2020-01-01T00:00:00.000Z' };
    expect(await send('PATCH', '/issues/changes', change)).toMatchObject({
      status: 200,
      body: { title: 'Second', status: 'open', createdAt },
    });
    expect(await send('PATCH', '/issues/changes', change)).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT' },
    });
    expect(await send('PATCH', '/issues/changes', { title: 'Third' })).toMatchObject({
      status: 400,
      body: { property: 'revision' },
    });
  });

  test('an issue with comments can be changed', async () => {
    const { body } = await send('POST', '/issues', { slug: 'discussed', title: 'Discussed' });
    await send('POST', '/issues/discussed/comments', { text: 'First' });
    const change = { title: 'Settled', revision: body.revision };
    expect(await send('PATCH', '/issues/discussed', change)).toMatchObject({ status: 200 });
    expect((await send('GET', '/issues/discussed')).body).toMatchObject({
      title: 'Settled',
      comments: '1',
    });
    expect((await send('PATCH', '/issues/discussed', change)).status).toBe(409);
  });

  test('comments are counted, and come newest first', async () => {
    await send('POST', '/issues', { slug: 'talk', title: 'Talk' });
    for (const text of ['one', 'two']) {
      expect((await send('POST', '/issues/talk/comments', { text })).status).toBe(201);
      await new Promise((done) => setTimeout(done, 2));
    }
    expect((await send('GET', '/issues/talk')).body.comments).toBe('2');
    const { rows } = (await send('GET', '/issues/talk/comments')).body;
    expect(rows?.map(({ text }) => text)).toEqual(['two', 'one']);
    // The counter of comments made a row without a title.
    expect((await send('POST', '/issues/999/comments', { text: 'x' })).status).toBe(404);
    expect((await send('GET', '/issues/999')).status).toBe(404);
    expect((await send('GET', '/issues/999/comments')).status).toBe(404);
  });

  test('the inbox has the open issues of one person, newest first', async () => {
    for (const slug of ['in-1', 'in-2', 'in-3']) {
      await send('POST', '/issues', { slug, title: slug, assignee: 'bob' });
      await new Promise((done) => setTimeout(done, 2));
    }
    await send('POST', '/issues', { slug: 'in-4', title: 'of another', assignee: 'eve' });
    const { revision } = (await send('GET', '/issues/in-2')).body;
    await send('PATCH', '/issues/in-2', { status: 'closed', revision });
    const inbox = await send('GET', '/inbox', undefined, { user: 'bob' });
    expect(inbox.body.rows?.map(({ slug }) => slug)).toEqual(['in-3', 'in-1']);
  });

  test('requests that are wrong are answered as such', async () => {
    expect((await send('POST', '/issues', { slug: 'number', title: 7 })).status).toBe(400);
    expect(await send('GET', '/inbox?after=x')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_CURSOR' },
    });
    expect((await send('GET', '/health')).status).toBe(200);
  });
});
