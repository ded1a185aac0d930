/** What a report of a check says in numbers. */
import type { DerivedReport, RollupFindings } from './derived-types.js';

/** Whether nothing is left to repair. */
export function isClean(report: DerivedReport): boolean {
  const { repaired, rollups, incomplete } = report;
  if (rollups !== undefined && differencesOf(rollups) > rollups.repaired) return false;
  if (incomplete !== undefined && incomplete.rows > 0) return false;
  return findingsOf(report) === repaired;
}

/** The findings in indexes and copies. */
export function findingsOf({ found }: DerivedReport): number {
  return Object.values(found).reduce((sum, count) => sum + count, 0);
}

/** The rows of rollups that differ. */
export function differencesOf({ missing, orphan, wrong }: RollupFindings): number {
  return missing + orphan + wrong;
}
