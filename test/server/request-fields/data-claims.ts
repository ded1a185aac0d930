/** google.bigtable.v2.Bigtable. Test/differential covers the fields of filters and mutations. */
import { instance, table, utf8, type FieldClaim, type ServiceClaims } from './claim.js';

const set = (family: string): object => ({
  setCell: {
    familyName: family,
    columnQualifier: utf8('q'),
    timestampMicros: 1000,
    value: utf8('v'),
  },
});
const view: FieldClaim = [
  'served',
  { tableName: '', authorizedViewName: `${table}/authorizedViews/v` },
  'instead of the table',
];
const materialized: FieldClaim = [
  'refused',
  { materializedViewName: `${instance}/materializedViews/v` },
];
const anyProfile: FieldClaim = ['none', { appProfileId: 'unknown' }, 'no call is routed'];
const writable: FieldClaim = ['served', { appProfileId: 'boost' }, 'Data Boost is read-only'];
const profile: FieldClaim = ['served', { appProfileId: 'one' }];
const tableName: FieldClaim = ['served', { tableName: `${table}x` }];
const idempotency = { token: Buffer.alloc(8, 1), startTime: { seconds: 1 } };
const rule = (changes: object): object => ({
  rules: [{ familyName: 'plain', columnQualifier: utf8('n'), incrementAmount: 1, ...changes }],
});
const entry = (changes: object): object => ({
  entries: [{ rowKey: utf8('r9'), mutations: [set('plain')], ...changes }],
});

export const dataClaims: ServiceClaims = {
  ReadRows: {
    base: { tableName: table },
    fields: {
      tableName,
      authorizedViewName: view,
      materializedViewName: materialized,
      appProfileId: anyProfile,
      rows: ['served', { rows: { rowKeys: [utf8('r1')] } }],
      filter: ['served', { filter: { blockAllFilter: true } }],
      rowsLimit: ['served', { rowsLimit: 1 }],
      requestStatsView: ['served', { requestStatsView: 2 }],
      reversed: ['served', { reversed: true }],
    },
  },
  SampleRowKeys: {
    base: { tableName: table },
    fields: {
      tableName,
      authorizedViewName: view,
      materializedViewName: materialized,
      appProfileId: anyProfile,
    },
  },
  MutateRow: {
    base: { tableName: table, rowKey: utf8('r9'), mutations: [set('plain')] },
    fields: {
      tableName,
      authorizedViewName: view,
      appProfileId: writable,
      rowKey: ['served', { rowKey: utf8('r8') }],
      mutations: ['served', { mutations: [set('text')] }],
      idempotency: ['served', { idempotency }],
    },
  },
  MutateRows: {
    base: { tableName: table, ...entry({}) },
    fields: {
      tableName,
      authorizedViewName: view,
      appProfileId: writable,
      'entries.rowKey': ['served', entry({ rowKey: utf8('r8') })],
      'entries.mutations': ['served', entry({ mutations: [set('text')] })],
      'entries.idempotency': ['served', entry({ idempotency })],
    },
  },
  CheckAndMutateRow: {
    base: { tableName: table, rowKey: utf8('r1'), trueMutations: [set('text')] },
    fields: {
      tableName,
      authorizedViewName: view,
      appProfileId: profile,
      rowKey: ['served', { rowKey: utf8('r8') }],
      predicateFilter: ['served', { predicateFilter: { blockAllFilter: true } }],
      trueMutations: ['served', { trueMutations: [set('plain')] }],
      falseMutations: ['served', { rowKey: utf8('r8'), falseMutations: [set('plain')] }],
    },
  },
  PingAndWarm: {
    base: { name: instance },
    fields: { name: ['served', { name: 'x' }], appProfileId: anyProfile },
  },
  ReadModifyWriteRow: {
    base: { tableName: table, rowKey: utf8('r1'), ...rule({}) },
    fields: {
      tableName,
      authorizedViewName: view,
      appProfileId: profile,
      rowKey: ['served', { rowKey: utf8('r8') }],
      'rules.familyName': ['served', rule({ familyName: 'text' })],
      'rules.columnQualifier': ['served', rule({ columnQualifier: utf8('m') })],
      'rules.appendValue': ['served', rule({ incrementAmount: undefined, appendValue: utf8('x') })],
      'rules.incrementAmount': ['served', rule({ incrementAmount: 2 })],
    },
  },
};
