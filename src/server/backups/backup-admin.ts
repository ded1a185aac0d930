/** Backups: the calls of BigtableTableAdmin about them. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { TableSchema } from '../../data/store/index.js';
import {
  backupState,
  checkId,
  CopyBackupMetadata,
  CreateBackupMetadata,
  encodeTable,
  keptTypes,
  parseBackup,
  parseResource,
  requestError,
  TableMessage,
  type ContentOf,
  type CopyBackupRequest,
  type CreateBackupRequest,
  type ListBackupsRequest,
  type ListBackupsResponse,
  type LongOperation,
  type RestoreTableRequest,
  type UpdateBackupRequest,
} from '../../engines/protocol/index.js';
import type { Typed } from '../admin/operations.js';
import { notFoundError, preconditionError } from '../resources/resource-error.js';
import {
  backupRecords,
  hasExpired,
  putBackup,
  storedBackup,
  type BackupContent,
  type KeptBackup,
} from '../resources/stored-backups.js';
import {
  copiedBackup,
  infoOf,
  isCopy,
  newBackup,
  shownBackup,
  updatedBackup,
} from './backup-content.js';
import {
  newTableName,
  type BackupContext,
  type BackupTables,
  type RowSource,
} from './backup-tables.js';
import { pageOfBackups } from './list-backups.js';
import { Progress } from './progress.js';
import { restoreTable } from './restore-table.js';

type OperationContent = ContentOf<typeof LongOperation>;

/** The calls about backups. */
export class BackupAdmin {
  readonly #context: BackupContext;
  readonly #tables: BackupTables;

  constructor(context: BackupContext, tables: BackupTables) {
    this.#context = context;
    this.#tables = tables;
  }

  async create({
    parent,
    backupId,
    backup: given,
  }: ContentOf<typeof CreateBackupRequest>): Promise<OperationContent> {
    const startTime = new Date();
    const { parent: instance, id: cluster } = parseResource(parent, 'clusters');
    const name = newName(parent!, cluster, backupId);
    if (given === undefined) throw requestError('backup', faults.missingBackup);
    const backup = newBackup(name, given, startTime);
    const { sourceTable } = backup;
    if (parseResource(sourceTable, 'tables').parent !== instance)
      throw requestError('backup.source_table', faults.otherInstance);
    let source!: RowSource;
    const kept = await this.#tables.begin(parent!, async () => {
      const { name: table, ...schema } = await this.#schemaOf(sourceTable!);
      const token = await this.#context.engine.generateConsistencyToken(table);
      const verify = () => this.#context.engine.checkConsistency(table, token);
      source = { table, name: sourceTable!, verify };
      const message = this.#messageOf({ name: table, ...schema }, sourceTable!);
      return { backup, table: message, engineTable: newTableName(), createTime: startTime };
    });
    const progress = new Progress(startTime);
    const metadata = (): Typed<ContentOf<typeof CreateBackupMetadata>> => [
      CreateBackupMetadata,
      { name, sourceTable, startTime, endTime: progress.endTime },
    ];
    return this.#context.operations.started(name, metadata, (signal) =>
      this.#tables.fill(kept, source, progress, signal),
    );
  }

  async copy({
    parent,
    backupId,
    sourceBackup,
    expireTime,
  }: ContentOf<typeof CopyBackupRequest>): Promise<OperationContent> {
    const startTime = new Date();
    const { id: cluster } = parseResource(parent, 'clusters');
    const name = newName(parent!, cluster, backupId);
    const source = this.#ready(sourceBackup);
    if (isCopy(source.backup)) throw preconditionError(faults.copyOfCopy(sourceBackup!).problem);
    const backup = copiedBackup(name, source, expireTime, startTime);
    const release = this.#tables.hold(sourceBackup!);
    let kept: KeptBackup;
    try {
      kept = await this.#tables.begin(parent!, async () => ({
        ...source,
        backup,
        engineTable: newTableName(),
        createTime: startTime,
      }));
    } catch (error) {
      release();
      throw error;
    }
    const progress = new Progress(startTime, source.backup.sizeBytes);
    const metadata = (): Typed<ContentOf<typeof CopyBackupMetadata>> => [
      CopyBackupMetadata,
      { name, sourceBackupInfo: infoOf(source), progress: progress.message() },
    ];
    const rows = { table: source.engineTable, name: sourceBackup!, verify: async () => true };
    return this.#context.operations.started(name, metadata, (signal) =>
      this.#tables.fill(kept, rows, progress, signal).finally(release),
    );
  }

  async restore(request: ContentOf<typeof RestoreTableRequest>): Promise<OperationContent> {
    const { backup } = request;
    if ((backup ?? '') === '') throw requestError('backup', faults.missingSource);
    const source = this.#ready(backup);
    this.#context.operations.assertNotBusy();
    const release = this.#tables.hold(backup!);
    try {
      return await restoreTable(request, source, this.#context, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  get(name: string | undefined): BackupContent {
    return shownBackup(this.#found(name));
  }

  async list(
    request: ContentOf<typeof ListBackupsRequest>,
  ): Promise<ContentOf<typeof ListBackupsResponse>> {
    const prefixes = await this.#context.instances.clusterPrefixes(request.parent);
    const kept = prefixes.flatMap((prefix) => backupRecords(this.#context.store, prefix));
    return pageOfBackups(kept.filter((each) => !hasExpired(each)).map(shownBackup), request);
  }

  update({
    backup = {},
    updateMask,
  }: ContentOf<typeof UpdateBackupRequest>): Promise<BackupContent> {
    return this.#context.names.changes.run(async () => {
      const current = this.#found(backup.name);
      const changed = { ...current, backup: updatedBackup(current, backup, updateMask?.paths) };
      await putBackup(this.#context.store, changed);
      return shownBackup(changed);
    });
  }

  async delete(name: string | undefined): Promise<object> {
    this.#found(name);
    if (!(await this.#tables.delete(name!))) throw notFoundError('Backup', name!);
    return {};
  }

  /** NOT_FOUND if the backup does not exist. */
  #found(name: string | undefined): KeptBackup {
    parseBackup(name);
    const kept = storedBackup(this.#context.store, name!);
    if (kept === undefined) throw notFoundError('Backup', name!);
    return kept;
  }

  /** A backup with all its rows. */
  #ready(name: string | undefined): KeptBackup {
    const kept = this.#found(name);
    if (kept.backup.state === backupState.ready) return kept;
    throw preconditionError(faults.notReady(name!).problem);
  }

  async #schemaOf(table: string): Promise<TableSchema> {
    const name = this.#context.names.find(table);
    const schema = (await this.#context.engine.listTables()).find((each) => each.name === name);
    if (schema === undefined) throw new RowsmithError('TABLE_NOT_FOUND', { table });
    return schema;
  }

  /**
   * What is restored of a table besides its rows: not its protection, its change stream and its
   * automated backups.
   */
  #messageOf(schema: TableSchema, name: string): ContentOf<typeof TableMessage> {
    const stored = this.#context.store.get('settings', name);
    const { columnFamilies: types, rowKeySchema } =
      stored === undefined ? {} : TableMessage.decode(stored);
    const valueTypes = keptTypes(types);
    const { columnFamilies, granularity } = encodeTable(schema, name, { valueTypes });
    return { columnFamilies, granularity, rowKeySchema };
  }
}

function newName(parent: string, cluster: string, id: string | undefined): string {
  if (cluster === '-') throw requestError('parent', faults.anyCluster);
  return `${parent}/backups/${checkId(id, 'backups')}`;
}

const faults = {
  missingBackup: { problem: 'The backup must be specified' },
  missingSource: { problem: 'The backup to restore must be specified' },
  anyCluster: { problem: 'A backup is created in one cluster' },
  otherInstance: { problem: 'The table must be in the instance of the cluster' },
  notReady: (name: string) => ({ problem: `Backup ${name} is still being created.` }),
  copyOfCopy: (name: string) => ({
    problem: `Backup ${name} is a copy. Copy the backup from which it was copied.`,
  }),
} satisfies FaultTexts;
