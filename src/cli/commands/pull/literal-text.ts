/** Values as TypeScript writes them. */
import type { FamilySchema, GcRule } from '../../../store/index.js';

/** `'text'`, with every character that could end or change it escaped. */
export function textLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** `{ order: 'desc', width: 4 }`: plain values only. */
export function objectLiteral(value: Readonly<Record<string, string | number | boolean>>): string {
  return `{ ${Object.entries(value)
    .map(
      ([name, each]) => `${name}: ${typeof each === 'string' ? textLiteral(each) : String(each)}`,
    )
    .join(', ')} }`;
}

/** Text as it may stand in a comment of one line. */
export function commentText(text: string): string {
  return text.replace(/[\0-\x1f\x7f\u2028\u2029]/g, ' ').replaceAll('*/', '* /');
}

const units = [
  ['d', 86_400e6],
  ['h', 3_600e6],
  ['m', 60e6],
  ['s', 1e6],
  ['ms', 1e3],
] as const;

/** `{ gc: maxVersions(1) }`, `sum()`; what must be imported goes into `imports`. */
export function familyText({ gc, aggregate }: FamilySchema, imports: Set<string>): string {
  const options = gc === undefined || isEmpty(gc) ? '' : `{ gc: ${gcText(gc, imports)} }`;
  if (aggregate === undefined) return options === '' ? '{}' : options;
  imports.add(aggregate);
  return `${aggregate}(${options})`;
}

function isEmpty(gc: GcRule): boolean {
  return (gc.kind === 'union' || gc.kind === 'intersection') && gc.rules.length === 0;
}

function gcText(gc: GcRule, imports: Set<string>): string {
  imports.add(gc.kind);
  if (gc.kind === 'maxVersions') return `maxVersions(${gc.versions})`;
  if (gc.kind !== 'maxAge')
    return `${gc.kind}(${gc.rules.map((rule) => gcText(rule, imports)).join(', ')})`;
  const [unit, size] = units.find(([, each]) => gc.micros % each === 0) ?? ['', 1e3];
  return unit === '' ? `maxAge(${gc.micros / 1e3})` : `maxAge('${gc.micros / size}${unit}')`;
}
