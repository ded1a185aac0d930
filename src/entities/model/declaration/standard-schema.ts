/**
 * The interface of Standard Schema, version 1, which zod, valibot and arktype implement.
 * Its specification recommends to copy the types: https://standardschema.dev.
 */

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

/**
 * What the compiler compares with the type of a property. Classes declare bytes as `Uint8Array`,
 * and the type of `z.instanceof(Uint8Array)` is narrower: the ones on an ArrayBuffer.
 */
export type JudgedType<I> = I extends Uint8Array ? Uint8Array : I;
