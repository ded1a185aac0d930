/** The difference of texts. */
import { textDiff } from '../../src/cli/terminal/text-diff.js';
import fc from '../support/fast-check.js';

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

test('changed lines with context, distant changes separately', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
  const after = before.with(1, 'second').toSpliced(15, 1, 'sixteenth', 'and more');
  expect(textDiff(lines(...before), lines(...after))).toEqual([
    '@@ -1 +1 @@',
    ' line 1',
    '-line 2',
    '+second',
    ' line 3',
    ' line 4',
    ' line 5',
    '@@ -13 +13 @@',
    ' line 13',
    ' line 14',
    ' line 15',
    '-line 16',
    '+sixteenth',
    '+and more',
    ' line 17',
    ' line 18',
    ' line 19',
  ]);
});

test('the same text, an empty one, and a missing line break', () => {
  expect(textDiff('a\n', 'a\n')).toEqual([]);
  expect(textDiff('', 'a\n')).toEqual(['@@ -1 +1 @@', '+a']);
  expect(textDiff('a\n', '')).toEqual(['@@ -1 +1 @@', '-a']);
  expect(textDiff('a', 'a\n')).toEqual(['@@ -1 +1 @@', '-a (no line break at the end)', '+a']);
});

/** Applies a difference to a text. */
function patched(before: readonly string[], diff: readonly string[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff) {
    const start = /^@@ -(\d+) /.exec(line)?.[1];
    if (start !== undefined) {
      result.push(...before.slice(at, Number(start) - 1));
      at = Number(start) - 1;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      if (before[at] !== line.slice(1)) throw new Error(`line ${at} is ${before[at]}, not ${line}`);
      if (line.startsWith(' ')) result.push(line.slice(1));
      at++;
    }
  }
  return [...result, ...before.slice(at)];
}

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 60 });
test('applied to the first text it yields the second, and is as short as possible', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = textDiff(lines(...before), lines(...after));
      expect(patched(before, diff)).toEqual(after);
      const kept = before.length - diff.filter((line) => line.startsWith('-')).length;
      expect(kept).toBe(commonLength(before, after));
    }),
    { numRuns: 300 },
  );
});

/** Length of the longest common subsequence, by its definition. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (let j = 0; j < b.length; j++)
      next.push(left === b[j] ? row[j] + 1 : Math.max(row[j + 1], next[j]));
    row = next;
  }
  return row[b.length];
}

test('texts of many thousand differing lines are shown as replaced', () => {
  const many = (word: string) => lines(...Array.from({ length: 30_000 }, (_, i) => `${word} ${i}`));
  const diff = textDiff(`same\n${many('a')}`, `same\n${many('b')}`);
  expect(diff.slice(0, 3)).toEqual(['@@ -1 +1 @@', ' same', '-a 0']);
  expect(diff).toHaveLength(60_002);
});
