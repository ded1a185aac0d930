/** `rowsmith heatmap` and `rowsmith serve --record`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { recordAccess } from '../../../src/tools/index.js';
import { styleFor } from '../../../src/cli/terminal/style.js';
import { textWidth } from '../../../src/cli/terminal/text-width.js';
import { terminalPicture } from '../../../src/cli/commands/heatmap/terminal-picture.js';
import { openStored, storedTables } from '../../../src/cli/commands/database.js';
import { heatTable } from '../../../src/tools/page/heat-table.js';
import { collectAccess, heatGrid, KeyNames } from '../../../src/tools/heat/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer } from '../../../src/server/index.js';
import { headerOf } from '../../../src/tools/heat/file/recording-bytes.js';
import { command } from '../../support/command.js';
import { root } from '../../support/built-package.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../../support/linked-package.js';
import { DeviceFirst, TimeFirst } from './support/entities.js';
import { modelOf, workloads, writesOf } from './support/workloads.js';

let bare = '';
let linked = '';
let project = '';
beforeAll(async () => {
  bare = mkdtempSync(join(tmpdir(), 'rowsmith-heatmap-'));
  linked = buildLinkedPackage();
  // A peer dependency, which the user's project would have.
  symlinkSync(join(root, 'node_modules/@grpc'), join(linked, 'node_modules/@grpc'));
  const files = {
    'rowsmith.config.ts': "export default { entities: ['./readings.ts'], url: 'file:./data' };",
    'readings.ts': `
import { Column, Entity, rowKey, Segment } from 'rowsmith';
@Entity({ table: 'readings', families: { m: {} } })
export class TimeFirst {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp') at!: Date;
  @Segment('string') device!: string;
  @Column('m', 'double') value?: number;
}
`,
    'package.json': '{ "type": "module" }',
  };
  project = makeProject(linked, files);
  for (const folder of [bare, project]) await record(join(folder, 'access.heat'));
});
afterAll(() => {
  for (const each of [bare, linked, project]) rmSync(each, { recursive: true, force: true });
});

/** Records an hour of writes, time first. */
async function record(file: string): Promise<void> {
  const clock = { at: Date.UTC(2026, 0, 5) };
  await using recorder = recordAccess({ file, clock: () => clock.at });
  await using db = await open('memory:', { entities: [TimeFirst], observe: { record: recorder } });
  const readings = db.repository(TimeFirst);
  for (let minute = 0; minute < 20; minute++, clock.at += 60_000) {
    const rows = Array.from({ length: 300 }, (_, n) =>
      readings.create({ at: new Date(clock.at + n), device: `d${n % 7}`, value: n }),
    );
    await readings.saveMany(rows);
  }
}

describe('the picture of a terminal', () => {
  const table = (name: string, minutes = 30) => {
    const workload = workloads().find((each) => each.name === name)!;
    const { windowMs, tables } = collectAccess(writesOf(workload, minutes));
    const names = new KeyNames(tables[0].table, [modelOf(workload)]);
    return heatTable(heatGrid(tables[0], windowMs)!, names);
  };
  const plain = styleFor({ isTTY: false });

  test.each([200, 100, 60, 40, 24])('is %d columns wide at most', (width) => {
    for (const metric of ['operations', 'bytes'] as const) {
      const lines = terminalPicture(table('device#ms (5 devices)'), metric, width, plain);
      expect(Math.max(...lines.map((line) => textWidth(line)))).toBeLessThanOrEqual(width);
      expect(lines[0]).toMatch(/^device/);
    }
  });

  test('even load is even, though columns stand for a minute or two', () => {
    const even = terminalPicture(table('uuid v4', 40), 'operations', 46, plain).slice(0, 30);
    const blocks = even.map((line) => line.split('│')[1]).join('');
    expect(new Set(blocks).size).toBeLessThanOrEqual(2);
    // Columns of two minutes would have twice as many.
    expect(even.every((line) => !/▒░▒░▒░/.test(line))).toBe(true);
  });

  test('names the time zone, and the unit of bytes', () => {
    const lines = terminalPicture(table('uuid v4'), 'bytes', 100, plain);
    expect(lines.at(-3)).toMatch(/2026-01-05 00:00 .* 2026-01-05 00:30 UTC$/);
    expect(lines.at(-2)).toMatch(/^1\.3 MiB; at most 43 KiB in 1m, at 2026-01-05 00:\d\d$/);
    expect(lines.at(-1)).toMatch(/bytes of a cell, up to [\d.]+ KiB or more$/);
  });

  test('keys of wide characters leave the lines even', () => {
    const model = modelOf(workloads().find(({ entity }) => entity === DeviceFirst)!);
    const operations = ['漢字漢字漢字漢字漢字漢字漢字漢字漢字', 'a\nb', '\u202eabc'].map(
      (device) => {
        const key = model.key.encode({ device, at: new Date(0) });
        return { table: 'readings', kind: 'read', key, bytes: 1, at: 0 } as const;
      },
    );
    const { windowMs, tables } = collectAccess(operations);
    const grid = heatTable(heatGrid(tables[0], windowMs)!, new KeyNames('readings', [model]));
    const lines = terminalPicture(grid, 'operations', 90, plain).slice(0, 3);
    expect(lines.map((line) => textWidth(line.split('│')[0]))).toEqual([35, 35, 35]);
    expect(lines.join()).not.toMatch(/[\n\u202e]/);
    expect(lines.join()).toContain('device=a\\x0ab');
  });

  test('is as wide as the terminal, unless --width is given', async () => {
    const widthOf = async (args: string[], terminal: { isTTY: boolean; columns?: number }) => {
      const { out } = await command(
        bare,
        ['heatmap', 'access.heat', '--no-color', ...args],
        terminal,
      );
      return textWidth(out.split('\n')[1]);
    };
    expect(await widthOf([], { isTTY: true, columns: 60 })).toBe(60);
    expect(await widthOf([], { isTTY: true, columns: 160 })).toBe(160);
    expect(await widthOf(['--width', '50'], { isTTY: true, columns: 160 })).toBe(50);
    expect(await widthOf([], { isTTY: false })).toBe(100);
  });
});

test('a recording with too few operations says so, in the page as well', async () => {
  const file = join(bare, 'few.heat');
  await using recorder = recordAccess({ file });
  await using db = await open('memory:', {
    entities: [DeviceFirst],
    observe: { record: recorder },
  });
  await db.repository(DeviceFirst).get({ device: 'x', at: new Date(0) });
  await recorder.close();
  const { out } = await command(bare, ['heatmap', 'few.heat', '--html', 'few.html']);
  const text = 'Too little to judge: no window has 200 recorded operations on a table.';
  expect(out).toContain(text);
  expect(out).not.toContain('No findings');
  expect(readFileSync(join(bare, 'few.html'), 'utf8')).toContain(text);
});

describe('a recording', () => {
  test('with the entities of the project: text, JSON and a page', () => {
    const text = rowsmith(linked, project, ['heatmap', 'access.heat', '--html', 'map.html']);
    expect(text).toMatchObject({ status: 0 });
    expect(text.output).toContain('readings: TimeFirst');
    expect(text.output).toContain('info  TimeFirst.at: writes are sequential in 20 of 20 windows');
    expect(text.output).toContain("change: put 'device' before 'at' in the key");
    expect(text.output).toContain('6,000 operations; at most 300 in 1m, at 2026-01-05 00:00');
    expect(text.output).toContain('Written: map.html');
    const page = readFileSync(join(project, 'map.html'), 'utf8');
    expect(page).toContain('"entities":[{"name":"TimeFirst","segments":["at","device"]}]');
    expect(page).toContain('[0,6,"2026-01-05T00:00:00.000Z","d0"]');

    const { status, output } = rowsmith(linked, project, ['heatmap', 'access.heat', '--json']);
    expect(status).toBe(0);
    const json = JSON.parse(output) as {
      tables: { buckets: unknown[]; cells: number[][] }[];
      findings: unknown[];
    };
    expect(json.findings).toMatchObject([{ kind: 'sequentialWrites', segment: 'at' }]);
    expect(json.findings[0]).not.toHaveProperty('places');
    expect(json.tables[0].buckets).toHaveLength(1000);
    const writes = json.tables[0].cells.reduce((sum, [, , , each]) => sum + each, 0);
    expect(writes).toBe(6000);
  });

  test('without a config keys are bytes', async () => {
    const { status, out, err } = await command(bare, ['heatmap', 'access.heat']);
    expect(status).toBe(0);
    expect(err).toContain('No config was found, so keys are not decoded');
    expect(out).toContain('readings\n');
    expect(out).toMatch(/writes are sequential/);
    expect(out).not.toContain('\x1b[');
  });

  test('colours on a terminal', async () => {
    const { out } = await command(bare, ['heatmap', 'access.heat'], { isTTY: true });
    expect(out).toMatch(/\x1b\[38;5;\d+m█+\x1b\[39m/);
    const plain = await command(bare, ['heatmap', 'access.heat', '--no-color'], { isTTY: true });
    expect(plain.out).not.toContain('\x1b');
  });

  test('keys that no entity decodes are reported with the next step', async () => {
    const file = join(project, 'other.heat');
    await using recorder = recordAccess({ file });
    await using db = await open('memory:', {
      entities: [DeviceFirst],
      observe: { record: recorder },
    });
    const readings = db.repository(DeviceFirst);
    await readings.save(readings.create({ device: 'x', at: new Date(0), value: 1 }));
    await recorder.close();
    const { status, output } = rowsmith(linked, project, ['heatmap', 'other.heat']);
    expect(status).toBe(0);
    expect(output).toContain(
      'readings: no entity of the project decodes 1 range of 1, the first at x#0000000000000.',
    );
    expect(output).toContain('add the entity that writes them to the config');
  });

  test('one that is cut off is read up to there, with exit code 4', async () => {
    const whole = readFileSync(join(bare, 'access.heat'));
    writeFileSync(join(bare, 'cut.heat'), whole.subarray(0, whole.length - 100));
    const { status, out, err } = await command(bare, ['heatmap', 'cut.heat']);
    expect(status).toBe(4);
    expect(err).toMatch(
      /Warning: cut.heat: the recording is cut off at byte \d+; the last \d+ bytes were not read/,
    );
    expect(out).toContain('in 19 of 19 windows');
  });

  test('one without windows yet', async () => {
    writeFileSync(join(bare, 'new.heat'), headerOf(60_000));
    const { status, err } = await command(bare, ['heatmap', 'new.heat']);
    expect(status).toBe(0);
    expect(err).toContain('Nothing was recorded yet: a window is written when it ends');
  });

  test.each<[what: string, content: Uint8Array, text: string]>([
    ['of a newer version', newer(), 'npm install rowsmith@latest'],
    ['that is another file', Buffer.from('key,value\n'), 'it is not a recording'],
    ['that is other JSON', Buffer.from('{"a":1}'), 'not a list of hot tablets'],
    ['that is broken JSON', Buffer.from('[{'), 'neither a recording nor JSON'],
    ['whose tablets lack fields', Buffer.from('[{"tableName":"a"}]'), 'tablet 1 lacks'],
  ])('a file %s', async (_what, content, text) => {
    writeFileSync(join(bare, 'wrong'), content);
    const { status, err } = await command(bare, ['heatmap', 'wrong']);
    expect(status).toBe(1);
    expect(err).toContain(text);
  });
});

function newer(): Uint8Array {
  const header = headerOf(60_000);
  header[8] = 9;
  return header;
}

test.each<[args: readonly string[], text: string]>([
  [[], 'name one file, or give --storage'],
  [['a', 'b'], 'too many arguments'],
  [['a', '--storage'], 'name one file, or give --storage'],
  [['access.heat', '--metric', 'heat'], '--metric takes operations, reads, writes or bytes'],
  [['access.heat', '--nodes', '0'], '--nodes takes a whole number above 0'],
  [['access.heat', '--url', 'memory:'], '--url is an option of --storage'],
  [['--storage', '--html', 'a.html'], '--html draws recordings'],
  [['--storage'], 'no database is named'],
  [['access.heat', '--table', 'orders'], "has no table 'orders'; it has readings"],
])('usage: heatmap %j', async (args, text) => {
  const { status, err } = await command(bare, ['heatmap', ...args]);
  expect(err).toContain(text);
  expect(status).toBe(2);
});

test.each([
  ['a folder', '.', /'\.' in .* is a folder, not a file/],
  ['a file that cannot be written', '/proc/map.html', /it cannot be written/],
])('a page to %s', async (_what, html, problem) => {
  const { status, err } = await command(bare, ['heatmap', 'access.heat', '--html', html]);
  expect([status, err]).toEqual([1, expect.stringMatching(problem)]);
  expect(err).not.toContain(' at ');
});

test('a file that is missing', async () => {
  const { status, err } = await command(bare, ['heatmap', 'none.heat']);
  expect([status, err]).toEqual([1, expect.stringContaining("there is no file 'none.heat'")]);
});

test('hot tablets of a live table', async () => {
  const file = join(__dirname, 'fixtures/hot-tablets.json');
  const { status, out } = await command(bare, ['heatmap', file]);
  expect(status).toBe(0);
  expect(out).toContain('2 hot tablets.');
  expect(out).toContain(
    "error  readings: one tablet uses 86 % of a node's CPU: the rows from device-0042#",
  );
  expect(out).toContain("warning  readings: one tablet uses 24 % of a node's CPU");
});

test('options of recordings with hot tablets', async () => {
  const file = join(__dirname, 'fixtures/hot-tablets.json');
  const html = await command(bare, ['heatmap', file, '--html', 'hot.html']);
  expect([html.status, html.err]).toEqual([2, expect.stringContaining('not hot tablets')]);
  const { out } = await command(bare, ['heatmap', file, '--table', 'other']);
  expect(out).toContain('0 hot tablets.');
});

describe('the sizes of stored sections', () => {
  test('of a server that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    process.env.BIGTABLE_EMULATOR_HOST = `127.0.0.1:${port}`;
    const url = 'bigtable://rowsmith/local';
    const engine = await openStored(url);
    try {
      await expect(storedTables(engine, url, 200)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { problem: `no answer from ${url} in 0.2 s`, fix: expect.any(String) },
      });
    } finally {
      delete process.env.BIGTABLE_EMULATOR_HOST;
      await engine.close();
      silent.close();
    }
  });

  test('of a database on disk', async () => {
    const url = `file:${join(bare, 'data')}`;
    {
      await using db = await open(url, { entities: [DeviceFirst] });
      const readings = db.repository(DeviceFirst);
      const rows = Array.from({ length: 500 }, (_, n) =>
        readings.create({ device: `d${n % 5}`, at: new Date(n), value: n }),
      );
      await readings.saveMany(rows);
    }
    const { status, out } = await command(bare, ['heatmap', '--storage', '--url', url, '--json']);
    expect(status).toBe(0);
    const json = JSON.parse(out) as { tables: { table: string; sections: { bytes: number }[] }[] };
    expect(json.tables[0].table).toBe('readings');
    expect(json.tables[0].sections.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(
      5000,
    );
    const text = await command(bare, ['heatmap', '--storage', '--url', url]);
    expect(text.out).toMatch(/readings: \d+ section[\s\S]* KiB to the end[\s\S]*No findings\./);
  });

  test('of a table that does not exist, or no database', async () => {
    const url = `file:${join(bare, 'data')}`;
    const wrong = await command(bare, ['heatmap', '--storage', '--url', url, '--table', 'none']);
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining("no table 'none'")]);
    const none = await command(bare, ['heatmap', '--storage', '--url', 'file:./none']);
    expect([none.status, none.err]).toEqual([
      1,
      expect.stringContaining('there is no such directory'),
    ]);
    expect(existsSync(join(bare, 'none'))).toBe(false);
  });

  test('of a server that does not permit it', async () => {
    const engine = await openMemoryEngine({});
    const server = await startServer(engine, { token: '0123456789abcdef' });
    process.env.BIGTABLE_EMULATOR_HOST = server.address;
    try {
      const url = 'bigtable://rowsmith/local';
      const { status, err } = await command(bare, ['heatmap', '--storage', '--url', url]);
      expect(status).toBe(1);
      expect(err).toContain('The credentials do not permit this operation.');
    } finally {
      delete process.env.BIGTABLE_EMULATOR_HOST;
      await server.close();
      await engine.close();
    }
  });
});

test('serve --record writes a recording that heatmap reads', async () => {
  const main = join(linked, 'dist/esm/src/cli/main.js');
  const args = [main, 'serve', '--memory', '--port', '0', '--json', '--record', 'served.heat'];
  const server = spawn(process.execPath, args, { cwd: project });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    process.env.BIGTABLE_EMULATOR_HOST = (JSON.parse(String(line)) as { address: string }).address;
    await using db = await open('bigtable://rowsmith/local', { entities: [TimeFirst] });
    await db.admin.apply();
    const readings = db.repository(TimeFirst);
    const rows = Array.from({ length: 300 }, (_, n) =>
      readings.create({ at: new Date(n), device: 'd', value: n }),
    );
    await readings.saveMany(rows);
    // The file is there from the beginning.
    expect(rowsmith(linked, project, ['heatmap', 'served.heat'])).toMatchObject({ status: 0 });
  } finally {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  const { status, output } = rowsmith(linked, project, ['heatmap', 'served.heat', '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ tables: [{ table: 'readings' }] });
});
