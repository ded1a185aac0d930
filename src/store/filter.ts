/**
 * Which cells of a row a read returns: a closed tree of plain data, told apart by `kind`
 * (after google/bigtable/v2/data.proto, RowFilter). An engine that does not know a kind refuses it, never passes it through.
 */
import type { Micros } from './row.js';

/** A filter over the cells of each row. Rows left without cells are not in the answer. */
export type Filter =
  /** The cells that pass every filter, one after the other. */
  | { readonly kind: 'chain'; readonly filters: readonly Filter[] }
  /** The cells of exactly these families. An unknown family is FAMILY_NOT_FOUND. */
  | { readonly kind: 'families'; readonly families: readonly string[] }
  /** The cells of exactly these columns, each a family and the qualifiers wanted in it; `all` stands for the whole family. */
  | { readonly kind: 'columns'; readonly columns: readonly { readonly family: string; readonly qualifiers: 'all' | readonly Uint8Array[] }[] }
  /** The newest `count` cells of each column; count is at least 1. */
  | { readonly kind: 'cellsPerColumn'; readonly count: number }
  /** The first `count` cells of each row; count is at least 1. */
  | { readonly kind: 'cellsPerRow'; readonly count: number }
  /** Cells with `start <= timestamp < end`, in microseconds, multiples of 1,000; without a bound that side is open. */
  | { readonly kind: 'timestampRange'; readonly start?: Micros; readonly end?: Micros }
  /** Cells whose value is exactly these bytes. */
  | { readonly kind: 'valueEquals'; readonly value: Uint8Array }
  /** Every cell, with an empty value. */
  | { readonly kind: 'stripValue' }
  /** For each row: `onTrue` when `predicate` leaves any cell, else `onFalse`; a branch left out gives no cells. */
  | { readonly kind: 'condition'; readonly predicate: Filter; readonly onTrue?: Filter; readonly onFalse?: Filter }
  /** Every cell. */
  | { readonly kind: 'passAll' }
  /** No cell. */
  | { readonly kind: 'blockAll' };
