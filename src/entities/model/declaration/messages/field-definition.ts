/** Definitions of message fields, shared by the field decorators and defineMessage. */
import type { FieldKind, FieldValues, MapKeyKind } from '../../../../data/cell/index.js';
import { readOptions } from '../given-options.js';
import { classSource, type EmittedValue } from '../columns/column-definition.js';
import type {
  Constructor,
  EnumDeclaration,
  FieldDeclaration,
  FieldDeclarationType,
} from '../declaration.js';

/**
 * What a field can hold: a protobuf scalar, an enum, or a message (the class, or a function that
 * returns it).
 */
export type FieldSource = FieldKind | EnumDeclaration | Constructor | (() => Constructor);

/** The TypeScript type of a field source; without one, every type that `design:type` identifies. */
export type FieldValue<T> = [T] extends [undefined] ? EmittedValue : SourceValue<T>;

// `undefined` comes first, in FieldValue: without strictNullChecks it is assignable to every kind.
type SourceValue<T> = T extends FieldKind
  ? FieldValues[T]
  : T extends EnumDeclaration<infer V>
    ? V
    : T extends Constructor<infer M>
      ? M
      : T extends () => Constructor<infer M>
        ? M
        : EmittedValue;

/** Options of a singular field. */
export interface FieldOptions {
  /** The oneof that contains the field: at most one of its fields is set. */
  readonly oneof?: string;
}

declare const value: unique symbol;
/** A field without its property, for `defineMessage`. V is the type of the property. */
export interface FieldDefinition<V = never> {
  /** @internal */
  readonly declaration: Omit<FieldDeclaration, 'property' | 'designType'>;
  /** Never set: carries V, so that the compiler rejects a property of another type. */
  readonly [value]?: (value: V) => void;
}

/**
 * A singular field with explicit presence: undefined is absent, and a default value is stored.
 * Without a number, the lock file assigns one (fieldNumbers).
 */
// Overloads here and below: TypeScript 7 infers no type from a union of both parameter lists.
export function field<T extends FieldSource | undefined = undefined>(
  number: number,
  type?: T,
  options?: FieldOptions,
): FieldDefinition<FieldValue<T>>;
export function field<T extends FieldSource | undefined = undefined>(
  type?: T,
  options?: FieldOptions,
): FieldDefinition<FieldValue<T>>;
export function field<T>(...args: unknown[]): FieldDefinition<FieldValue<T>> {
  const [number, type, options] = withNumber(args);
  return {
    declaration: {
      label: 'singular',
      number,
      type: fieldType(type as FieldSource | undefined),
      oneof: readOptions(options as FieldOptions | undefined).oneof,
      options,
    },
  };
}

/** A repeated field. */
export function repeatedField<T extends FieldSource>(
  number: number,
  type: T,
): FieldDefinition<readonly FieldValue<T>[]>;
export function repeatedField<T extends FieldSource>(
  type: T,
): FieldDefinition<readonly FieldValue<T>[]>;
export function repeatedField<T>(...args: unknown[]): FieldDefinition<readonly FieldValue<T>[]> {
  const [number, type] = withNumber(args);
  return { declaration: { label: 'repeated', number, type: fieldType(type as FieldSource) } };
}

/** A map field. */
export function mapField<K extends MapKeyKind, T extends FieldSource>(
  number: number,
  keyKind: K,
  type: T,
): FieldDefinition<ReadonlyMap<FieldValues[K], FieldValue<T>>>;
export function mapField<K extends MapKeyKind, T extends FieldSource>(
  keyKind: K,
  type: T,
): FieldDefinition<ReadonlyMap<FieldValues[K], FieldValue<T>>>;
export function mapField<K extends MapKeyKind, T>(
  ...args: unknown[]
): FieldDefinition<ReadonlyMap<FieldValues[K], FieldValue<T>>> {
  const [number, mapKey, type] = withNumber(args);
  return {
    declaration: {
      label: 'map',
      number,
      mapKey: mapKey as MapKeyKind,
      type: fieldType(type as FieldSource),
    },
  };
}

/** The arguments with the optional field number in front. A field type is never a number. */
function withNumber(args: readonly unknown[]): [number: number | undefined, ...rest: unknown[]] {
  if (typeof args[0] === 'number') return [args[0], ...args.slice(1)];
  return [undefined, ...args];
}

function fieldType(source: FieldSource | undefined): FieldDeclarationType | undefined {
  if (typeof source !== 'function') return source;
  return classSource(source) as () => Constructor;
}
