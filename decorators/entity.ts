/** `@Entity`: a class whose instances are rows of a table. */
import {
  recordOn,
  type PatternFault,
  type EntityOptions,
  type EntityClass,
  type EntityError,
  type KeyFault,
  type KeyParts,
  type Segments,
} from '../src/model/index.js';
import { metadataOf } from './property-decorator.js';

/**
 * What the compiler can find wrong with the class and the options that name its properties; unknown
 * when nothing is.
 */
export type CheckEntity<E, K extends KeyParts, Timestamp, Sharded, Patterns = unknown> = [
  KeyFault<E, K>,
] extends [never]
  ? [Exclude<Timestamp, keyof E>] extends [never]
    ? [Exclude<Sharded, Segments<K>[number]>] extends [never]
      ? [PatternFault<E, K, Patterns>] extends [never]
        ? unknown
        : EntityError<PatternFault<E, K, Patterns>>
      : EntityError<`shards.by names '${Exclude<Sharded, Segments<K>[number]> & string}', which is not a segment of the key`>
    : EntityError<`cellTimestamp names '${Exclude<Timestamp, keyof E> & string}', which is not a property of the class`>
  : EntityError<KeyFault<E, K>>;

/** Marks a class as an entity. Its key is the static property `key = rowKey(...)`. */
export function Entity<const T extends string = never, const S extends string = never>(
  options: EntityOptions & {
    readonly cellTimestamp?: T;
    readonly shards?: { readonly by: readonly S[] };
  },
): <E extends object, const K extends KeyParts, P = unknown>(
  entityClass: EntityClass<E, K, P> & CheckEntity<E, K, T, S, P>,
  context?: unknown,
) => void {
  // The key is not read here: standard decorators run before static fields are initialised.
  return (entityClass, context) => {
    recordOn(
      context === undefined ? entityClass : metadataOf('@Entity', context as ClassDecoratorContext),
    ).entity = options;
  };
}
