/** Garbage collection rules in a normal form: rules that collect the same cells compare equal. */
import type { GcRule } from '../../data/store/index.js';

type Joined = Extract<GcRule, { readonly kind: 'union' | 'intersection' }>;

/**
 * The rule in normal form: nested unions and intersections of one kind are flattened, terms of one
 * sort are merged (a union collects from the smaller bound on, an intersection from the larger
 * one), and terms are sorted. Undefined if the rule never collects anything: an empty rule, or an
 * intersection with one.
 */
export function normalGcRule(rule: GcRule | undefined): GcRule | undefined {
  if (rule === undefined || rule.kind === 'maxVersions' || rule.kind === 'maxAge') return rule;
  const terms = rule.rules.map(normalGcRule);
  const collecting = terms.filter((term) => term !== undefined);
  if (collecting.length === 0) return undefined;
  if (rule.kind === 'intersection' && collecting.length < terms.length) return undefined;
  const flat = collecting.flatMap((term) => (term.kind === rule.kind ? term.rules : [term]));
  const merged = mergeTerms(flat, rule.kind);
  if (merged.length === 1) return merged[0];
  return { kind: rule.kind, rules: merged };
}

/** Terms of one sort become one, equal terms too; the rest is sorted. */
function mergeTerms(terms: readonly GcRule[], kind: Joined['kind']): readonly GcRule[] {
  const pick = kind === 'union' ? Math.min : Math.max;
  const merged: GcRule[] = [];
  const versions = terms.flatMap((term) => (term.kind === 'maxVersions' ? [term.versions] : []));
  if (versions.length > 0) merged.push({ kind: 'maxVersions', versions: pick(...versions) });
  const ages = terms.flatMap((term) => (term.kind === 'maxAge' ? [term.micros] : []));
  if (ages.length > 0) merged.push({ kind: 'maxAge', micros: pick(...ages) });
  const joined = new Map<string, GcRule>();
  for (const term of terms)
    if (term.kind === 'union' || term.kind === 'intersection') joined.set(normalKey(term), term);
  const sorted = [...joined].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...merged, ...sorted.map(([, term]) => term)];
}

/** The text of a rule in normal form, with sorted terms. */
function normalKey(rule: GcRule): string {
  if (rule.kind === 'maxVersions') return `versions ${rule.versions}`;
  if (rule.kind === 'maxAge') return `age ${rule.micros}`;
  return `${rule.kind}(${rule.rules.map(normalKey).join()})`;
}

/** Equal for rules that have the same normal form; `none` for rules that never collect. */
export function gcRuleKey(rule: GcRule | undefined): string {
  const normal = normalGcRule(rule);
  if (normal === undefined) return 'none';
  return normalKey(normal);
}
