/**
 * The rows of backups. They are in tables of the engine that no client can name, as plain cells
 * with their timestamps.
 */
import { randomBytes } from 'node:crypto';
import type { FaultTexts } from '../../base/index.js';
import type { Engine, TableSchema } from '../../data/store/index.js';
import {
  Backup,
  backupState,
  parseResource,
  StatusError,
  statusCode,
  statusOf,
} from '../../engines/protocol/index.js';
import type { Operations, Typed } from '../admin/operations.js';
import type { InstanceLookup } from '../resources/instance-lookup.js';
import { alreadyExistsError, preconditionError } from '../resources/resource-error.js';
import type { ResourceStore } from '../resources/resource-store.js';
import {
  backupRecord,
  backupRecords,
  hasExpired,
  putBackup,
  removeBackup,
  type BackupContent,
  type KeptBackup,
} from '../resources/stored-backups.js';
import { backupTablePrefix, type TableNames } from '../resources/table-names.js';
import { isCopy, shownBackup } from './backup-content.js';
import { copyRows } from './copy-rows.js';
import { Deferred, type Progress } from './progress.js';

/** Milliseconds between deletions of expired backups. */
const sweepMs = 60_000;

/** A backup that is being created or copied. */
interface Creation {
  readonly stop: AbortController;
  readonly ended: Deferred;
}

/** Where the rows of a new backup come from. */
export interface RowSource {
  /** The engine's table. */
  readonly table: string;
  /** What clients call it. */
  readonly name: string;
  /** Called when all rows are copied; rejects if they were not all of the same table. */
  readonly verify: () => Promise<unknown>;
}

/** The parts of the server that backups need. */
export interface BackupContext {
  readonly engine: Engine;
  readonly names: TableNames;
  readonly store: ResourceStore;
  readonly instances: InstanceLookup;
  readonly operations: Operations;
}

/** Creates, fills and deletes the tables of backups, and deletes expired ones. */
export class BackupTables {
  readonly #engine: Engine;
  readonly #names: TableNames;
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;
  readonly #creations = new Map<string, Creation>();
  /** Copies and restores by the backup that they read, which stays until they have ended. */
  readonly #readers = new Map<string, number>();
  /** The engine may have tables of backups that do not exist. */
  #hasLeftovers = true;
  #timer: NodeJS.Timeout | undefined;

  constructor({ engine, names, store, instances, operations }: BackupContext) {
    this.#engine = engine;
    this.#names = names;
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
  }

  /** Deletes what has expired and what an interrupted call has left, as far as that is possible. */
  sweep(): Promise<void> {
    return this.#names.changes.run(async () => {
      for (const kept of backupRecords(this.#store, '')) {
        const { name, state } = kept.backup;
        const isBroken = state !== backupState.ready && !this.#creations.has(name);
        if (isBroken || (hasExpired(kept) && !this.#readers.has(name)))
          await this.#discard(kept).catch(() => undefined);
      }
      if (this.#hasLeftovers) await this.#deleteLeftovers().catch(() => undefined);
    });
  }

  /** Sweeps from time to time. */
  start(): void {
    this.#timer = setInterval(() => void this.sweep(), sweepMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Tables of removed backups that could not be deleted. */
  async #deleteLeftovers(): Promise<void> {
    const known = new Set(backupRecords(this.#store, '').map(({ engineTable }) => engineTable));
    for (const { name } of await this.#engine.listTables())
      if (name.startsWith(backupTablePrefix) && !known.has(name))
        await this.#engine.deleteTable(name);
    this.#hasLeftovers = false;
  }

  /** Stores a backup that is being created, and creates the table for its rows. */
  begin(cluster: string, contentOf: () => Promise<KeptBackup>): Promise<KeptBackup> {
    this.#operations.assertNotBusy();
    const { parent: instance } = parseResource(cluster, 'clusters');
    // In both queues: neither the cluster nor the table is deleted meanwhile.
    const begin = async (): Promise<KeptBackup> => {
      await this.#instances.clusterPrefixes(cluster);
      const kept = await contentOf();
      const { name } = kept.backup;
      const existing = backupRecord(this.#store, name);
      if (existing !== undefined) {
        if (!hasExpired(existing) || this.#readers.has(name))
          throw alreadyExistsError('Backup', name);
        await this.#discard(existing);
      }
      await this.#instances.keep(instance);
      this.#creations.set(name, { stop: new AbortController(), ended: new Deferred() });
      try {
        await putBackup(this.#store, kept);
        await this.#engine.createTable(plainSchema(kept));
        return kept;
      } catch (error) {
        await this.#abandon(kept);
        throw error;
      }
    };
    return this.#instances.changes.run(() => this.#names.changes.run(begin));
  }

  /** Copies the rows of a backup; a backup that cannot be completed is deleted. */
  async fill(
    kept: KeptBackup,
    source: RowSource,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Typed<BackupContent>> {
    const { name } = kept.backup;
    const { stop, ended } = this.#creations.get(name)!;
    const { families } = plainSchema(kept);
    try {
      await copyRows(this.#engine, {
        from: source.table,
        to: kept.engineTable,
        families: new Set(families.keys()),
        aggregates: new Set(),
        signal: AbortSignal.any([signal, stop.signal]),
        onBytes: (bytes) => progress.add(bytes),
      });
      await source.verify();
      return await this.#names.changes.run(async () => {
        signal.throwIfAborted();
        stop.signal.throwIfAborted();
        return [Backup, await this.#complete(name, progress)];
      });
    } catch (error) {
      progress.end();
      await this.#names.changes.run(() => this.#abandon(kept));
      const { code, message } = statusOf(error, source.name);
      throw new StatusError(code, message);
    } finally {
      this.#creations.delete(name);
      ended.resolve();
    }
  }

  /** Marks a backup as ready. Its expiry may have been updated meanwhile. */
  async #complete(name: string, progress: Progress): Promise<BackupContent> {
    const current = backupRecord(this.#store, name)!;
    const endTime = progress.end();
    const backup = {
      ...current.backup,
      state: backupState.ready,
      sizeBytes: BigInt(progress.bytes),
      endTime: isCopy(current.backup) ? current.backup.endTime : endTime,
    };
    const ready = { ...current, backup };
    await putBackup(this.#store, ready);
    return shownBackup(ready);
  }

  /** Removes a backup that could not be created, as far as that is possible: see `sweep`. */
  async #abandon(kept: KeptBackup): Promise<void> {
    const { name } = kept.backup;
    await this.#discard(kept).catch(() => undefined);
    this.#creations.get(name)?.ended.resolve();
    this.#creations.delete(name);
  }

  /** Removes a backup, then its rows: without its record it does not exist. */
  async #discard({ backup: { name }, engineTable }: KeptBackup): Promise<void> {
    await removeBackup(this.#store, name);
    try {
      await this.#engine.deleteTable(engineTable);
    } catch {
      this.#hasLeftovers = true;
    }
  }

  /** Keeps a backup until the returned function is called. */
  hold(name: string): () => void {
    this.#readers.set(name, (this.#readers.get(name) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = this.#readers.get(name)! - 1;
      if (left > 0) this.#readers.set(name, left);
      else this.#readers.delete(name);
    };
  }

  /**
   * Deletes a backup, and resolves to whether there was one; one that is being created is stopped
   * first.
   */
  async delete(name: string): Promise<boolean> {
    const creation = this.#creations.get(name);
    creation?.stop.abort(new StatusError(statusCode.CANCELLED, faults.deleted.problem));
    await creation?.ended.promise;
    return this.#names.changes.run(async () => {
      const kept = backupRecord(this.#store, name);
      if (kept === undefined) return creation !== undefined;
      if (this.#readers.has(name)) throw preconditionError(faults.backupInUse(name).problem);
      await this.#discard(kept);
      return true;
    });
  }
}

/** A table for any cells: nothing is collected or aggregated. */
function plainSchema({ engineTable, table }: KeptBackup): TableSchema {
  const families = [...(table.columnFamilies ?? new Map<string, object>()).keys()];
  return {
    name: engineTable,
    families: new Map(families.map((family) => [family, {}])),
    granularity: 'micros',
  };
}

/** The name of a new table for the rows of a backup. */
export function newTableName(): string {
  return backupTablePrefix + randomBytes(8).toString('hex');
}

const faults = {
  deleted: { problem: 'The backup was deleted.' },
  backupInUse: (name: string) => ({ problem: `Backup ${name} is being copied or restored.` }),
} satisfies FaultTexts;
