/** Sizes of a store; see FORMAT.md for the bounds that follow from them. */
import type { LevelLimits } from '../levels/merge-policy.js';

export interface StoreLimits extends LevelLimits {
  /** Bytes of a buffer; a full one is written to a table. */
  readonly buffer: number;
  /** While so many buffers wait to be written, writes wait. */
  readonly waiting: number;
  /** While level 0 has so many tables, writes wait. */
  readonly maxNewest: number;
  /** Bytes of the log that are left to the next opening when the store is closed. */
  readonly keptLog: number;
  /** Segments of the log that are left to the next opening: each owner adds one. */
  readonly keptSegments: number;
  /** Bytes of blocks in memory. */
  readonly cache: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: StoreLimits = {
  buffer: 16 * mebibyte,
  waiting: 3,
  newest: 4,
  maxNewest: 12,
  level: 128 * mebibyte,
  ratio: 8,
  table: 16 * mebibyte,
  keptLog: mebibyte / 4,
  keptSegments: 8,
  cache: 32 * mebibyte,
};
