/**
 * What decorators and defineEntity say, recorded and unchecked. Nothing here throws for a wrong
 * declaration: the model's build collects every fault and tells them together.
 */
import type { FieldKind, MapKeyKind, ScalarKind, CellCodec } from '../../cell/index.js';
import type { KeyFormat, SegmentKind, SegmentOptions } from '../../key/index.js';
import type { FamilySchema } from '../../store/index.js';

/** A class that makes entities or messages without arguments. */
export type Constructor<T extends object = object> = new () => T;

/** What protobufjs's `encode` returns. */
export interface CustomWriter {
  /** The bytes written so far. */
  finish(): Uint8Array;
}

/** A foreign codec of packed bytes: a pbjs static class, or any object of this form. */
export interface CustomCodec<T = unknown> {
  /** Bytes of the value, or a writer whose `finish()` gives them (protobufjs). */
  encode(value: T): Uint8Array | CustomWriter;
  /** Value of the bytes; gets a copy that it may keep. */
  decode(bytes: Uint8Array): T;
}

/**
 * What the compiler emitted as the property's `design:type`; undefined where it emitted nothing.
 * Asked late: classes may be circular.
 */
export type DesignType = () => unknown;

/** One `@Segment`. */
export interface SegmentDeclaration {
  readonly property: string;
  /** Undefined where the decorator names none: `design:type` decides. */
  readonly type: SegmentKind | undefined;
  readonly options: SegmentOptions;
  readonly designType: DesignType;
}

/** The type of a column, a version or a map value as declared. */
export type ColumnType =
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'message'; readonly message: () => Constructor | CustomCodec }
  | { readonly kind: 'foreign'; readonly codec: CustomCodec }
  | { readonly kind: 'codec'; readonly codec: CellCodec }
  /** No type was named: `design:type` decides. */
  | { readonly kind: 'inferred' };

/** One column property. */
export interface ColumnDeclaration {
  /** Which decorator said it. */
  readonly kind: 'column' | 'packed' | 'columnMap' | 'versions' | 'counter';
  readonly property: string;
  readonly family: string;
  /** Qualifier as declared; undefined for the property's name. Column maps have none. */
  readonly qualifier?: string | Uint8Array | undefined;
  readonly type: ColumnType;
  /**
   * Earlier qualifiers in the same family, the newest first: read while the column's own is absent.
   */
  readonly alsoReads?: readonly (string | Uint8Array)[] | undefined;
  /** What an absent value is read as: a value, or a function that makes one for each row. */
  readonly default?: unknown;
  /** How packed values of earlier versions are brought up to the newest. */
  readonly upgrades?: UpgradesDeclaration | undefined;
  readonly designType: DesignType;
}

/** Versions of a packed message. */
export interface UpgradesDeclaration {
  /** Field that holds the version of a stored value; one without it has version 1. */
  readonly version: string;
  /** From version n to n + 1, by n: 1 and on, without gaps. */
  readonly upgrades: Readonly<Record<number, (stored: never) => unknown>>;
}

/** One `@AlsoReads`. */
export interface AlsoReadsDeclaration {
  readonly property: string;
  readonly qualifiers: readonly (string | Uint8Array)[];
}

/** The type of a field as declared: a protobuf scalar, an enum (enumOf), or a message class. */
export type FieldDeclarationType = FieldKind | EnumDeclaration | (() => Constructor);

/** An enum for a field, made by enumOf. V is the type of its members. */
export interface EnumDeclaration<V extends number = number> {
  readonly kind: 'enum';
  /** Full protobuf name; undefined for an enum nested in the message and named after its field. */
  readonly name: string | undefined;
  /** Numbers by the names of the members. */
  readonly values: ReadonlyMap<string, V>;
}

/** One `@Field`, `@RepeatedField` or `@MapField`. */
export interface FieldDeclaration {
  readonly property: string;
  /** Undefined: the lock assigns and keeps it. */
  readonly number: number | undefined;
  readonly label: 'singular' | 'repeated' | 'map';
  /** Undefined: `design:type` decides. */
  readonly type: FieldDeclarationType | undefined;
  readonly mapKey?: MapKeyKind;
  readonly oneof?: string | undefined;
  readonly designType: DesignType;
}

/** A constant part of a row key: `rowKey(literal('order'), 'id')`. */
export interface KeyLiteral<T extends string = string> {
  /** The text as it stands in the key, before escaping. */
  readonly literal: T;
}

/** What `@Entity` takes. */
export interface EntityOptions {
  /** Name of the table, or a table declared once with `table()` for entities that share it. */
  readonly table: string | TableDeclaration;
  /** Families by name; left out where `table` declares them. */
  readonly families?: Readonly<Record<string, FamilySchema>>;
  /** Default `text`. */
  readonly keyFormat?: KeyFormat;
  /**
   * A hash shard in front of the key: fans reads out, spreads writes. `count` is 2 to 1,000, `by`
   * names the segments that are hashed; changing either is a data migration.
   */
  readonly shards?: { readonly count: number; readonly by: readonly string[] };
  /**
   * Property (a Date segment or column) whose moment is the timestamp of the cells; default: the
   * clock when saving.
   */
  readonly cellTimestamp?: string;
  /**
   * Write one empty cell so that an entity without column values exists: true for the first family,
   * or the family's name.
   */
  readonly marker?: boolean | string;
}

/** A table declared once for several entities. */
export interface TableDeclaration {
  readonly kind: 'table';
  readonly name: string;
  readonly families: Readonly<Record<string, FamilySchema>>;
}

/** A decorator on something that cannot carry it: a method, a static or a private member. */
export interface MisplacedDecorator {
  readonly property: string;
  /** `@Column`. */
  readonly decorator: string;
  /** `a static field`. */
  readonly on: string;
}

/** All that was said of one class. */
export interface ClassDeclaration {
  entity?: EntityOptions;
  /** Full protobuf name given to `@Message`; true when given without one. */
  message?: string | true;
  segments: SegmentDeclaration[];
  columns: ColumnDeclaration[];
  fields: FieldDeclaration[];
  alsoReads: AlsoReadsDeclaration[];
  misplaced: MisplacedDecorator[];
}
