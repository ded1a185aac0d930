/** L6 of docs/data-model.md: methods that the server does not offer. */
import { status } from '@grpc/grpc-js';
import { published } from '../engines/protocol/published.js';
import { collectCall, instance, createTestTable, serveMemory, tableName } from './raw-client.js';

const services = [
  'google.bigtable.v2.Bigtable',
  'google.bigtable.admin.v2.BigtableTableAdmin',
  'google.bigtable.admin.v2.BigtableInstanceAdmin',
] as const;

/** All other methods of the published services are not offered. */
const offered = new Set(
  `
  ReadRows SampleRowKeys MutateRow MutateRows CheckAndMutateRow ReadModifyWriteRow PingAndWarm
  CreateTable ListTables GetTable UpdateTable DeleteTable ModifyColumnFamilies DropRowRange GenerateConsistencyToken CheckConsistency
  GetIamPolicy SetIamPolicy TestIamPermissions
  CreateInstance GetInstance ListInstances UpdateInstance PartialUpdateInstance DeleteInstance
  CreateCluster GetCluster ListClusters UpdateCluster PartialUpdateCluster DeleteCluster
  CreateAppProfile GetAppProfile ListAppProfiles UpdateAppProfile DeleteAppProfile
  CreateAuthorizedView ListAuthorizedViews GetAuthorizedView UpdateAuthorizedView DeleteAuthorizedView
`
    .trim()
    .split(/\s+/),
);

test('every method that is not offered returns UNIMPLEMENTED, and the server continues', async () => {
  const served = await serveMemory({ instance });
  await createTestTable(served.client);
  const codes: Record<string, number> = {};
  for (const service of services) {
    for (const method of Object.keys(published.lookupService(service).methods)) {
      codes[method] = (
        await collectCall(served.client.bytes(`/${service}/${method}`, Buffer.alloc(0), 10_000))
      ).code;
    }
  }
  const methods = Object.keys(codes);
  expect(methods.length).toBeGreaterThan(60);
  expect(methods).toEqual(
    expect.arrayContaining([
      'CreateBackup',
      'UndeleteTable',
      'ReadChangeStream',
      'CreateLogicalView',
      'ExecuteQuery',
    ]),
  );
  expect(
    methods.filter((method) => (codes[method] === status.UNIMPLEMENTED) === offered.has(method)),
  ).toEqual([]);
  expect(
    (await collectCall(served.client.bytes('/google.none.Service/Method', Buffer.alloc(0), 10_000)))
      .code,
  ).toBe(status.UNIMPLEMENTED);
  expect(await served.client.rows({ tableName })).toEqual([]);
  await served.close();
});
