/**
 * Garbage collection rules as gcloud and Terraform take them, and in words. cbt takes gcRuleText of
 * the model room.
 */
import type { FamilySchema, GcRule } from '../../store/index.js';

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
  const said = terraformRule(rule);
  return 'mode' in said ? said : { rules: [said] };
}

function terraformRule(rule: GcRule): TerraformRule {
  if (rule.kind === 'maxVersions') return { max_version: rule.versions };
  if (rule.kind === 'maxAge') return { max_age: goDuration(rule.micros) };
  const [only, second] = rule.rules;
  // A union or intersection of one rule is that rule.
  return second === undefined
    ? terraformRule(only)
    : { mode: rule.kind, rules: rule.rules.map(terraformRule) };
}

/** A length of time with one unit that Go's parser knows, which has no days. */
function goDuration(micros: number): string {
  const units = [
    ['h', 3_600e6],
    ['m', 60e6],
    ['s', 1e6],
    ['ms', 1e3],
  ] as const;
  const [unit, size] = units.find(([, each]) => micros % each === 0) ?? ['us', 1];
  return `${micros / size}${unit}`;
}

/**
 * The rule in `gcloud bigtable tables create --column-families=f:RULE`, which takes one rule or two
 * joined by one operator, and whole seconds safely; undefined for any other.
 */
export function gcloudRule(rule: GcRule): string | undefined {
  if (rule.kind === 'maxVersions') return `maxversions=${rule.versions}`;
  if (rule.kind === 'maxAge')
    return rule.micros % 1e6 === 0 ? `maxage=${rule.micros / 1e6}s` : undefined;
  if (rule.rules.length === 1) return gcloudRule(rule.rules[0]);
  const sides = rule.rules.map((each) =>
    each.kind === 'union' || each.kind === 'intersection' ? undefined : gcloudRule(each),
  );
  return sides.length === 2 && !sides.includes(undefined)
    ? sides.join(rule.kind === 'union' ? '||' : '&&')
    : undefined;
}

/**
 * Why cbt cannot say the rule; undefined when it can. It takes whole milliseconds, and up to 65,535
 * versions.
 */
export function cbtCannotSay(rule: GcRule): string | undefined {
  if (rule.kind === 'maxVersions')
    return rule.versions > 65_535
      ? `cbt takes at most 65535 versions, not ${rule.versions}`
      : undefined;
  if (rule.kind === 'maxAge')
    return rule.micros % 1e3 === 0
      ? undefined
      : `cbt takes ages in whole milliseconds, not ${rule.micros} us`;
  return rule.rules.map(cbtCannotSay).find((problem) => problem !== undefined);
}

/** What happens to old cells of the family, as a sentence. */
export function gcWords({ gc }: FamilySchema): string {
  return gc === undefined
    ? 'Keeps every version of a value.'
    : `Deletes a cell when ${ruleWords(gc, false)}.`;
}

function ruleWords(rule: GcRule, nested: boolean): string {
  if (rule.kind === 'maxVersions')
    return rule.versions === 1
      ? 'a newer one is in its column'
      : `${rule.versions} newer ones are in its column`;
  if (rule.kind === 'maxAge') return `it is older than ${ageWords(rule.micros)}`;
  const words = rule.rules
    .map((each) => ruleWords(each, rule.rules.length > 1))
    .join(rule.kind === 'union' ? ' or ' : ' and ');
  return nested && rule.rules.length > 1 ? `(${words})` : words;
}

function ageWords(micros: number): string {
  const units = [
    ['day', 86_400e6],
    ['hour', 3_600e6],
    ['minute', 60e6],
    ['second', 1e6],
    ['millisecond', 1e3],
  ] as const;
  const [unit, size] = units.find(([, each]) => micros % each === 0) ?? ['microsecond', 1];
  return `${micros / size} ${unit}${micros === size ? '' : 's'}`;
}
