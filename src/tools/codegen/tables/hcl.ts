/** Terraform's configuration language, laid out as `terraform fmt` does. */

import { commentLine } from '../comment-line.js';

/** A value: JSON's, or an expression that is written as it is. */
export type HclValue =
  | string
  | number
  | boolean
  | HclExpression
  | readonly HclValue[]
  | { readonly [name: string]: HclValue };

/** `google_bigtable_table.telemetry.name`. */
export interface HclExpression {
  readonly expression: string;
}

/** One entry of a body; undefined is a blank line. */
export type HclItem =
  | { readonly name: string; readonly value: HclValue }
  | {
      readonly block: string;
      readonly labels?: readonly string[];
      readonly body: readonly HclItem[];
    }
  | { readonly comment: string }
  | undefined;

/** A blank line of a body. */
export const blankLine: HclItem = undefined;

/** Values up to this many characters are written on one line. */
const maxLineValue = 90;

/** The text of a body, with a line break at its end. */
export function hclText(items: readonly HclItem[]): string {
  return `${bodyLines(items).join('\n')}\n`;
}

/** A call of jsonencode: Terraform then compares values, not their JSON text. */
export function jsonencode(value: HclValue): HclExpression {
  return { expression: `jsonencode(${valueLines(value).join('\n')})` };
}

function bodyLines(items: readonly HclItem[]): string[] {
  const lines: string[] = [];
  // Attributes of one line that follow each other are aligned at their `=`.
  let group: { readonly name: string; readonly text: string }[] = [];
  const flush = (): void => {
    const width = Math.max(0, ...group.map(({ name }) => name.length));
    lines.push(...group.map(({ name, text }) => `${name.padEnd(width)} = ${text}`));
    group = [];
  };
  for (const item of items) {
    if (item !== undefined && 'name' in item) {
      const [text, ...more] = valueLines(item.value);
      if (more.length === 0) {
        group.push({ name: item.name, text });
        continue;
      }
      flush();
      lines.push(`${item.name} = ${text}`, ...more);
      continue;
    }
    flush();
    if (item === undefined) lines.push('');
    else if ('comment' in item) lines.push(commentLine('#', item.comment));
    else
      lines.push(
        `${[item.block, ...(item.labels ?? []).map(hclString)].join(' ')} {`,
        ...indented(bodyLines(item.body)),
        '}',
      );
  }
  flush();
  return lines;
}

function valueLines(value: HclValue): string[] {
  if (typeof value === 'string') return [hclString(value)];
  if (typeof value !== 'object') return [String(value)];
  if (isExpression(value)) return value.expression.split('\n');
  const short = shortForm(value);
  if (short.length <= maxLineValue) return [short];
  if (isList(value))
    return ['[', ...indented(value.flatMap((each) => withComma(valueLines(each)))), ']'];
  return [
    '{',
    ...indented(bodyLines(Object.entries(value).map(([name, each]) => ({ name, value: each })))),
    '}',
  ];
}

function shortForm(value: HclValue): string {
  if (typeof value === 'string') return hclString(value);
  if (typeof value !== 'object') return String(value);
  if (isExpression(value)) return value.expression;
  if (isList(value)) return `[${value.map(shortForm).join(', ')}]`;
  const entries = Object.entries(value).map(([name, each]) => `${name} = ${shortForm(each)}`);
  if (entries.length === 0) return '{}';
  return `{ ${entries.join(', ')} }`;
}

function withComma(lines: string[]): string[] {
  return [...lines.slice(0, -1), `${lines[lines.length - 1]},`];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function isList(value: object): value is readonly HclValue[] {
  return Array.isArray(value);
}

function isExpression(value: object): value is HclExpression {
  return 'expression' in value && typeof value.expression === 'string';
}

const hclEscapes: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);

/** A quoted string without templates: `${` and `%{` are text. */
function hclString(text: string): string {
  const escaped = JSON.stringify(text).replace(/[$%](?=\{)/g, (mark) => mark + mark);
  // HCL has no \b and \f. All other characters are written by JSON as Terraform writes them. Whole
  // escapes are matched, because in `\\b` the letter follows an escaped backslash.
  return escaped.replace(/\\./g, (escape) => hclEscapes.get(escape) ?? escape);
}
