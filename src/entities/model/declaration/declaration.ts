/**
 * Declarations as decorators, defineEntity and defineMessage record them, unchecked. A wrong
 * declaration does not throw here: buildModel collects all faults and reports them together.
 */
import type { PackageCopy } from '../../../base/index.js';
import type { FieldKind, MapKeyKind, ScalarKind, CellCodec } from '../../../data/cell/index.js';
import type {
  KeyFormat,
  QualifierType,
  SegmentKind,
  SegmentOptions,
} from '../../../data/key/index.js';
import type { FamilySchema } from '../../../data/store/index.js';
import type { ValueOptions } from './value-options.js';
import type { LintDeclaration, LintIgnoreDeclaration } from './lint-declaration.js';
import type { StandardSchema } from './standard-schema.js';

/** What a managed column holds. */
export type ManagedRole = 'revision' | 'createdAt' | 'updatedAt';

/** A class of entities or messages; constructed without arguments. */
export type Constructor<T extends object = object> = new () => T;

/** The writer that protobufjs's `encode` returns. */
export interface CustomWriter {
  /** The bytes written so far. */
  finish(): Uint8Array;
}

/** A custom codec of packed bytes: a pbjs static class, or any object of this form. */
export interface CustomCodec<T = unknown> {
  /** Returns the bytes of the value, or a writer that returns them from `finish()` (protobufjs). */
  encode(value: T): Uint8Array | CustomWriter;
  /** Returns the value; `bytes` is a copy that it may keep. */
  decode(bytes: Uint8Array): T;
}

/**
 * Returns the `design:type` that the compiler emitted for the property; undefined if it emitted
 * none. A function, because classes may refer to each other.
 */
export type DesignType = () => unknown;

/** One `@Segment`. */
export interface SegmentDeclaration {
  readonly property: string;
  /** Undefined: inferred from `design:type`. */
  readonly type: SegmentKind | undefined;
  readonly options: SegmentOptions;
  readonly designType: DesignType;
}

/** The type of a column, a version or a map value as declared. */
export type ColumnType =
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'message'; readonly message: () => Constructor | CustomCodec }
  | { readonly kind: 'custom'; readonly codec: CustomCodec }
  | { readonly kind: 'codec'; readonly codec: CellCodec }
  /** Not declared: inferred from `design:type`. */
  | { readonly kind: 'inferred' };

/** One column property. */
export interface ColumnDeclaration {
  /** The decorator. */
  readonly kind: 'column' | 'packed' | 'columnMap' | 'versions' | 'counter';
  /** Set if the library sets its values. */
  readonly role?: ManagedRole;
  readonly property: string;
  readonly family: string;
  /** Undefined: the property's name. Column maps have none. */
  readonly qualifier?: string | Uint8Array | undefined;
  readonly type: ColumnType;
  /** Column maps: the kind of their qualifiers; undefined: text. */
  readonly qualifiers?: QualifierType | undefined;
  /** Earlier qualifiers in the same family, newest first: read while the column's own is absent. */
  readonly alsoReads?: readonly (string | Uint8Array)[] | undefined;
  /** Returned for an absent cell: a value, or a function that creates one for each row. */
  readonly default?: unknown;
  /** What its values must be, and what an entity without one is inserted with. */
  readonly rules?: ValueOptions | undefined;
  /** The Standard Schema of its values, unchecked. */
  readonly schema?: unknown;
  /** Upgrades of packed values that were written by earlier versions. */
  readonly upgrades?: UpgradesDeclaration | undefined;
  /** The options as they were given. */
  readonly options?: unknown;
  readonly designType: DesignType;
}

/** Versions of a packed message. */
export interface UpgradesDeclaration {
  /** The field that holds the version of a stored value; a value without it has version 1. */
  readonly version: string;
  /** Functions from version n to n + 1, by n: from 1 without gaps. */
  readonly upgrades: Readonly<Record<number, (stored: never) => unknown>>;
}

/** One `@AlsoReads`. */
export interface AlsoReadsDeclaration {
  readonly property: string;
  readonly qualifiers: readonly (string | Uint8Array)[];
}

/** The declared type of a field: a protobuf scalar, an enum (enumOf), or a message class. */
export type FieldDeclarationType = FieldKind | EnumDeclaration | (() => Constructor);

/** An enum for a field, created by enumOf. V is the type of its members. */
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
  /** Undefined: assigned and recorded by the lock file. */
  readonly number: number | undefined;
  readonly label: 'singular' | 'repeated' | 'map';
  /** Undefined: inferred from `design:type`. */
  readonly type: FieldDeclarationType | undefined;
  readonly mapKey?: MapKeyKind;
  readonly oneof?: string | undefined;
  /** The options as they were given. */
  readonly options?: unknown;
  readonly designType: DesignType;
}

/** A constant part of a row key: `rowKey(literal('order'), 'id')`. */
export interface KeyLiteral<T extends string = string> {
  /** The text in the key, before escaping. */
  readonly literal: T;
}

/** Options of `@Entity`. */
export interface EntityOptions<T extends string = string, S extends string = string, I = unknown> {
  /**
   * The name of the entity in stored data, in the lock file, in commands and in messages; default:
   * the name of the class. Declare it if a bundler renames classes.
   */
  readonly name?: string;
  /** The table's name, or a table declared with `table()` for the entities that share it. */
  readonly table: string | TableDeclaration;
  /** Families by name; omitted if `table` declares them. */
  readonly families?: Readonly<Record<string, FamilySchema>>;
  /** Default: `text`. */
  readonly keyFormat?: KeyFormat;
  /**
   * Prefixes the key with a hash shard, which spreads writes and fans out reads. `count` is 2 to
   * 1,000; `by` names the segments that are hashed. Changing either requires a data migration.
   */
  readonly shards?: { readonly count: number; readonly by: readonly S[] };
  /**
   * The Date segment or column with the timestamp of the cells as its value; default: the time of
   * the save.
   */
  readonly cellTimestamp?: T;
  /**
   * The Date segment or column with the time until which a row exists. The timestamps of its cells
   * are this time less the `maxAge` of their families, which all must have the same one.
   */
  readonly expiresAt?: T;
  /**
   * Writes one empty cell, so that a row without column values exists: true for the first suitable
   * family, or the family's name.
   */
  readonly marker?: boolean | string;
  /**
   * Whether `patch` and increments of this entity change existing rows only, unless a call says
   * `mustExist: false`; default false. It makes each patch a conditional write: one request for
   * each row, and on a live table an app profile with single-cluster routing.
   */
  readonly mustExist?: boolean;
  /** What `lint` needs to know about the entity. Nothing else depends on it. */
  readonly lint?: LintDeclaration;
  /**
   * A Standard Schema (zod, valibot, arktype, ...) of entities that are written whole, for rules
   * between properties. It gets a plain object of the segments and columns that have a value,
   * without counters and what the library sets, and never changes them. A patch is not judged.
   */
  readonly schema?: StandardSchema<I>;
}

/** A table that several entities share. */
export interface TableDeclaration {
  readonly kind: 'table';
  readonly name: string;
  readonly families: Readonly<Record<string, FamilySchema>>;
}

/** A decorator that is not on a public instance property: on a method, a static member, ... */
export interface MisplacedDecorator {
  readonly property: string;
  /** `@Column`. */
  readonly decorator: string;
  /** `a static field`. */
  readonly on: string;
}

/** A part of a declaration that is not of the form in which it is recorded. */
export interface MalformedPart {
  /** Undefined for the class itself. */
  readonly property: string | undefined;
  readonly problem: string;
  readonly fix: string;
}

/** An authorized view as declared, unchecked. */
export interface ViewDeclaration {
  readonly of: Constructor;
  readonly name: unknown;
  readonly options: unknown;
}

/** All declarations of a class. */
export interface ClassDeclaration {
  /** The copy of the package that recorded them. */
  readonly copy: PackageCopy;
  entity?: EntityOptions;
  /** Set if the class is an authorized view. */
  view?: ViewDeclaration;
  /** The full protobuf name passed to `@Message`; true if it was applied without a name. */
  message?: string | true;
  segments: SegmentDeclaration[];
  columns: ColumnDeclaration[];
  fields: FieldDeclaration[];
  alsoReads: AlsoReadsDeclaration[];
  /** Rules of `lint` that do not apply, from `@LintIgnore`. */
  lintIgnores: LintIgnoreDeclaration[];
  misplaced: MisplacedDecorator[];
  malformed: MalformedPart[];
}
