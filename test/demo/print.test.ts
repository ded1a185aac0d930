/** How the demo puts things on the screen. */
import { wrap } from '../../demo/print';
import { Progress } from '../../demo/progress';
import { codeOf } from '../../demo/step';
import { styleFor } from '../../demo/style';
import { textTable } from '../../demo/text-table';

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
    const progress = new Progress('rows', 100, { isTTY, write: (text: string) => texts.push(text) > 0 } as never, styleFor({}, {}));
    progress.update(50);
    progress.update(51);
    progress.done(100);
    return texts;
  };

  test('a terminal gets a bar, not redrawn at every batch, and one line that stays', () => {
    const texts = written(true);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^\r {2}rows {9}█{14}░{14} {2}50 % .* rows\/s\x1b\[K$/);
    expect(texts[1]).toMatch(/^\r\x1b\[K {2}rows .* 100 rows in \d\.\d\d s .* rows\/s\n$/);
  });

  test('a pipe gets the one line', () => {
    expect(written(false)).toEqual([expect.stringMatching(/^ {2}rows .* 100 rows in \d\.\d\d s .* rows\/s\n$/)]);
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
