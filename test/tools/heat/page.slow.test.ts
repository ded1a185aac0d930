/** The page for browsers: one file without requests, its data, readable colours, its modules. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { heatPage, pageScript } from '../../../src/tools/page/heat-page.js';
import { type HeatMap, heatMaps } from '../../../src/tools/page/index.js';
import { printable } from '../../../src/base/index.js';
import { collectAccess } from '../../../src/tools/heat/index.js';
import { packNumbers } from '../../../src/tools/page/page-data.js';
import fc from '../../support/fast-check.js';
import { mapsOf, pageOf } from './support/pages.js';
import { modelOf, workloads, writesOf } from './support/workloads.js';

const partsFolder = join(__dirname, '../../../src/tools/page/browser');
const moduleNames = readdirSync(partsFolder).filter((name) => name.endsWith('.js'));

/** The value of an expression in the modules of the page. */
function fromScript<T>(expression: string): T {
  const context = vm.createContext({ atob, Uint8Array, Float64Array });
  return vm.runInContext(`${pageScript()}\n${expression}`, context) as T;
}

describe('the file', () => {
  const page = pageOf(['device#ms (5 devices)'], '<b>devices</b> & </script><script>alert(1)');

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
      maps: [
        {
          name: 'device#ms (5 devices)',
          columns: 30,
          findings: [{ level: 'warning', subject: 'DeviceFirst.device' }],
        },
      ],
    });
    // The script sets text, never markup.
    expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });

  test('is small', () => {
    expect(page.length).toBeLessThan(300_000);
    const files = readdirSync(partsFolder).map((name) => statSync(join(partsFolder, name)).size);
    expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThan(70_000);
  });
});

describe('the modules', () => {
  const source = (name: string): string => readFileSync(join(partsFolder, name), 'utf8');

  test('import only what another one exports, and become one script', () => {
    for (const name of moduleNames) {
      for (const [, names, from] of source(name).matchAll(
        /^import \{([^}]*)\} from '\.\/(.*)';$/gm,
      ))
        for (const each of names.split(',').map((text) => text.trim()))
          if (each !== '')
            expect(source(from)).toMatch(
              new RegExp(`^export (function|class|const) ${each}\\b`, 'm'),
            );
    }
    const script = pageScript([...moduleNames]);
    expect(script).not.toMatch(/^(import|export) /m);
    const declared = [...script.matchAll(/^(?:async )?(?:function|class|const|let) ([\w$]+)/gm)];
    const names = declared.map(([, name]) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test('draw maps in any element: only main.js and the root know the page', () => {
    for (const name of moduleNames.filter((each) => each !== 'main.js'))
      expect(source(name)).not.toMatch(/getElementById|innerHTML/);
  });
});

describe('data', () => {
  test('are read as they were packed', () => {
    const [map] = mapsOf('device#ms (5 devices)', 5);
    const page = heatPage({ title: 't', source: 's', maps: [map] });
    const json = /id="data">([\s\S]*?)<\/script>/.exec(page)![1];
    const read = JSON.parse(
      fromScript<string>(
        `JSON.stringify(readData(${JSON.stringify(json)}).maps, (_key, each) =>
          each instanceof Float64Array ? [...each] : each)`,
      ),
    ) as { buckets: object[]; values: Record<string, number[]> }[];
    expect(read[0].values).toEqual(map.table.values);
    expect(read[0].buckets).toHaveLength(map.table.buckets.length);
    const { entity, segments, rows } = map.table.buckets[7];
    expect(read[0].buckets[7]).toMatchObject({ entity, segments, rows });
  });

  /** A map with as much in it as there can be, or of so many columns and ranges. */
  const largest = (columns = 720, count = 1_000): HeatMap => {
    const [map] = mapsOf('uuid v4', 1);
    const values = Array.from({ length: columns * count }, (_, i) => (i * 7_919) % 900);
    const buckets = Array.from({ length: count }, (_, i) => ({
      ...map.table.buckets[i % map.table.buckets.length],
      segments: [['id', `${i}-${'ü<'.repeat(1_000)}`]] as const,
    }));
    const all = { operations: values, reads: values, writes: values, bytes: values };
    return { ...map, table: { ...map.table, columns, buckets, values: all } };
  };

  test('a large recording of several tables is a page of a megabyte at most', () => {
    const maps = ['a', 'b'].map((name) => ({ ...largest(), name }));
    const page = heatPage({ title: 't', source: 's', maps });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(1_000_000);
    expect(Buffer.byteLength(page)).toBeGreaterThan(300_000);
    const json = /id="data">([\s\S]*?)<\/script>/.exec(page)![1];
    // Nothing is lost: cells are joined.
    const sums = fromScript<number[]>(
      `readData(${JSON.stringify(json)}).maps.map((map) => sumOf(map.values.reads))`,
    );
    const sum = maps[0].table.values.reads.reduce((all, each) => all + each, 0);
    expect([...sums]).toEqual([sum, sum]);
  });

  test('so is a recording of thirty tables, with findings of rows with long keys', () => {
    const row = Buffer.alloc(4_096, 0xff);
    const [first] = mapsOf('one hot row + even', 1);
    const [hot] = first.findings.filter(({ kind }) => kind === 'hotRow');
    const key = printable(row);
    const findings = Array.from({ length: 5 }, () => ({ ...hot, key, problem: `a row: ${key}` }));
    const map = { ...largest(60, 125), findings };
    const maps = Array.from({ length: 30 }, (_, i) => ({ ...map, name: `table-${i}` }));
    const page = heatPage({ title: 't', source: 's', maps });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(1_000_000);
    const json = /id="data">([\s\S]*?)<\/script>/.exec(page)![1];
    const shown = (JSON.parse(json) as { maps: HeatMap[] }).maps[0].findings[0].problem;
    expect(shown).toBe(`a row: ${key.slice(0, 80)}…${key.slice(-80)}`);
  });

  test('operations of simulated traffic are those for which the sample stands', () => {
    const workload = workloads().find(({ name }) => name === 'uuid v4')!;
    const access = collectAccess(writesOf(workload, 3));
    const [map] = heatMaps({ access, findings: [], models: [modelOf(workload)], scale: 360 });
    // 1,000 a minute in the sample.
    const minute = map.table.values.operations.slice(0, map.table.buckets.length);
    expect(minute.reduce((sum, each) => sum + each, 0)).toBe(360_000);
  });

  test('a key at which a scan begins has the segments that it fixes', () => {
    const model = modelOf(workloads().find(({ name }) => name === 'device#ms (5 devices)')!);
    const row = model.key.encode({ device: 'd1', at: new Date(0) });
    const access = collectAccess(
      [Buffer.from('d0#'), Buffer.from('d1#'), row, Buffer.from('zzz')].map((key) => {
        return { table: 'readings', kind: 'scan', key, bytes: 1, at: 0 } as const;
      }),
    );
    const [map] = heatMaps({ access, findings: [], models: [model] });
    expect(map.table.buckets.map(({ entity, segments }) => [entity, segments])).toEqual([
      ['DeviceFirst', [['device', 'd0']]],
      ['DeviceFirst', [['device', 'd1']]],
      ['DeviceFirst', [['device', 'd1'], expect.arrayContaining(['at'])]],
      [undefined, []],
    ]);
  });

  test('a finding is marked where it is seen', () => {
    const [map] = mapsOf('one hot row + even', 3);
    const [{ kind, marks }] = map.findings;
    const [[from, to, first, last], ...others] = marks;
    expect([kind, from, to, first === last, others]).toEqual(['hotRow', 0, 2, true, []]);
    expect(map.table.buckets[first].segments[0][1]).toMatch(/^7777/);
  });
});

describe('rows that must be seen', () => {
  const edges = (count: number, height: number, enlarged: readonly number[]): number[] => [
    ...fromScript<number[]>(
      `keyEdges([0, ${count}], ${height}, new Set(${JSON.stringify(enlarged)}))`,
    ),
  ];

  test('are six pixels high among a thousand ranges', () => {
    const found = edges(1_000, 540, [3, 700]);
    expect(found[4] - found[3]).toBeCloseTo(6);
    expect(found[701] - found[700]).toBeCloseTo(6);
    expect(found[1] - found[0]).toBeCloseTo(528 / 998);
    expect(found[1_000]).toBe(540);
    expect(edges(10, 540, [3])[1]).toBeCloseTo(54);
  });

  test('places and distances are inverse', () => {
    const script = `(() => { const edges = keyEdges([0, 500], 300, new Set([7, 400]));
      return [0, 6.5, 7.5, 399, 400.25, 499.5].map((place) => placeAt(edges, edgeAt(edges, place))); })()`;
    const places = [...fromScript<number[]>(script)];
    [0, 6.5, 7.5, 399, 400.25, 499.5].forEach((place, i) => expect(places[i]).toBeCloseTo(place));
  });

  test('are the rows of findings, and rows with a large share', () => {
    const call = (counts: readonly number[], rows: readonly number[]): number[] => {
      const map = {
        findings: [{ rows }],
        columns: 1,
        buckets: counts,
        values: { operations: counts },
      };
      return fromScript<number[]>(`[...rangesToEnlarge(${JSON.stringify(map)})]`);
    };
    const even = new Array<number>(400).fill(10);
    expect([...call(even, [])]).toEqual([]);
    expect([...call(even, [5])]).toEqual([5]);
    expect([...call(even.with(8, 500), [])]).toEqual([8]);
  });
});

test('totals are sums along both axes', () => {
  const map = { columns: 2, buckets: [1, 2, 3], values: { reads: [1, 2, 3, 10, 20, 30] } };
  const totals = fromScript<string>(
    `(() => { const { keys, columns } = allTotals(${JSON.stringify(map)}, 'reads');
      return [...keys].join() + ' ' + [...columns].join(); })()`,
  );
  expect(totals).toBe('11,22,33 6,60');
});

test('brightness halves the value of the last colour at each step', () => {
  const map = {
    columns: 1,
    buckets: new Array(100).fill(0),
    values: { reads: new Array(100).fill(100) },
  };
  const full = (brightness: number): number =>
    fromScript(`fullValue(${JSON.stringify(map)}, 'reads', ${brightness})`);
  expect([full(-1), full(0), full(2)]).toEqual([1_000, 500, 125]);
});

test('numbers are read as they were packed', () => {
  const count = fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 2 ** 50 }));
  fc.assert(
    fc.property(fc.array(count), (numbers) => {
      const call = `[...unpackNumbers('${packNumbers(numbers)}', ${numbers.length})].join()`;
      expect(fromScript(call)).toBe(numbers.join());
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
    const table = fromScript<string>(`colourTable('${theme}').join()`).split(',').map(Number);
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
    expect(fromScript(`timeText(${at}, ${millis})`)).toBe(time);
    expect(fromScript(`intervalText(${millis})`)).toBe(interval);
  });

  test('bytes have units', () => {
    const text = (value: number): string => fromScript(`valueText('bytes', ${value})`);
    expect([text(0), text(999), text(5_000), text(2 ** 40)]).toEqual([
      '0 B',
      '999 B',
      '4.9 KiB',
      '1.0 TiB',
    ]);
    expect(fromScript("valueText('reads', 12345)")).toBe('12,345');
  });

  test('marks are at round times, and no closer than an interval', () => {
    const step = (millis: number, columnMs: number): number =>
      fromScript(`tickStep(${millis}, ${columnMs})`);
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
      fromScript<string>(`JSON.stringify(axisBoxes(${JSON.stringify({ buckets })}, 0, ${buckets.length},
          (from, to) => (to - from) * ${height}).map((box) => [box.level, box.from, box.to, boxText(box)]))`),
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
      JSON.parse(fromScript<string>(`JSON.stringify(axisNames(${JSON.stringify({ buckets })}))`));
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
