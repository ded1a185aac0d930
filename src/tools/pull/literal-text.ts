/** Values as TypeScript source. */
import { durationText } from '../../base/index.js';
import type { FamilySchema, GcRule } from '../../data/store/index.js';

/** `'text'`, with special characters escaped. */
export function textLiteral(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `'${escaped}'`;
}

/** `{ order: 'desc', width: 4 }`: plain values only. */
export function objectLiteral(value: Readonly<Record<string, string | number | boolean>>): string {
  const entries = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`);
  return `{ ${entries.join(', ')} }`;
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return textLiteral(value);
  return String(value);
}

/** Text that is safe in a one-line comment. */
export function commentText(text: string): string {
  return text.replace(/[\0-\x1f\x7f\u2028\u2029]/g, ' ').replaceAll('*/', '* /');
}

/** `{ gc: maxVersions(1) }`, `aggregate('sum')`; adds the functions it needs to `imports`. */
export function familyText({ gc, aggregate }: FamilySchema, imports: Set<string>): string {
  const options = gc === undefined || isEmpty(gc) ? '' : `{ gc: ${gcText(gc, imports)} }`;
  if (aggregate === undefined) return options || '{}';
  imports.add('aggregate');
  return `aggregate('${aggregate}'${options && `, ${options}`})`;
}

function isEmpty(gc: GcRule): boolean {
  return (gc.kind === 'union' || gc.kind === 'intersection') && gc.rules.length === 0;
}

function gcText(gc: GcRule, imports: Set<string>): string {
  imports.add(gc.kind);
  switch (gc.kind) {
    case 'maxVersions':
      return `maxVersions(${gc.versions})`;
    case 'maxAge':
      // Its text form has no microseconds.
      if (gc.micros % 1e3 !== 0) return `maxAge(${gc.micros / 1e3})`;
      return `maxAge('${durationText(gc.micros / 1e3)}')`;
    default:
      return `${gc.kind}(${gc.rules.map((rule) => gcText(rule, imports)).join(', ')})`;
  }
}
