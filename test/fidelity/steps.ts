/** Short spellings for the steps of cases. Text is latin1: one character, one byte. */
/* eslint max-len: off -- a case is a line */
import type { Filter, Mutation, ReadModifyWriteRule } from '../../src/store/index.js';
import type { Answer, Step } from './step.js';

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
export const hex = (text: string): Uint8Array =>
  new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
export const set = (
  family: string,
  qualifier: string,
  value: string,
  timestamp: number | bigint = 1000,
): Mutation => ({
  kind: 'setCell',
  family,
  qualifier: bytes(qualifier),
  timestamp,
  value: bytes(value),
});
export const delColumn = (
  qualifier: string,
  start?: number,
  end?: number,
  family = 'a',
): Mutation => ({ kind: 'deleteFromColumn', family, qualifier: bytes(qualifier), start, end });
export const delFamily = (family: string): Mutation => ({ kind: 'deleteFromFamily', family });
export const delRow: Mutation = { kind: 'deleteFromRow' };
export const add = (
  family: string,
  input: bigint,
  timestamp: number | bigint = 1000,
): Mutation => ({ kind: 'addToCell', family, qualifier: bytes('q'), timestamp, input });
export const merge = (family: string, input: Uint8Array): Mutation => ({
  kind: 'mergeToCell',
  family,
  qualifier: bytes('q'),
  timestamp: 1000,
  input,
});
export const increment = (
  qualifier: string,
  amount: bigint,
  family = 'a',
): ReadModifyWriteRule => ({ kind: 'increment', family, qualifier: bytes(qualifier), amount });
export const append = (qualifier: string, value: string, family = 'a'): ReadModifyWriteRule => ({
  kind: 'append',
  family,
  qualifier: bytes(qualifier),
  value: bytes(value),
});

/** A write, and what it answers: nothing where it is done. */
export const put = (
  key: string,
  mutations: readonly Mutation[],
  answer: Answer = undefined,
): readonly [Step, Answer] => [{ op: 'mutateRow', key: bytes(key), mutations }, answer];
/** A read of the whole table through a filter. */
export const reads = (answer: Answer, filter?: Filter): readonly [Step, Answer] => [
  { op: 'read', filter },
  answer,
];
/** A read of `[start, end)`, from the end where it is reversed. */
export const readsRange = (
  answer: Answer,
  step: Omit<Step & { op: 'read' }, 'op'>,
): readonly [Step, Answer] => [{ op: 'read', ...step }, answer];
export const modify = (
  key: string,
  rules: readonly ReadModifyWriteRule[],
  answer: Answer,
): readonly [Step, Answer] => [{ op: 'modify', key: bytes(key), rules }, answer];

export const chain = (...filters: Filter[]): Filter => ({ kind: 'chain', filters });
export const interleave = (...filters: Filter[]): Filter => ({ kind: 'interleave', filters });
export const pass: Filter = { kind: 'passAll' };
export const block: Filter = { kind: 'blockAll' };
export const strip: Filter = { kind: 'stripValue' };
export const sink: Filter = { kind: 'sink' };
export const label = (text: string): Filter => ({ kind: 'label', label: text });
export const family = (pattern: string): Filter => ({ kind: 'familyRegex', pattern });
export const rowKey = (pattern: string): Filter => ({
  kind: 'rowKeyRegex',
  pattern: bytes(pattern),
});
export const qualifier = (pattern: string): Filter => ({
  kind: 'qualifierRegex',
  pattern: bytes(pattern),
});
export const value = (pattern: string): Filter => ({ kind: 'valueRegex', pattern: bytes(pattern) });
export const perRow = (count: number): Filter => ({ kind: 'cellsPerRow', count });
export const offset = (count: number): Filter => ({ kind: 'cellsPerRowOffset', count });
export const perColumn = (count: number): Filter => ({ kind: 'cellsPerColumn', count });
export const times = (start?: number, end?: number): Filter => ({
  kind: 'timestampRange',
  start,
  end,
});

/**
 * A range in mathematical notation: `[a,c)`, `(,b]`; an empty side is open for `(` and `)`, and the
 * empty text for `[` and `]`, unless written as "".
 */
export function columns(range: string, of = 'a'): Filter {
  const [start, end] = bounds(range);
  return {
    kind: 'columnRange',
    family: of,
    ...(start ? { start: { qualifier: start.bytes, inclusive: start.inclusive } } : {}),
    ...(end ? { end: { qualifier: end.bytes, inclusive: end.inclusive } } : {}),
  };
}

/** As columns, of values. */
export function values(range: string): Filter {
  const [start, end] = bounds(range);
  return {
    kind: 'valueRange',
    ...(start ? { start: { value: start.bytes, inclusive: start.inclusive } } : {}),
    ...(end ? { end: { value: end.bytes, inclusive: end.inclusive } } : {}),
  };
}

function bounds(range: string) {
  const [low, high] = range.slice(1, -1).split(',');
  const bound = (text: string, inclusive: boolean) =>
    text === '' ? undefined : { bytes: bytes(text.replaceAll('"', '')), inclusive };
  return [bound(low, range.startsWith('[')), bound(high, range.endsWith(']'))];
}
