/** `rowsmith compact`, and what `rowsmith gc` says of who removes what is due. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../src/engines/index.js';
import { everyKey } from '../../../src/base/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { command, type CommandOptions, type CommandResult } from '../../support/command.js';
import { findEmulator } from '../../support/emulator.js';

const dayMs = 86_400_000;
const tenDaysAgo = (): number => Date.now() - 10 * dayMs;
const expiredRows = 20_000;
const keptRows = 10;
/** No other bytes of the files contain these. */
const marks = { expired: 'expired-value-', kept: 'kept-value-' } as const;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-compact-'));
  mkdirSync(join(folder, 'empty'));
  const library = JSON.stringify(join(__dirname, '../../../src/index.ts'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { column, defineEntity, rowKey, maxAge } = require(${library});
const Event = defineEntity(class Event { id = ''; value = ''; }, {
  table: 'events', families: { m: { gc: maxAge('1d') } }, key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 40 } },
  columns: { value: column('m', 'string') },
});
module.exports = { entities: [Event], url: 'file:./data' };\n`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: string, options?: CommandOptions): Promise<CommandResult> =>
  command(folder, args.split(' '), options);
const data = (): string => join(folder, 'data');
const sizeOf = (): number =>
  readdirSync(data()).reduce((sum, name) => sum + statSync(join(data(), name)).size, 0);

/** How often a text is in the files of the database. */
const inFiles = (text: string): number =>
  readdirSync(data()).reduce(
    (sum, name) => sum + readFileSync(join(data(), name), 'latin1').split(text).length - 1,
    0,
  );

async function writeRows(engine: Engine, rows: number, mark: string, ms: number): Promise<void> {
  for (let from = 0; from < rows; from += 500)
    await engine.mutateRows(
      'events',
      Array.from({ length: Math.min(500, rows - from) }, (_, at) => ({
        key: Buffer.from(`${mark[0]}${String(from + at).padStart(6, '0')}`),
        mutations: [
          {
            kind: 'setCell',
            family: 'm',
            qualifier: Buffer.from('value'),
            timestamp: ms * 1000,
            value: Buffer.from(`${mark}${'x'.repeat(60)}`),
          } as const,
        ],
      })),
    );
}

/** A database of a program that wrote ten days ago, and today. */
async function fill(): Promise<void> {
  const past = await openEngine(`file:${data()}`, { clock: tenDaysAgo, durability: 'relaxed' });
  const gc = { kind: 'maxAge', micros: dayMs * 1000 } as const;
  await past.createTable({ name: 'events', families: new Map([['m', { gc }]]) });
  await writeRows(past, expiredRows, marks.expired, tenDaysAgo());
  await past.close();
  const now = await openEngine(`file:${data()}`);
  await writeRows(now, keptRows, marks.kept, Date.now());
  await now.close();
}

// `gc` said that the database collects by itself, and no command compacted.
test('in the default mode expired rows stay in the files until compact removes them', async () => {
  await fill();
  expect((await run('count Event')).out).toBe(`${keptRows}\n`);
  expect(inFiles(marks.expired)).toBeGreaterThanOrEqual(expiredRows);
  const before = sizeOf();
  const explained = await run('gc --explain');
  expect(explained.out).toContain('20,000 cells');
  expect(explained.out).toContain('Cells that are due stay in file:');
  expect(explained.out).toContain('or rowsmith compact is run');

  const { status, out, err } = await run('compact --json');
  expect({ status, err }).toEqual({ status: 0, err: '' });
  const after = sizeOf();
  expect(JSON.parse(out)).toEqual({
    url: `file:${data()}`,
    rows: expiredRows,
    cells: expiredRows,
    bytesBefore: before,
    bytesAfter: after,
  });
  expect(after).toBeLessThan(before / 2);
  expect(inFiles(marks.expired)).toBe(0);
  expect(inFiles(marks.kept)).toBeGreaterThanOrEqual(keptRows);
  expect((await run('count Event')).out).toBe(`${keptRows}\n`);
  expect((await run('gc --explain')).out).not.toContain('20,000 cells');

  const again = await run('compact', { isTTY: true, columns: 80, env: { NO_COLOR: '1' } });
  expect(again.out).toMatch(
    /^nothing was due\n[\d.]+ [KM]iB before, [\d.]+ [KM]iB after: file:.*\/data\n$/,
  );
});

test('a terminal gets progress, and a pipe only the result', async () => {
  await fill();
  const url = ['--url', 'file:./data'];
  const { status, out, err } = await command(folder, ['compact', ...url], {
    isTTY: true,
    columns: 80,
    env: { NO_COLOR: '1' },
  });
  expect(status).toBe(0);
  expect(out).toMatch(
    /^20,000 rows and 20,000 cells removed\n[\d.]+ [KM]iB before, [\d.]+ [KM]iB after: file:.*\/data\n$/,
  );
  expect(err).toMatch(/\r {2}collect +[\d,]+ rows/);
  // The last bar is erased.
  expect(err).toMatch(/\r\x1b\[K$/);
  expect(await command(folder, ['compact', ...url])).toEqual({
    status: 0,
    out: expect.stringContaining('nothing was due\n') as string,
    err: '',
  });
});

test('what cannot be compacted', async () => {
  const untouched = readdirSync(folder);
  for (const [line, status, text] of [
    ['compact --url memory:', 2, 'memory: is empty in every process'],
    ['compact', 1, 'there is no such directory'],
    ['compact --url file:./empty', 1, 'the directory is empty'],
    ['compact --url file:./rowsmith.config.cjs', 1, 'The directory is not a Rowsmith database'],
    ['compact --url file:.', 1, 'The directory is not a Rowsmith database'],
    ['compact Event', 2, 'compact'],
  ] as const)
    expect(await run(line)).toMatchObject({
      status,
      err: expect.stringContaining(text) as string,
      out: '',
    });
  expect(readdirSync(folder)).toEqual(untouched);
  const owner = await openEngine(`file:${data()}`);
  try {
    expect(await run('compact')).toMatchObject({
      status: 1,
      err: expect.stringContaining('in use') as string,
    });
  } finally {
    await owner.close();
  }
});

test('a program that only reads the database may have it open', async () => {
  await fill();
  const reader = await openEngine(`file:${data()}`, { readOnly: true });
  const keys = async (): Promise<number> => {
    const plan = { table: 'events', ranges: [everyKey], reversed: false };
    return (await collectRows(reader.readRows(plan))).length;
  };
  try {
    expect(await keys()).toBe(keptRows);
    expect((await run('compact')).status).toBe(0);
    expect(await keys()).toBe(keptRows);
    expect((await run('put Event id=new value=v --yes')).status).toBe(0);
    expect(await keys()).toBe(keptRows + 1);
  } finally {
    await reader.close();
  }
});

test('gc --explain of a table without rows: all of it was read', async () => {
  const engine = await openEngine(`file:${data()}`);
  const gc = { kind: 'maxAge', micros: dayMs * 1000 } as const;
  await engine.createTable({ name: 'events', families: new Map([['m', { gc }]]) });
  await engine.close();
  const { status, out, err } = await run('gc --explain');
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toContain('events: 0 rows');
});

test('gc without --explain names who removes what is due', async () => {
  const { status, err } = await run('gc');
  expect(status).toBe(2);
  expect(err).toContain('rowsmith compact removes it from a file: database');
  expect(err).not.toContain('by itself');
});

const emulator = findEmulator();
describe.each([
  { name: 'our server', start: () => openOverOurServer() },
  ...(emulator === undefined
    ? []
    : [{ name: "Google's emulator", start: () => openOverEmulator(emulator) }]),
])('$name', ({ start }) => {
  test('compact is UNSUPPORTED, and gc --explain says who collects', async () => {
    const server = await start();
    process.env.BIGTABLE_EMULATOR_HOST = server.address;
    const live = '--url bigtable://p/instance-1';
    try {
      const engine = await openEngine('bigtable://p/instance-1');
      const gc = { kind: 'maxAge', micros: dayMs * 1000 } as const;
      await engine.createTable({ name: 'events', families: new Map([['m', { gc }]]) });
      await writeRows(engine, 3, marks.expired, tenDaysAgo());
      await engine.close();
      const { status, out } = await run(`compact --json ${live}`);
      expect(status).toBe(1);
      expect(JSON.parse(out)).toMatchObject({
        error: { code: 'UNSUPPORTED', details: { database: 'bigtable://p/instance-1' } },
      });
      const explained = await run(`gc --explain ${live}`);
      expect(explained.out).toContain('Bigtable removes cells that are due within about a week');
      expect(explained.out).not.toContain('rowsmith compact');
    } finally {
      delete process.env.BIGTABLE_EMULATOR_HOST;
      await server.close();
    }
  });
});
