/** A workload that was checked and compiled: what the simulation and the load test run. */
import type { ColumnModel, EntityModel, PatternModel } from '../../../entities/model/index.js';
import type { Draws } from '../random/draws.js';

/** A segment and where its values come from. */
export type SegmentLoad = {
  readonly property: string;
} & (
  | {
      readonly kind: 'numbered';
      /** As writes draw it. */
      readonly draws: Draws;
      /** The same values with rare ones in the sample; for estimates. */
      readonly broad: Draws;
      readonly value: (n: number) => unknown;
    }
  | { readonly kind: 'sequential'; readonly value: (n: number) => unknown }
  | {
      readonly kind: 'time';
      /** Milliseconds that share a value; 0 if each value is different. */
      readonly resolutionMs: number;
      readonly value: (ms: number, random: number) => unknown;
    }
);

/** A column and the sizes of what is written to it. */
export interface ColumnSize {
  readonly column: ColumnModel;
  readonly share: number;
  readonly from: number;
  readonly to: number;
  readonly entries: number | 'grow';
  readonly value: ((random: number) => unknown) | undefined;
}

/** A kind of read. */
export interface ReadKind {
  /** `get`, or the name of the pattern. */
  readonly name: string;
  /** Undefined for reads by key. */
  readonly pattern: PatternModel | undefined;
  /** Of all reads; the shares add up to 1. */
  readonly share: number;
  readonly spanMs: number;
  readonly values: number;
}

/** A checked workload. */
export interface EntityLoad {
  readonly name: string;
  readonly model: EntityModel;
  readonly rows: number;
  readonly writesPerSecond: number;
  readonly readsPerSecond: number;
  readonly growthPerYear: number;
  /** In key order. */
  readonly segments: readonly SegmentLoad[];
  readonly columns: readonly ColumnSize[];
  readonly reads: readonly ReadKind[];
  /** Milliseconds of writes that can share a row; undefined if no segment is a time. */
  readonly bucketMs: number | undefined;
  /** Each write makes a new row. */
  readonly sequential: boolean;
}
