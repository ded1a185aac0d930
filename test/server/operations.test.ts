/** google.longrunning.Operations: what the admin calls have done. */
import { status } from '@grpc/grpc-js';
import { decodePublished, encodePublished } from '../engines/protocol/published.js';
import { collectCall, serveMemory, type TestServer } from './raw-client.js';
import { create, instance, project } from './resource-calls.js';

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
  await create(served.client);
});
afterEach(() => served.close());

const responses: Record<string, string> = {
  ListOperations: 'google.longrunning.ListOperationsResponse',
  GetOperation: 'google.longrunning.Operation',
  WaitOperation: 'google.longrunning.Operation',
};

async function call(method: string, request: object) {
  const bytes = encodePublished(`google.longrunning.${method}Request`, request);
  const path = `/google.longrunning.Operations/${method}`;
  const { code, messages } = await collectCall(served.client.bytes(path, bytes, 10_000));
  if (code !== status.OK) return { code };
  const type = responses[method] ?? 'google.protobuf.Empty';
  return { code, response: decodePublished(type, messages[0]) };
}

const parent = `operations/${project}`;
/** The names of the operations below a resource. */
async function namesOf(name: string, more: object = {}): Promise<string[]> {
  const { response } = await call('ListOperations', { name, ...more });
  return (response.operations ?? []).map((operation: { name: string }) => operation.name);
}

const rename = (displayName: string): Promise<{ name: string; done: boolean }> =>
  served.client.unary('instances', 'PartialUpdateInstance', {
    instance: { name: instance, displayName },
    updateMask: { paths: ['display_name'] },
  });

test('operations are listed, got, awaited, cancelled and deleted', async () => {
  const [creation] = await namesOf(parent);
  const { name, done } = await rename('other');
  expect(done).toBe(true);
  expect(await namesOf(parent)).toEqual([creation, name].toSorted());
  expect(await namesOf(`operations/${instance}`)).toEqual([creation, name].toSorted());
  expect(await namesOf('operations/projects/other')).toEqual([]);
  const got = await call('GetOperation', { name });
  expect(got.response).toMatchObject({ name, done: true });
  expect(got.response.response.type_url).toBe(
    'type.googleapis.com/google.bigtable.admin.v2.Instance',
  );
  expect(await call('WaitOperation', { name, timeout: { seconds: 3 } })).toEqual(got);
  // It has ended: canceling has no effect.
  expect(await call('CancelOperation', { name })).toEqual({ code: status.OK, response: {} });
  expect(await call('GetOperation', { name })).toEqual(got);
  expect(await call('DeleteOperation', { name })).toEqual({ code: status.OK, response: {} });
  expect(await namesOf(parent)).toEqual([creation]);
  for (const method of ['GetOperation', 'WaitOperation', 'CancelOperation', 'DeleteOperation'])
    expect(await call(method, { name })).toEqual({ code: status.NOT_FOUND });
});

test('pages of a list', async () => {
  for (const displayName of ['a1', 'b2', 'c3', 'd4']) await rename(displayName);
  const all = await namesOf(parent);
  expect(all).toHaveLength(5);
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const { response } = await call('ListOperations', { name: parent, pageSize: 2, pageToken });
    found.push(...response.operations.map((operation: { name: string }) => operation.name));
    pageToken = response.nextPageToken;
  } while (pageToken !== undefined);
  expect(found).toEqual(all);
});

test('the newest thousand are kept, whatever was deleted meanwhile', async () => {
  const { name } = await rename('first');
  await call('DeleteOperation', { name });
  await Promise.all(Array.from({ length: 1001 }, (_, n) => rename(`name-${n}`)));
  expect(await namesOf(parent)).toHaveLength(1000);
});

test('bad input', async () => {
  const cases: [string, object, number][] = [
    ['ListOperations', {}, status.INVALID_ARGUMENT],
    ['ListOperations', { name: project }, status.INVALID_ARGUMENT],
    ['ListOperations', { name: 'operations/projects' }, status.INVALID_ARGUMENT],
    ['ListOperations', { name: parent, pageSize: -1 }, status.INVALID_ARGUMENT],
    ['ListOperations', { name: parent, pageToken: '*' }, status.INVALID_ARGUMENT],
    ['ListOperations', { name: parent, filter: 'done = true' }, status.UNIMPLEMENTED],
    ['GetOperation', {}, status.NOT_FOUND],
    ['DeleteOperation', { name: parent }, status.NOT_FOUND],
  ];
  for (const [method, request, code] of cases)
    expect([method, request, await call(method, request)]).toEqual([method, request, { code }]);
});
