/**
 * Garbage collection rules in Bigtable's terms. Their values are checked when the model is built.
 */
import { RowsmithError } from '../errors.js';
import type { GcRule } from '../store/index.js';

/**
 * A length of time: a whole number and its unit (milliseconds, seconds, minutes, hours, days of 24
 * hours).
 */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const MICROS_PER = { ms: 1e3, s: 1e6, m: 60e6, h: 3_600e6, d: 86_400e6 } as const;

/** Keep the newest `versions` cells of each column. */
export function maxVersions(versions: number): GcRule {
  return Object.freeze({ kind: 'maxVersions', versions });
}

/**
 * Delete cells older than `age`: a duration such as '30d', or milliseconds. Throws
 * INVALID_DECLARATION for a text that is no duration.
 */
export function maxAge(age: Duration | number): GcRule {
  return Object.freeze({
    kind: 'maxAge',
    micros: typeof age === 'number' ? age * 1e3 : durationMicros(age),
  });
}

/** Delete a cell when any of the rules says so. */
export function union(...rules: readonly GcRule[]): GcRule {
  return Object.freeze({ kind: 'union', rules: Object.freeze(rules) });
}

/** Delete a cell only when every rule says so. */
export function intersection(...rules: readonly GcRule[]): GcRule {
  return Object.freeze({ kind: 'intersection', rules: Object.freeze(rules) });
}

function durationMicros(text: string): number {
  const [, digits, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (digits === undefined) {
    // A rule could not carry this to the build: the text would be lost and the fault could not
    // quote it.
    throw new RowsmithError('INVALID_DECLARATION', {
      problem: `maxAge(${JSON.stringify(text)}) is not a duration`,
      fix: "write a whole number and one unit of ms, s, m, h, d: maxAge('30d')",
    });
  }
  return Number(digits) * MICROS_PER[unit as keyof typeof MICROS_PER];
}

/**
 * Bytes of the rule as a google.bigtable.admin.v2.GcRule message; Bigtable refuses more than 500.
 */
export function gcRuleSize(rule: GcRule): number {
  switch (rule.kind) {
    case 'maxVersions':
      return 1 + varintSize(rule.versions);
    case 'maxAge': {
      const seconds = Math.floor(rule.micros / 1e6);
      const nanos = (rule.micros % 1e6) * 1e3;
      return delimited(
        (seconds === 0 ? 0 : 1 + varintSize(seconds)) + (nanos === 0 ? 0 : 1 + varintSize(nanos)),
      );
    }
    default:
      return delimited(rule.rules.reduce((sum, inner) => sum + delimited(gcRuleSize(inner)), 0));
  }
}

/** Tag, length and content of a nested message. */
function delimited(size: number): number {
  return 1 + varintSize(size) + size;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** The rule as Bigtable's tools print it: `(maxage=30d || maxversions=1)`. */
export function gcRuleText(rule: GcRule): string {
  switch (rule.kind) {
    case 'maxVersions':
      return `maxversions=${rule.versions}`;
    case 'maxAge':
      return `maxage=${durationText(rule.micros)}`;
    default:
      return `(${rule.rules.map(gcRuleText).join(rule.kind === 'union' ? ' || ' : ' && ')})`;
  }
}

function durationText(micros: number): string {
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const)
    if (micros % MICROS_PER[unit] === 0) return `${micros / MICROS_PER[unit]}${unit}`;
  return `${micros}us`;
}
