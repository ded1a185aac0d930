/** Tables for people: widths, cut values, and columns that do not fit. */
import { Table } from '../../src/cli/terminal/table.js';
import { cutText, textWidth } from '../../src/cli/terminal/text-width.js';

const heading = (text: string): string => `<${text}>`;

test('columns are as wide as their content, and the last one is not padded', () => {
  const table = new Table(['a', 'name'], { width: 80, heading });
  expect(
    table.lines([
      ['1000', 'x'],
      ['2', 'longer'],
    ]),
  ).toEqual(['<a     name>', '1000  x', '2     longer']);
  // Later lines have the widths of the first ones.
  expect(table.lines([['12345', 'more than before']])).toEqual(['123…  more …']);
  expect(table.hidden).toEqual([]);
});

test.each([20, 30, 44, 60, 80])('%d characters are enough for every line', (width) => {
  const cells = ['short', 'x'.repeat(50), 'a middle one', '日本語のテキスト', 'y'.repeat(30)];
  const table = new Table(['a', 'b', 'c', 'd', 'e'], { width, heading: (text) => text });
  const lines = table.lines([cells, cells]);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
  const shown = 5 - table.hidden.length;
  expect(lines[0].split(/ +/)).toEqual(['a', 'b', 'c', 'd', 'e'].slice(0, shown));
  // Narrow columns are not cut while wide ones can be.
  expect(lines[1].startsWith('short  xxx')).toBe(true);
});

test('nothing is cut without a width', () => {
  const table = new Table(['a'], { width: Infinity, heading });
  expect(table.lines([['x'.repeat(300)]])[1]).toBe('x'.repeat(300));
  expect(table.lines([['y'.repeat(400)]])).toEqual(['y'.repeat(400)]);
});

test.each([
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['👍', 2],
  ['', 0],
])('the width of %j is %d', (text, width) => expect(textWidth(text)).toBe(width));

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 4, 'abc…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['abc', 1, '…'],
])('%j in %d characters is %j', (text, width, cut) => expect(cutText(text, width)).toBe(cut));
