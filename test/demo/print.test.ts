/** How the demo formats its output. */
import { wrap } from '../../demo/print.js';
import { codeOf } from '../../demo/step.js';
import { textTable } from '../../demo/text-table.js';

test('a table aligns text to the left and numbers to the right, and leaves out columns without values', () => {
  const rows = [
    { iata: 'SEA', flights: 339, note: undefined, at: new Date('2001-03-31T22:27Z') },
    { iata: 'Q', flights: 5n, note: undefined, at: undefined },
  ];
  expect(textTable(rows)).toEqual([
    'iata  flights  at',
    'SEA       339  2001-03-31 22:27',
    'Q           5',
  ]);
  expect(textTable([{ text: 'x'.repeat(80) }])[1]).toBe(`${'x'.repeat(59)}…`);
});

test('text is wrapped at spaces, with a hanging indent, and long words stay whole', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('where     a = 1 and b = 2', 20, ' '.repeat(10))).toEqual([
    'where     a = 1 and',
    '          b = 2',
  ]);
  expect(wrap('x'.repeat(30), 10)).toEqual(['x'.repeat(30)]);
  expect(wrap('', 10)).toEqual(['']);
});

test('the code of a step is taken from its source', () => {
  const source = `  {
    headline: 'One',
    run: async ({ a }) => {
      const x = 1;
      if (x) {
        y();
      }
      return { rows: [] };
    },
  },
  {
    headline: 'Two\\'s',
    run: async () => {
      two();
      return {};
    },
  },`;
  expect(codeOf(source, 'One')).toEqual(['const x = 1;', 'if (x) {', '  y();', '}']);
  expect(codeOf(source, "Two's")).toEqual(['two();']);
  expect(() => codeOf(source, 'Three')).toThrow("The code of 'Three' is not in its source");
});
