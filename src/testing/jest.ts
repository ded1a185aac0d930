/**
 * Matchers for jest and for what takes jest's matchers: `expect.extend(matchers)`. Jest itself is
 * not imported. Types come along, for the globals of @types/jest and for @jest/globals.
 */
import type { ErrorCode, ErrorDetails } from '../errors.js';
import type { CallOptions } from '../repository/index.js';
import { toBeRowsmithError } from './matchers/match-error.js';
import { type ExpectedRange, toBeFullScan, toReadRanges } from './matchers/match-plan.js';
import { toEqualEntity, toHaveRow } from './matchers/match-row.js';

export type { ExpectedRange } from './matchers/match-plan.js';
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

/** What a matcher asks of a repository: keys and initial values, as it takes them. */
export interface RowSource<Q, I> {
  /** As Repository.get. */
  readonly get: (key: Q, options?: CallOptions) => unknown;
  /** As Repository.create. */
  readonly create: (init: I) => unknown;
}

/** Key of a row, as the repository T takes it. */
export type MatchedKey<T> = T extends RowSource<infer Q, never> ? Q : never;

/** Properties of a row of the repository T; null for one that must be absent. */
export type MatchedRow<T> =
  T extends RowSource<never, infer I> ? { readonly [P in keyof I]?: I[P] | null } : never;

/** What `expect(...)` offers once it is extended. */
export interface RowsmithMatchers<R, T> {
  /**
   * Of a repository: there is a row with this key, and the properties given have these values
   * (null: absent). Await it.
   */
  toHaveRow(key: MatchedKey<T>, expected?: MatchedRow<T>): Promise<void>;
  /**
   * Of an error: a RowsmithError with this code, whose details hold at least these. `await
   * expect(promise).rejects.toBeRowsmithError('ROW_EXISTS')`.
   */
  toBeRowsmithError(code: ErrorCode, details?: ErrorDetails): R;
  /**
   * Of a query or its explain(): these ranges of keys are read, in this order, and no others:
   * `['[acme#d1# .. acme#d1$)']`.
   */
  toReadRanges(ranges: readonly ExpectedRange[]): R;
  /** Of a query or its explain(): every row of the entity is read. */
  toBeFullScan(): R;
  /** Of an entity: its mapped properties are equal to those of the other, as a store sees it. */
  toEqualEntity(expected: object): R;
}

declare global {
  // The form in which @types/jest lets its matchers be extended.
  namespace jest {
    interface Matchers<R, T> extends RowsmithMatchers<R, T> {}
  }
}

// A program without the package `expect` (node:test, say) must still compile; a comment of this form is kept in the declarations.
// eslint-disable-next-line @typescript-eslint/ban-ts-comment
/** @ts-ignore */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends RowsmithMatchers<R, T> {}
}
