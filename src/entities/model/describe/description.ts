/** Descriptions of entities, as data. */
import type { PatternModel, ColumnModel } from '../model.js';
import type { ManagedRole } from '../declaration/declaration.js';

/** An entity as plain data. `toString()` returns it as text. */
export interface EntityDescription {
  readonly entity: string;
  readonly table: string;
  /** Sorted by name; `gc` is `never` without a rule. */
  readonly families: readonly {
    readonly name: string;
    readonly gc: string;
    readonly aggregate?: string | undefined;
  }[];
  readonly key: {
    /** `text`, `ordered` or `delimited('|')`. */
    readonly format: string;
    /** The parts with their encodings, in key order. */
    readonly parts: readonly string[];
    /** `16 by device`; undefined without shards. */
    readonly shards?: string | undefined;
    /** Maximum size of a key in bytes; undefined if a segment has no declared limit. */
    readonly maxBytes: number | undefined;
  };
  /** In storage order. */
  readonly columns: readonly ColumnDescription[];
  /**
   * The messages in the cells, nested ones included; `generated` is true if a codec of `rowsmith
   * generate` is registered for the message.
   */
  readonly messages: readonly {
    readonly name: string;
    readonly generated?: true;
    readonly fields: readonly FieldDescription[];
  }[];
  /** In the order of declaration; absent without indexes. */
  readonly indexes?: readonly IndexDescription[] | undefined;
  /** The same for rollups. */
  readonly rollups?: readonly RollupDescription[] | undefined;
  /** In the order of declaration. */
  readonly patterns: readonly PatternModel[];
  /** In the order of declaration. */
  readonly copies: readonly CopyDescription[];
  /** The property that is the timestamp of the cells. */
  readonly cellTimestamp?: string;
  /** The property with the time at which rows expire. */
  readonly expiresAt?: string | undefined;
  /** The family of the marker cell. */
  readonly marker?: string;
  /** What is allowed but may fail when an entity is saved: a key without a maximum size. */
  readonly warnings: readonly string[];
  /** The description as text, without a trailing line break. */
  toString(): string;
}

/** A column. */
export interface ColumnDescription {
  readonly property: string;
  readonly kind: ColumnModel['kind'];
  readonly family: string;
  /** As printable text; undefined for column maps. */
  readonly qualifier: string | undefined;
  /** `double`, `message telemetry.Status`. */
  readonly type: string;
  /** Column maps with keys other than text: their kind and encoding. */
  readonly keys?: string | undefined;
  /** Set if the library sets its values. */
  readonly role?: ManagedRole | undefined;
  /** What its values must be: `required, one of 'open', 'closed'`. */
  readonly rules?: string | undefined;
}

/** An index. */
export interface IndexDescription {
  readonly name: string;
  /** What its entries begin with. */
  readonly id: string;
  readonly unique: boolean;
  /** The table of the entries. */
  readonly table: string;
  /** The segments of the index, without the segments of the row key that follow. */
  readonly segments: readonly string[];
  /** The covered properties. */
  readonly covered: readonly string[];
}

/** A rollup. */
export interface RollupDescription {
  readonly name: string;
  /** The table of its rows. */
  readonly table: string;
  /** The segments of its key; the last is the time. */
  readonly by: readonly string[];
  /** The width of a bucket in seconds. */
  readonly seconds: number;
  /** `count`, `mean avg temperature`. */
  readonly values: readonly string[];
}

/** A column that holds a value of another entity's row. */
export interface CopyDescription {
  readonly property: string;
  /** The entity that has the value, and its property: `Author.name`. */
  readonly of: string;
  /** For each segment of the referenced key, the property of this entity with its value. */
  readonly by: Readonly<Record<string, string>>;
}

/** A field of a message. */
export interface FieldDescription {
  readonly number: number;
  readonly name: string;
  /** In protobuf syntax: `repeated string`, `map<string, double>`. */
  readonly type: string;
  readonly oneof?: string;
}
