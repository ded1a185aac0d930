/** The methods of BigtableTableAdmin about backups. */
import {
  Backup,
  CopyBackupRequest,
  CreateBackupRequest,
  DeleteBackupRequest,
  Empty,
  GetBackupRequest,
  ListBackupsRequest,
  ListBackupsResponse,
  LongOperation,
  RestoreTableRequest,
  UpdateBackupRequest,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { BackupAdmin } from './backup-admin.js';
import type { BackupContext, BackupTables } from './backup-tables.js';

/** The methods of the service that are about backups. */
export function backupMethods(
  service: Service,
  context: BackupContext,
  tables: BackupTables,
): Methods {
  const admin = new BackupAdmin(context, tables);
  return {
    CreateBackup: service.unary(
      'CreateBackup',
      CreateBackupRequest,
      LongOperation,
      (request) => admin.create(request),
      ({ backup }) => backup?.sourceTable,
    ),
    GetBackup: service.unary('GetBackup', GetBackupRequest, Backup, async ({ name }) =>
      admin.get(name),
    ),
    UpdateBackup: service.unary('UpdateBackup', UpdateBackupRequest, Backup, (request) =>
      admin.update(request),
    ),
    DeleteBackup: service.unary('DeleteBackup', DeleteBackupRequest, Empty, ({ name }) =>
      admin.delete(name),
    ),
    ListBackups: service.unary('ListBackups', ListBackupsRequest, ListBackupsResponse, (request) =>
      admin.list(request),
    ),
    CopyBackup: service.unary('CopyBackup', CopyBackupRequest, LongOperation, (request) =>
      admin.copy(request),
    ),
    RestoreTable: service.unary(
      'RestoreTable',
      RestoreTableRequest,
      LongOperation,
      (request) => admin.restore(request),
      ({ parent, tableId }) => `${parent}/tables/${tableId}`,
    ),
  };
}
