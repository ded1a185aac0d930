/** Colours and the progress bar. */
import { Progress } from '../../src/cli/terminal/progress.js';
import { styleFor } from '../../src/cli/terminal/style.js';

test('only terminals have colours, unless NO_COLOR is set', () => {
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
    const progress = new Progress(
      'rows',
      100,
      { isTTY, write: (text: string) => texts.push(text) > 0 },
      styleFor({}, {}),
      () => now,
    );
    for (const [at, rows] of [
      [1000, 50],
      [1010, 51],
      [1040, 75],
    ]) {
      now = at;
      progress.update(rows);
    }
    now = 2000;
    progress.done(100);
    return texts;
  };

  test('a terminal gets a bar, which is not redrawn at every batch, and a line at the end', () => {
    const texts = written(true);
    expect(texts).toEqual([
      `\r  rows         ${'█'.repeat(14)}${'░'.repeat(14)}  50 %        50 rows/s\x1b[K`,
      `\r  rows         ${'█'.repeat(21)}${'░'.repeat(7)}  75 %        72 rows/s\x1b[K`,
      '\r\x1b[K  rows             100 rows in 2.00 s        50 rows/s\n',
    ]);
  });

  test('a pipe gets only the line at the end', () => {
    expect(written(false)).toEqual(['  rows             100 rows in 2.00 s        50 rows/s\n']);
  });

  const bars = (
    total: number | undefined,
    updates: readonly (readonly [at: number, rows: number, fraction?: number])[],
  ) => {
    const texts: string[] = [];
    let now = 0;
    const progress = new Progress(
      'x',
      total,
      { isTTY: true, write: (text: string) => texts.push(text) > 0 },
      styleFor({}, {}),
      () => now,
    );
    for (const [at, rows, fraction] of updates) {
      now = at;
      progress.update(rows, { fraction });
    }
    return texts.map((text) => text.replace(/[█░]+/, '#').replace('\x1b[K', '').trim());
  };

  test('the time left is shown once the rate is reliable', () => {
    expect(
      bars(1000, [
        [1000, 100],
        [2000, 200],
        [10_000, 400],
      ]),
    ).toEqual([
      'x            #  10 %       100 rows/s',
      'x            #  20 %       100 rows/s  8 s left',
      'x            #  40 %        40 rows/s  15 s left',
    ]);
    expect(
      bars(1_000_000, [
        [2000, 10_000],
        [60_000, 20_000],
      ]).map((text) => text.split('  ').at(-1)),
    ).toEqual(['3:18 min left', '49:00 min left']);
    expect(bars(1_000_000, [[20_000, 1_000]])[0]).toContain('5:33 h left');
  });

  test('without a total the rows are counted, and the bar shows the fraction if it is known', () => {
    expect(
      bars(undefined, [
        [2000, 50_000],
        [4000, 60_000, 0.5],
      ]),
    ).toEqual([
      'x                50,000 rows    25,000 rows/s',
      'x            #  50 %    15,000 rows/s  4 s left',
    ]);
  });

  test('rows of earlier runs count neither for the rate nor for the time left', () => {
    const texts: string[] = [];
    let now = 0;
    const progress = new Progress(
      'x',
      undefined,
      { isTTY: true, write: (text: string) => texts.push(text) > 0 },
      styleFor({}, {}),
      () => now,
    );
    for (const [at, rows, fraction] of [
      [1000, 9_100, undefined],
      [2000, 9_200, 0.5],
      [4000, 9_400, 0.75],
    ] as const) {
      now = at;
      progress.update(rows, { fraction, fromEarlierRuns: 9_000, estimated: true });
    }
    progress.done(9_800, 9_000);
    expect(texts.map((text) => text.replace(/[█░]+/, '#').replace('\x1b[K', '').trim())).toEqual([
      'x                 9,100 rows       100 rows/s',
      'x            #  50 %       100 rows/s',
      'x            #  75 %       100 rows/s  about 2 s left',
      'x              9,800 rows, 9,000 of them in earlier runs, in 4.00 s       200 rows/s',
    ]);
  });

  test('more rows than the total, or a total of 0, are 100 %', () => {
    expect(bars(10, [[1000, 20]])[0]).toContain('100 %');
    expect(bars(0, [[1000, 0]])[0]).toContain('100 %');
  });
});
