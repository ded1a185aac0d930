/** google.bigtable.admin.v2.BigtableTableAdmin. */
import {
  emptyList,
  instance,
  mask,
  named,
  noWarnings,
  other,
  policyClaims,
  table,
  utf8,
  type FieldClaim,
  type ServiceClaims,
} from './claim.js';
import { backupClaims } from './backup-claims.js';
import { viewClaims } from './view-claims.js';

const oneCopy = 'there is one copy of the data';
const text = { stringType: { encoding: { utf8Bytes: {} } } };

const changeStreamConfig = { retentionPeriod: { seconds: 2 * 86_400 } };
const automatedBackupPolicy = { retentionPeriod: { seconds: 3 * 86_400 } };
const rowKeySchema = {
  fields: [{ fieldName: 'id', type: text }],
  encoding: { delimitedBytes: { delimiter: utf8('#') } },
};

const newTable: Record<string, FieldClaim> = {
  'table.name': ['refused', { table: { name: table } }, 'unless it is the new name'],
  'table.clusterStates': ['set', { table: { clusterStates: { x: { replicationState: 1 } } } }],
  'table.columnFamilies.gcRule': [
    'served',
    { table: { columnFamilies: { f: { gcRule: { maxNumVersions: 2 } } } } },
  ],
  'table.columnFamilies.valueType': [
    'served',
    { table: { columnFamilies: { f: { valueType: text } } } },
    'types: see above',
  ],
  'table.granularity': ['served', { table: { granularity: 2 } }],
  'table.restoreInfo': ['set', { table: { restoreInfo: { sourceType: 1 } } }],
  'table.changeStreamConfig': ['kept', { table: { changeStreamConfig } }, '1 to 7 days'],
  'table.deletionProtection': ['served', { table: { deletionProtection: true } }],
  'table.automatedBackupPolicy': ['kept', { table: { automatedBackupPolicy } }, '3 to 90 days'],
  'table.rowKeySchema': ['kept', { table: { rowKeySchema } }],
};

/** UpdateTable changes the protection and what is kept; the mask names each field. */
function updatedTable(): Record<string, FieldClaim> {
  const refused = (fields: object, path: string): FieldClaim => [
    'refused',
    { table: fields, ...mask(path) },
  ];
  const kept = (fields: object, path: string): FieldClaim => [
    'kept',
    { table: fields, ...mask(path) },
  ];
  return {
    'table.name': ['served', { table: { name: `${table}x` } }],
    'table.clusterStates': refused({ clusterStates: { x: {} } }, 'cluster_states'),
    'table.columnFamilies': refused({ columnFamilies: { x: {} } }, 'column_families'),
    'table.granularity': refused({ granularity: 1 }, 'granularity'),
    'table.restoreInfo': refused({ restoreInfo: {} }, 'restore_info'),
    'table.changeStreamConfig': kept({ changeStreamConfig }, 'change_stream_config'),
    'table.deletionProtection': ['served', { table: { deletionProtection: false } }],
    'table.automatedBackupPolicy': kept({ automatedBackupPolicy }, 'automated_backup_policy'),
    'table.rowKeySchema': kept({ rowKeySchema }, 'row_key_schema'),
  };
}

/** An update of a family without effect. */
const updated = { modifications: [{ id: 'plain', update: {} }] };
const modification = (changes: object): object => ({ modifications: [changes] });

export const tableClaims: ServiceClaims = {
  ...policyClaims(table),
  ...viewClaims,
  ...backupClaims,
  CreateTable: {
    base: { parent: instance, tableId: 'u', table: { columnFamilies: { f: {} } } },
    fields: {
      parent: ['served', { parent: other }],
      tableId: ['served', { tableId: 'v' }],
      ...newTable,
      initialSplits: ['kept', { initialSplits: [{ key: utf8('g') }] }, 'see SampleRowKeys'],
    },
  },
  ListTables: {
    base: { parent: instance },
    fields: {
      parent: ['served', { parent: other }],
      view: ['served', { view: 'FULL' }],
      pageSize: ['served', { pageSize: 1 }],
      pageToken: ['served', { pageToken: Buffer.from(table).toString('base64url') }],
    },
  },
  GetTable: {
    base: { name: table },
    fields: { name: ['served', { name: `${table}x` }], view: ['served', { view: 'NAME_ONLY' }] },
  },
  UpdateTable: {
    base: { table: { name: table, deletionProtection: true }, ...mask('deletion_protection') },
    fields: {
      ...updatedTable(),
      updateMask: ['served', mask('granularity')],
      ignoreWarnings: [
        'none',
        { ignoreWarnings: true },
        'but a `row_key_schema` is removed only with it',
      ],
    },
  },
  DeleteTable: named(table),
  ListSchemaBundles: emptyList(table),
  ModifyColumnFamilies: {
    base: { name: table, ...modification({ id: 'new', create: {} }) },
    fields: {
      name: ['served', { name: `${table}x` }],
      'modifications.id': ['served', modification({ id: 'newer', create: {} })],
      'modifications.create.gcRule': [
        'served',
        modification({ id: 'new', create: { gcRule: { maxNumVersions: 2 } } }),
      ],
      'modifications.create.valueType': [
        'served',
        modification({ id: 'new', create: { valueType: text } }),
        'types: see above',
      ],
      'modifications.update.gcRule': [
        'served',
        modification({ id: 'plain', update: { gcRule: { maxNumVersions: 2 } } }),
        undefined,
        updated,
      ],
      'modifications.update.valueType': [
        'served',
        modification({ id: 'plain', update: { valueType: text }, ...mask('value_type') }),
        'types: see above',
        updated,
      ],
      'modifications.drop': [
        'served',
        modification({ id: 'plain', drop: true }),
        undefined,
        updated,
      ],
      'modifications.updateMask': [
        'served',
        modification({ id: 'plain', update: {}, ...mask('nothing') }),
        undefined,
        updated,
      ],
      ignoreWarnings: noWarnings,
    },
  },
  DropRowRange: {
    base: { name: table, rowKeyPrefix: utf8('r1') },
    fields: {
      name: ['served', { name: `${table}x` }],
      rowKeyPrefix: ['served', { rowKeyPrefix: utf8('r2') }],
      deleteAllDataFromTable: ['served', { rowKeyPrefix: undefined, deleteAllDataFromTable: true }],
    },
  },
  GenerateConsistencyToken: named(table),
  CheckConsistency: {
    base: { name: table, consistencyToken: 'TOKEN' },
    fields: {
      name: ['served', { name: `${table}x` }],
      consistencyToken: ['served', { consistencyToken: 'bogus' }],
      standardReadRemoteWrites: ['none', { standardReadRemoteWrites: {} }, oneCopy],
      dataBoostReadLocalWrites: ['none', { dataBoostReadLocalWrites: {} }, oneCopy],
    },
  },
};
