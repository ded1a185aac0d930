/** Options of columns that say what their values must be. */

/**
 * What the values of a column must be when they are written. V is the type of a value, M of a
 * member of `oneOf`.
 */
export interface ValueOptions<V = unknown, M = V> {
  /**
   * Whether each row has a value: a write without one fails, and rows that are read without one are
   * incomplete (see `onIncompleteRow` of `open`). Default false.
   */
  readonly required?: boolean;
  /**
   * The only values of the column. Writes of another value fail; a row that has one stored is
   * unreadable (see `onDamagedCell` of `open`). The type of the property is the union.
   */
  readonly oneOf?: readonly M[];
  /** Usual values, for generated schemas. Other values are valid, too. */
  readonly suggestions?: readonly V[];
  /** Text: minimum length in UTF-16 units. Bytes: in bytes. */
  readonly minLength?: number;
  /** Text: maximum length in UTF-16 units. Bytes: in bytes. */
  readonly maxLength?: number;
  /** Text: what is written must match, as `RegExp.test` finds: anchor it with ^ and $. */
  readonly pattern?: RegExp;
  /** Numbers: minimum value, inclusive. */
  readonly min?: V & (number | bigint);
  /** Numbers: maximum value, inclusive. */
  readonly max?: V & (number | bigint);
  /**
   * The value that `create` and `insert` give an entity without one; a function for values that
   * rows must not share, or that differ. Unlike a `default` it is stored.
   */
  readonly initial?: V | (() => V);
}

/** The names of these options. */
export const valueOptionNames = [
  'required',
  'oneOf',
  'suggestions',
  'minLength',
  'maxLength',
  'pattern',
  'min',
  'max',
  'initial',
] as const satisfies readonly (keyof ValueOptions)[];
