/** What an entity is, checked and frozen: the one thing mapping, queries and generators read. */
import type { CellCodec, MessageShape } from '../cell/index.js';
import type { KeyCodec, SegmentType } from '../key/index.js';
import type { FamilySchema } from '../store/index.js';
import type { PatternBound } from './declaration/access-pattern.js';
import type { Constructor } from './declaration/declaration.js';

/** One segment of the row key. */
export interface SegmentModel {
  readonly property: string;
  readonly type: SegmentType;
}

/** One mapped property outside the key. */
export type ColumnModel = {
  readonly property: string;
  readonly family: string;
  /** Codec of one cell. */
  readonly codec: CellCodec;
  /** Set where cells hold a message class of ours. */
  readonly message?: MessageShape;
} &
  /** One value: the newest cell of the column. */
  (
    | {
        readonly kind: 'column' | 'packed';
        readonly qualifier: Uint8Array;
        /** Earlier qualifiers, the newest first: read while the column's own is absent. */
        readonly alsoReads?: readonly Uint8Array[];
        /** Makes what an absent value is read as. */
        readonly default?: () => unknown;
        /** Version of the values it writes, where it upgrades older ones. */
        readonly version?: number;
      }
    /** Every stored version of the column, newest first: `{ at, value }[]`. */
    | { readonly kind: 'versions'; readonly qualifier: Uint8Array }
    /** int64, changed only by increments; `aggregate` when its family adds up by itself. */
    | { readonly kind: 'counter'; readonly qualifier: Uint8Array; readonly aggregate: boolean }
    /** The whole family: qualifiers are the keys of a Map. */
    | { readonly kind: 'columnMap' }
  );

/** The table an entity lives in. */
export interface TableModel {
  readonly name: string;
  /** By name, in byte order. */
  readonly families: ReadonlyMap<string, FamilySchema>;
}

/** One access pattern: a named question whose values come with each call. */
export interface PatternModel {
  readonly name: string;
  /** Leading segments that a call fixes, in key order. */
  readonly prefix: readonly string[];
  /** How a call bounds the segment after them. */
  readonly bound?: { readonly kind: PatternBound; readonly segment: string };
  /** A full scan. */
  readonly scanAll: boolean;
  readonly reverse: boolean;
  readonly limit?: number;
  readonly select?: readonly string[];
  /** What it is for, in a sentence. */
  readonly purpose?: string;
}

/** An entity. */
export interface EntityModel<E extends object = object> {
  readonly name: string;
  readonly entityClass: Constructor<E>;
  readonly table: TableModel;
  readonly segments: readonly SegmentModel[];
  readonly key: KeyCodec;
  /** In the order cells are read: family, then qualifier, in byte order. */
  readonly columns: readonly ColumnModel[];
  /** In the order of their declaration. */
  readonly patterns: readonly PatternModel[];
  /** Property whose Date is the timestamp of the cells. */
  readonly cellTimestamp?: string;
  /** Column of the empty cell that marks the row, where one is declared. */
  readonly marker?: { readonly family: string; readonly qualifier: Uint8Array };
}
