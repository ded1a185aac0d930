/** Workloads as users declare them: how the rows of an entity are distributed, written and read. */
import { invalidArgument, type FaultTexts } from '../../../base/index.js';
import type { Duration, EntityClass } from '../../../entities/model/index.js';

/** How the values of a segment are distributed over writes. */
export type SegmentDistribution =
  /** All of `cardinality` values are equally frequent. */
  | {
      readonly distribution?: 'uniform';
      /** Number of different values; a whole number above 0. */
      readonly cardinality: number;
      /** The value number n, from 0. Default: values that the kind of the segment allows. */
      readonly value?: (n: number) => unknown;
    }
  /** The value of rank k is written 1 / k^exponent times as often as the first. */
  | {
      readonly distribution: 'zipf';
      readonly cardinality: number;
      /** 0.01 to 20; default 1. At 1, a tenth of the writes to 10,000 values has the same one. */
      readonly exponent?: number;
      /** The value number n, from 0. */
      readonly value?: (n: number) => unknown;
    }
  /** Each new row has the next number: 0, 1, 2, ... */
  | {
      readonly distribution: 'sequential';
      /** The value number n, from 0. */
      readonly value?: (n: number) => unknown;
    }
  /** The time of the write, floored as the segment declares. */
  | {
      readonly distribution: 'time';
      /** The value of a time in milliseconds since 1970. */
      readonly value?: (ms: number) => unknown;
    };

/** The cells that a write makes of a column. */
export interface ColumnLoad {
  /**
   * Size of a value in bytes, or its bounds, between which all sizes are equally frequent. Default:
   * the size of numbers and times, 32 bytes for other types.
   */
  readonly bytes?: number | { readonly from: number; readonly to: number };
  /** Share of the writes that write the column, above 0 and at most 1. Default 1. */
  readonly share?: number;
  /**
   * Column maps: the entries that a write makes, or `grow` if each write adds one with a new
   * qualifier. Default 1.
   */
  readonly entries?: number | 'grow';
  /** `rowsmith load`: the value to write, of a number from 0 to 1. Messages need it. */
  readonly value?: (random: number) => unknown;
}

/** How often an access pattern runs, and over what. */
export interface ReadLoad {
  /** Relative to the other reads. */
  readonly share: number;
  /** Patterns with a bound on a time: the time that a call spans, up to now. Default 1 day. */
  readonly span?: Duration | number;
  /** Patterns with a bound on other segments: the values that a call spans. Default 10. */
  readonly values?: number;
}

/** A workload of entity E. */
export interface WorkloadOptions<E extends object = object> {
  /** Rows in the table when the simulation starts, at most 1e12. */
  readonly rows: number;
  /** Writes of a whole row each second, at least 0. */
  readonly writesPerSecond: number;
  /** Reads each second, at least 0; default 0. */
  readonly readsPerSecond?: number;
  /** Growth of the writes in a year: 0.5 is half as many again. Default 0. */
  readonly growthPerYear?: number;
  /** Bools and enums without one are uniform; all other segments need one. */
  readonly segments: { readonly [N in keyof E]?: SegmentDistribution };
  readonly columns?: { readonly [N in keyof E]?: ColumnLoad };
  /**
   * The reads by access pattern, and `get` for reads by key: the share, or with more options.
   * Default: all `get`.
   */
  readonly reads?: Readonly<Record<string, number | ReadLoad>>;
  /** Names the workload in reports, as no other one; default: the name of the entity. */
  readonly name?: string;
}

/** A workload, as `rowsmith simulate` and `rowsmith load` take it. */
export interface Workload {
  readonly entity: EntityClass;
  readonly options: WorkloadOptions;
}

/** A registered symbol, so that the CommonJS build recognises workloads of the ESM build. */
const workloadSymbol = Symbol.for('rowsmith.workload');

/**
 * Declares how an entity is written and read. A module that exports workloads is given to
 * `rowsmith simulate FILE` or `rowsmith load FILE`, where its values are checked. Throws
 * INVALID_ARGUMENT unless both arguments are given.
 * @example export default defineWorkload(Reading, { rows: 1e9, writesPerSecond: 5000, segments: {
 * device: { cardinality: 10_000 }, at: { distribution: 'time' } } });
 */
export function defineWorkload<E extends object>(
  entity: EntityClass<E>,
  options: WorkloadOptions<E>,
): Workload {
  if (typeof entity !== 'function' || typeof options !== 'object' || options === null)
    throw invalidArgument('workload', faults.wrongArguments);
  const workload = { entity, options: Object.freeze({ ...options }) };
  Object.defineProperty(workload, workloadSymbol, { value: true });
  return Object.freeze(workload);
}

/** True for results of defineWorkload, also of another copy of this module. */
export function isWorkload(value: unknown): value is Workload {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, workloadSymbol);
}

const faults = {
  wrongArguments: {
    problem: 'defineWorkload() takes an entity class and an object',
    fix: 'write defineWorkload(Reading, { rows, writesPerSecond, segments })',
  },
} satisfies FaultTexts;
