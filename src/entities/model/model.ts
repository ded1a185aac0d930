/** The model of an entity, checked and frozen: mapping, queries and generators read it. */
import type { CellCodec, MessageShape } from '../../data/cell/index.js';
import type { KeyCodec, QualifierCodec, SegmentType } from '../../data/key/index.js';
import type { FamilySchema } from '../../data/store/index.js';
import type { PatternBound } from './declaration/keys/access-pattern.js';
import type { Constructor } from './declaration/declaration.js';
import type { RollupCell, RollupResult } from './rollup-model.js';

/** A rollup of an entity. */
export interface RollupModel {
  readonly name: string;
  /** The first part of its rows' keys: the name, and the width in seconds. */
  readonly id: string;
  /** Segments of the source, in the order of the rollup's key; the last is the time. */
  readonly by: readonly string[];
  /** The time, and the milliseconds to which it is floored. */
  readonly time: string;
  readonly width: number;
  /** True if the rows of a bucket are one range of the source's key (of each shard). */
  readonly contiguous: boolean;
  readonly cells: readonly RollupCell[];
  readonly results: readonly RollupResult[];
  /** The rows of the rollup, as a separate entity. */
  readonly rows: EntityModel;
}

/** What values must be when they are written, beyond their kind; at least one of them is set. */
export interface ValueRules {
  /** The only values. */
  readonly oneOf?: readonly unknown[];
  /** Lengths of text in UTF-16 units, of bytes in bytes. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Without the flags `g` and `y`. */
  readonly pattern?: RegExp;
  readonly min?: number | bigint;
  readonly max?: number | bigint;
}

/** A Standard Schema, checked. */
export interface SchemaModel {
  readonly vendor: string;
  /** Returns the result or a promise of it. What it does is not known: it may throw. */
  readonly validate: (value: unknown) => unknown;
}

/** A segment of the row key. */
export interface SegmentModel {
  readonly property: string;
  readonly type: SegmentType;
  /** Set if it has any; text has a minimum length of 1 unless it is declared. */
  readonly rules?: ValueRules;
  /** Creates the id of an entity without one. */
  readonly generate?: () => string;
}

/** A mapped property outside the key. */
export type ColumnModel = {
  readonly property: string;
  readonly family: string;
  /** Codec of a cell value. */
  readonly codec: CellCodec;
  /** Set if cells hold a message class. */
  readonly message?: MessageShape;
  /** Set if it has any. */
  readonly rules?: ValueRules;
  /** Set if one judges its values: of column maps the entries, of versions each. */
  readonly schema?: SchemaModel;
} &
  /** A single value: the newest cell of the column. */
  (
    | {
        readonly kind: 'column' | 'packed';
        readonly qualifier: Uint8Array;
        /** Earlier qualifiers, newest first: read while the column's own is absent. */
        readonly alsoReads?: readonly Uint8Array[];
        /** Creates the value that is returned for an absent cell. */
        readonly default?: () => unknown;
        /** Set if each row has a value. */
        readonly required?: true;
        /** Usual values, for generated schemas. */
        readonly suggestions?: readonly unknown[];
        /** Creates the value that an entity without one is inserted with. */
        readonly initial?: () => unknown;
        /** The version of the values it writes, if it upgrades older ones. */
        readonly version?: number;
        /** The field of the message that has the version. */
        readonly versionField?: string;
      }
    /** Every stored version of the column, newest first: `{ at, value }[]`. */
    | { readonly kind: 'versions'; readonly qualifier: Uint8Array }
    /** An int64, changed only by increments; `aggregate` if it is in an aggregate family. */
    | { readonly kind: 'counter'; readonly qualifier: Uint8Array; readonly aggregate: boolean }
    /**
     * The whole family as a Map with the qualifiers as keys; `aggregate` if it is an aggregate
     * family with counters as entries.
     */
    | {
        readonly kind: 'columnMap';
        readonly qualifiers: QualifierCodec;
        readonly aggregate: boolean;
      }
  );

/** The properties that the library sets; at least one. */
export interface ManagedProperties {
  /** The revision of the row, new with each write. */
  readonly revision?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** The static methods of the class that writes and reads call. */
export interface EntityHooks {
  /** Called with an entity before it is written whole. */
  readonly beforeWrite?: (entity: object) => unknown;
  /** Called with each entity that was read. */
  readonly afterRead?: (entity: object) => unknown;
}

/** The table of an entity. */
export interface TableModel {
  readonly name: string;
  /** By name, in byte order. */
  readonly families: ReadonlyMap<string, FamilySchema>;
}

/** An access pattern: a named query; each call passes its values. */
export interface PatternModel {
  readonly name: string;
  /** Leading segments that a call passes values for, in key order. */
  readonly prefix: readonly string[];
  /** The segment after the prefix that a call bounds, and how. */
  readonly bound?: { readonly kind: PatternBound; readonly segment: string };
  /** A full scan. */
  readonly scanAll: boolean;
  readonly reverse: boolean;
  readonly limit?: number;
  readonly select?: readonly string[];
  /** What it is for, in a sentence. */
  readonly purpose?: string;
}

/** A column of ours. */
export interface OwnColumn {
  readonly family: string;
  readonly qualifier: Uint8Array;
}

/** Where an index has its cells. */
export interface EntryColumns {
  /** Base rows: the family of the tokens of their entries; the qualifiers are ids of indexes. */
  readonly tokens: string;
  /** Entries: the token of the write that made it. */
  readonly token: OwnColumn;
  /**
   * Entries of unique indexes: the key of the base row. In other entries that expire it is empty,
   * and is kept until the latest time that a write gave it.
   */
  readonly holder: OwnColumn;
  /** Entries: the family of covered columns; the qualifiers are properties. */
  readonly covered: string;
}

/** When garbage collection takes a row out of its entry. Ages are in microseconds. */
export interface EntryExpiry {
  /** The age at which cells of entries are collected: the longest age that matters here. */
  readonly age: number;
  /** The ages at which cells of the row, and covered ones, are collected, by family. */
  readonly ages: ReadonlyMap<string, number>;
  /** The row leaves the entry when one of these columns has lost its last cell. */
  readonly needed: readonly ColumnModel[];
  /** Whether the row is in the index whatever its columns, until its last cell is collected. */
  readonly lasts: boolean;
}

/** An index: entries that find the rows of an entity by other properties than its key. */
export interface IndexModel {
  readonly name: string;
  /** Names the entries in their table, and their tokens in base rows. Changes with the format. */
  readonly id: string;
  readonly unique: boolean;
  /** The properties of the index, in order: the first segments of an entry's key. */
  readonly segments: readonly string[];
  readonly covered: readonly string[];
  /** The entries as an entity, with the covered columns. */
  readonly entry: EntityModel;
  /** The states of the indexes in the table of the entries, as an entity. */
  readonly states: EntityModel;
  /** The cells of its entries, and of the base rows for them. */
  readonly own: EntryColumns;
  /** When its entries expire; undefined if they do not. */
  readonly expiry: EntryExpiry | undefined;
  /** Columns of the base row on which an entry depends. */
  readonly columns: readonly ColumnModel[];
  /** Whether each row has an entry, because no segment can be absent. */
  readonly total: boolean;
}

/** Columns that are copied from the rows of another entity. */
export interface CopyModel {
  /** The entity that has the values. */
  readonly source: EntityModel;
  /** For each segment of the source's key, the property of this entity that has its value. */
  readonly by: ReadonlyMap<string, string>;
  /** Position of the index that begins with these properties. */
  readonly index: number;
  /** The columns, and the columns that they copy. */
  readonly columns: readonly { readonly from: ColumnModel; readonly to: ColumnModel }[];
}

/** The copies of the rows of an entity in other entities. */
export interface SourceModel {
  /** The copied columns. */
  readonly columns: readonly ColumnModel[];
  /** The entities that copy them. */
  readonly targets: readonly EntityModel[];
  /** Marks of rows with changed values, as an entity. */
  readonly mark: EntityModel;
}

/** An authorized view of an entity. */
export interface ViewModel {
  /** The id of the view in its table. */
  readonly name: string;
  /** The entity. */
  readonly of: EntityModel;
  /** What the keys of the rows begin with. */
  readonly rowPrefixes: readonly Uint8Array[];
  /** The qualifiers of the columns by family; `all` for a family that is a column map. */
  readonly families: ReadonlyMap<string, 'all' | readonly Uint8Array[]>;
  readonly deletionProtection: boolean;
  /** Why rows cannot be written through the view, and what to do; undefined if they can. */
  readonly readOnly:
    { readonly property?: string; readonly problem: string; readonly fix: string } | undefined;
}

/** An entity. */
export interface EntityModel<E extends object = object> {
  readonly name: string;
  readonly entityClass: Constructor<E>;
  readonly table: TableModel;
  readonly segments: readonly SegmentModel[];
  readonly key: KeyCodec;
  /** By family, then by qualifier, in byte order. */
  readonly columns: readonly ColumnModel[];
  /** In the order of declaration. */
  readonly patterns: readonly PatternModel[];
  /** In the order of declaration. */
  readonly indexes: readonly IndexModel[];
  readonly rollups: readonly RollupModel[];
  /** Set if it copies values of other entities. */
  readonly copies?: readonly CopyModel[];
  /** Set if other entities that it was built with copy its values. */
  readonly copiedBy?: SourceModel;
  /** The property with the Date that is the timestamp of the cells. */
  readonly cellTimestamp?: string;
  /** Set if rows expire at a time that they name. */
  readonly expiresAt?: {
    readonly property: string;
    /** The `maxAge` of its families in microseconds. */
    readonly age: number;
    /** Whether a column names it, and not a segment. */
    readonly isColumn: boolean;
  };
  /** The column of the empty marker cell, if one is declared. */
  readonly marker?: { readonly family: string; readonly qualifier: Uint8Array };
  /** Undefined if the library sets no columns. */
  readonly managed?: ManagedProperties;
  /** Set if patches and increments change existing rows only. */
  readonly mustExist?: true;
  /** Undefined if the class has no hooks. */
  readonly hooks?: EntityHooks;
  /** Set if one judges whole entities. */
  readonly schema?: SchemaModel;
  /** Set if it is an authorized view of another entity. */
  readonly view?: ViewModel;
}
