/** Findings of one entity: their levels, texts, and whether the entity ignores them. */
import type { LintIgnoreDeclaration } from '../../entities/model/index.js';
import type { LintLevel, LintRule, RuleFinding } from './rule.js';
import type { LintSubject } from './subject/subject.js';

/** What a rule found. */
export interface LintFinding {
  /** The id of the rule: `K01`. */
  readonly rule: string;
  readonly level: LintLevel;
  readonly entity: string;
  /** The segment, the column, or `key`, `indexes`, `rollups` or `patterns`. */
  readonly property?: string | undefined;
  readonly family?: string | undefined;
  readonly problem: string;
  /** Why it is wrong. */
  readonly reason: string;
  /** The change to make. */
  readonly fix: string;
  /** Address of the document that the rule follows. */
  readonly source: string;
}

/** What a rule found, with what is the same for all its findings. */
export function findingOf(
  { model }: LintSubject,
  rule: LintRule,
  { property, family, problem, fix, level = rule.level }: RuleFinding,
): LintFinding {
  const { id, reason, source } = rule;
  const entity = model.name;
  return Object.freeze({ rule: id, level, entity, property, family, problem, reason, fix, source });
}

/** What makes the entity ignore a finding; undefined if nothing does. */
export function ignoreOf(
  { ignores }: LintSubject,
  { id }: LintRule,
  { property }: RuleFinding,
): LintIgnoreDeclaration | undefined {
  return ignores.find(
    ({ rule, property: ignored }) => rule === id && (ignored === undefined || ignored === property),
  );
}

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
