/** What the compiler checks about the schema of an entity. */
import type { EntityError } from './key-types.js';

/** unknown if a schema that takes I takes entities E, else an EntityError. */
export type CheckSchema<E, I> = [unknown] extends [I]
  ? unknown
  : [E] extends [Taken<I>]
    ? unknown
    : EntityError<SchemaFault<Extract<Misfits<E, Taken<I>>, string>>>;

/**
 * What the compiler compares with an entity. No class has index signatures, which loose objects
 * have, or is a union: each property must then be of a type that a member takes.
 */
type Taken<I> = IsUnion<I> extends true ? AnyOf<Named<I>> : Named<I>;

type Named<I> = I extends object
  ? { [P in keyof I as {} extends Record<P, 1> ? never : P]: I[P] }
  : I;

type AnyOf<I> = {
  [P in I extends unknown ? keyof I : never]?: I extends unknown
    ? P extends keyof I
      ? I[P]
      : never
    : never;
};

type IsUnion<I, All = I> = true extends (
  I extends unknown ? ([All] extends [I] ? false : true) : never
)
  ? true
  : false;

type Misfits<E, I> = {
  [P in keyof I]-?: [E] extends [Pick<I, P>] ? never : P;
}[keyof I];

type SchemaFault<P extends string> =
  `the schema does not take '${P}' as the class declares it: correct the type, or the schema`;
