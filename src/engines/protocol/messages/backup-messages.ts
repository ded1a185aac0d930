/** Messages about backups (bigtable_table_admin.proto, table.proto, common.proto). */
import {
  enumeration,
  int32,
  int64,
  many,
  messageType,
  one,
  text,
  timestamp,
} from '../../../data/cell/index.js';
import { FieldMask } from './operation-messages.js';
import { EncryptionInfo } from './table-messages.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;

/** Values of Backup.State. */
export const backupState = { creating: 1, ready: 2 } as const;
/** Values of Backup.BackupType. */
export const backupType = { unspecified: 0, standard: 1, hot: 2 } as const;
/** EncryptionInfo.EncryptionType.GOOGLE_DEFAULT_ENCRYPTION: without a key of the customer. */
export const defaultEncryption = 1;
/** RestoreSourceType.BACKUP. */
export const restoredFromBackup = 1;

export const Backup = messageType(name('Backup'), {
  name: text(1),
  sourceTable: text(2),
  expireTime: timestamp(3),
  startTime: timestamp(4),
  endTime: timestamp(5),
  sizeBytes: int64(6),
  state: enumeration(7),
  encryptionInfo: one(9, EncryptionInfo),
  sourceBackup: text(10),
  backupType: enumeration(11),
  hotToStandardTime: timestamp(12),
});
export const BackupInfo = messageType(name('BackupInfo'), {
  backup: text(1),
  startTime: timestamp(2),
  endTime: timestamp(3),
  sourceTable: text(4),
  sourceBackup: text(10),
});
export const RestoreInfo = messageType(name('RestoreInfo'), {
  sourceType: enumeration(1),
  backupInfo: one(2, BackupInfo, 'sourceInfo'),
});
const OperationProgress = messageType(name('OperationProgress'), {
  progressPercent: int32(1),
  startTime: timestamp(2),
  endTime: timestamp(3),
});
export const CreateBackupRequest = messageType(name('CreateBackupRequest'), {
  parent: text(1),
  backupId: text(2),
  backup: one(3, Backup),
});
export const CreateBackupMetadata = messageType(name('CreateBackupMetadata'), {
  name: text(1),
  sourceTable: text(2),
  startTime: timestamp(3),
  endTime: timestamp(4),
});
export const GetBackupRequest = messageType(name('GetBackupRequest'), { name: text(1) });
export const UpdateBackupRequest = messageType(name('UpdateBackupRequest'), {
  backup: one(1, Backup),
  updateMask: one(2, FieldMask),
});
export const DeleteBackupRequest = messageType(name('DeleteBackupRequest'), { name: text(1) });
export const ListBackupsRequest = messageType(name('ListBackupsRequest'), {
  parent: text(1),
  filter: text(2),
  orderBy: text(3),
  pageSize: int32(4),
  pageToken: text(5),
});
export const ListBackupsResponse = messageType(name('ListBackupsResponse'), {
  backups: many(1, Backup),
  nextPageToken: text(2),
});
export const CopyBackupRequest = messageType(name('CopyBackupRequest'), {
  parent: text(1),
  backupId: text(2),
  sourceBackup: text(3),
  expireTime: timestamp(4),
});
export const CopyBackupMetadata = messageType(name('CopyBackupMetadata'), {
  name: text(1),
  sourceBackupInfo: one(2, BackupInfo),
  progress: one(3, OperationProgress),
});
export const RestoreTableRequest = messageType(name('RestoreTableRequest'), {
  parent: text(1),
  tableId: text(2),
  backup: text(3, 'source'),
});
/** Without `optimize_table_operation_name`: a restored table needs no optimization here. */
export const RestoreTableMetadata = messageType(name('RestoreTableMetadata'), {
  name: text(1),
  sourceType: enumeration(2),
  backupInfo: one(3, BackupInfo, 'sourceInfo'),
  progress: one(5, OperationProgress),
});
