/**
 * Changes of one row as plain data, discriminated by `kind` (see Mutation and ReadModifyWriteRule
 * in google/bigtable/v2/data.proto).
 */
import type { Filter } from './filter.js';
import type { Micros } from './row.js';

/** One change of a row. All mutations of a row are applied in order, atomically. */
export type Mutation =
  /**
   * Writes a cell, replacing one with the same timestamp. A timestamp of -1 means the engine's
   * clock, with millisecond precision. `truncate` rounds the timestamp down to the granularity of
   * the table; otherwise one that is too fine is rejected.
   */
  | {
      readonly kind: 'setCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly value: Uint8Array;
      readonly truncate?: true;
    }
  /** Adds to a cell of an aggregate family. The timestamp selects the cell; -1 is rejected. */
  | {
      readonly kind: 'addToCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly input: bigint;
    }
  /**
   * Merges a state (8 bytes, big-endian int64) into a cell of an aggregate family. The timestamp
   * selects the cell; -1 is rejected. Merging null has no effect.
   */
  | {
      readonly kind: 'mergeToCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly input: Uint8Array | null;
    }
  /** Deletes the cells of a column with `start <= timestamp < end`; without bounds, all of them. */
  | {
      readonly kind: 'deleteFromColumn';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly start?: Micros;
      readonly end?: Micros;
    }
  | { readonly kind: 'deleteFromFamily'; readonly family: string }
  | { readonly kind: 'deleteFromRow' };

/**
 * The mutations of one row; at least one. `key` and `mutations` of rows that the server passes to
 * an engine are getters, which `{ ...row }` does not copy.
 */
export interface RowMutation {
  readonly key: Uint8Array;
  readonly mutations: readonly Mutation[];
  /**
   * Identifies the write, at least 8 bytes: another write of the row with the same token within 15
   * minutes succeeds without an effect. Only for engines with `appliesOnce`.
   */
  readonly token?: Uint8Array;
}

/**
 * Mutations that depend on whether `predicate` matches any cell of the row, or, without a
 * predicate, on whether the row exists.
 */
export interface CheckAndMutate {
  readonly key: Uint8Array;
  readonly predicate?: Filter;
  readonly onTrue?: readonly Mutation[];
  readonly onFalse?: readonly Mutation[];
}

/**
 * One rule of a read-modify-write. It is applied to the newest cell of the column; the result is
 * written with the timestamp of the engine's clock.
 */
export type ReadModifyWriteRule =
  /** Adds `amount` to an 8-byte big-endian int64 (0 if absent), with two's complement overflow. */
  | {
      readonly kind: 'increment';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly amount: bigint;
    }
  /** Appends `value` to the current value (empty if absent). */
  | {
      readonly kind: 'append';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly value: Uint8Array;
    };
