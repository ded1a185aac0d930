/** Types of properties with values that the application does not give. */

declare const maker: unique symbol;

/** What gives the value: `given` if the entity may give it too, `library` if it may not. */
export type Maker = 'given' | 'library';

/** Never set: tells the compiler what gives the value. A plain T is one, too. */
export interface MadeBy<M extends Maker> {
  readonly [maker]?: M;
}

/**
 * The type of a property that `create` may leave out, although each entity has a value: it has a
 * `default`, an `initial` value, or is a segment with `generate`.
 */
export type Generated<T> = T & MadeBy<'given'>;

/** What gives a value of type V; never for values of the application. */
export type MakerOf<V> = 0 extends 1 & V
  ? never
  : typeof maker extends keyof NonNullable<V>
    ? NonNullable<NonNullable<V>[typeof maker]> & Maker
    : never;
