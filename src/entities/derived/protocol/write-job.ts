/** A write of the index protocol, and how it ends. */
import type { BucketName, Copied, EntryName, PlannedEntry, SeenRow } from './step.js';

/** A write to make. Immutable. */
export interface WriteJob<R extends SeenRow = SeenRow> {
  /** Distinguishes this write from all other writes: its tokens begin with it. */
  readonly id: string;
  /** The base row's key, one character per byte. */
  readonly row: string;
  /** How often the write starts again if another writer changes the same row or value. */
  readonly attempts: number;
  /** Writes all entries, and not only entries that differ from what the row says. */
  readonly force: boolean;
  /** The indexes with the entries that `force` writes; undefined for all. */
  readonly forced?: readonly number[] | undefined;
  /** The entries after the write; undefined if there is nothing to write. */
  readonly plan: (seen: R, copied: Copied) => readonly PlannedEntry[] | undefined;
  /** Set if the row copies values of other rows. */
  readonly copies?: CopiesOfRow<R> | undefined;
  /**
   * The buckets in which the write changes what the row adds, each with a new order. Set if the
   * entity has rollups.
   */
  readonly rolls?: ((seen: R, copied: Copied) => readonly PlannedChange[]) | undefined;
  /** Whether the write changes values that other rows copy, and is marked before. */
  readonly marks?: ((seen: R) => boolean) | undefined;
}

/** A bucket in which a write changes what its row adds. */
export interface PlannedChange extends BucketName {
  readonly order: number;
}

/** How a row copies values of other rows. */
export interface CopiesOfRow<R extends SeenRow = SeenRow> {
  /** The rows from which it copies after the write. */
  readonly sources: (seen: R) => readonly string[];
  /**
   * Whether entries or rollups depend on copies: these are then read before the entries are
   * written, too.
   */
  readonly inEntries: boolean;
  /** The indexes by which a propagation finds the rows that copy from one. */
  readonly links: readonly number[];
}

/** An entry that was written and that no row has. */
export type Stray = EntryName & { readonly token: string };

/** How a write ended. */
export type WriteResult =
  | { readonly kind: 'written'; readonly strays: readonly Stray[] }
  /** There was nothing to write. */
  | { readonly kind: 'unchanged'; readonly strays: readonly Stray[] }
  /** The condition of the caller does not hold. */
  | { readonly kind: 'refused'; readonly strays: readonly Stray[] }
  /** Another row has the value of a unique index. */
  | {
      readonly kind: 'taken';
      readonly entry: EntryName;
      readonly holder: string;
      readonly strays: readonly Stray[];
    }
  /** Every attempt conflicted with another writer of the row or the value. */
  | { readonly kind: 'contended'; readonly strays: readonly Stray[] }
  /** A request failed. Unless the write may be made, the row is as it was. */
  | { readonly kind: 'failed'; readonly mayBeWritten: boolean; readonly strays: readonly Stray[] };

/** A result without what was left behind. */
export type Ending<T = WriteResult> = T extends WriteResult ? Omit<T, 'strays'> : never;
