/** Colours and the progress bar. */
import { Progress } from '../../src/cli/terminal/progress.js';
import { styleFor } from '../../src/cli/terminal/style.js';

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

  const bars = (
    total: number | undefined,
    updates: readonly (readonly [at: number, rows: number, share?: number])[],
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
    for (const [at, rows, share] of updates) {
      now = at;
      progress.update(rows, { share });
    }
    return texts.map((text) => text.replace(/[█░]+/, '#').replace('\x1b[K', '').trim());
  };

  test('the time left is told once the rate says something', () => {
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

  test('without a total the rows are counted, and a share that is known leads the bar', () => {
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

  test('what an earlier run had done says nothing of this one: neither of its rate nor of the time left', () => {
    const texts: string[] = [];
    let now = 0;
    const progress = new Progress(
      'x',
      undefined,
      { isTTY: true, write: (text: string) => texts.push(text) > 0 },
      styleFor({}, {}),
      () => now,
    );
    for (const [at, rows, share] of [
      [1000, 9_100, undefined],
      [2000, 9_200, 0.5],
      [4000, 9_400, 0.75],
    ] as const) {
      now = at;
      progress.update(rows, { share, earlier: 9_000, estimated: true });
    }
    progress.done(9_800, 9_000);
    expect(texts.map((text) => text.replace(/[█░]+/, '#').replace('\x1b[K', '').trim())).toEqual([
      'x                 9,100 rows       100 rows/s',
      'x            #  50 %       100 rows/s',
      'x            #  75 %       100 rows/s  about 2 s left',
      'x              9,800 rows, 9,000 of them by an earlier run, in 4.00 s       200 rows/s',
    ]);
  });

  test('more rows than were counted do not break the bar, and no rows at all are everything', () => {
    expect(bars(10, [[1000, 20]])[0]).toContain('100 %');
    expect(bars(0, [[1000, 0]])[0]).toContain('100 %');
  });
});
