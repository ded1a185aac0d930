/** The files of a store: its tables, and the manifest that names them. */
import type { Levels } from '../levels/levels.js';
import { MemorySource } from '../tables/table-source.js';
import { Table } from '../tables/table.js';
import { TableWriter } from '../tables/table-writer.js';
import { noBytes } from '../../../../base/index.js';
import type { SegmentId } from '../log/log-record.js';

export interface TableOutput {
  readonly writer: TableWriter;
  /** Writes what is complete. */
  drain(): Promise<void> | undefined;
  /** Ends the table and flushes it. */
  finish(): Promise<Table>;
  /** Removes what was written. */
  abort(): Promise<void>;
}

export interface StoreState {
  readonly levels: Levels;
  /** The last commit that is in the tables. */
  readonly commit: number;
  /** The segment of the log with the next commit. */
  readonly segment: SegmentId | undefined;
  /** The segment that is being written. */
  readonly lastSegment: SegmentId | undefined;
}

export interface StoreFiles {
  create(): TableOutput;
  /**
   * Makes the state the one that is opened from now on. Calls `onName` before it may be: from then
   * on, a failure does not mean that it is not.
   */
  save(state: StoreState, onName: () => void): Promise<void>;
  /** False if what was saved is gone. */
  readonly isSaved: boolean;
  /** Removes tables that the saved state does not name. */
  remove(tables: readonly Table[]): Promise<void>;
  /** Frees what is kept for a full disk; false if there was nothing. */
  releaseReserve(): Promise<boolean>;
  close(): Promise<void>;
}

const noSalt = new Uint8Array(8);

/** Keeps tables in memory. */
export class MemoryFiles implements StoreFiles {
  readonly isSaved = true;

  create(): TableOutput {
    const writer = new TableWriter(noBytes, noSalt);
    const chunks: Uint8Array[] = [];
    return {
      writer,
      drain: () => void chunks.push(...writer.take()),
      finish() {
        const summary = writer.finish();
        chunks.push(...writer.take());
        const info = { ...summary, owner: 0, number: 0, salt: noSalt };
        return Promise.resolve(new Table(info, 'memory:', new MemorySource(chunks), 0));
      },
      abort: () => Promise.resolve(),
    };
  }

  save(): Promise<void> {
    return Promise.resolve();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  releaseReserve(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
