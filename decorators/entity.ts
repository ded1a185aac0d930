/** `@Entity`: a class with rows of a table as instances. */
import {
  type CheckIndexes,
  type CheckRollups,
  type CheckCopies,
  type CheckSchema,
  defineToJson,
  type EntityClass,
  type EntityError,
  type EntityOptions,
  type HasRollups,
  type HasCopies,
  type KeyFault,
  type KeyParts,
  type NameList,
  type PatternFault,
  type Segments,
} from '../src/entities/model/index.js';
import { classRecord } from './property-decorator.js';

/**
 * What the compiler finds wrong with the class or with options that name its properties, as an
 * EntityError; unknown if nothing is wrong.
 */
export type CheckEntity<E, K extends KeyParts, Timestamp, Sharded, Patterns = unknown> =
  KeyFault<E, K> extends infer F extends string
    ? [F] extends [never]
      ? CheckOptions<E, K, Timestamp, Sharded, Patterns>
      : EntityError<F>
    : never;

type CheckOptions<E, K extends KeyParts, Timestamp, Sharded, Patterns> =
  OptionFault<E, K, Timestamp, Sharded, Patterns> extends infer F extends string
    ? [F] extends [never]
      ? unknown
      : EntityError<F>
    : never;

type OptionFault<
  E,
  K extends KeyParts,
  Timestamp,
  Sharded,
  Patterns,
  Names = Segments<K>[number],
> = [Timestamp] extends [keyof E]
  ? [Sharded] extends [Names]
    ? PatternFault<E, K, Patterns>
    : ShardsFault<K, Exclude<Sharded, Names> & string>
  : TimestampFault<Exclude<Timestamp, keyof E> & string>;

type TimestampFault<N extends string> =
  `cellTimestamp or expiresAt names '${N}', which is not a property of the class: name a Date segment or column`;
type ShardsFault<
  K extends KeyParts,
  N extends string,
> = `shards.by names '${N}', which is not a segment of the key: use one of ${NameList<Segments<K>>}`;

/** I, which the compiler infers from the schema alone and not from the class. */
type Settled<I> = [I][I extends unknown ? 0 : never];

/** Marks a class as an entity. Its row key is the static property `key = rowKey(...)`. */
export function Entity<const T extends string = never, const S extends string = never, I = unknown>(
  options: EntityOptions<T, S, I>,
): <E extends object, const K extends KeyParts, P = unknown, D = unknown, X = unknown, C = unknown>(
  entityClass: EntityClass<E, K, P, X> &
    HasRollups<D> &
    HasCopies<C> &
    CheckEntity<E, K, T, S, P> &
    CheckSchema<E, Settled<I>> &
    CheckRollups<E, K, D> &
    CheckIndexes<E, X> &
    CheckCopies<E, C>,
  context?: unknown,
) => void {
  // The key is not read here: standard decorators run before static fields are initialised.
  return (entityClass, context) => {
    classRecord('@Entity', entityClass, context).entity = options;
    defineToJson(entityClass);
  };
}
