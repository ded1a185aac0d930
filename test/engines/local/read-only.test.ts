/** Databases opened with readOnly: beside their owner, on read-only media, and damaged. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
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
import { everyKey, pointRange, prefixRange } from '../../../src/bytes/index.js';
import { openEngine } from '../../../src/engines/index.js';
import { openDiskEngine, openReadOnlyEngine } from '../../../src/engines/local/index.js';
import { copyRow, type Engine, type Row, type RowMutation } from '../../../src/store/index.js';
import { bundleEngine } from './bundle.js';
import { describeEngine, read, rejects, set, utf8 } from '../conformance.js';
import { seed as startSeed } from '../../support/seed.js';

/** Damaged copies. For more, and others: `RUNS=2000 SEED=2 npx jest test/engines/local/read-only`. */
const faults = Number(process.env.RUNS ?? 120);

let work: string;
beforeAll(() => void (work = mkdtempSync(join(tmpdir(), 'rowsmith-read-'))));
afterAll(() => rmSync(work, { recursive: true }));

/** Reads of one engine, and everything else of another one. */
function readingFrom(reader: Engine, owner: Engine): Engine {
  const reads: readonly (string | symbol)[] = ['readRows', 'sampleRowKeys', 'listTables'];
  const close = async (): Promise<void> => {
    await reader.close();
    await owner.close();
  };
  return new Proxy(owner, {
    get(target, name) {
      if (name === 'close') return close;
      const engine = reads.includes(name) ? reader : target;
      const member = engine[name as keyof Engine];
      return typeof member === 'function' ? (member as () => unknown).bind(engine) : member;
    },
  });
}

describeEngine('read beside the owner', async (clock) => {
  const directory = mkdtempSync(join(work, 'conformance-'));
  const owner = await openDiskEngine(directory, { durability: 'relaxed', clock });
  const reader = await openReadOnlyEngine(directory, { clock });
  const engine = readingFrom(reader, owner);
  return { engine, close: () => engine.close() };
});

const manyRows: RowMutation[] = Array.from({ length: 6000 }, (_, i) => ({
  key: utf8(`k${String(i).padStart(5, '0')}`),
  mutations: [set('a', 'q', `${i}`.repeat(20))],
}));
const largeRows: RowMutation[] = [
  { key: utf8('wide'), mutations: [...Array(900).keys()].map((i) => set('b', `q${i}`, 'w')) },
  { key: utf8('large'), mutations: [set('a', 'l', 'L'.repeat(60_000))] },
  { key: utf8('x'.repeat(4096)), mutations: [set('a', 'q', 'in a bucket')] },
];

async function filled(directory: string): Promise<Engine> {
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  });
  await engine.mutateRows('t', [...manyRows, ...largeRows]);
  await engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('k001') });
  return engine;
}

test('every kind of read returns what the owner reads', async () => {
  const directory = join(work, 'same');
  const owner = await filled(directory);
  const reader = await openReadOnlyEngine(directory);
  const ranges = [
    [everyKey],
    [prefixRange(utf8('k01'))],
    [{ start: utf8('k00500'), end: utf8('k00501') }, { start: utf8('k03') }],
    [pointRange(utf8('k00007')), pointRange(utf8('none')), pointRange(utf8('x'.repeat(4096)))],
  ];
  for (const reversed of [false, true])
    for (const each of ranges) {
      const plan = { ranges: each, reversed };
      expect(await read(reader, plan)).toEqual(await read(owner, plan));
    }
  expect(await reader.sampleRowKeys('t')).toEqual(await owner.sampleRowKeys('t'));
  await reader.close();
  await owner.close();
});

test('a reader sees the writes, tables and compactions of the owner', async () => {
  const directory = join(work, 'fresh');
  const owner = await filled(directory);
  const reader = await openReadOnlyEngine(directory);
  for (let round = 0; round < 5; round++) {
    const table = { name: `t${round}`, families: new Map([['a', {}]]) };
    await owner.createTable(table);
    expect((await reader.listTables()).map(({ name }) => name)).toContain(table.name);
    const row = { key: utf8(`n${round}`), mutations: [set('a', 'q', `${round}`)] };
    await owner.mutateRow(table.name, row);
    expect(await read(reader, { table: table.name })).toEqual([`n${round}{a:q@1000=${round}}`]);
    if (round % 2 === 0) await owner.dropRowRange('t', { kind: 'prefix', prefix: utf8('k') });
    else await owner.mutateRows('t', manyRows);
    await owner.compact();
    expect(await read(reader)).toEqual(await read(owner));
    await owner.deleteTable(table.name);
    await rejects(read(reader, { table: table.name }), 'TABLE_NOT_FOUND');
  }
  await owner.close();
  expect((await read(reader)).length).toBeGreaterThan(2);
  await reader.close();
});

/** Reads every row again and again, for some seconds, while another process writes them. */
async function readBesideWriter(
  mode: '' | 'small',
  onRow: (count: number) => void,
  check: (rows: readonly Row[]) => void,
): Promise<void> {
  const directory = join(work, `rewritten-${mode}`);
  const programs = bundleEngine(['read-only-writer.mjs']);
  const program = join(programs, 'read-only-writer.mjs');
  const child = spawn(process.execPath, [program, directory, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => void child.once('close', resolve));
  try {
    await new Promise((resolve) => void child.stdout.once('data', resolve));
    const reader = await openReadOnlyEngine(directory);
    const until = Date.now() + 4000;

    for (let reads = 0; reads < 3 || Date.now() < until; reads++) {
      const rows: Row[] = [];
      const plan = { table: 't', ranges: [everyKey], reversed: reads % 2 === 1 };
      const stream = reader.readRows(plan);
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        while (page.nextRow()) {
          rows.push(copyRow(page));
          onRow(rows.length);
        }
      }
      if (plan.reversed) rows.reverse();
      check(rows);
    }
    await reader.close();
  } finally {
    child.stdin.end();
    await closed;
    rmSync(programs, { recursive: true });
  }
}

/** The generation of a row, which all of its cells have. */
function generationOf({ cells }: Row): number {
  const values = cells.map(({ value }) => Buffer.from(value).toString().slice(0, 60));
  expect(new Set(values).size).toBe(1);
  return parseInt(values[0]);
}

test('rows that another process rewrites are read whole', async () => {
  let newest = 0;
  await readBesideWriter(
    '',
    () => undefined,
    (rows) => {
      expect(rows.length).toBe(61);
      for (const [i, row] of rows.entries()) {
        newest = Math.max(newest, generationOf(row));
        // The rows are `last` and `row100` to `row159`.
        expect(row.cells.length).toBe(i === 0 ? 1 : [1, 301, 4][(i - 1) % 3]);
      }
    },
  );
  expect(newest).toBeGreaterThan(10);
}, 60_000);

test('a scan goes on in a newer state when the owner has overwritten the one it reads', async () => {
  await readBesideWriter(
    'small',
    (count) => {
      // A slow consumer, without a turn of the event loop.
      if (count % 30 === 0) spin(2);
    },
    (rows) => {
      for (const row of rows) generationOf(row);
      const keys = rows.map(({ key }) => Buffer.from(key).toString());
      expect(keys).toEqual(Array.from({ length: 3000 }, (_, i) => `row${10_000 + i}`));
    },
  );
}, 60_000);

/** Blocks the event loop. */
function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const snapshot = (directory: string) =>
  readdirSync(directory)
    .sort()
    .map((name) => [name, statSync(join(directory, name)).mtimeMs]);

test('writes are UNSUPPORTED, and nothing in the directory changes', async () => {
  const directory = join(work, 'writes');
  await (await filled(directory)).close();
  const before = snapshot(directory);
  const reader = await openEngine(`file:${directory}`, { readOnly: true });
  const row = manyRows[0];
  const writes: (() => Promise<unknown>)[] = [
    () => reader.mutateRow('t', row),
    () => reader.mutateRows('t', [row]),
    () => reader.checkAndMutateRow('t', { key: row.key, onTrue: row.mutations, onFalse: [] }),
    () => reader.readModifyWriteRow('t', row.key, []),
    () => reader.dropRowRange('t', { kind: 'all' }),
    () => reader.createTable({ name: 'u', families: new Map() }),
    () => reader.deleteTable('t'),
    () => reader.modifyFamilies('t', []),
    () => reader.updateTable('t', { deletionProtection: true }),
    () => reader.compact(),
  ];
  for (const write of writes) await rejects(write(), 'UNSUPPORTED');
  expect((await read(reader)).length).toBe(6000 - 100 + 3);
  await reader.close();
  await rejects(read(reader), 'DATABASE_CLOSED');
  expect(snapshot(directory)).toEqual(before);
});

test('what is no complete database is reported, and nothing is created', async () => {
  const missing = join(work, 'missing');
  await rejects(openReadOnlyEngine(missing), 'NOT_A_DATABASE');
  expect(existsSync(missing)).toBe(false);
  const empty = join(work, 'empty');
  mkdirSync(empty);
  await rejects(openReadOnlyEngine(empty), 'NOT_A_DATABASE');
  writeFileSync(
    join(empty, 'rowsmith.json'),
    '{"format":"rowsmith-local","version":1,"creating":true}',
  );
  await rejects(openReadOnlyEngine(empty), 'NOT_A_DATABASE');
  writeFileSync(join(empty, 'rowsmith.json'), '{"format":"rowsmith-local","version":1}');
  await rejects(openReadOnlyEngine(empty), 'CORRUPT_DATA');
  writeFileSync(join(empty, 'data.mdb'), 'x');
  await rejects(openReadOnlyEngine(empty), 'CORRUPT_DATA');
  await rejects(openReadOnlyEngine(join(empty, 'data.mdb')), 'NOT_A_DATABASE');
  expect(readdirSync(empty).sort()).toEqual(['data.mdb', 'rowsmith.json']);
});

/** Reads every row, as a user who may not write, and prints their number or the error. */
const readingProgram = `
  import { openDiskEngine, openReadOnlyEngine } from './engine.mjs';
  const [directory, mode, user] = process.argv.slice(2);
  if (user !== '') process.setuid(Number(user));
  try {
    const open = mode === 'read' ? openReadOnlyEngine : openDiskEngine;
    const engine = await open(directory);
    const all = { table: 't', ranges: [{ start: new Uint8Array(0) }], reversed: false };
    const stream = engine.readRows(all);
    let rows = 0;
    for (let page; (page = await stream.next()); ) while (page.nextRow()) rows++;
    await engine.close();
    console.log(rows);
  } catch (error) {
    console.log(error.code, error.details?.fix);
  }
`;

function readAs(directory: string, mode: 'read' | 'write', user = ''): string {
  const programs = bundleEngine([]);
  try {
    chmodSync(programs, 0o755);
    writeFileSync(join(programs, 'read.mjs'), readingProgram);
    const args = [join(programs, 'read.mjs'), directory, mode, user];
    return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
  } finally {
    rmSync(programs, { recursive: true });
  }
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a directory without write permission is read, and beside its owner', async () => {
  const directory = join(work, 'permission');
  const owner = await filled(directory);
  for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
  chmodSync(work, 0o755);
  chmodSync(directory, 0o555);
  const nobody = '65534';
  expect(readAs(directory, 'read', nobody)).toBe('5903');
  expect(readAs(directory, 'write', nobody)).toContain('DATABASE_IN_USE');
  await owner.close();
  expect(readAs(directory, 'read', nobody)).toBe('5903');
  const refused = readAs(directory, 'write', nobody);
  expect(refused).toContain('STORAGE_FAILED');
  expect(refused).toContain('readOnly: true');
});

asRoot('read-only media are read', async () => {
  const directory = join(work, 'medium');
  mkdirSync(directory);
  const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', directory);
  } catch {
    return; // A container may not mount.
  }
  try {
    const database = join(directory, 'db');
    await (await filled(database)).close();
    mount('-o', 'remount,ro', directory);
    expect(readAs(database, 'read')).toBe('5903');
    expect(readAs(database, 'write')).toContain('readOnly: true');
  } finally {
    execFileSync('umount', [directory]);
  }
});

test('damage is reported, and gives no other rows', async () => {
  const directory = join(work, 'intact');
  await (await filled(directory)).close();
  const data = readFileSync(join(directory, 'data.mdb'));
  const intact = await openReadOnlyEngine(directory);
  const rows = await read(intact);
  await intact.close();
  const copy = join(work, 'harmed');
  cpSync(directory, copy, { recursive: true });
  const outcomes = new Map<string, number>();
  const first = (startSeed - 1) * faults;
  for (let seed = first; seed < first + faults; seed++) {
    const harmed = Buffer.from(data);
    const page = draw(seed * 5 + 1, data.length / 8192) * 8192;
    const offset = seed % 2 === 0 ? draw(seed * 11 + 5, 160) : draw(seed * 7 + 3, 8192);
    harmed[page + offset] ^= 1 << (seed % 8);
    writeFileSync(join(copy, 'data.mdb'), harmed);
    const outcome = await openReadOnlyEngine(copy).then(
      async (engine) => {
        const found = await read(engine).catch((error: { code: string }) => error.code);
        await engine.close();
        if (typeof found === 'string') return found;
        return JSON.stringify(found) === JSON.stringify(rows) ? 'same' : `other rows: ${seed}`;
      },
      (error: { code: string }) => error.code,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect([...outcomes.keys()].sort()).toEqual(['CORRUPT_DATA', 'same']);
  expect(outcomes.get('CORRUPT_DATA')).toBeGreaterThan(faults / 4);
}, 600_000);

/** A number below `bound` that depends on the seed only (Knuth's multiplicative hash). */
function draw(seed: number, bound: number): number {
  return Math.floor(((Math.imul(seed, 0x9e3779b1) >>> 0) / 2 ** 32) * bound);
}
