/**
 * The table of calls in docs/fidelity.md has every call of the published services once, and the
 * server answers as it says. UPDATE_GOLDEN=1 rewrites the section.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { published } from '../../engines/protocol/published.js';
import { collectCall, createTestTable, instance, serveMemory, tableName } from '../raw-client.js';
import { calls, callsSection } from './calls.js';

const path = join(__dirname, '../../../docs/fidelity.md');
const ofService = (service: string) =>
  calls[service].flatMap(({ calls: names, state }) =>
    names.split(' ').map((name) => [name, state]),
  );

test.each(Object.keys(calls))('every call of %s is in the table once', (service) => {
  const names = Object.keys(published.lookupService(service).methods);
  expect(
    ofService(service)
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(names.toSorted());
});

test('the server answers as the table says', async () => {
  const served = await serveMemory({ instance });
  await createTestTable(served.client);
  for (const service of Object.keys(calls))
    for (const [method, state] of ofService(service)) {
      const call = `/${service}/${method}`;
      const { code, details } = await collectCall(
        served.client.bytes(call, Buffer.alloc(0), 10_000),
      );
      expect([call, code === status.UNIMPLEMENTED]).toEqual([call, state === 'none']);
      if (state === 'none')
        expect(details).toBe(`The server does not implement the method ${call}`);
    }
  const { code } = await collectCall(
    served.client.bytes('/google.none.Service/Method', Buffer.alloc(0), 10_000),
  );
  expect(code).toBe(status.UNIMPLEMENTED);
  // The server continues.
  expect(await served.client.rows({ tableName })).toEqual([]);
  await served.close();
});

test('the table names the lists that are always empty', async () => {
  const served = await serveMemory({ instance });
  await createTestTable(served.client);
  const parents: Record<string, string> = {
    ListSchemaBundles: tableName,
    ListHotTablets: `${instance}/clusters/local`,
    ListLogicalViews: instance,
    ListMaterializedViews: instance,
  };
  const empty = Object.keys(calls).flatMap((service) =>
    ofService(service).filter(([, state]) => state === 'empty'),
  );
  expect(empty.map(([name]) => name).toSorted()).toEqual(Object.keys(parents).toSorted());
  for (const [method, parent] of Object.entries(parents)) {
    const service = /Bundles/.test(method) ? 'tables' : 'instances';
    const ask = (request: object) => served.client.call(service, method, request);
    const { code, messages } = await ask({ parent, pageSize: 10 });
    expect({ method, code, messages }).toEqual({ method, code: status.OK, messages: [{}] });
    for (const [request, expected] of [
      [{ parent: '' }, status.INVALID_ARGUMENT],
      [{ parent: 'projects/p' }, status.INVALID_ARGUMENT],
      [{ parent: parent.replace('instance-1', 'none') }, status.NOT_FOUND],
      [{ parent, pageSize: -1 }, status.INVALID_ARGUMENT],
      [{ parent, pageToken: '*' }, status.INVALID_ARGUMENT],
    ] as const)
      expect([method, request, (await ask(request)).code]).toEqual([method, request, expected]);
  }
  const missing = { parent: `${instance}/clusters/none` };
  expect((await served.client.call('instances', 'ListHotTablets', missing)).code).toBe(
    status.NOT_FOUND,
  );
  await served.close();
});

test('docs/fidelity.md has the table', () => {
  const text = readFileSync(path, 'utf8');
  const before = text.split('\n## Calls\n')[0].trimEnd();
  const expected = `${before}\n\n${callsSection()}`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, expected);
  expect(readFileSync(path, 'utf8')).toBe(expected);
});
