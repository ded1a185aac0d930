/** Defaults of columns in indexes: rows without a value have entries with them. */
import {
  errorMessage,
  latin1Text,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../model.js';

type ReportProblem = (fault: FaultText) => void;

/**
 * The stored form of the defaults of the segments, which must be the same at each call, with the
 * first column that had the values: if that moves, the rows from before have the default, and their
 * entries have what they had.
 */
export function defaultsOf(
  { columns }: EntityModel,
  names: readonly string[],
  report: ReportProblem,
): readonly (readonly [property: string, stored: string, column: string])[] {
  return columns.flatMap((column) => {
    const { property, codec } = column;
    if (!names.includes(property) || !('default' in column) || column.default === undefined)
      return [];
    const fix = 'give a constant, or leave the default out and set the property in each write';
    try {
      const first = column.default();
      const stored = latin1Text(codec.encode(first));
      if (first instanceof Date) waitForClock();
      if (latin1Text(codec.encode(column.default())) !== stored)
        report(faults.changingDefault(property, fix));
      return [[property, stored, firstColumnOf(column)] as const];
    } catch (error) {
      report(faults.failingDefault(property, error, fix));
      return [];
    }
  });
}

function firstColumnOf(column: ColumnModel): string {
  if (!('qualifier' in column)) return column.family;
  const earlier = 'alsoReads' in column ? column.alsoReads?.at(-1) : undefined;
  return `${column.family}:${latin1Text(earlier ?? column.qualifier)}`;
}

/** A default of the current time is another one after a millisecond. */
function waitForClock(): void {
  const now = Date.now();
  while (Date.now() === now);
}

const faults = {
  changingDefault: (property: string, fix: string) => ({
    problem: `names '${property}': its default is another value at each call`,
    fix,
  }),
  failingDefault: (property: string, error: unknown, fix: string) => ({
    problem: `names '${property}': its default fails: ${errorMessage(error)}`,
    fix,
  }),
} satisfies FaultTexts;
