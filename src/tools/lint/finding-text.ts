/** A finding as text. */
import type { LintFinding } from './lint.js';

/** What a finding is about: `Reading.at`, or the family `Reading (family m)`. */
export function findingSubject({ entity, property, family }: LintFinding): string {
  if (property !== undefined) return `${entity}.${property}`;
  if (family !== undefined) return `${entity} (family ${family})`;
  return entity;
}

/** `error K01 Reading.at: the key starts with ...`, and the fix in a second line. */
export function findingText(finding: LintFinding): string {
  const { level, rule, problem, fix } = finding;
  return `${level} ${rule} ${findingSubject(finding)}: ${problem}\n  ${fix}`;
}
