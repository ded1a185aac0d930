/** Work on the files of a database: merges of all tables, copies, and verification. */
import { type BackupSummary, verifyTables, writeBackup } from './kv/store/write-backup.js';
import type { DiskParts } from './local-engine-options.js';

type Snapshot = ReturnType<DiskParts['snapshot']>;
type OnStep = (fraction: number) => void;

export class DiskWork {
  #compacting: Promise<void> | undefined;
  readonly #copies = new Set<Promise<unknown>>();
  readonly #disk: DiskParts;

  constructor(disk: DiskParts) {
    this.#disk = disk;
  }

  /** Merges all tables, and returns the bytes that were freed. */
  async compact(onStep: OnStep): Promise<number> {
    const disk = this.#disk;
    const before = disk.bytes();
    const errors: unknown[] = [];
    // An error of the caller must not count as one of the disk.
    const step: OnStep = (fraction) => {
      try {
        onStep(fraction);
      } catch (error) {
        errors.push(error);
      }
    };
    // Concurrent calls share one compaction.
    this.#compacting ??= disk.compact(step).finally(() => (this.#compacting = undefined));
    await this.#compacting;
    if (errors.length > 0) throw errors[0] as Error;
    return Math.max(0, before - disk.bytes());
  }

  /** Writes a copy to a directory that is empty or does not exist, and verifies it. */
  backup(directory: string, onStep: OnStep): Promise<BackupSummary> {
    return this.#run((snapshot) => writeBackup(snapshot, snapshot.source, directory, onStep));
  }

  /** Reads all files and verifies them. */
  verify(onStep: OnStep): Promise<BackupSummary> {
    return this.#run((snapshot) => verifyTables(snapshot, onStep));
  }

  /** Resolves once no work is running. */
  async end(): Promise<void> {
    await this.#compacting?.catch(() => undefined);
    await Promise.allSettled(this.#copies);
  }

  async #run<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#disk.snapshot();
    const copy = work(snapshot).finally(() => snapshot.release());
    this.#copies.add(copy);
    try {
      return await copy;
    } finally {
      this.#copies.delete(copy);
    }
  }
}
