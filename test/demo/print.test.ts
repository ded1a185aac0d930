/** How the demo puts things on the screen. */
import { wrap } from '../../demo/print.js';
import { Progress } from '../../demo/progress.js';
import { codeOf } from '../../demo/step.js';
import { styleFor } from '../../demo/style.js';
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
  expect(wrap('where     a = 1 and b = 2', 20, ' '.repeat(10))).toEqual(['where     a = 1 and', '          b = 2']);
  expect(wrap('x'.repeat(30), 10)).toEqual(['x'.repeat(30)]);
  expect(wrap('', 10)).toEqual(['']);
});

test('colours are for terminals, and NO_COLOR turns them off', () => {
  expect(styleFor({ isTTY: true }, {}).bold('x')).toBe('\x1b[1mx\x1b[22m');
  expect(styleFor({ isTTY: true }, { NO_COLOR: '' }).bold('x')).toBe('\x1b[1mx\x1b[22m');
  expect(styleFor({ isTTY: true }, { NO_COLOR: '1' }).bold('x')).toBe('x');
  expect(styleFor({ isTTY: true }, { TERM: 'dumb' }).bold('x')).toBe('x');
  expect(styleFor({}, {}).bold('x')).toBe('x');
});

describe('progress', () => {
  const written = (isTTY: boolean) => {
    const texts: string[] = [];
    let now = 0;
    const progress = new Progress('rows', 100, { isTTY, write: (text: string) => texts.push(text) > 0 }, styleFor({}, {}), () => now);
    for (const [at, rows] of [[1000, 50], [1010, 51], [1040, 75]]) {
      now = at;
      progress.update(rows);
    }
    now = 2000;
    progress.done(100);
    return texts;
  };

  test('a terminal gets a bar, not redrawn at every batch, and one line that stays', () => {
    const texts = written(true);
    expect(texts).toEqual([
      `\r  rows         ${'█'.repeat(14)}${'░'.repeat(14)}  50 %        50 rows/s\x1b[K`,
      `\r  rows         ${'█'.repeat(21)}${'░'.repeat(7)}  75 %        72 rows/s\x1b[K`,
      '\r\x1b[K  rows             100 rows in 2.00 s        50 rows/s\n',
    ]);
  });

  test('a pipe gets the one line', () => {
    expect(written(false)).toEqual(['  rows             100 rows in 2.00 s        50 rows/s\n']);
  });
});

test('the code of a step is cut out of its source', () => {
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
