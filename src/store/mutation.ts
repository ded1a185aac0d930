/**
 * What can be done to one row, as plain data told apart by `kind` (google/bigtable/v2/data.proto,
 * Mutation and ReadModifyWriteRule).
 */
import type { Filter } from './filter.js';
import type { Micros } from './row.js';

/** One step of a row mutation. The steps of a row apply in order and together, or not at all. */
export type Mutation =
  /**
   * Writes a cell; one with the same timestamp is replaced. Timestamp -1 is the engine's clock, in
   * milliseconds.
   */
  | {
      readonly kind: 'setCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly value: Uint8Array;
    }
  /** Adds to a cell of an aggregate family. The timestamp names the cell; -1 is refused. */
  | {
      readonly kind: 'addToCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly input: bigint;
    }
  /**
   * Merges a state (8 bytes, big-endian int64) into a cell of an aggregate family. The timestamp
   * names the cell; -1 is refused.
   */
  | {
      readonly kind: 'mergeToCell';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly timestamp: Micros;
      readonly input: Uint8Array;
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

/** The mutations of one row: at least one. */
export interface RowMutation {
  readonly key: Uint8Array;
  readonly mutations: readonly Mutation[];
}

/**
 * Writes that depend on whether `predicate` leaves any cell of the row (without one: whether the
 * row exists).
 */
export interface CheckAndMutate {
  readonly key: Uint8Array;
  readonly predicate?: Filter;
  readonly onTrue?: readonly Mutation[];
  readonly onFalse?: readonly Mutation[];
}

/**
 * One rule of a read-modify-write: the newest cell of the column becomes the result, under the
 * engine's clock.
 */
export type ReadModifyWriteRule =
  /**
   * The 8-byte big-endian int64 there (0 when absent) plus `amount`, wrapping as two's complement.
   */
  | {
      readonly kind: 'increment';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly amount: bigint;
    }
  /** The value there (none when absent) followed by `value`. */
  | {
      readonly kind: 'append';
      readonly family: string;
      readonly qualifier: Uint8Array;
      readonly value: Uint8Array;
    };
