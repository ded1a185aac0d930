/** All rules, by id. */
import {
  RowsmithError,
  suggestionText,
  type FaultText,
  type FaultTexts,
} from '../../base/index.js';
import { heldRules } from './held-rules.js';
import { type LintRule, sources } from './rule.js';
import { families } from './rules/families.js';
import { growth } from './rules/growth.js';
import { hotRowRules } from './rules/hot-rows.js';
import { hotspots } from './rules/hotspots.js';
import { keyUse } from './rules/key-use.js';
import { keyTexts } from './rules/key-texts.js';
import { keyValues } from './rules/key-values.js';
import { retention } from './rules/retention.js';
import { tableRules } from './rules/tables.js';

/** Its findings are made by lint itself, after all other rules. */
export const unusedIgnore: LintRule = {
  id: 'L01',
  level: 'warning',
  title: 'A rule is ignored without need',
  reason: 'What is ignored without need would hide the finding that appears later.',
  source: sources.lint,
  fix: 'Remove it.',
  check: () => [],
};

/** In the order of their ids, keys first. */
export const lintRules: readonly LintRule[] = [
  ...[...hotspots, ...hotRowRules, ...keyTexts, ...keyValues, ...keyUse].sort(byId),
  ...[...families, ...tableRules, ...retention, ...growth].sort(byId),
  unusedIgnore,
];

function byId(a: LintRule, b: LintRule): number {
  return a.id < b.id ? -1 : 1;
}

const ids = lintRules.map(({ id }) => id);
const heldIds = heldRules.map(({ id }) => id);

/** The id of a rule in any case: `k01` is K01. */
export const ruleIdOf = (text: string): string => text.toUpperCase();

/** What is wrong with the id of a rule, and the fix; undefined if there is such a rule. */
export function ruleIdFault(id: string): FaultText | undefined {
  if (ids.includes(id)) return undefined;
  const upper = id.toUpperCase();
  if (heldIds.includes(id)) return faults.enforcedRule(id);
  if (ids.includes(upper) || heldIds.includes(upper)) return faults.otherCase(id, upper);
  return faults.unknownRule(id);
}

/** Throws INVALID_DECLARATION if an entity ignores a rule that does not exist. */
export function checkIgnoredRule(entity: string, property: string | undefined, id: string): void {
  const fault = ruleIdFault(id);
  if (fault === undefined) return;
  throw new RowsmithError('INVALID_DECLARATION', {
    entity,
    property,
    faults: [{ entity, property, ...fault }],
  });
}

const faults = {
  enforcedRule: (id: string) => ({
    problem: `lint has no findings of ${id}, which the declaration itself enforces`,
    fix: `leave it out; rowsmith lint --explain ${id} describes it`,
  }),
  otherCase: (id: string, upper: string) => ({
    problem: `lint has no rule '${id}'`,
    fix: `did you mean '${upper}'?`,
  }),
  unknownRule: (id: string) => ({
    problem: `lint has no rule '${id}'`,
    fix: suggestionText(id, ids, 'the rules are'),
  }),
} satisfies FaultTexts;
