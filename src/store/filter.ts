/**
 * Which cells of a row a read returns: a closed tree of plain data, told apart by `kind` (after
 * google/bigtable/v2/data.proto, RowFilter). An engine that does not know a kind refuses it, never
 * passes it through.
 */
import type { Micros } from './row.js';

/** One end of a range of qualifiers. */
export interface QualifierBound {
  /** Any bytes, also none. */
  readonly qualifier: Uint8Array;
  readonly inclusive: boolean;
}

/** One end of a range of values. */
export interface ValueBound {
  /** Any bytes, also none. */
  readonly value: Uint8Array;
  readonly inclusive: boolean;
}

/**
 * A filter over the cells of each row. Rows left without cells are not in the answer. Patterns are
 * RE2 syntax over bytes and must match the whole key, name, qualifier or value.
 */
export type Filter =
  /** The cells that pass every filter, one after the other. */
  | { readonly kind: 'chain'; readonly filters: readonly Filter[] }
  /**
   * The cells that any filter gives, in the order of a row; a cell that several give comes as
   * often, side by side.
   */
  | { readonly kind: 'interleave'; readonly filters: readonly Filter[] }
  /**
   * Puts the cells into the answer as they are here, past every filter that would follow, and gives
   * none on. Not inside a condition.
   */
  | { readonly kind: 'sink' }
  /** The cells of exactly these families. An unknown family is FAMILY_NOT_FOUND. */
  | { readonly kind: 'families'; readonly families: readonly string[] }
  /**
   * The cells of exactly these columns, each a family and the qualifiers wanted in it; `all` stands
   * for the whole family.
   */
  | {
      readonly kind: 'columns';
      readonly columns: readonly {
        readonly family: string;
        readonly qualifiers: 'all' | readonly Uint8Array[];
      }[];
    }
  /** The newest `count` cells of each column; count is at least 1. */
  | { readonly kind: 'cellsPerColumn'; readonly count: number }
  /** The first `count` cells of each row; count is at least 1. */
  | { readonly kind: 'cellsPerRow'; readonly count: number }
  /** Every cell of each row but the first `count`; 0 or more. */
  | { readonly kind: 'cellsPerRowOffset'; readonly count: number }
  /** All cells of a row with this probability, none otherwise; `0 < probability < 1`. */
  | { readonly kind: 'rowSample'; readonly probability: number }
  /** The cells of rows whose key matches. */
  | { readonly kind: 'rowKeyRegex'; readonly pattern: Uint8Array }
  /**
   * The cells of families whose name matches; without metacharacters it is a name, and an unknown
   * one is FAMILY_NOT_FOUND. Never holds ':'.
   */
  | { readonly kind: 'familyRegex'; readonly pattern: string }
  /** The cells of columns whose qualifier matches. */
  | { readonly kind: 'qualifierRegex'; readonly pattern: Uint8Array }
  /** Cells whose value matches. */
  | { readonly kind: 'valueRegex'; readonly pattern: Uint8Array }
  /**
   * The cells of the family's columns between two qualifiers; without a bound that side is open. An
   * unknown family is FAMILY_NOT_FOUND.
   */
  | {
      readonly kind: 'columnRange';
      readonly family: string;
      readonly start?: QualifierBound;
      readonly end?: QualifierBound;
    }
  /** Cells whose value lies between two values; without a bound that side is open. */
  | { readonly kind: 'valueRange'; readonly start?: ValueBound; readonly end?: ValueBound }
  /** Cells whose value is as long as the mask and has all of the mask's bits. */
  | { readonly kind: 'valueBitmask'; readonly mask: Uint8Array }
  /**
   * Cells with `start <= timestamp < end`, in microseconds; without a bound, or with 0 for the end,
   * that side is open. Multiples of 1,000 unless the table has microseconds.
   */
  | { readonly kind: 'timestampRange'; readonly start?: Micros; readonly end?: Micros }
  /** Cells whose value is exactly these bytes. */
  | { readonly kind: 'valueEquals'; readonly value: Uint8Array }
  /** Every cell, with an empty value. */
  | { readonly kind: 'stripValue' }
  /** Every cell, with the label beside it: 1 to 15 characters of `[a-z0-9-]`, one to a cell. */
  | { readonly kind: 'label'; readonly label: string }
  /**
   * For each row: `onTrue` when `predicate` leaves any cell, else `onFalse`; a branch left out
   * gives no cells.
   */
  | {
      readonly kind: 'condition';
      readonly predicate: Filter;
      readonly onTrue?: Filter;
      readonly onFalse?: Filter;
    }
  /** Every cell. */
  | { readonly kind: 'passAll' }
  /** No cell. */
  | { readonly kind: 'blockAll' };
