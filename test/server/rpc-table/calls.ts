/** What the server does with each call of Bigtable's services: docs/fidelity.md has the table. */

/**
 * `works`: as Bigtable does. `kept`: what it stores is checked and returned, and has no other
 * effect. `empty`: always an empty list. `none`: UNIMPLEMENTED.
 */
export type CallState = 'works' | 'kept' | 'empty' | 'none';

/** The calls of a state, separated by spaces, and what clients see. */
interface Group {
  readonly calls: string;
  readonly state: CallState;
  readonly note: string;
}

const policies: Group = {
  calls: 'GetIamPolicy SetIamPolicy',
  state: 'kept',
  note: 'policies permit and forbid nothing',
};
const permissions: Group = {
  calls: 'TestIamPermissions',
  state: 'works',
  note: 'returns all permissions that it is asked about',
};

/** By service; the groups in the order of the document. */
export const calls: Readonly<Record<string, readonly Group[]>> = {
  'google.bigtable.v2.Bigtable': [
    {
      calls: 'ReadRows SampleRowKeys MutateRow MutateRows CheckAndMutateRow ReadModifyWriteRow',
      state: 'works',
      note: 'case by case in [data-model.md](data-model.md)',
    },
    { calls: 'PingAndWarm', state: 'works', note: 'there is nothing to warm' },
    {
      calls: 'PrepareQuery ExecuteQuery',
      state: 'none',
      note: 'no SQL: query methods of clients fail',
    },
    {
      calls: 'GenerateInitialChangeStreamPartitions ReadChangeStream',
      state: 'none',
      note: 'no change streams: tables keep their `change_stream_config`, and readers fail',
    },
  ],
  'google.bigtable.admin.v2.BigtableTableAdmin': [
    {
      calls: 'CreateTable ListTables GetTable DeleteTable ModifyColumnFamilies DropRowRange',
      state: 'works',
      note: '',
    },
    {
      calls: 'UpdateTable',
      state: 'works',
      note: '`deletion_protection` works; `change_stream_config`, `automated_backup_policy` and `row_key_schema` are kept',
    },
    {
      calls: 'GenerateConsistencyToken CheckConsistency',
      state: 'works',
      note: 'there is one copy of the data: a token is consistent at once',
    },
    policies,
    permissions,
    {
      calls: 'ListSchemaBundles',
      state: 'empty',
      note: 'clients that clean up first find nothing',
    },
    {
      calls: 'CreateBackup GetBackup ListBackups UpdateBackup DeleteBackup RestoreTable CopyBackup',
      state: 'works',
      note: 'a backup is a copy of all rows, and so is a restored table; hot backups are no faster',
    },
    {
      calls: 'CreateSchemaBundle UpdateSchemaBundle GetSchemaBundle DeleteSchemaBundle',
      state: 'none',
      note: 'no SQL, which bundles are for',
    },
    {
      calls:
        'CreateAuthorizedView ListAuthorizedViews GetAuthorizedView UpdateAuthorizedView DeleteAuthorizedView',
      state: 'works',
      note: 'all calls of data go through a view: what it does not show is neither read nor written',
    },
    { calls: 'UndeleteTable', state: 'none', note: 'a deleted table is gone' },
    {
      calls: 'CreateTableFromSnapshot SnapshotTable GetSnapshot ListSnapshots DeleteSnapshot',
      state: 'none',
      note: 'a private alpha of Bigtable (bigtable_table_admin.proto)',
    },
  ],
  'google.bigtable.admin.v2.BigtableInstanceAdmin': [
    {
      calls:
        'CreateInstance GetInstance ListInstances UpdateInstance PartialUpdateInstance DeleteInstance',
      state: 'kept',
      note: 'an instance has its own tables, which it takes along when it is deleted',
    },
    {
      calls:
        'CreateCluster GetCluster ListClusters UpdateCluster PartialUpdateCluster DeleteCluster',
      state: 'kept',
      note: 'nothing is replicated or scaled',
    },
    {
      calls: 'CreateAppProfile GetAppProfile ListAppProfiles UpdateAppProfile DeleteAppProfile',
      state: 'kept',
      note: 'they route nothing, but forbid transactions without a single cluster, and writes with Data Boost',
    },
    policies,
    permissions,
    {
      calls: 'ListHotTablets ListLogicalViews ListMaterializedViews',
      state: 'empty',
      note: 'clients that clean up first find nothing',
    },
    {
      calls:
        'CreateLogicalView GetLogicalView UpdateLogicalView DeleteLogicalView CreateMaterializedView GetMaterializedView UpdateMaterializedView DeleteMaterializedView',
      state: 'none',
      note: 'no SQL, which views consist of',
    },
  ],
  'google.longrunning.Operations': [
    {
      calls: 'ListOperations GetOperation WaitOperation CancelOperation DeleteOperation',
      state: 'works',
      note: 'only backups and restores run on; the last 1,000 are kept until the server stops',
    },
  ],
  'google.iam.v1.IAMPolicy': [
    {
      calls: 'SetIamPolicy GetIamPolicy TestIamPermissions',
      state: 'none',
      note: 'as in Bigtable: its admin services have these calls',
    },
  ],
};

const stateNames: Readonly<Record<CallState, string>> = {
  works: 'works',
  kept: 'kept',
  empty: 'empty list',
  none: 'UNIMPLEMENTED',
};

/** The section of docs/fidelity.md. */
export function callsSection(): string {
  const rows = Object.entries(calls).flatMap(([service, groups]) => [
    `| **${service}** | | |`,
    ...groups.map(
      ({ calls: names, state, note }) =>
        `| ${names.replaceAll(' ', ', ')} | ${stateNames[state]} | ${note} |`,
    ),
  ]);
  return `## Calls

"Kept" means that a call stores, checks and returns values, without another effect. An UNIMPLEMENTED call has the
message \`The server does not implement the method PATH\`.

| Call | State | What clients see |
|---|---|---|
${rows.join('\n')}

Besides, the server offers grpc.health.v1.Health (Check, List, Watch), and grpc.reflection.v1 and v1alpha.ServerReflection
for tools such as grpcurl ([decision](decisions/067-server-reflection.md)). Descriptors come from @google-cloud/bigtable:
without it, only the names of the services are listed, and fields that are newer than the package are missing.

Written by \`UPDATE_GOLDEN=1 npx jest test/server/rpc-table\`.
`;
}
