/**
 * The part of a rollup that is checked: its rows, and the rows of the source that belong to them.
 */
import {
  checkOptions,
  invalidArgument,
  type KeyRange,
  rangeContains,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel, RollupModel } from '../../model/index.js';
import type { GcRule } from '../../../data/store/index.js';
import type { RowReading, ReadingMaker } from './input/reading.js';
import { timeRanges } from './source.js';

/** Which rows of a rollup, as options of a call. */
export interface RollupRangeOptions {
  /** Values of leading segments of the rollup, without gaps and without the time. */
  readonly prefix?: Readonly<Record<string, unknown>>;
  /** The first time; the whole of its bucket is included. */
  readonly since?: Date;
  /** The time before which buckets begin. */
  readonly until?: Date;
}

/** The ranges of a rollup and its source, and what belongs to them. */
export class RollupRange {
  readonly sourceRanges: readonly KeyRange[];
  readonly rollupRanges: readonly KeyRange[];
  /** Buckets that begin earlier may have lost rows to a garbage collection rule. */
  readonly horizon: number;
  readonly #from: number;
  readonly #to: number;

  /** `now` is in milliseconds. Throws INVALID_ARGUMENT and INVALID_KEY. */
  constructor(
    model: EntityModel,
    maker: ReadingMaker,
    { prefix = {}, since, until }: RollupRangeOptions,
    now: number,
  ) {
    const { rollup } = maker;
    checkPrefix(model, rollup, prefix);
    this.#from = since === undefined ? -Infinity : maker.floored(timeOf(model, 'since', since));
    this.#to = until === undefined ? Infinity : timeOf(model, 'until', until);
    const { by, time, width } = rollup;
    const from = since && { value: new Date(this.#from), inclusive: true };
    const to = until && { value: until, inclusive: false };
    const isBounded = since !== undefined || until !== undefined;
    const bound = { kind: 'between', segment: time, from, to } as const;
    const isWhole = Object.keys(prefix).length === by.length - 1;
    this.rollupRanges = rollup.rows.key
      .ranges({ fixed: prefix, bound: isWhole && isBounded ? bound : undefined })
      .perShard.flat();
    const { names } = model.key;
    const leading = names.findIndex((name) => !Object.hasOwn(prefix, name));
    const run = leading < 0 ? names : names.slice(0, leading);
    const fixed = Object.fromEntries(run.map((name) => [name, prefix[name]]));
    const isTimeNext = names[run.length] === time && isBounded;
    // The last bucket ends after `until`.
    const end = maker.floored(this.#to - 1) + width;
    this.sourceRanges = isTimeNext
      ? timeRanges(model, fixed, { segment: time, from }, end)
      : model.key.ranges({ fixed }).perShard.flat();
    const age = retentionMillis(model);
    this.horizon = age === undefined ? -Infinity : now - age;
  }

  /** Whether the bucket of a source row is checked. */
  contains({ bucket, time }: RowReading, maker: ReadingMaker): boolean {
    return (
      this.containsTime(maker.floored(time)) &&
      this.rollupRanges.some((range) => rangeContains(range, bucket))
    );
  }

  /** Whether a bucket that begins at this time is checked. */
  containsTime(begins: number): boolean {
    return begins >= this.#from && begins < this.#to;
  }
}

function timeOf({ name }: EntityModel, option: string, value: unknown): number {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  throw invalidArgument(option, faults.notADate(option, value), {
    entity: name,
  });
}

function checkPrefix({ name }: EntityModel, { by }: RollupModel, prefix: unknown): void {
  checkOptions('prefix', prefix, by.slice(0, -1), { entity: name });
  const given = Object.keys(prefix as object);
  const missing = by.slice(0, given.length).find((segment) => !given.includes(segment));
  if (missing === undefined) return;
  throw invalidArgument(missing, faults.skippedSegment(missing), { entity: name });
}

/** The shortest age at which a rule deletes cells of the entity; undefined if none does. */
export function retentionMillis({ table, columns }: EntityModel): number | undefined {
  const families = new Set(columns.map(({ family }) => family));
  const ages = [...table.families].flatMap(([family, { gc }]) =>
    families.has(family) ? agesOf(gc) : [],
  );
  return ages.length === 0 ? undefined : Math.min(...ages);
}

function agesOf(rule: GcRule | undefined): number[] {
  if (rule === undefined || rule.kind === 'maxVersions') return [];
  if (rule.kind === 'maxAge') return [rule.micros / 1000];
  return rule.rules.flatMap(agesOf);
}

const faults = {
  notADate: (option: string, value: unknown) => ({
    problem: `${option} is ${valueText(value)}`,
    fix: 'pass a Date',
  }),
  skippedSegment: (missing: string) => ({
    problem: `a prefix takes leading segments of the rollup, and '${missing}' is missing`,
    fix: `add '${missing}' to the prefix`,
  }),
} satisfies FaultTexts;
