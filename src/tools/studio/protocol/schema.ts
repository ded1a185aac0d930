/** Tables, entities and their keys: what forms and columns are made of. */
import type { StudioFailure } from './failure.js';
import type { JsonValue } from './json.js';

/** Response of `schema`: from declarations alone, so it is fast, whatever the back end does. */
export interface SchemaInfo {
  readonly entities: readonly EntityInfo[];
  /** Entities of one table with the same leading segments, which one scan can read. */
  readonly collections: readonly CollectionForm[];
}

/** An entity. */
export interface EntityInfo {
  readonly name: string;
  readonly table: string;
  /** The segments of the key, in order. A query form has an input for each. */
  readonly key: KeyInfo;
  /** In storage order. */
  readonly columns: readonly ColumnInfo[];
  /** The messages in its cells, nested ones included. */
  readonly messages: readonly MessageInfo[];
  readonly families: readonly FamilyInfo[];
  readonly patterns: readonly PatternForm[];
  readonly indexes: readonly IndexForm[];
  readonly rollups: readonly RollupForm[];
  /** Columns that are copied from rows of other entities. */
  readonly copies: readonly { readonly property: string; readonly of: string }[];
  /** Set if it is an authorized view of another entity. */
  readonly view?: { readonly name: string; readonly of: string } | undefined;
  /** The property with the time at which a row expires. */
  readonly expiresAt?: string | undefined;
  /** The property with the revision, with which every write is conditional. */
  readonly revision?: string | undefined;
  /** The declaration as `rowsmith describe` prints it. */
  readonly text: string;
}

/** The key of an entity, an index or a rollup. */
export interface KeyInfo {
  /** `text`, `ordered` or `delimited('|')`. */
  readonly format: string;
  readonly segments: readonly SegmentInfo[];
  /** The parts with literals and encodings, for people: `literal 'order'`, `shop: string`. */
  readonly parts: readonly string[];
  /** `16 by device`; undefined without shards. */
  readonly shards?: string | undefined;
}

/** Kinds of segments; `JsonValue` says how their values are written. */
export type KeyKind =
  | 'string'
  | 'int'
  | 'uint'
  | 'bigint'
  | 'float'
  | 'decimal'
  | 'bool'
  | 'enum'
  | 'timestamp'
  | 'micros'
  | 'isoDate'
  | 'uuid'
  | 'ulid'
  | 'bytes'
  | 'reversedId'
  | 'domain';

/** A segment, with what an input needs. */
export interface SegmentInfo {
  readonly name: string;
  readonly kind: KeyKind;
  /** `desc`: the greatest value comes first. */
  readonly order: 'asc' | 'desc';
  readonly nullable: boolean;
  /** The bounds that the segment takes; empty for kinds that are only compared for equality. */
  readonly bounds: readonly BoundKind[];
  /** The tests that conditions of `where` take, while the segment has no value in `fixed`. */
  readonly tests: readonly TestKind[];
  /** The members of an enum. */
  readonly values?: readonly string[] | undefined;
  /** Times are floored to multiples of this many milliseconds. */
  readonly floorMs?: number | undefined;
  /** Digits after the point, of a decimal. */
  readonly scale?: number | undefined;
  readonly rules?: RulesInfo | undefined;
  /** Set if `insert` may leave it out: the library makes an id. */
  readonly generated?: true | undefined;
}

/** The bounds of queries: `between` is `from <= value < to`. */
export type BoundKind = 'between' | 'since' | 'until' | 'startsWith' | 'subdomains';

/** Rules of values, as far as a form can check them while they are typed. */
export interface RulesInfo {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  /** The source of a regular expression, and its flags. */
  readonly pattern?: string | undefined;
  readonly patternFlags?: string | undefined;
  /** Numbers; digits as text for integers of 64 bits. */
  readonly min?: JsonValue | undefined;
  readonly max?: JsonValue | undefined;
  readonly oneOf?: readonly JsonValue[] | undefined;
}

/** A column of an entity or of the results of a query. */
export interface ColumnInfo {
  readonly name: string;
  /** `key` is a segment, in results. `packed` cells hold several values as a message. */
  readonly role: 'key' | 'column' | 'packed' | 'counter' | 'columnMap' | 'versions';
  /**
   * Kind of the value, of the entries of a map, or of each version: a kind of segments, a scalar
   * kind of protobuf (`int64`, `double`, ...), `json`, `date`, `message` or `custom`.
   */
  readonly kind: string;
  /** The name of the message, with the kind `message`. */
  readonly message?: string | undefined;
  /** Kind of the keys, of a column map. */
  readonly entryKind?: string | undefined;
  readonly family?: string | undefined;
  /** Printable; undefined for column maps. */
  readonly qualifier?: string | undefined;
  /** Whether every row has a value. */
  readonly required: boolean;
  /** Set if only the library sets it. */
  readonly managed?: 'revision' | 'createdAt' | 'updatedAt' | undefined;
  /** Whether `update` takes it: false for segments, counters, managed and copied columns. */
  readonly editable: boolean;
  /** Whether `update` can compare it with what was shown, in the write itself. */
  readonly comparable: boolean;
  /** The tests that conditions of `where` take; empty if there are none. */
  readonly tests: readonly TestKind[];
  /** Of a message: its fields with one value, and the fields of messages in it. */
  readonly fields?: readonly FieldTests[] | undefined;
  readonly rules?: RulesInfo | undefined;
}

/** A field of a message, as conditions of `where` name and test it. */
export interface FieldTests {
  /** The names from the message to the field. */
  readonly path: readonly string[];
  /** A scalar kind of protobuf, `enum` or `message`. */
  readonly kind: string;
  readonly tests: readonly TestKind[];
  /** The members of an enum. */
  readonly values?: readonly string[] | undefined;
}

/** Tests of conditions; see `QueryCondition`. */
export type TestKind =
  | 'equals'
  | 'oneOf'
  | 'noneOf'
  | 'above'
  | 'atLeast'
  | 'below'
  | 'atMost'
  | 'startsWith'
  | 'isNull'
  | 'notNull';

/** A message. */
export interface MessageInfo {
  readonly name: string;
  readonly fields: readonly FieldInfo[];
}

/** A field of a message. */
export interface FieldInfo {
  readonly number: number;
  readonly name: string;
  /** `int64`, `repeated string`, `map<string, Point>`, `enum Colour`. */
  readonly type: string;
  readonly oneof?: string | undefined;
}

/** A declared family. */
export interface FamilyInfo {
  readonly name: string;
  /** The garbage collection rule as text; `never` without one. */
  readonly gc: string;
  readonly aggregate?: string | undefined;
}

/** An access pattern: `prefix` needs values, `bound` a value or two. */
export interface PatternForm {
  readonly name: string;
  readonly prefix: readonly string[];
  readonly bound?: { readonly kind: BoundKind; readonly segment: string } | undefined;
  readonly scanAll: boolean;
  readonly reverse: boolean;
  readonly limit?: number | undefined;
  readonly select?: readonly string[] | undefined;
  readonly purpose?: string | undefined;
}

/** An index: its key is queried like the key of an entity. */
export interface IndexForm {
  readonly name: string;
  readonly unique: boolean;
  readonly table: string;
  readonly key: KeyInfo;
  /** Properties that its entries hold besides the keys, for covered queries. */
  readonly covered: readonly string[];
}

/** A rollup: its rows have the segments of the key, and the values. */
export interface RollupForm {
  readonly name: string;
  readonly table: string;
  readonly key: KeyInfo;
  /** Width of its buckets in seconds. */
  readonly seconds: number;
  /** `total sum price`, `orders count`. */
  readonly values: readonly string[];
}

/** Entities that a collection reads together. */
export interface CollectionForm {
  readonly table: string;
  readonly members: readonly string[];
  /** The leading segments that all keys share; a query gives values for some of them. */
  readonly shared: readonly SegmentInfo[];
}

/** A line of the stream `tables`: each table as soon as it was measured. */
export type TablesLine =
  { readonly type: 'table'; readonly table: StudioTable } | { readonly type: 'end' };

/** A table, stored or declared. */
export interface StudioTable {
  readonly name: string;
  /** False for a declared table that does not exist yet. */
  readonly stored: boolean;
  /** Stored families. */
  readonly families: readonly FamilyInfo[];
  /** Entities that are declared in it, with their rows. */
  readonly entities: readonly { readonly name: string; readonly rows: EstimatedRows }[];
  /** What the table is, if no entity of the project is in it: entries, rollups, marks. */
  readonly derived?: 'index' | 'rollup' | 'copies' | undefined;
  /** About the stored bytes; undefined if the back end does not say. */
  readonly bytes?: number | undefined;
  /** Why it could not be measured. */
  readonly error?: StudioFailure | undefined;
}

/** A number of rows. */
export interface EstimatedRows {
  readonly rows: number;
  /** Whether it is estimated from sizes; up to 1,000 rows are counted. */
  readonly estimated: boolean;
}
