/** L6: what the server does not offer. */
import { status } from '@grpc/grpc-js';
import { published } from '../protocol/published.js';
import { ending, instance, makeTable, serveMemory, tableName } from './raw-client.js';

const services = [
  'google.bigtable.v2.Bigtable',
  'google.bigtable.admin.v2.BigtableTableAdmin',
  'google.bigtable.admin.v2.BigtableInstanceAdmin',
] as const;

/** What is offered; everything else of the published services is not. */
const offered = new Set(
  `
  ReadRows SampleRowKeys MutateRow MutateRows CheckAndMutateRow ReadModifyWriteRow PingAndWarm
  CreateTable ListTables GetTable UpdateTable DeleteTable ModifyColumnFamilies DropRowRange GenerateConsistencyToken CheckConsistency
  CreateInstance GetInstance ListInstances UpdateInstance PartialUpdateInstance DeleteInstance
  CreateCluster GetCluster ListClusters UpdateCluster PartialUpdateCluster DeleteCluster
  CreateAppProfile GetAppProfile ListAppProfiles UpdateAppProfile DeleteAppProfile
`
    .trim()
    .split(/\s+/),
);

test('every method that is not offered answers UNIMPLEMENTED, and the server goes on', async () => {
  const served = await serveMemory({ instance });
  await makeTable(served.client);
  const answers: Record<string, number> = {};
  for (const service of services) {
    for (const method of Object.keys(published.lookupService(service).methods)) {
      answers[method] = (
        await ending(served.client.bytes(`/${service}/${method}`, Buffer.alloc(0), 10_000))
      ).code;
    }
  }
  const methods = Object.keys(answers);
  expect(methods.length).toBeGreaterThan(60);
  // Policies of access among them: there is nobody to let in or to keep out.
  expect(methods).toEqual(
    expect.arrayContaining([
      'GetIamPolicy',
      'SetIamPolicy',
      'TestIamPermissions',
      'CreateBackup',
      'UndeleteTable',
      'ReadChangeStream',
      'CreateLogicalView',
      'ExecuteQuery',
    ]),
  );
  expect(
    methods.filter((method) => (answers[method] === status.UNIMPLEMENTED) === offered.has(method)),
  ).toEqual([]);
  expect(
    (await ending(served.client.bytes('/google.none.Service/Method', Buffer.alloc(0), 10_000)))
      .code,
  ).toBe(status.UNIMPLEMENTED);
  expect(await served.client.rows({ tableName })).toEqual([]);
  await served.close();
});
