/** What observers are told of: one call of an engine, from beginning to end. */
import type { ReadPlan } from '../store/index.js';

/** The engine's own names for its calls. */
export type OperationName =
  | 'readRows'
  | 'mutateRow'
  | 'mutateRows'
  | 'checkAndMutateRow'
  | 'readModifyWriteRow'
  | 'sampleRowKeys'
  | 'dropRowRange'
  | 'createTable'
  | 'deleteTable'
  | 'modifyFamilies'
  | 'updateTable'
  | 'compact';

/** One call. Its counts are complete when it has ended. */
export interface Operation {
  readonly name: OperationName;
  /** Entity class whose repository asked; undefined for calls of the database itself. */
  readonly entity: string | undefined;
  /** Table; undefined for a compaction of all. */
  readonly table: string | undefined;
  /** The question, for reads. */
  readonly plan?: ReadPlan;
  /** The rows that are written or asked for by key, for everything but scans. */
  readonly keys?: readonly Uint8Array[];
  /** Rows handed over or written. */
  rows: number;
  /** Bytes of the keys, qualifiers and values handed over or written. */
  bytes: number;
  /**
   * Requests that it took: more than one after retries; a scan that goes on after a fault counts
   * each.
   */
  attempts: number;
  /**
   * Milliseconds that the engine took: for a scan without the time its reader spent on the rows.
   */
  engineMillis: number;
}

/** Somebody who is told of every call. Never throws: what it finds is beside the work. */
export interface Observer {
  /** A call begins. */
  begin(operation: Operation): Witness;
}

/** What an observer keeps of one call. */
export interface Witness {
  /** Runs a part of the call inside the observer's own context (the active span). */
  within?<T>(work: () => T): T;
  /** The call goes on with another request; `status` is the gRPC code that ended the last. */
  retried?(status: number): void;
  /** The call ended, well or with an error; once. */
  end(error?: unknown): void;
}
