/** What a column holds, in the spelling that `@Column` and its sisters share with defineEntity. */
import type { CellCodec, ScalarKind, ScalarValues } from '../../cell/index.js';
import type { ColumnDeclaration, ColumnType, Constructor, CustomCodec } from './declaration.js';
import type { Version } from './version.js';

/**
 * A message: the class, or a function that gives it where it is declared later or imported in a
 * circle; or any `{ encode, decode }`.
 */
export type MessageSource = Constructor | (() => Constructor | CustomCodec) | CustomCodec;
/** What a cell can hold: a scalar kind, a message, or a cell codec of one's own. */
export type CellSource = ScalarKind | MessageSource | CellCodec;

/** The TypeScript value of a cell source; the values `design:type` can tell where none is named. */
export type CellValue<C> = C extends ScalarKind
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
          : string | bigint | Date | boolean | Uint8Array;

/** Name of a column in storage. */
export interface QualifierOptions {
  /** Name in storage, at most 16 KiB; default: the name of the property. */
  readonly qualifier?: string | Uint8Array;
}

/** Options of a column with one value, V. */
export interface ColumnOptions<V = unknown> extends QualifierOptions {
  /**
   * Earlier names in storage, the newest first: read while the column's own is absent, deleted when
   * the row is saved.
   */
  readonly alsoReads?: string | Uint8Array | readonly (string | Uint8Array)[];
  /**
   * What an absent value is read as; a function for values that rows must not share (Dates,
   * objects). Nothing is written until the row is saved.
   */
  readonly default?: V | (() => V);
}

/** Options of a packed column. */
export interface PackedOptions<V = unknown> extends ColumnOptions<V> {
  /** The uint32 field that holds the version of a stored value, for `upgrades`. */
  readonly version?: keyof V & string;
  /**
   * What brings a stored value of version n to n + 1, by n; the newest version is one more than the
   * last. Written back when the row is saved.
   */
  readonly upgrades?: Readonly<Record<number, (stored: V) => V>>;
}

declare const value: unique symbol;
/** A column without its property, as `defineEntity` takes it. V is the value of the property. */
export interface ColumnDefinition<V = never> {
  /** What is recorded. @internal */
  readonly said: Omit<ColumnDeclaration, 'property' | 'designType'>;
  /** Never there: carries V, so that a property of another type is refused. */
  readonly [value]?: (value: V) => void;
}

/** One value: the newest cell of the column. */
export function column<C extends ScalarKind | CellCodec | undefined = undefined>(
  family: string,
  type?: C,
  options: ColumnOptions<CellValue<C>> = {},
): ColumnDefinition<CellValue<C>> {
  return { said: { kind: 'column', family, type: columnType(type), ...saidOptions(options) } };
}

/** One message: the newest cell of the column, encoded as protobuf or by a codec of one's own. */
export function packed<C extends MessageSource>(
  family: string,
  message: C,
  options: PackedOptions<CellValue<C>> = {},
): ColumnDefinition<CellValue<C>> {
  const { version, upgrades } = options;
  const versioned =
    version === undefined && upgrades === undefined
      ? {}
      : { upgrades: { version: version as string, upgrades: upgrades ?? {} } };
  return {
    said: {
      kind: 'packed',
      family,
      type: columnType(message),
      ...saidOptions(options),
      ...versioned,
    },
  };
}

/** A whole family as a Map: qualifiers are its keys. */
export function columnMap<C extends CellSource>(
  family: string,
  type: C,
): ColumnDefinition<ReadonlyMap<string, CellValue<C>>> {
  return { said: { kind: 'columnMap', family, type: columnType(type) } };
}

/** Every stored version of a column, newest first. */
export function versions<C extends CellSource>(
  family: string,
  type: C,
  options: QualifierOptions = {},
): ColumnDefinition<readonly Version<CellValue<C>>[]> {
  return {
    said: { kind: 'versions', family, qualifier: options.qualifier, type: columnType(type) },
  };
}

/** An int64 that is changed by increments. */
export function counter(family: string, options: QualifierOptions = {}): ColumnDefinition<bigint> {
  return {
    said: {
      kind: 'counter',
      family,
      qualifier: options.qualifier,
      type: { kind: 'scalar', scalar: 'int64' },
    },
  };
}

function saidOptions({
  qualifier,
  alsoReads,
  default: otherwise,
}: ColumnOptions): Pick<ColumnDeclaration, 'qualifier' | 'alsoReads' | 'default'> {
  const earlier =
    alsoReads === undefined
      ? undefined
      : Array.isArray(alsoReads)
        ? (alsoReads as readonly string[])
        : [alsoReads as string];
  return { qualifier, alsoReads: earlier, default: otherwise };
}

function columnType(source: CellSource | undefined): ColumnType {
  if (source === undefined) return { kind: 'inferred' };
  if (isCustomCodec(source))
    return 'kind' in source
      ? { kind: 'codec', codec: source as CellCodec }
      : { kind: 'foreign', codec: source };
  if (typeof source === 'function')
    return { kind: 'message', message: classSource(source) as () => Constructor };
  return { kind: 'scalar', scalar: source as ScalarKind };
}

/** Whether it is `{ encode, decode }`: an object, or a class with both as static methods. */
export function isCustomCodec(source: unknown): source is CustomCodec {
  const codec = source as Partial<CustomCodec> | null | undefined;
  return source !== Object(source)
    ? false
    : typeof codec?.encode === 'function' && typeof codec.decode === 'function';
}

/** A class as a function that gives it; a function as it is. */
export function classSource(source: Constructor | (() => unknown)): () => unknown {
  const isClass = /^class\b/.test(Function.prototype.toString.call(source));
  return isClass ? () => source : (source as () => unknown);
}
