/** Matchers for the ranges that a query reads. */
import type { FaultTexts } from '../../../base/index.js';
import type { ExplainedRange, Explanation } from '../../../entities/query/index.js';
import { type MatchResult, misuse, result } from './match-result.js';

/**
 * A range of keys: as explain() prints it, `[acme#d1# .. acme#d1$)`, or by its bounds; without
 * `end` it extends to the end of the table.
 */
export type ExpectedRange =
  | string
  | {
      /** Inclusive. */
      readonly start: string;
      /** Exclusive. */
      readonly end?: string;
    };

/** See RowsmithMatchers.toReadRanges. */
export function toReadRanges(received: unknown, ranges: readonly ExpectedRange[]): MatchResult {
  const plan = explanationOf('toReadRanges', received);
  if (!Array.isArray(ranges)) throw misuse('toReadRanges', faults.notAnArray);
  const read = plan.ranges.map(rangeText);
  const expected = (ranges as readonly ExpectedRange[]).map((range) =>
    typeof range === 'string' ? range : rangeText(range),
  );
  const pass = read.length === expected.length && read.every((range, i) => range === expected[i]);
  const lines = [
    ...expected.map((range) => `expected ${range}`),
    ...read.map((range) => `reads    ${range}`),
    'the plan is',
    plan.toString(),
  ];
  if (pass) return result(true, 'expected ranges other than these', lines);
  return result(false, 'the query reads other ranges', lines);
}

/** See RowsmithMatchers.toBeFullScan. */
export function toBeFullScan(received: unknown): MatchResult {
  const plan = explanationOf('toBeFullScan', received);
  if (plan.fullScan) {
    const advice = 'start with prefix({ ... }) or a bound on the first segment';
    return result(
      true,
      `expected a query that reads a key range, but every row of ${plan.entity} is read`,
      [advice, 'the plan is', plan.toString()],
    );
  }
  return result(false, `expected a scan of every row of ${plan.entity}`, [
    'only scanAll() and queries that are no narrower are full scans',
    'the plan is',
    plan.toString(),
  ]);
}

/**
 * The plan of a query, or the plan itself. Recognized by properties rather than by class, since ESM
 * and CommonJS have one class each.
 */
function explanationOf(matcher: string, received: unknown): Explanation {
  const candidate = received as
    { explain?: unknown; ranges?: unknown; fullScan?: unknown } | null | undefined;
  if (typeof candidate?.explain === 'function' && !('model' in candidate))
    return (candidate as { explain(): Explanation }).explain();
  if (typeof candidate?.fullScan === 'boolean' && Array.isArray(candidate.ranges))
    return candidate as Explanation;
  throw misuse(matcher, faults.notAQuery(matcher));
}

/** Same format as Explanation.toString(). */
function rangeText({ start, end }: Pick<ExplainedRange, 'start' | 'end'>): string {
  return `[${start || 'first key'} .. ${end ?? 'last key'})`;
}

const faults = {
  notAnArray: {
    problem: 'an array of ranges is required',
    fix: "write toReadRanges(['[acme#d1# .. acme#d1$)'])",
  },
  notAQuery: (matcher: string) => ({
    problem: 'a query or its explain() is required',
    fix: `write expect(readings.prefix({ tenant: 'acme' })).${matcher}(...)`,
  }),
} satisfies FaultTexts;
