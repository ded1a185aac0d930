/** Who may talk to the studio, and what it tells browsers. */
import { StudioClient, sendTo } from './studio-client.js';
import { startStudio } from '../../../src/tools/studio/index.js';
import { entities } from './entities.js';
import { seedStudio } from './seed-studio.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterAll(() => client.close());

const json = { 'content-type': 'application/json' };
const paths = ['/', '/index.html', '/app-0a1b2c3d.js', '/api/session', '/transfer/x', '/none'];

describe('without the cookie', () => {
  test.each(
    paths.flatMap((path) => [
      ['GET', path],
      ['POST', path],
      ['PUT', path],
    ]),
  )('%s %s is 401', async (method, path) => {
    const body = method === 'GET' ? undefined : '{}';
    const sent = { method, headers: json, body };
    const answer = await sendTo(client.studio.port, path, sent);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'UNAUTHORIZED',
      fix: 'open the link that the terminal has printed',
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['another value', 'x'.repeat(43)],
    ['an empty one', ''],
  ])('a cookie with %s is 401', async (_, value) => {
    const cookie = `rowsmith-studio-${client.studio.port}=${value}`;
    const answer = await sendTo(client.studio.port, '/', { headers: { cookie } });
    expect(answer.status).toBe(401);
  });

  test('the cookie of another studio is 401', async () => {
    const other = await StudioClient.open('memory:');
    const [, value] = other.cookie.split('=');
    const cookie = `rowsmith-studio-${client.studio.port}=${value}`;
    expect((await sendTo(client.studio.port, '/', { headers: { cookie } })).status).toBe(401);
    await other.close();
  });
});

describe('the link', () => {
  test('gives a cookie that scripts and other sites do not have, and no token stays', async () => {
    const { pathname, search, searchParams } = new URL(client.studio.link);
    const { status, headers, body } = await sendTo(client.studio.port, `${pathname}${search}`);
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^rowsmith-studio-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(body).toContain('content="0;url=/"');
    const token = searchParams.get('token')!;
    expect(token).toMatch(/^[\w-]{43}$/);
    // The cookie is another secret than the token.
    expect(headers['set-cookie']![0]).not.toContain(token);
    expect(body).not.toContain(token);
  });

  test.each(['', 'x', 'x'.repeat(10_000)])('a wrong token is 401: %.5s', async (token) => {
    const answer = await sendTo(client.studio.port, `/?token=${token}`);
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('one for once works once', async () => {
    const link = new URL(client.studio.linkForOnce());
    const path = `${link.pathname}${link.search}`;
    expect((await sendTo(client.studio.port, path)).status).toBe(200);
    expect((await sendTo(client.studio.port, path)).status).toBe(401);
  });

  test('leads to this machine alone', () => {
    expect(new URL(client.studio.link).hostname).toBe('127.0.0.1');
  });
});

describe('other hosts and sites', () => {
  const hosts = [
    ['evil.example', 403],
    ['evil.example:PORT', 403],
    ['127.0.0.1', 403],
    ['127.0.0.1:1', 403],
    ['127.0.0.1.evil.example:PORT', 403],
    ['localhost:PORT', 200],
    ['LOCALHOST:PORT', 200],
    ['[::1]:PORT', 200],
    ['127.0.0.1:PORT', 200],
  ] as const;

  test.each(hosts)('the host %s is %i', async (name, status) => {
    const host = name.replace('PORT', String(client.studio.port));
    const answer = await client.send('/', { headers: { host } });
    expect(answer.status).toBe(status);
  });

  test('not even the link works under another name', async () => {
    const { pathname, search } = new URL(client.studio.link);
    const headers = { host: `evil.example:${client.studio.port}` };
    const answer = await sendTo(client.studio.port, `${pathname}${search}`, { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  const origins = [
    ['http://evil.example', 403],
    ['null', 403],
    ['https://127.0.0.1:PORT', 403],
    ['http://127.0.0.1:1', 403],
    ['http://localhost:PORT', 403],
    ['http://127.0.0.1:PORT', 200],
  ] as const;

  test.each(origins)('the origin %s is %i', async (name, status) => {
    const origin = name.replace('PORT', String(client.studio.port));
    const headers = { ...json, origin };
    const answer = await client.send('/api/session', { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
  ])('a call that the browser calls %s is %i', async (site, status) => {
    const headers = { ...json, 'sec-fetch-site': site };
    const answer = await client.send('/api/session', { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(status);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'a call with the content type %j of a form is refused',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      const sent = { method: 'POST', headers, body: '{}' };
      expect((await client.send('/api/session', sent)).status).toBe(400);
    },
  );

  test('a preflight of another site gets no permission', async () => {
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const answer = await sendTo(client.studio.port, '/api/session', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'PATCH'])('%s is no call', async (method) => {
    expect((await client.send('/api/session', { method })).status).toBe(404);
  });
});

test.each(paths)('%s has a policy without inline code, also as an error', async (path) => {
  const { headers } = await client.send(path);
  const policy = headers['content-security-policy'] as string;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  });
});

describe('files', () => {
  test('have their types, and names with hashes are kept', async () => {
    const page = await client.send('/');
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<title>Studio') });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    const script = await client.send('/app-0a1b2c3d.js');
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
    });
  });

  test.each([
    '/secret.key',
    '/../secret.key',
    '/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/app-0a1b2c3d.js/',
    '//etc/passwd',
    '/\0',
  ])('%j is not one', async (path) => {
    const answer = await client.send(encodeURI(path)).catch(() => ({ status: 404 }));
    expect([401, 403, 404]).toContain(answer.status);
  });

  test('a page that was not built says so', async () => {
    const studio = await startStudio('memory:', { entities, page: '/nowhere', write: true });
    const { pathname, search } = new URL(studio.link);
    const { headers } = await sendTo(studio.port, `${pathname}${search}`);
    const cookie = headers['set-cookie']![0].split(';')[0];
    const answer = await sendTo(studio.port, '/', { headers: { cookie } });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'NOT_BUILT',
      problem: 'the page is missing: /nowhere has no index.html',
    });
    await studio.close();
  });
});

test.each(['{', '[1', 'null', '"x"', '[]'])('a body that is %s is refused', async (body) => {
  const answer = await client.send('/api/schema', { method: 'POST', headers: json, body });
  expect(answer.status).toBe(400);
});

test.each(['constructor', '__proto__', 'toString', 'none', ''])('%j is no call', async (name) => {
  expect((await client.post(name, {})).status).toBe(404);
});

const markup = '<img src=x onerror=alert(1)>"\'`${1}</script>\u2028\u0000\u001b[31m';

test('hostile keys and values come back as data', async () => {
  const { db, port } = client.studio;
  const { Order } = await import('./entities.js');
  const orders = db.repository(Order);
  const order = orders.create({
    shop: markup.slice(0, 40).replaceAll('\u0000', ''),
    at: new Date(0),
    n: 1,
    status: markup,
    extra: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as unknown,
    tags: new Map([
      [markup, markup],
      ['__proto__', 'x'],
    ]),
  });
  await orders.save(order);
  const query = {
    source: { kind: 'entity', entity: 'Order' },
    fixed: [{ segment: 'shop', values: [order.shop] }],
  } as const;
  const answer = await client.post('rows', { query });
  expect(answer.headers['content-type']).toBe('application/x-ndjson');
  // A line for each element, whatever the values hold.
  const lines = answer.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const { rows } = lines.find(({ type }) => type === 'rows') as {
    rows: { key: string; values: unknown[] }[];
  };
  const [, , , status, , extra] = rows[0].values;
  expect(rows[0].values).toContain(markup);
  expect(JSON.stringify([status, extra])).toBeDefined();
  const tags = rows[0].values.find(
    (value) => typeof value === 'object' && value !== null && markup in value,
  ) as object;
  expect(Object.keys(tags).sort()).toEqual([markup, '__proto__'].sort());
  expect(Object.hasOwn(tags, '__proto__')).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const detail = await client.call('row', { table: 'shop', key: rows[0].key });
  expect(detail.values!.status).toBe(markup);
  expect(port).toBeGreaterThan(0);
});

test('credentials and parameters of urls stay in the process', async () => {
  const other = await StudioClient.open('bigtable://p/i?appProfile=private-profile', {
    write: false,
    bigtable: { emulatorHost: '127.0.0.1:1', totalTimeoutMs: 50 },
  });
  const session = await other.call('session', {});
  expect(session.database).toEqual({ kind: 'emulator', name: 'p/i', address: '127.0.0.1:1' });
  const answers = [JSON.stringify(session), JSON.stringify(await other.failure('drift', {}))];
  for (const answer of answers) expect(answer).not.toMatch(/private-profile/);
  await other.close();
});
