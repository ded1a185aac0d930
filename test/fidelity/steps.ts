/** Short constructors for the steps of cases. Text is latin1: one character is one byte. */
import type { Filter, Mutation, ReadModifyWriteRule } from '../../src/data/store/index.js';
import type { Step, StepResult } from './step.js';

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
/** A cell with its timestamp truncated to the granularity of the table. */
export const truncated = (...of: Parameters<typeof set>): Mutation => {
  const mutation = set(...of) as Extract<Mutation, { kind: 'setCell' }>;
  return { ...mutation, truncate: true };
};
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
export const merge = (family: string, input: Uint8Array | null): Mutation => ({
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

/** A write, and its error if it is rejected. */
export const put = (
  key: string,
  mutations: readonly Mutation[],
  result: StepResult = undefined,
): readonly [Step, StepResult] => [{ op: 'mutateRow', key: bytes(key), mutations }, result];
/** A read of the whole table through a filter. */
export const reads = (result: StepResult, filter?: Filter): readonly [Step, StepResult] => [
  { op: 'read', filter },
  result,
];
/** A read of `[start, end)`. */
export const readsRange = (
  result: StepResult,
  step: Omit<Step & { op: 'read' }, 'op'>,
): readonly [Step, StepResult] => [{ op: 'read', ...step }, result];
export const modify = (
  key: string,
  rules: readonly ReadModifyWriteRule[],
  result: StepResult,
): readonly [Step, StepResult] => [{ op: 'modify', key: bytes(key), rules }, result];

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
 * A column range in mathematical notation: `[a,c)`, `(,b]`. A bound without text is unbounded, `""`
 * is the empty qualifier.
 */
export function columns(range: string, of = 'a'): Filter {
  const [start, end] = bounds(range, (qualifier, inclusive) => ({ qualifier, inclusive }));
  return { kind: 'columnRange', family: of, start, end };
}

/** A value range, in the same notation. */
export function values(range: string): Filter {
  const [start, end] = bounds(range, (value, inclusive) => ({ value, inclusive }));
  return { kind: 'valueRange', start, end };
}

function bounds<B>(
  range: string,
  bound: (bytes: Uint8Array, inclusive: boolean) => B,
): [start: B | undefined, end: B | undefined] {
  const [low, high] = range.slice(1, -1).split(',');
  const parse = (text: string, inclusive: boolean): B | undefined => {
    if (text === '') return undefined;
    return bound(bytes(text.replaceAll('"', '')), inclusive);
  };
  return [parse(low, range.startsWith('[')), parse(high, range.endsWith(']'))];
}
