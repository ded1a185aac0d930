/** Backups as the server stores them, under their full names. */
import {
  Backup,
  backupState,
  messageType,
  one,
  TableMessage,
  text,
  timestamp,
  type ContentOf,
} from '../../engines/protocol/index.js';
import { preconditionError } from './resource-error.js';
import type { ResourceStore } from './resource-store.js';

/** A backup, the table as it was, and the table of the engine with its rows. */
const StoredBackup = messageType('rowsmith.server.StoredBackup', {
  backup: one(1, Backup),
  table: one(2, TableMessage),
  engineTable: text(3),
  createTime: timestamp(4),
});

/** Contents of google.bigtable.admin.v2.Backup. */
export type BackupContent = ContentOf<typeof Backup>;

/** See StoredBackup. */
export interface KeptBackup {
  readonly backup: BackupContent & { readonly name: string; readonly expireTime: Date };
  readonly table: ContentOf<typeof TableMessage>;
  readonly engineTable: string;
  /** When the backup, or this copy of it, was requested: its expiry is limited from then on. */
  readonly createTime: Date;
}

/** The backup; undefined if there is none of this name, or it has expired. */
export function storedBackup(store: ResourceStore, name: string): KeptBackup | undefined {
  const kept = backupRecord(store, name);
  return kept === undefined || hasExpired(kept) ? undefined : kept;
}

/** The backup, even if it has expired and is not yet deleted. */
export function backupRecord(store: ResourceStore, name: string): KeptBackup | undefined {
  const bytes = store.get('backup', name);
  return bytes && decoded(bytes);
}

/** All backups with names that begin with the prefix, expired ones as well. */
export function backupRecords(store: ResourceStore, prefix: string): KeptBackup[] {
  return store.list('backup', prefix).map(([, bytes]) => decoded(bytes));
}

/** A backup that is being created does not expire. */
export function hasExpired({ backup: { state, expireTime } }: KeptBackup): boolean {
  return state === backupState.ready && expireTime.getTime() <= Date.now();
}

/** Stores a backup. */
export async function putBackup(store: ResourceStore, kept: KeptBackup): Promise<void> {
  await store.put('backup', kept.backup.name, StoredBackup.encode(kept));
}

/** Removes a backup and its access policy; not its rows. */
export async function removeBackup(store: ResourceStore, name: string): Promise<void> {
  await store.remove('backup', name);
  await store.remove('policy', name);
}

/** FAILED_PRECONDITION if the cluster, or a cluster of the instance, has a backup. */
export function assertNoBackups(
  store: ResourceStore,
  kind: 'Cluster' | 'Instance',
  name: string,
): void {
  const found = backupRecords(store, `${name}/`).find((kept) => !hasExpired(kept));
  if (found === undefined) return;
  throw preconditionError(
    `${kind} ${name} cannot be deleted: delete its backup ${found.backup.name} first.`,
  );
}

function decoded(bytes: Uint8Array): KeptBackup {
  return StoredBackup.decode(bytes) as KeptBackup;
}
