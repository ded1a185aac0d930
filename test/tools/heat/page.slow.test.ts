/** The page for browsers: one file without requests, readable colours, and how Chromium draws it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { heatPage, packNumbers } from '../../../src/tools/page/heat-page.js';
import { heatTable } from '../../../src/tools/page/heat-table.js';
import { collectAccess, heatFindings, heatGrid, KeyNames } from '../../../src/tools/heat/index.js';
import fc from '../../support/fast-check.js';
import { findChromium } from './support/chromium.js';
import { decodePng, type Pixels } from './support/decode-png.js';
import { modelOf, workloads, writesOf } from './support/workloads.js';

const partsFolder = join(__dirname, '../../../src/tools/page/page');
const part = (name: string): string => readFileSync(join(partsFolder, name), 'utf8');

/** The page of a workload. */
function pageOf(name: string, title = name): string {
  const workload = workloads().find((each) => each.name === name)!;
  const models = [modelOf(workload)];
  const log = collectAccess(writesOf(workload, 30));
  const [access] = log.tables;
  const table = heatTable(heatGrid(access, log.windowMs)!, new KeyNames(access.table, models));
  const findings = heatFindings(log, { models, nodes: 10 });
  return heatPage({ title, source: 'a test', tables: [table], findings });
}

/** The value of a constant or function of the page's scripts. */
function fromScript<T>(file: string, expression: string): T {
  const context = vm.createContext({ atob, Uint8Array, Float64Array });
  return vm.runInContext(`${part(file)}\n${expression}`, context) as T;
}

describe('the file', () => {
  const page = pageOf('device#ms (5 devices)', '<b>devices</b> & </script><script>alert(1)');

  test('makes no request and loads nothing', () => {
    expect(page).not.toMatch(
      /https?:|\bsrc=|\bhref=|@import|url\(|fetch\(|XMLHttpRequest|import\(/,
    );
  });

  test('allows only its own script and style', () => {
    const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)![1];
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toContain('unsafe');
    const hash = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1];
    const script = /<script>([\s\S]*?)<\/script>/.exec(page)![1];
    expect(policy).toContain(`style-src ${hash(style)}`);
    expect(policy).toContain(`script-src ${hash(script)}`);
    expect(page).not.toMatch(/ style="| on[a-z]+="/);
  });

  test('data cannot end the script element', () => {
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    const json = /id="data">([\s\S]*?)<\/script>/.exec(page)![1];
    expect(JSON.parse(json)).toMatchObject({
      title: '<b>devices</b> & </script><script>alert(1)',
      findings: [{ kind: 'writeFronts', segment: 'device' }],
      tables: [{ table: 'readings', columns: 30 }],
    });
    // The script sets text, never markup.
    expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });

  test('is small', () => {
    expect(page.length).toBeLessThan(400_000);
    const files = readdirSync(partsFolder).map((name) => statSync(join(partsFolder, name)).size);
    expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000);
  });
});

test('numbers are read as they were packed', () => {
  const count = fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 2 ** 50 }));
  fc.assert(
    fc.property(fc.array(count), (numbers) => {
      const call = `[...unpackNumbers('${packNumbers(numbers)}', ${numbers.length})].join()`;
      expect(fromScript('data.js', call)).toBe(numbers.join());
    }),
  );
});

describe('colours', () => {
  /** Lightness from 0 to 100 (CIE L*). */
  const lightness = (red: number, green: number, blue: number): number => {
    const linear = (value: number): number => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    const y = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
  };
  test.each(['light', 'dark'])('the lightness of the %s scale is monotone and even', (theme) => {
    const table = fromScript<string>('colours.js', `colourTable('${theme}').join()`)
      .split(',')
      .map(Number);
    const levels = Array.from({ length: 256 }, (_, level) =>
      lightness(table[3 * level], table[3 * level + 1], table[3 * level + 2]),
    );
    if (theme === 'light') levels.reverse();
    const steps = levels.slice(1).map((level, i) => level - levels[i]);
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThan(1);
    expect(levels[255] - levels[0]).toBeGreaterThan(75);
  });
});

describe('times and values', () => {
  const at = Date.UTC(2026, 0, 5, 23, 17, 4, 250);
  test.each([
    [86_400_000, '2026-01-05 23:17', 'a day'],
    [300_000, '2026-01-05 23:17', '5 minutes'],
    [1000, '2026-01-05 23:17:04', 'a second'],
    [500, '2026-01-05 23:17:04.250', '0.5 seconds'],
  ])('of intervals of %d ms are as exact as they are', (millis, time, interval) => {
    expect(fromScript('data.js', `timeText(${at}, ${millis})`)).toBe(time);
    expect(fromScript('data.js', `intervalText(${millis})`)).toBe(interval);
  });

  test('bytes have units', () => {
    const text = (value: number): string => fromScript('data.js', `valueText('bytes', ${value})`);
    expect([text(0), text(999), text(5_000), text(2 ** 40)]).toEqual([
      '0 B',
      '999 B',
      '4.9 KiB',
      '1.0 TiB',
    ]);
    expect(fromScript('data.js', "valueText('reads', 12345)")).toBe('12,345');
  });

  test('marks are at round times, and no closer than an interval', () => {
    const step = (millis: number, columnMs: number): number =>
      fromScript('picture.js', `tickStep(${millis}, ${columnMs})`);
    expect([step(7 * 60_000, 60_000), step(61_000, 60_000), step(10, 60_000)]).toEqual([
      600_000, 120_000, 60_000,
    ]);
    expect(step(100 * 3_600_000, 3_600_000)).toBe(7 * 86_400_000);
  });
});

describe('the axis of keys', () => {
  const bucket = (entity: string | undefined, ...values: string[]) => ({
    key: 'raw',
    entity,
    segments: values.map((value, i) => [`s${i}`, value]),
    rows: 1,
  });
  const boxes = (buckets: unknown[], height: number): unknown =>
    JSON.parse(
      fromScript<string>(
        'axis.js',
        `JSON.stringify(axisBoxes(${JSON.stringify({ buckets })}, 0, ${buckets.length},
          (from, to) => (to - from) * ${height}).map((box) => [box.level, box.from, box.to, boxText(box)]))`,
      ),
    );
  const devices = [bucket('R', 'a', '1'), bucket('R', 'a', '2'), bucket('R', 'b', '1')];

  test('neighbours with the same leading values are one box', () => {
    expect(boxes(devices, 20)).toEqual([
      [0, 0, 2, 'a'],
      [0, 2, 3, 'b'],
      [1, 0, 1, '1'],
      [1, 1, 2, '2'],
      [1, 2, 3, '1'],
    ]);
  });

  test('small ones are drawn together, without their further segments', () => {
    expect(boxes(devices, 5)).toEqual([[0, 0, 3, 'a … b']]);
  });

  test('boxes of different values are never drawn together', () => {
    const small = ['a', 'b'].flatMap((name) => ['1', '2', '3'].map((n) => bucket('R', name, n)));
    expect(boxes(small, 6)).toEqual([
      [0, 0, 3, 'a'],
      [0, 3, 6, 'b'],
      [1, 0, 3, '1 … 3'],
      [1, 3, 6, '1 … 3'],
    ]);
  });

  test('headings name the segments of all entities', () => {
    const call = (buckets: unknown[]): unknown =>
      JSON.parse(
        fromScript<string>('axis.js', `JSON.stringify(axisNames(${JSON.stringify({ buckets })}))`),
      );
    const other = { key: 'x', entity: 'S', segments: [['at', '1']], rows: 1 };
    expect(call([bucket('R', 'a', '1'), other])).toEqual(['entity', 's0 / at', 's1']);
    expect(call([bucket(undefined)])).toEqual(['key']);
  });

  test('entities come first, and keys that none decodes have a place', () => {
    expect(boxes([bucket('R', 'a'), bucket(undefined)], 20)).toEqual([
      [0, 0, 1, 'R'],
      [0, 1, 2, 'other keys'],
      [1, 0, 1, 'a'],
      [1, 1, 2, 'raw'],
    ]);
  });
});

const chromium = findChromium();
const withChromium = chromium === undefined ? describe.skip : describe;

withChromium('as Chromium draws it', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A screenshot of the page; fails if the page logs an error. */
  function screenshot(name: string, dark: boolean): Pixels {
    const file = join(folder, 'page.html');
    const picture = join(folder, 'page.png');
    writeFileSync(file, pageOf(name));
    const { stderr, status } = spawnSync(
      chromium!,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--hide-scrollbars',
        '--enable-logging=stderr',
        '--window-size=1300,1060',
        `--user-data-dir=${join(folder, 'profile')}`,
        `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
        `--screenshot=${picture}`,
        pathToFileURL(file).href,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect(status).toBe(0);
    expect(stderr).not.toMatch(/CONSOLE/);
    return decodePng(readFileSync(picture));
  }

  const brightness = ([red, green, blue]: readonly number[]): number => red + green + blue;
  /** A place of the heat map, in shares of its width and height. */
  const mapAt = (pixels: Pixels, x: number, y: number): readonly number[] =>
    pixels.at(Math.round(356 + x * 906), Math.round(202 + y * 538));

  test.each([
    ['light', false],
    ['dark', true],
  ])('times first are a diagonal (%s)', (_theme, dark) => {
    const pixels = screenshot('ms#device', dark);
    const page = brightness(pixels.at(5, 5));
    if (dark) expect(page).toBeLessThan(100);
    else expect(page).toBeGreaterThan(700);
    for (const place of [0.117, 0.317, 0.517, 0.717, 0.917]) {
      const contrast = (y: number): number =>
        Math.abs(brightness(mapAt(pixels, place, y)) - brightness(pixels.at(360, 735)));
      expect(contrast(place)).toBeGreaterThan(300);
      expect(contrast((place + 0.3) % 1)).toBeLessThan(20);
    }
  });

  /** The text of elements after a script has run in the page, which its own policy would forbid. */
  function after(script: string): Record<string, string> {
    const file = join(folder, 'events.html');
    const report = `
      const report = { metric: state.metric, theme: state.theme, readout: element('readout').textContent,
        tip: element('tip').hidden ? '' : element('tip').textContent,
        view: [...state.view.columns, ...state.view.buckets].join() };
      const text = Object.assign(document.createElement('pre'), { id: 'report' });
      text.textContent = btoa(encodeURIComponent(JSON.stringify(report)));
      document.body.append(text);`;
    const page = pageOf('device#ms (5 devices)')
      .replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, '')
      .replace('</body>', () => `<script>${helpers}${script}${report}</script></body>`);
    writeFileSync(file, page);
    const { stdout, stderr } = spawnSync(
      chromium!,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--enable-logging=stderr',
        '--window-size=1300,1060',
        `--user-data-dir=${join(folder, 'profile')}`,
        '--blink-settings=preferredColorScheme=1',
        '--dump-dom',
        pathToFileURL(file).href,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect(stderr).not.toMatch(/CONSOLE/);
    const encoded = /id="report">([^<]*)</.exec(stdout)![1];
    const json = decodeURIComponent(Buffer.from(encoded, 'base64').toString());
    return JSON.parse(json) as Record<string, string>;
  }

  const helpers = `
    const canvas = picture.canvas;
    // Events that no pointer has made cannot be captured.
    canvas.setPointerCapture = () => undefined;
    const key = (name, shiftKey = false) =>
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true }));
    const place = (x, y) => {
      const { left, top } = canvas.getBoundingClientRect();
      const { plot } = picture;
      return { clientX: left + plot.x + x * plot.width, clientY: top + plot.y + y * plot.height };
    };
    const pointer = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, place(x, y)));
  `;

  test('the keyboard moves the mark, zooms, and changes metric and colours', () => {
    const { readout, metric, theme, view } = after(`
      key('ArrowRight'); key('ArrowRight', true); key('ArrowDown'); key('m'); key('m'); key('T'); key('+');
    `);
    expect([metric, theme]).toEqual(['writes', 'dark']);
    expect(readout).toMatch(
      /^2026-01-05 00:11 UTC · DeviceFirst: device=device-00000, at=2026-01-05T00:00:.* · to device=/,
    );
    const [from, to, first, last] = view.split(',').map(Number);
    expect([to - from, last - first]).toEqual([expect.closeTo(15, -1), expect.closeTo(500, -2)]);
    expect(after(`key('+'); key('0'); key('ArrowUp'); key('Escape');`)).toMatchObject({
      view: '0,30,0,1000',
      readout: '',
    });
  });

  test('pointing at a cell shows its keys and values', () => {
    // The first minute of the third device.
    const { tip } = after(`pointer('pointermove', 0.015, 0.4035)`);
    expect(tip).toMatch(
      /^2026-01-05 00:00 UTC\nDeviceFirst: device=device-00002, at=2026-01-05T00:00/,
    );
    expect(tip).toMatch(/\d+ operations, 0 reads, \d+ writes, 1\.0 KiB$/);
  });

  test('dragging zooms in, on the keys and on the curve in one direction only', () => {
    const drag = (from: string, to: string): string =>
      after(
        `pointer('pointerdown', ${from}); pointer('pointermove', ${to}); pointer('pointerup', ${to});`,
      ).view;
    expect(drag('0.101, 0.101', '0.299, 0.499')).toBe('3,9,101,499');
    expect(drag('0.101, -0.1', '0.299, -0.1')).toBe('3,9,0,1000');
    expect(drag('-0.1, 0.101', '-0.1, 0.499')).toBe('0,30,101,499');
  });

  test('a click on a group of keys shows only it', () => {
    const { view } = after(
      `for (const type of ['pointerdown', 'pointerup']) pointer(type, -0.36, 0.5);`,
    );
    const [, , first, last] = view.split(',').map(Number);
    expect([first, last]).toEqual([expect.closeTo(400, -2), expect.closeTo(600, -2)]);
  });

  test('devices first fill the map', () => {
    const pixels = screenshot('device#ms (1000 devices)', false);
    let filled = 0;
    for (let x = 0; x < 30; x++)
      for (let y = 0; y < 30; y++)
        if (brightness(mapAt(pixels, (x + 0.5) / 30, (y + 0.5) / 30)) < 740) filled++;
    // 63 % of the ranges have writes, and a pixel stands for 1.9 of them.
    expect(filled / 900).toBeGreaterThan(0.78);
    expect(filled / 900).toBeLessThan(0.9);
  });
});
