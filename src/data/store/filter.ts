/**
 * Row filters as a tree of plain data, discriminated by `kind` (modelled on RowFilter in
 * google/bigtable/v2/data.proto). An engine rejects kinds that it does not know.
 */
import type { Micros } from './row.js';

/** A bound of a range of qualifiers. */
export interface QualifierBound {
  /** Any bytes; may be empty. */
  readonly qualifier: Uint8Array;
  readonly inclusive: boolean;
}

/** A bound of a range of values. */
export interface ValueBound {
  /** Any bytes; may be empty. */
  readonly value: Uint8Array;
  readonly inclusive: boolean;
}

/**
 * A filter over the cells of each row. Rows without remaining cells are not returned. Patterns use
 * RE2 syntax over bytes and must match the whole key, name, qualifier or value.
 */
export type Filter =
  /** Applies the filters in sequence, each to the output of the previous one. */
  | { readonly kind: 'chain'; readonly filters: readonly Filter[] }
  /**
   * Merges the outputs of all filters in row order. A cell in the output of several filters is
   * repeated that many times, adjacently.
   */
  | { readonly kind: 'interleave'; readonly filters: readonly Filter[] }
  /**
   * Sends the cells directly to the result, bypassing all later filters, which get none. Not
   * allowed inside a condition.
   */
  | { readonly kind: 'sink' }
  /** The cells of exactly these families. An unknown family is FAMILY_NOT_FOUND. */
  | { readonly kind: 'families'; readonly families: readonly string[] }
  /**
   * The cells of exactly these columns, given by family and qualifiers; `all` is the whole family.
   */
  | {
      readonly kind: 'columns';
      readonly columns: readonly {
        readonly family: string;
        readonly qualifiers: 'all' | readonly Uint8Array[];
      }[];
    }
  /** The newest `count` cells of each column; `count` is at least 1. */
  | { readonly kind: 'cellsPerColumn'; readonly count: number }
  /** The first `count` cells of each row; `count` is at least 1. */
  | { readonly kind: 'cellsPerRow'; readonly count: number }
  /** All cells of each row except the first `count`; `count` is at least 0. */
  | { readonly kind: 'cellsPerRowOffset'; readonly count: number }
  /** Passes whole rows with this probability; `0 < probability < 1`. */
  | { readonly kind: 'rowSample'; readonly probability: number }
  /** The cells of rows with a key that matches. */
  | { readonly kind: 'rowKeyRegex'; readonly pattern: Uint8Array }
  /**
   * The cells of families with a name that matches. A pattern without metacharacters is a plain
   * name, and an unknown one is FAMILY_NOT_FOUND. Must not contain ':'.
   */
  | { readonly kind: 'familyRegex'; readonly pattern: string }
  /** The cells of columns with a qualifier that matches. */
  | { readonly kind: 'qualifierRegex'; readonly pattern: Uint8Array }
  /** Cells with a value that matches. */
  | { readonly kind: 'valueRegex'; readonly pattern: Uint8Array }
  /**
   * The cells of one family's columns between two qualifiers; an omitted bound is unlimited. An
   * unknown family is FAMILY_NOT_FOUND.
   */
  | {
      readonly kind: 'columnRange';
      readonly family: string;
      readonly start?: QualifierBound;
      readonly end?: QualifierBound;
    }
  /** Cells with a value between two values; an omitted bound is unlimited. */
  | { readonly kind: 'valueRange'; readonly start?: ValueBound; readonly end?: ValueBound }
  /** Cells with a value that has the length of the mask and all of its bits set. */
  | { readonly kind: 'valueBitmask'; readonly mask: Uint8Array }
  /**
   * Cells with `start <= timestamp < end`, in microseconds. An omitted bound, or an `end` of 0, is
   * unlimited. Bounds are multiples of 1,000 unless the table has microsecond granularity.
   */
  | { readonly kind: 'timestampRange'; readonly start?: Micros; readonly end?: Micros }
  /** Cells with exactly these bytes as their value. */
  | { readonly kind: 'valueEquals'; readonly value: Uint8Array }
  /** All cells, with empty values. */
  | { readonly kind: 'stripValue' }
  /** All cells, labelled; 1 to 15 characters of `[a-z0-9-]`, at most one label per cell. */
  | { readonly kind: 'label'; readonly label: string }
  /**
   * Applies `onTrue` to rows in which `predicate` matches any cell, `onFalse` to the rest. An
   * omitted branch passes no cells.
   */
  | {
      readonly kind: 'condition';
      readonly predicate: Filter;
      readonly onTrue?: Filter;
      readonly onFalse?: Filter;
    }
  /** All cells. */
  | { readonly kind: 'passAll' }
  /** No cells. */
  | { readonly kind: 'blockAll' };
