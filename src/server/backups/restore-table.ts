/** RestoreTable: a new table with the rows of a backup. */
import {
  decodeTable,
  encodeTable,
  keptTypes,
  parseInstance,
  restoredFromBackup,
  RestoreInfo,
  RestoreTableMetadata,
  StatusError,
  statusOf,
  TableMessage,
  type ContentOf,
  type LongOperation,
  type RestoreTableRequest,
} from '../../engines/protocol/index.js';
import type { Engine, TableSchema } from '../../data/store/index.js';
import type { Typed } from '../admin/operations.js';
import type { KeptBackup } from '../resources/stored-backups.js';
import { infoOf } from './backup-content.js';
import type { BackupContext } from './backup-tables.js';
import { copyRows } from './copy-rows.js';
import { Progress } from './progress.js';

/**
 * Starts the restore; `release` is called when it has ended, and not if it cannot be started. No
 * client sees the table before all its rows are there; if they cannot be copied, it is deleted.
 */
export async function restoreTable(
  { parent, tableId }: ContentOf<typeof RestoreTableRequest>,
  source: KeptBackup,
  target: BackupContext,
  release: () => void,
): Promise<ContentOf<typeof LongOperation>> {
  const progress = new Progress(new Date(), source.backup.sizeBytes);
  const { instances, names, operations, store } = target;
  parseInstance(parent);
  const backupInfo = infoOf(source);
  const { columnFamilies, granularity, rowKeySchema } = source.table;
  const restoreInfo = RestoreInfo.encode({ sourceType: restoredFromBackup, backupInfo });
  const valueTypes = keptTypes(columnFamilies);
  const types = new Map([...valueTypes].map(([id, valueType]) => [id, { valueType }]));
  const settings = TableMessage.encode({ columnFamilies: types, rowKeySchema, restoreInfo });
  const [name, schema] = await instances.changes.run(async () => {
    await instances.get(parent);
    await instances.keep(parent!);
    return names.createHidden(
      parent!,
      tableId,
      (engineName) => decodeTable({ columnFamilies, granularity }, engineName),
      (fullName) => store.put('settings', fullName, settings),
    );
  });
  const metadata = (): Typed<ContentOf<typeof RestoreTableMetadata>> => [
    RestoreTableMetadata,
    { name, sourceType: restoredFromBackup, backupInfo, progress: progress.message() },
  ];
  return operations.started(name, metadata, async (signal) => {
    try {
      await copyBack(target.engine, source, schema, progress, signal);
      await names.reveal(name);
    } catch (error) {
      // A table that cannot be deleted now stays hidden, and is deleted at the next start.
      await names.discard(name).catch(() => undefined);
      const { code, message } = statusOf(error, source.backup.name);
      throw new StatusError(code, message);
    } finally {
      progress.end();
      release();
    }
    const extras = { valueTypes, settings: { rowKeySchema, restoreInfo } };
    return [TableMessage, encodeTable(schema, name, extras)];
  });
}

async function copyBack(
  engine: Engine,
  { engineTable }: KeptBackup,
  { name, families }: TableSchema,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const aggregates = [...families].filter(([, { aggregate }]) => aggregate !== undefined);
  await copyRows(engine, {
    from: engineTable,
    to: name,
    families: new Set(families.keys()),
    aggregates: new Set(aggregates.map(([family]) => family)),
    signal,
    onBytes: (bytes) => progress.add(bytes),
  });
  signal.throwIfAborted();
}
