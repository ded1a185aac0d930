/**
 * What a message field holds, in the spelling that `@Field` and its sisters share with
 * defineMessage.
 */
import type { FieldKind, FieldValues, MapKeyKind } from '../../cell/index.js';
import { classSource } from './column-definition.js';
import type {
  Constructor,
  EnumDeclaration,
  FieldDeclaration,
  FieldDeclarationType,
} from './declaration.js';

/**
 * What a field can hold: a protobuf scalar, an enum, or a message (the class, or a function that
 * gives it).
 */
export type FieldSource = FieldKind | EnumDeclaration | Constructor | (() => Constructor);

/**
 * The TypeScript value of a field source; the values `design:type` can tell where none is named.
 */
export type FieldValue<T> = T extends FieldKind
  ? FieldValues[T]
  : T extends EnumDeclaration<infer V>
    ? V
    : T extends Constructor<infer M>
      ? M
      : T extends () => Constructor<infer M>
        ? M
        : string | bigint | Date | boolean | Uint8Array;

/** Options of a singular field. */
export interface FieldOptions {
  /** Name of the oneof the field belongs to: at most one of its fields is set. */
  readonly oneof?: string;
}

declare const value: unique symbol;
/** A field without its property, as `defineMessage` takes it. V is the value of the property. */
export interface FieldDefinition<V = never> {
  /** What is recorded. @internal */
  readonly said: Omit<FieldDeclaration, 'property' | 'designType'>;
  /** Never there: carries V, so that a property of another type is refused. */
  readonly [value]?: (value: V) => void;
}

/**
 * A singular field: undefined is absent, and a default value is stored. Without a number, the lock
 * assigns one (fieldNumbers). Overloads, here and below: from one list of either form TypeScript 7
 * infers no type.
 */
export function field<T extends FieldSource | undefined = undefined>(
  number: number,
  type?: T,
  options?: FieldOptions,
): FieldDefinition<FieldValue<T>>;
export function field<T extends FieldSource | undefined = undefined>(
  type?: T,
  options?: FieldOptions,
): FieldDefinition<FieldValue<T>>;
export function field<T>(...said: unknown[]): FieldDefinition<FieldValue<T>> {
  const [number, type, options] = numbered(said);
  return {
    said: {
      label: 'singular',
      number,
      type: fieldType(type as FieldSource | undefined),
      oneof: (options as FieldOptions | undefined)?.oneof,
    },
  };
}

/** A list. */
export function repeatedField<T extends FieldSource>(
  number: number,
  type: T,
): FieldDefinition<readonly FieldValue<T>[]>;
export function repeatedField<T extends FieldSource>(
  type: T,
): FieldDefinition<readonly FieldValue<T>[]>;
export function repeatedField<T>(...said: unknown[]): FieldDefinition<readonly FieldValue<T>[]> {
  const [number, type] = numbered(said);
  return { said: { label: 'repeated', number, type: fieldType(type as FieldSource) } };
}

/** A Map. */
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
  ...said: unknown[]
): FieldDefinition<ReadonlyMap<FieldValues[K], FieldValue<T>>> {
  const [number, mapKey, type] = numbered(said);
  return {
    said: {
      label: 'map',
      number,
      mapKey: mapKey as MapKeyKind,
      type: fieldType(type as FieldSource),
    },
  };
}

/** Types of fields are names, classes and objects, so a number in front is the field's own. */
function numbered(said: readonly unknown[]): [number: number | undefined, ...rest: unknown[]] {
  return typeof said[0] === 'number' ? [said[0], ...said.slice(1)] : [undefined, ...said];
}

function fieldType(source: FieldSource | undefined): FieldDeclarationType | undefined {
  return typeof source === 'function' ? (classSource(source) as () => Constructor) : source;
}
