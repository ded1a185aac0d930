/** `@Entity`: a class whose instances are rows of a table. */
import {
  type CheckCopies,
  defineToJson,
  type EntityClass,
  type EntityError,
  type EntityOptions,
  type HasCopies,
  type KeyFault,
  type KeyParts,
  type NameList,
  type PatternFault,
  type Segments,
} from '../src/model/index.js';
import { classRecord } from './property-decorator.js';

/**
 * What the compiler finds wrong with the class or with options that name its properties, as an
 * EntityError; unknown if nothing is wrong.
 */
export type CheckEntity<E, K extends KeyParts, Timestamp, Sharded, Patterns = unknown> = [
  EntityFault<E, K, Timestamp, Sharded, Patterns>,
] extends [never]
  ? unknown
  : EntityError<EntityFault<E, K, Timestamp, Sharded, Patterns>>;

type EntityFault<E, K extends KeyParts, Timestamp, Sharded, Patterns> = [KeyFault<E, K>] extends [
  never,
]
  ? OptionFault<E, K, Timestamp, Sharded, Patterns>
  : KeyFault<E, K>;

type OptionFault<E, K extends KeyParts, Timestamp, Sharded, Patterns> = [
  Exclude<Timestamp, keyof E>,
] extends [never]
  ? [Exclude<Sharded, Segments<K>[number]>] extends [never]
    ? PatternFault<E, K, Patterns>
    : ShardsFault<K, Exclude<Sharded, Segments<K>[number]> & string>
  : TimestampFault<Exclude<Timestamp, keyof E> & string>;

type TimestampFault<N extends string> =
  `cellTimestamp names '${N}', which is not a property of the class: name a Date segment or column`;
type ShardsFault<
  K extends KeyParts,
  N extends string,
> = `shards.by names '${N}', which is not a segment of the key: use one of ${NameList<Segments<K>>}`;

/** Marks a class as an entity. Its row key is the static property `key = rowKey(...)`. */
export function Entity<const T extends string = never, const S extends string = never>(
  options: EntityOptions & {
    readonly cellTimestamp?: T;
    readonly shards?: { readonly by: readonly S[] };
  },
): <E extends object, const K extends KeyParts, P = unknown, C = unknown>(
  entityClass: EntityClass<E, K, P> & HasCopies<C> & CheckEntity<E, K, T, S, P> & CheckCopies<E, C>,
  context?: unknown,
) => void {
  // The key is not read here: standard decorators run before static fields are initialised.
  return (entityClass, context) => {
    classRecord('@Entity', entityClass, context).entity = options;
    defineToJson(entityClass);
  };
}
