/** The values of a bucket: a sum, a count, and a minimum, which depends on the order of changes. */
import { type Built, unseenOf } from '../../../../../src/entities/derived/protocol/bucket-build.js';
import type { ScannedRows } from '../../../../../src/entities/derived/protocol/step.js';
import type { Breakage } from './breakage.js';
import type { Decision, StoredBucket, StoredMark } from './bucket-store.js';

/** What a row adds; null for nothing. */
export type Value = number | null;

/** What becomes of what a row adds. */
export interface Change {
  readonly removed: Value;
  readonly added: Value;
}

export interface Totals {
  readonly sum: number;
  readonly count: number;
  /** Whether the bucket has a minimum. */
  readonly isOrdered: boolean;
  readonly min: Value;
  /** Whether the minimum may be wrong. */
  readonly stale: boolean;
}

export interface Correction {
  readonly sum: number;
  readonly count: number;
  /** Undefined leaves it as it is. */
  readonly min: Value | undefined;
  readonly stale: boolean;
}

/** What a scan of the model reads. */
export interface Scanned extends ScannedRows {
  readonly values: readonly Value[];
}

function lowest(values: readonly Value[]): Value {
  const numbers = values.filter((each) => each !== null);
  return numbers.length === 0 ? null : Math.min(...numbers);
}

export function totalsOf(values: readonly Value[], isOrdered: boolean): Totals {
  const numbers = values.filter((each) => each !== null);
  const sum = numbers.reduce((total, each) => total + each, 0);
  const min = isOrdered ? lowest(numbers) : null;
  return { sum, count: numbers.length, isOrdered, min, stale: false };
}

function sumOf({ removed, added }: Change): number {
  return (added ?? 0) - (removed ?? 0);
}

function countOf({ removed, added }: Change): number {
  return Number(added !== null) - Number(removed !== null);
}

/** The sum and the count that these add. */
export function differencesOf(marks: readonly StoredMark[]): { sum: number; count: number } {
  const sum = marks.reduce((total, { change }) => total + sumOf(change), 0);
  const count = marks.reduce((total, { change }) => total + countOf(change), 0);
  return { sum, count };
}

/** What whoever settles a mark decides from a read of the bucket. */
export function decide(bucket: StoredBucket, token: string): Decision {
  const removed = bucket.marks.find((each) => each.token === token)?.change.removed ?? null;
  const isBuilt = bucket.build !== undefined;
  const mayBeLowest = bucket.min === null || (removed !== null && removed <= bucket.min);
  return { isBuilt, isStale: removed !== null && (isBuilt || bucket.stale || mayBeLowest) };
}

/** Values after a change; `isStale` is what was decided before. */
export function totalsAfter(totals: Totals, change: Change, isStale: boolean): Totals {
  const { isOrdered } = totals;
  return {
    sum: totals.sum + sumOf(change),
    count: totals.count + countOf(change),
    isOrdered,
    min: isOrdered ? lowest([totals.min, change.added]) : null,
    stale: totals.stale || (isStale && change.removed !== null),
  };
}

export function corrected(totals: Totals, { sum, count, min, stale }: Correction): Totals {
  return {
    sum: totals.sum + sum,
    count: totals.count + count,
    isOrdered: totals.isOrdered,
    min: min === undefined ? totals.min : min,
    stale,
  };
}

/** What the end of a build changes. */
export function correct(built: Built, whole: boolean, broken?: Breakage): Correction {
  const first = built.first as StoredBucket;
  const last = built.last as StoredBucket;
  const { values } = built.rows as Scanned;
  const unseen = broken === 'all of the log is seen' ? [] : unseenOf(last.log, built);
  const scan = totalsOf(values, first.isOrdered);
  const logged = differencesOf(first.log);
  const seen = differencesOf(last.log.filter((each) => !unseen.includes(each)));
  const sum = scan.sum - (first.sum - logged.sum) - seen.sum;
  const count = scan.count - (first.count - logged.count) - seen.count;
  if (!first.isOrdered) return { sum, count, min: undefined, stale: false };
  if (!whole) return { sum, count, min: undefined, stale: true };
  const min = lowest([scan.min, ...unseen.map(({ change }) => change.added)]);
  const stale = unseen.some(
    ({ change: { removed } }) => removed !== null && (min === null || removed <= min),
  );
  return { sum, count, min, stale };
}
