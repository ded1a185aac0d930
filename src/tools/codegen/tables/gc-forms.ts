/**
 * Garbage collection rules in the syntax of gcloud and Terraform, and in words. The syntax of cbt
 * is `gcRuleText` in the model layer.
 */
import type { FamilySchema, GcRule } from '../../../data/store/index.js';

/** A rule of Terraform's `gc_rules`: one leaf, or a mode over at least two rules, which nest. */
export type TerraformRule =
  | { readonly max_age: string }
  | { readonly max_version: number }
  | { readonly mode: 'union' | 'intersection'; readonly rules: readonly TerraformRule[] };

/** The value of `gc_rules`: without a mode it takes exactly one rule. */
export function terraformGcRules(rule: GcRule): {
  readonly mode?: string;
  readonly rules: readonly TerraformRule[];
} {
  const value = terraformRule(rule);
  if ('mode' in value) return value;
  return { rules: [value] };
}

function terraformRule(rule: GcRule): TerraformRule {
  switch (rule.kind) {
    case 'maxVersions':
      return { max_version: rule.versions };
    case 'maxAge':
      return { max_age: goDuration(rule.micros) };
    case 'union':
    case 'intersection':
      // A union or intersection of one rule is that rule.
      if (rule.rules.length === 1) return terraformRule(rule.rules[0]);
      return { mode: rule.kind, rules: rule.rules.map(terraformRule) };
  }
}

/** Name and microseconds of a unit of time. */
type TimeUnit = readonly [name: string, micros: number];

/** The units of Go's time.ParseDuration, which has no days; the largest first. */
const goUnits: readonly TimeUnit[] = [
  ['h', 3_600e6],
  ['m', 60e6],
  ['s', 1e6],
  ['ms', 1e3],
  ['us', 1],
];
const englishUnits: readonly TimeUnit[] = [
  ['day', 86_400e6],
  ['hour', 3_600e6],
  ['minute', 60e6],
  ['second', 1e6],
  ['millisecond', 1e3],
  ['microsecond', 1],
];

/** The duration as a whole number of the largest unit that divides it. */
function wholeUnits(micros: number, units: readonly TimeUnit[]): readonly [number, string] {
  const [name, size] = units.find(([, each]) => micros % each === 0) ?? units[units.length - 1];
  return [micros / size, name];
}

function goDuration(micros: number): string {
  const [count, unit] = wholeUnits(micros, goUnits);
  return `${count}${unit}`;
}

/**
 * The rule in `gcloud bigtable tables create --column-families=f:RULE`. gcloud takes one rule, or
 * two joined by one operator, with ages in whole seconds; undefined for any other rule.
 */
export function gcloudRule(rule: GcRule): string | undefined {
  switch (rule.kind) {
    case 'maxVersions':
      return `maxversions=${rule.versions}`;
    case 'maxAge':
      if (rule.micros % 1e6 !== 0) return undefined;
      return `maxage=${rule.micros / 1e6}s`;
    case 'union':
      return joinedGcloudRules(rule.rules, '||');
    case 'intersection':
      return joinedGcloudRules(rule.rules, '&&');
  }
}

function joinedGcloudRules(rules: readonly GcRule[], operator: string): string | undefined {
  if (rules.length === 1) return gcloudRule(rules[0]);
  if (rules.length !== 2 || rules.some((rule) => 'rules' in rule)) return undefined;
  const sides = rules.map(gcloudRule);
  if (sides.includes(undefined)) return undefined;
  return sides.join(operator);
}

/**
 * Why cbt cannot express the rule; undefined when it can. It takes whole milliseconds, and at most
 * 65,535 versions.
 */
export function cbtLimitation(rule: GcRule): string | undefined {
  switch (rule.kind) {
    case 'maxVersions':
      if (rule.versions <= 65_535) return undefined;
      return `cbt takes at most 65535 versions, not ${rule.versions}`;
    case 'maxAge':
      if (rule.micros % 1e3 === 0) return undefined;
      return `cbt takes ages in whole milliseconds, not ${rule.micros} us`;
    case 'union':
    case 'intersection':
      return rule.rules.map(cbtLimitation).find((problem) => problem !== undefined);
  }
}

/** What happens to old cells of the family, as a sentence. */
export function gcSentence({ gc }: FamilySchema): string {
  if (gc === undefined) return 'Keeps every version of a value.';
  return `Deletes a cell when ${ruleWords(gc)}.`;
}

function ruleWords(rule: GcRule): string {
  switch (rule.kind) {
    case 'maxVersions':
      if (rule.versions === 1) return 'a newer one is in its column';
      return `${rule.versions} newer ones are in its column`;
    case 'maxAge':
      return `it is older than ${ageWords(rule.micros)}`;
    case 'union':
      return joinedWords(rule.rules, ' or ');
    case 'intersection':
      return joinedWords(rule.rules, ' and ');
  }
}

function joinedWords(rules: readonly GcRule[], conjunction: string): string {
  if (rules.length === 1) return ruleWords(rules[0]);
  return rules.map(termWords).join(conjunction);
}

/** A term of a union or intersection: in parentheses when it joins rules itself. */
function termWords(rule: GcRule): string {
  if (!('rules' in rule)) return ruleWords(rule);
  // A union or intersection of one rule is that rule, which may join several.
  if (rule.rules.length === 1) return termWords(rule.rules[0]);
  return `(${ruleWords(rule)})`;
}

function ageWords(micros: number): string {
  const [count, unit] = wholeUnits(micros, englishUnits);
  if (count === 1) return `1 ${unit}`;
  return `${count} ${unit}s`;
}
