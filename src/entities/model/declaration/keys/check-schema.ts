/** What the compiler checks about the schema of an entity. */
import type { EntityError } from './key-types.js';

/** unknown if a schema that takes I takes entities E, else an EntityError. */
export type CheckSchema<E, I> = [unknown] extends [I]
  ? unknown
  : [E] extends [I]
    ? unknown
    : EntityError<SchemaFault<Extract<Misfits<E, I>, string>>>;

type Misfits<E, I> = {
  [P in keyof I]-?: [E] extends [Pick<I, P>] ? never : P;
}[keyof I];

type SchemaFault<P extends string> =
  `the schema does not take '${P}' as the class declares it: correct the type, or the schema`;
