/**
 * The interface of Standard Schema, version 1, which zod, valibot, arktype and others implement.
 * Its specification recommends to copy the types: https://standardschema.dev.
 */

import type { EntityError } from './keys/key-types.js';

/** A schema of any library. I is the type that it takes, O the type that it returns. */
export interface StandardSchema<I = unknown, O = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
    /** Never set: carries the types. */
    readonly types?: { readonly input: I; readonly output: O } | undefined;
  };
}

type SchemaResult =
  { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An option that every kind of column has. O is the type of the values that the column stores. */
export interface SchemaOption<I = unknown, O = unknown> {
  /**
   * A Standard Schema (zod, valibot, arktype, ...) that each value must satisfy when it is written:
   * in column maps each entry, in `@Versions` each version. It judges values and never changes
   * them: a value that it would return changed is an issue.
   */
  readonly schema?: StandardSchema<I, O>;
}

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
