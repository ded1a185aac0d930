/**
 * The entry point `rowsmith/testing/jest`: matchers for jest and runners with the same interface,
 * `expect.extend(matchers)`. Jest itself is not imported. Includes types for the globals of
 * @types/jest and for @jest/globals.
 */
import type { ErrorCode, ErrorDetails } from '../../base/index.js';
import type { CallOptions } from '../../entities/repository/index.js';
import { toBeRowsmithError } from './matchers/match-error.js';
import { type ExpectedRange, toBeFullScan, toReadRanges } from './matchers/match-plan.js';
import { toEqualEntity, toHaveRow } from './matchers/match-row.js';

export type { MatchResult } from './matchers/match-result.js';

/** The matchers, for expect.extend(). */
export const matchers = {
  /** See RowsmithMatchers. */
  toBeFullScan,
  /** See RowsmithMatchers. */
  toBeRowsmithError,
  /** See RowsmithMatchers. */
  toEqualEntity,
  /** See RowsmithMatchers. */
  toHaveRow,
  /** See RowsmithMatchers. */
  toReadRanges,
};

/** The part of a repository from which matchers infer the types of keys and rows. */
interface RowSource<Q, I> {
  /** As Repository.get. */
  readonly get: (key: Q, options?: CallOptions) => unknown;
  /** As Repository.create. */
  readonly create: (init: I) => unknown;
}

/** Key of a row of the repository T. */
type MatchedKey<T> = T extends RowSource<infer Q, never> ? Q : never;

/** Expected properties of a row of the repository T; null for one that must be absent. */
type MatchedRow<T> =
  T extends RowSource<never, infer I> ? { readonly [P in keyof I]?: I[P] | null } : never;

/** The matchers that `expect.extend(matchers)` adds to `expect(...)`. */
export interface RowsmithMatchers<R, T> {
  /**
   * For a repository: there is a row with this key, and the given properties have these values
   * (null: absent). Must be awaited.
   */
  toHaveRow(key: MatchedKey<T>, expected?: MatchedRow<T>): Promise<void>;
  /**
   * For an error: a RowsmithError with this code, and at least these details. `await
   * expect(promise).rejects.toBeRowsmithError('ROW_EXISTS')`.
   */
  toBeRowsmithError(code: ErrorCode, details?: ErrorDetails): R;
  /**
   * For a query or its explain(): exactly these key ranges are read, in this order:
   * `['[acme#d1# .. acme#d1$)']`.
   */
  toReadRanges(ranges: readonly ExpectedRange[]): R;
  /** For a query or its explain(): every row of the entity is read. */
  toBeFullScan(): R;
  /** For an entity: its mapped properties would be stored as the same values. */
  toEqualEntity(expected: object): R;
}

declare global {
  // @types/jest declares its matchers in this namespace.
  namespace jest {
    interface Matchers<R, T> extends RowsmithMatchers<R, T> {}
  }
}

// A program without the package `expect` (with node:test, for example) must still compile. Unlike a
// line comment, this comment is preserved in the declaration files.
// oxlint-disable-next-line typescript/ban-ts-comment
/** @ts-ignore */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends RowsmithMatchers<R, T> {}
}
