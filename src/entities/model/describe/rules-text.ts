/** What an entity declares of its values, in words. */
import type { ColumnModel, SegmentModel, ValueRules } from '../model.js';
import { membersText } from '../rules/declared-rules.js';

/** `required, one of 'open', 'closed'`; undefined without rules. */
export function columnRulesText(column: ColumnModel): string | undefined {
  const words = valueWords(column.rules);
  if ('required' in column && column.required === true) words.unshift('required');
  return textOf(words);
}

/** `at least 3 long, generated`; undefined without rules that are declared. */
export function segmentRulesText({ rules, generate }: SegmentModel): string | undefined {
  const { minLength, ...others } = rules ?? {};
  const words = valueWords(minLength === 1 ? others : rules);
  if (generate !== undefined) words.push('generated');
  return textOf(words);
}

function textOf(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : words.join(', ');
}

function valueWords({ oneOf, minLength, maxLength, pattern, min, max }: ValueRules = {}): string[] {
  const words: string[] = [];
  if (oneOf !== undefined) words.push(`one of ${membersText(oneOf)}`);
  if (minLength !== undefined) words.push(`at least ${minLength} long`);
  if (maxLength !== undefined) words.push(`at most ${maxLength} long`);
  if (pattern !== undefined) words.push(`matches ${String(pattern)}`);
  if (min !== undefined) words.push(`at least ${min}`);
  if (max !== undefined) words.push(`at most ${max}`);
  return words;
}
