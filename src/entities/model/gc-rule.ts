/** Garbage collection rules, as in Bigtable. buildModel checks their values. */
import { durationText, literalText, RowsmithError, type FaultTexts } from '../../base/index.js';
import type { GcRule } from '../../data/store/index.js';

/** A duration: a whole number of milliseconds, seconds, minutes, hours or days (of 24 hours). */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const microsPer = { ms: 1e3, s: 1e6, m: 60e6, h: 3_600e6, d: 86_400e6 } as const;

/** Deletes all but the newest `versions` cells of each column. */
export function maxVersions(versions: number): GcRule {
  return Object.freeze({ kind: 'maxVersions', versions });
}

/**
 * Deletes cells older than `age`: a duration such as '30d', or a number of milliseconds. Throws
 * INVALID_DECLARATION for text that is not a duration.
 */
export function maxAge(age: Duration | number): GcRule {
  const micros = typeof age === 'number' ? age * 1e3 : durationMicros(age);
  return Object.freeze({ kind: 'maxAge', micros });
}

/** Deletes a cell if any of the rules deletes it. */
export function union(...rules: readonly GcRule[]): GcRule {
  return Object.freeze({ kind: 'union', rules: Object.freeze(rules) });
}

/** Deletes a cell only if all of the rules delete it. */
export function intersection(...rules: readonly GcRule[]): GcRule {
  return Object.freeze({ kind: 'intersection', rules: Object.freeze(rules) });
}

const durationPattern = /^(\d+)(ms|s|m|h|d)$/;

/** Whether a value is the text of a duration. */
export function isDuration(value: unknown): value is Duration {
  return typeof value === 'string' && durationPattern.test(value);
}

/** The microseconds of a duration. Throws INVALID_DECLARATION for other text. */
export function durationMicros(text: unknown): number {
  const [, digits, unit] = (typeof text === 'string' && durationPattern.exec(text)) || [];
  if (digits === undefined) {
    // Thrown here and not by buildModel: a rule does not contain the text, so that the fault could
    // not quote it.
    throw new RowsmithError('INVALID_DECLARATION', faults.notADuration(text));
  }
  return Number(digits) * microsPer[unit as keyof typeof microsPer];
}

/** Size of the rule in bytes, as a google.bigtable.admin.v2.GcRule; Bigtable allows 500. */
export function gcRuleSize(rule: GcRule): number {
  switch (rule.kind) {
    case 'maxVersions':
      return 1 + varintSize(rule.versions);
    case 'maxAge': {
      const seconds = Math.floor(rule.micros / 1e6);
      const nanos = (rule.micros % 1e6) * 1e3;
      return delimitedSize(varintFieldSize(seconds) + varintFieldSize(nanos));
    }
    default:
      return delimitedSize(
        rule.rules.reduce((size, inner) => size + delimitedSize(gcRuleSize(inner)), 0),
      );
  }
}

/** Size of a field with a nested message of `size` bytes: tag, length and content. */
function delimitedSize(size: number): number {
  return 1 + varintSize(size) + size;
}

/** Size of a varint field without presence: a zero is not written. */
function varintFieldSize(value: number): number {
  if (value === 0) return 0;
  return 1 + varintSize(value);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** The age in microseconds after which the newest cell of a column is collected, or Infinity. */
export function maxAgeOf(rule: GcRule | undefined): number {
  switch (rule?.kind) {
    case 'maxAge':
      return rule.micros;
    case 'union':
      return Math.min(Infinity, ...rule.rules.map(maxAgeOf));
    case 'intersection':
      // An empty intersection deletes nothing.
      return rule.rules.length === 0 ? Infinity : Math.max(...rule.rules.map(maxAgeOf));
    default:
      return Infinity;
  }
}

/** The rule as cbt prints it: `(maxage=30d || maxversions=1)`. */
export function gcRuleText(rule: GcRule): string {
  switch (rule.kind) {
    case 'maxVersions':
      return `maxversions=${rule.versions}`;
    case 'maxAge':
      return `maxage=${durationText(rule.micros / 1000)}`;
    case 'union':
      return `(${rule.rules.map(gcRuleText).join(' || ')})`;
    case 'intersection':
      return `(${rule.rules.map(gcRuleText).join(' && ')})`;
  }
}

const faults = {
  notADuration: (text: unknown) => ({
    problem: `maxAge(${literalText(text)}) is not a duration`,
    fix: "write a whole number and one unit of ms, s, m, h, d: maxAge('30d')",
  }),
} satisfies FaultTexts;
