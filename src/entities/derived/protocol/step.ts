/**
 * What the index protocol asks of storage, one request at a time, and what storage answers. The
 * protocol is a state machine over plain data, so that a test explores every interleaving of the
 * steps that programs run.
 */

/** An entry of an index: a row of the index's table. */
export interface EntryName {
  /** Position of the index in the entity's declaration. */
  readonly index: number;
  /** The entry's row key, one character per byte. */
  readonly key: string;
}

/** An entry that a row should have. */
export interface PlannedEntry extends EntryName {
  /** Its key is the value alone, so that two rows cannot both have it. */
  readonly unique: boolean;
  /** The covered cells as text, to see whether they change. */
  readonly covered: string;
  /** The timestamp that it needs, so that it does not expire before its row leaves the index. */
  readonly time: number;
}

/** An entry that a row has. */
export interface SeenEntry extends EntryName {
  readonly covered: string;
  /** At most the timestamp of the entry. */
  readonly time: number;
  /** Of the write that made the entry; undefined for a row that was written without the index. */
  readonly token: string | undefined;
}

/** The last write that changed what a row adds to a rollup. */
export interface RollupToken {
  readonly token: string;
  /** Greater than the order of all earlier writes of the row. */
  readonly order: number;
}

/** What a read of a base row shows. */
export interface SeenRow {
  /** Of the last write; undefined if there was none for a day. */
  readonly version: string | undefined;
  /** Whether the row has cells of the entity. */
  readonly exists: boolean;
  readonly entries: readonly SeenEntry[];
  /** By position of the rollup in the entity's declaration; undefined for none for a week. */
  readonly rolled: readonly (RollupToken | undefined)[];
}

/** The bucket of a rollup that a row adds to. */
export interface BucketName {
  /** Position of the rollup in the entity's declaration. */
  readonly rollup: number;
  /** The key of the bucket's row, one character per byte. */
  readonly bucket: string;
}

/** A mark: a cell of a bucket that says what a write changes there. */
export interface MarkName extends BucketName {
  /** Of the write. */
  readonly token: string;
}

/** A mark to write. */
export interface PlannedMark extends MarkName, RollupToken {
  /** Of the last write of the row, which must have left no mark in the bucket. */
  readonly before: string | undefined;
}

/** A mark of a bucket, or what is left of one that was added while the bucket was built. */
export interface SeenMark extends RollupToken {
  /** The key of the row that was written, one character per byte. */
  readonly row: string;
}

/** What a read of a bucket shows. */
export interface SeenBucket {
  readonly marks: readonly SeenMark[];
  /** What was added since the build began; empty without one. */
  readonly log: readonly SeenMark[];
  /** Changes whenever something is added. */
  readonly revision: string | undefined;
  /** The build that runs. */
  readonly build: string | undefined;
}

/** What a scan of the rows of a bucket shows; not a snapshot. */
export interface ScannedRows {
  /**
   * The order of the last write of each row that has one, deleted rows included: own properties
   * with any text as their names.
   */
  readonly orders: Readonly<Record<string, number>>;
}

/** The row that an entry belongs to. */
export interface HeldEntry {
  /** The base row's key, one character per byte. */
  readonly row: string;
  readonly token: string;
}

/** The values of one row that copies hold, one for each copied property; null where it has none. */
export interface SourceValues {
  /** Names the row. */
  readonly source: string;
  readonly values: readonly (string | null)[];
}

/** The values of all rows from which a row copies. */
export type Copied = readonly SourceValues[];

/** The tokens of a row's entries after a write, and the timestamps that these have at least. */
export type EntryTokens = readonly (EntryName & {
  readonly token: string;
  readonly time: number;
})[];

/** One request; each is atomic for one row, and `writeEntries` for each of its rows. */
export type Request =
  /** Answered by `row`. */
  | { readonly kind: 'readRow'; readonly row: string }
  /** Writes entries of indexes that are not unique. */
  | {
      readonly kind: 'writeEntries';
      readonly entries: readonly PlannedEntry[];
      readonly token: string;
    }
  /** Writes a unique entry if there is none, or if it is this row's. */
  | { readonly kind: 'reserve'; readonly entry: PlannedEntry; readonly token: string }
  /** Answered by `entry`. */
  | { readonly kind: 'readEntry'; readonly entry: EntryName }
  /** Writes a unique entry if it is still the one that was read. */
  | {
      readonly kind: 'replace';
      readonly entry: PlannedEntry;
      readonly token: string;
      readonly held: HeldEntry;
    }
  /** Moves the version of a row on, if it is still the one that was read. */
  | {
      readonly kind: 'fence';
      readonly row: string;
      readonly version: string | undefined;
      readonly next: string;
    }
  /**
   * Writes the base row if its version is still the one that was read, and if the condition of the
   * caller holds.
   */
  | {
      readonly kind: 'commit';
      readonly version: string | undefined;
      readonly next: string;
      readonly tokens: EntryTokens;
      readonly copied: Copied;
      /** What the row adds to these rollups changes. */
      readonly rolled: readonly PlannedMark[];
    }
  /** Reads rows from which values are copied; answered by `sources`. */
  | { readonly kind: 'readSources'; readonly sources: readonly string[] }
  /** Writes a separate mark: values with copies are about to change. */
  | { readonly kind: 'mark'; readonly token: string }
  /**
   * Writes marks, each unless the mark of the row's last write is still there. Answered by
   * `marked`. Must not be repeated: a mark that arrives again after it was settled is added twice.
   */
  | { readonly kind: 'markBuckets'; readonly marks: readonly PlannedMark[] }
  /** Adds to buckets what their marks say, and removes these; nothing where a mark is gone. */
  | { readonly kind: 'settle'; readonly marks: readonly MarkName[] }
  /** Removes marks of writes that were not made, and can never be. */
  | { readonly kind: 'unmark'; readonly marks: readonly MarkName[] }
  /** Answered by `bucket`. */
  | ({ readonly kind: 'readBucket' } & BucketName)
  /**
   * From now on what is added is kept in the log, until the build ends. Takes over from a build
   * that runs, and keeps its log. Must not be repeated: one that arrives again after another build
   * has ended gives the bucket back to this one, after its first read is out of date.
   */
  | ({ readonly kind: 'startBuild'; readonly build: string } & BucketName)
  /** Reads the rows of a bucket; answered by `scanned`. */
  | ({ readonly kind: 'scanBucket' } & BucketName)
  /**
   * Corrects the values of a bucket and ends its build, if this one still runs, and if nothing was
   * added since the revision, unless that is undefined.
   */
  | ({
      readonly kind: 'finishBuild';
      readonly build: string;
      readonly correction: object;
      readonly since: { readonly revision: string | undefined } | undefined;
    } & BucketName)
  /** Deletes an entry while its token is this one. */
  | { readonly kind: 'deleteEntry'; readonly entry: EntryName; readonly token: string };

/** What storage answers. */
export type StorageAnswer<R extends SeenRow = SeenRow> =
  | { readonly kind: 'row'; readonly row: R }
  | { readonly kind: 'entry'; readonly held: HeldEntry | undefined }
  | { readonly kind: 'sources'; readonly copied: Copied }
  /** The marks that were not written, because the last write of the row has one there. */
  | { readonly kind: 'marked'; readonly blocked: readonly PlannedMark[] }
  | { readonly kind: 'bucket'; readonly bucket: SeenBucket }
  | { readonly kind: 'scanned'; readonly rows: ScannedRows }
  /** The request was made; for a conditional one, whether its condition held. */
  | { readonly kind: 'done'; readonly applied: boolean }
  /** The request failed. */
  | { readonly kind: 'failed'; readonly mayBeApplied: boolean };

/** The next request of a process, or its result. */
export type Step<S, R> =
  | { readonly kind: 'ask'; readonly state: S; readonly request: Request }
  | { readonly kind: 'end'; readonly result: R };

/** Whether both name one entry. */
export function sameEntry(a: EntryName, b: EntryName): boolean {
  return a.index === b.index && a.key === b.key;
}
