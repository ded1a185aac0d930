/** What observers see: the calls of an engine, each from beginning to end. */
import type { ReadPlan } from '../../data/store/index.js';

/** The names of the engine's methods. */
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
  /**
   * Entity class of the repository that made the call; undefined for calls of the database itself.
   */
  readonly entity: string | undefined;
  /** Undefined for a compaction of all tables. */
  readonly table: string | undefined;
  /** Of a read. */
  readonly plan?: ReadPlan | undefined;
  /** Row keys that are written; for a drop, its prefix. */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** Rows read or written. */
  rows: number;
  /** Bytes of the keys, qualifiers and values read or written. */
  bytes: number;
  /** Requests sent: more than one after retries, or when a scan resumes after an error. */
  attempts: number;
  /** Milliseconds in the engine; the time between the pages of a scan is not included. */
  engineMillis: number;
}

/** Notified of every call. Must not throw. */
export interface Observer {
  /** A call begins. */
  begin(operation: Operation): OperationObserver;
}

/** Notified of the events of one call. */
export interface OperationObserver {
  /** Runs a part of the call in the observer's own context (the active span). */
  runInContext?<T>(work: () => T): T;
  /** The call sends another request; `status` is the gRPC code that ended the last one. */
  onRetry?(status: number): void;
  /** The call has succeeded, or failed with an error. Called once. */
  onEnd(error?: unknown): void;
}
