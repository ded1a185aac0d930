/** The methods of google.bigtable.admin.v2.BigtableTableAdmin about backups. */
import {
  instance,
  mask,
  named,
  started,
  table,
  type FieldClaim,
  type ServiceClaims,
} from './claim.js';

const cluster = `${instance}/clusters/cluster-1`;
const backup = `${cluster}/backups/b`;
const expiry = (days: number): object => ({
  expireTime: { seconds: started + days * 86_400 },
});
const of = (content: object): object => ({ backup: content });
const output: Readonly<Record<string, FieldClaim>> = {
  'backup.startTime': ['set', of({ startTime: { seconds: 1 } })],
  'backup.endTime': ['set', of({ endTime: { seconds: 1 } })],
  'backup.sizeBytes': ['set', of({ sizeBytes: 1 })],
  'backup.state': ['set', of({ state: 1 })],
  'backup.encryptionInfo': ['set', of({ encryptionInfo: { encryptionType: 2 } })],
  'backup.sourceBackup': ['set', of({ sourceBackup: 'x' })],
};

export const backupClaims: ServiceClaims = {
  CreateBackup: {
    base: { parent: cluster, backupId: 'new', ...of({ sourceTable: table, ...expiry(2) }) },
    fields: {
      parent: ['served', { parent: `${cluster}x` }],
      backupId: ['served', { backupId: 'newer' }],
      'backup.name': ['refused', of({ name: backup }), 'unless it is the new name'],
      'backup.sourceTable': ['served', of({ sourceTable: `${table}x` })],
      'backup.expireTime': ['served', of(expiry(3))],
      ...output,
      'backup.backupType': ['kept', of({ backupType: 2 })],
      'backup.hotToStandardTime': [
        'served',
        of({ hotToStandardTime: { seconds: 1 } }),
        'only of a hot backup',
      ],
    },
  },
  GetBackup: named(backup),
  UpdateBackup: {
    base: { ...of({ name: backup, ...expiry(2) }), ...mask('expire_time') },
    fields: {
      'backup.name': ['served', of({ name: `${backup}x` })],
      'backup.expireTime': ['served', of(expiry(3))],
      'backup.hotToStandardTime': [
        'served',
        { ...of({ hotToStandardTime: { seconds: 1 } }), ...mask('hot_to_standard_time') },
        'only of a hot backup',
      ],
      ...output,
      'backup.sourceTable': ['set', of({ sourceTable: 'x' })],
      'backup.backupType': ['set', of({ backupType: 2 })],
      updateMask: ['served', mask('name')],
    },
  },
  DeleteBackup: named(backup),
  ListBackups: {
    base: { parent: cluster },
    fields: {
      parent: ['served', { parent: `${cluster}x` }],
      filter: ['served', { filter: 'name:x' }],
      orderBy: ['served', { orderBy: 'unknown' }],
      pageSize: ['served', { pageSize: 1 }],
      pageToken: ['served', { pageToken: '*' }],
    },
  },
  CopyBackup: {
    base: { parent: cluster, backupId: 'copy', sourceBackup: backup, ...expiry(2) },
    fields: {
      parent: ['served', { parent: `${cluster}x` }],
      backupId: ['served', { backupId: 'other' }],
      sourceBackup: ['served', { sourceBackup: `${backup}x` }],
      expireTime: ['served', expiry(3)],
    },
  },
  RestoreTable: {
    base: { parent: instance, tableId: 'restored', backup },
    fields: {
      parent: ['served', { parent: `${instance}x` }],
      tableId: ['served', { tableId: 'other' }],
      backup: ['served', { backup: `${backup}x` }],
    },
  },
};
