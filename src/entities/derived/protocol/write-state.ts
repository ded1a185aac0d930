/** A write of the index protocol between two requests. */
import type { Copied, HeldEntry, PlannedEntry, PlannedMark, SeenEntry, SeenRow } from './step.js';
import type { Ending, Stray } from './write-job.js';

/** A commit with an outcome that is not known yet. */
export interface Commit {
  readonly version: string;
  readonly old: readonly SeenEntry[];
  readonly marks: readonly PlannedMark[];
}

/** How far a write is. */
export interface Progress<R extends SeenRow> {
  readonly attempt: number;
  /** Tokens taken so far. */
  readonly taken: number;
  readonly token: string;
  readonly seen?: R;
  readonly plan: readonly PlannedEntry[];
  /** The rows from which this one copies, and their values. */
  readonly sources: readonly string[];
  readonly copied: Copied;
  /** Entries to write: the unique ones first. */
  readonly writes: readonly PlannedEntry[];
  /** Number of unique ones that are reserved. */
  readonly reserved: number;
  readonly held?: HeldEntry;
  /** Everything that was written in this and earlier attempts. */
  readonly wrote: readonly Stray[];
  /** Commits that broke off. */
  readonly commits: readonly Commit[];
  /** Old entries that are still to be deleted. */
  readonly old: readonly SeenEntry[];
  /** The marks of this attempt in buckets of rollups. */
  readonly marks: readonly PlannedMark[];
  /** The entries of them that are still to be written. */
  readonly unmarked: readonly PlannedMark[];
  /** Marks of attempts that can never be committed. */
  readonly stale: readonly PlannedMark[];
  /** How the write ends once these are removed. */
  readonly ending?: Ending;
}

/** A write between two requests. */
export type WriteState<R extends SeenRow = SeenRow> = Progress<R> & {
  readonly at:
    | 'read'
    | 'sources'
    | 'reserve'
    | 'held'
    | 'holder'
    | 'fence'
    | 'replace'
    | 'entries'
    | 'confirm'
    | 'mark'
    | 'buckets'
    | 'help'
    | 'commit'
    | 'refused'
    | 'outcome'
    | 'settle'
    | 'clean'
    | 'unmark';
};
