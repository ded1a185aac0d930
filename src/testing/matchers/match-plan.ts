/** Matchers of what a query reads. */
import type { ExplainedRange, Explanation } from '../../query/index.js';
import { type MatchResult, misuse, result } from './match-result.js';

/**
 * A range of keys: as explain() prints it, `[acme#d1# .. acme#d1$)`, or by its ends, where no end
 * is the end of the table.
 */
export type ExpectedRange =
  | string
  | {
      /** First key, inclusive. */
      readonly start: string;
      /** First key past the range. */
      readonly end?: string;
    };

/** These ranges are read, in this order, and no others. */
export function toReadRanges(received: unknown, ranges: readonly ExpectedRange[]): MatchResult {
  const plan = explanationOf('toReadRanges', received);
  if (!Array.isArray(ranges))
    throw misuse(
      'toReadRanges',
      'an array of ranges is needed',
      "write toReadRanges(['[acme#d1# .. acme#d1$)'])",
    );
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
  return result(
    pass,
    pass ? 'expected other ranges than these' : 'the query reads other ranges',
    lines,
  );
}

/** Every row of the entity is read. */
export function toBeFullScan(received: unknown): MatchResult {
  const plan = explanationOf('toBeFullScan', received);
  if (plan.fullScan) {
    const advice = 'start with prefix({ ... }) or a bound on the first segment';
    return result(
      true,
      `expected a query that the row key serves, but every row of ${plan.entity} is read`,
      [advice, 'the plan is', plan.toString()],
    );
  }
  return result(false, `expected a scan of every row of ${plan.entity}`, [
    'only scanAll(), and what is no narrower, is one',
    'the plan is',
    plan.toString(),
  ]);
}

/**
 * A query is asked for its plan; the class is not compared, since ESM and CommonJS have one each.
 */
function explanationOf(matcher: string, received: unknown): Explanation {
  const given = received as
    { explain?: unknown; ranges?: unknown; fullScan?: unknown } | null | undefined;
  if (typeof given?.explain === 'function' && !('model' in given))
    return (given as { explain(): Explanation }).explain();
  if (typeof given?.fullScan === 'boolean' && Array.isArray(given.ranges))
    return given as Explanation;
  throw misuse(
    matcher,
    'a query or its explain() is needed',
    `write expect(readings.prefix({ tenant: 'acme' })).${matcher}(...)`,
  );
}

/** As Explanation prints it. */
function rangeText({ start, end }: Pick<ExplainedRange, 'start' | 'end'>): string {
  return `[${start === '' ? 'first key' : start} .. ${end ?? 'last key'})`;
}
