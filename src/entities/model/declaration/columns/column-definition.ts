/** Definitions of columns, shared by the column decorators and defineEntity. */
import type { CellCodec, ScalarKind, ScalarValues } from '../../../../data/cell/index.js';
import type { QualifierKind, QualifierValues, SegmentOptions } from '../../../../data/key/index.js';
import type {
  ColumnDeclaration,
  ColumnType,
  Constructor,
  CustomCodec,
  UpgradesDeclaration,
} from '../declaration.js';
import { givenOptions } from '../given-options.js';
import type { JudgedType, SchemaOption } from '../standard-schema.js';
import { type ValueOptions, valueOptionNames } from '../value-options.js';
import type { Version } from '../version.js';

/**
 * A message: the class; a function that returns it, if it is declared later or part of an import
 * cycle; or any `{ encode, decode }`.
 */
export type MessageSource = Constructor | (() => Constructor | CustomCodec) | CustomCodec;
/** What a cell can hold: a scalar kind, a message, or a custom cell codec. */
export type CellSource = ScalarKind | MessageSource | CellCodec;

/** The TypeScript type of a cell source; without one, every type that `design:type` identifies. */
export type CellValue<C> = [C] extends [undefined] ? EmittedValue : SourceValue<C>;

/** The types that `design:type` identifies. */
export type EmittedValue = string | bigint | Date | boolean | Uint8Array;

// `undefined` comes first, in CellValue: without strictNullChecks it is assignable to every kind.
type SourceValue<C> = C extends ScalarKind
  ? ScalarValues[C]
  : C extends CellCodec<infer T>
    ? T
    : C extends Pick<CustomCodec<infer T>, 'decode'>
      ? T
      : C extends Constructor<infer M>
        ? M
        : C extends () => infer R
          ? R extends Pick<CustomCodec<infer T>, 'decode'>
            ? T
            : R extends Constructor<infer M>
              ? M
              : never
          : EmittedValue;

type Nullish = null | undefined;

/** The name of a column in storage. */
export interface QualifierOptions {
  /** Column qualifier, at most 16 KiB; default: the name of the property. */
  readonly qualifier?: string | Uint8Array;
}

/** Options of a column with a single value of type V; M is the type of the members of `oneOf`. */
export interface ColumnOptions<V = unknown, M = V, I = unknown>
  extends QualifierOptions, ValueOptions<V, M>, SchemaOption<I, V | null | undefined> {
  /**
   * Earlier qualifiers of the column, newest first: read while its own qualifier is absent, and
   * deleted when the row is saved.
   */
  readonly alsoReads?: string | Uint8Array | readonly (string | Uint8Array)[];
  /**
   * What an absent cell reads as; a function for values that rows must not share (Dates, objects).
   * `create` and `fromJSON` set it, and a row that is saved with it has no cell, unless it would
   * have no cell at all: a changed default changes what such rows read as. To store a value at
   * insert, use `initial`.
   */
  readonly default?: V | (() => V);
}

/** Options of a column map: the kind of its qualifiers, which are the keys of the Map. */
export interface MapOptions<
  Q extends QualifierKind = QualifierKind,
  M extends string = string,
> extends Pick<SegmentOptions, 'order' | 'width' | 'max' | 'unit' | 'by'> {
  /**
   * What the keys are: `string` (the default), `int`, `uint`, `bigint`, `timestamp` or `enum`. They
   * are stored so that entries sort by value; `order: 'desc'` puts the greatest, or newest, first.
   * Changing the kind, or an option that changes the bytes, requires a data migration.
   */
  readonly qualifiers?: Q;
  /** enum: the members, in order; required. */
  readonly values?: readonly M[];
}

/** The type of the keys of a column map. */
export type MapKey<Q extends QualifierKind, M extends string = string> = Q extends 'enum'
  ? M
  : QualifierValues[Q];

/** Options of a packed column. */
export interface PackedOptions<V = unknown, I = unknown>
  extends
    Omit<ColumnOptions<V>, Exclude<keyof ValueOptions, 'required' | 'initial'> | 'schema'>,
    SchemaOption<I> {
  /** The uint32 field that holds the version of a stored value, for `upgrades`. */
  readonly version?: keyof V & string;
  /**
   * Functions that upgrade a stored value from version n to n + 1, by n. The current version is one
   * more than the highest n. The upgraded value is written when the row is saved.
   */
  readonly upgrades?: Readonly<Record<number, (stored: V) => V>>;
}

declare const value: unique symbol;
/** A column without its property, for `defineEntity`. V is the type of the property. */
export interface ColumnDefinition<V = never> {
  /** @internal */
  readonly declaration: Omit<ColumnDeclaration, 'property' | 'designType'>;
  /** Never set: carries V, so that the compiler rejects a property of another type. */
  readonly [value]?: (value: V) => void;
}

/** A single value: the newest cell of the column. */
export function column<
  C extends ScalarKind | CellCodec | undefined = undefined,
  const M extends CellValue<C> = CellValue<C>,
  I = unknown,
>(
  family: string,
  type?: C,
  options?: ColumnOptions<CellValue<C>, M, I>,
): ColumnDefinition<M & JudgedType<I>> {
  return {
    declaration: { kind: 'column', family, type: columnType(type), ...columnOptions(options) },
  };
}

/** A single message: the newest cell of the column, encoded as protobuf or by a custom codec. */
export function packed<C extends MessageSource, I = unknown>(
  family: string,
  message: C,
  options?: PackedOptions<CellValue<C>, I>,
): ColumnDefinition<CellValue<C> & I> {
  return {
    declaration: {
      kind: 'packed',
      family,
      type: columnType(message),
      ...columnOptions(options),
      upgrades: upgradesOf(givenOptions<PackedOptions>(options as PackedOptions | undefined)),
    },
  };
}

/** A whole family as a Map with the qualifiers as keys. */
export function columnMap<
  C extends CellSource,
  Q extends QualifierKind = 'string',
  const M extends string = string,
  I = unknown,
>(
  family: string,
  type: C,
  options?: MapOptions<Q, M> & SchemaOption<I, CellValue<C> | Nullish>,
): ColumnDefinition<ReadonlyMap<MapKey<Q, M>, CellValue<C> & JudgedType<I>>> {
  const {
    qualifiers = 'string',
    schema,
    ...rest
  } = givenOptions<MapOptions & SchemaOption>(options);
  return {
    declaration: {
      kind: 'columnMap',
      family,
      options,
      schema,
      qualifiers: { ...rest, kind: qualifiers },
      type: columnType(type),
    },
  };
}

/** Every stored version of a column, newest first. */
export function versions<C extends CellSource, I = unknown>(
  family: string,
  type: C,
  options?: QualifierOptions & SchemaOption<I, CellValue<C> | Nullish>,
): ColumnDefinition<readonly Version<CellValue<C> & JudgedType<I>>[]> {
  const { qualifier, schema } = givenOptions(options);
  return {
    declaration: {
      kind: 'versions',
      family,
      qualifier,
      options,
      schema,
      type: columnType(type),
    },
  };
}

/** An int64 that is changed by increments. */
export function counter(family: string, options?: QualifierOptions): ColumnDefinition<bigint> {
  return {
    declaration: {
      kind: 'counter',
      family,
      qualifier: givenOptions(options).qualifier,
      options,
      type: { kind: 'scalar', scalar: 'int64' },
    },
  };
}

function columnOptions(
  options: ColumnOptions | undefined,
): Pick<ColumnDeclaration, 'qualifier' | 'alsoReads' | 'default' | 'rules' | 'schema' | 'options'> {
  const given = givenOptions(options);
  const { qualifier, alsoReads, default: defaultValue, schema } = given;
  return {
    qualifier,
    alsoReads: qualifierList(alsoReads),
    default: defaultValue,
    rules: rulesOf(given),
    schema,
    options,
  };
}

/** Undefined without any, so that columns without rules cost nothing. */
function rulesOf(options: Partial<ColumnOptions>): ValueOptions | undefined {
  const given = valueOptionNames.filter((name) => options[name] !== undefined);
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

function qualifierList(
  alsoReads: ColumnOptions['alsoReads'],
): readonly (string | Uint8Array)[] | undefined {
  if (alsoReads === undefined) return undefined;
  if (Array.isArray(alsoReads)) return alsoReads as readonly string[];
  return [alsoReads as string];
}

function upgradesOf({
  version,
  upgrades,
}: Partial<UpgradesDeclaration>): UpgradesDeclaration | undefined {
  if (version === undefined && upgrades === undefined) return undefined;
  // If only one of them is given, buildModel reports the other one.
  return { version: version as string, upgrades: upgrades ?? {} };
}

function columnType(source: CellSource | undefined): ColumnType {
  if (source === undefined) return { kind: 'inferred' };
  if (isCustomCodec(source)) {
    if ('kind' in source) return { kind: 'codec', codec: source as CellCodec };
    return { kind: 'custom', codec: source };
  }
  if (typeof source === 'function')
    return { kind: 'message', message: classSource(source) as () => Constructor };
  return { kind: 'scalar', scalar: source as ScalarKind };
}

/** True for `{ encode, decode }`: an object, or a class with both as static methods. */
export function isCustomCodec(source: unknown): source is CustomCodec {
  if (source !== Object(source)) return false;
  const codec = source as Partial<CustomCodec>;
  return typeof codec.encode === 'function' && typeof codec.decode === 'function';
}

/** A function that returns the class; a function that is not a class is returned as it is. */
export function classSource(source: Constructor | (() => unknown)): () => unknown {
  if (/^class\b/.test(Function.prototype.toString.call(source))) return () => source;
  return source as () => unknown;
}
