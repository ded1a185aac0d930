/**
 * `npm run bench -- bench/server.ts`: our server and Google's emulator in separate processes over
 * loopback, with the same clients: the official Node client as applications use it, and plain
 * grpc-js that discards the responses. Options: --rows N (rows of the largest limit-1 table,
 * default 1,000,000), --only NAME (points, floor, scan, wide, bulk, limit, columns, memory, start),
 * --json. The exit code is 2 if a target was missed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { narrowOf, Reading, Wide, wideOf } from './wire/entities.js';
import { Official } from './wire/official.js';
import { compare } from './wire/compare-servers.js';
import { interleave } from './interleave.js';
import { memoryOf, type Running, startEmulator, startProgram } from './wire/processes.js';
import { mutateRequest, Raw } from './wire/raw.js';
import { type StoredRow, storing } from './wire/stored.js';
import { benchOptions, progress, Results } from './results.js';

/** A server with a client of each kind. */
interface BenchServer {
  readonly name: string;
  readonly process: Running;
  readonly official: Official;
  readonly raw: Raw;
}

const options = benchOptions(process.argv.slice(2));
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const scanRows = Math.min(100_000, options.rows);
const wideRows = Math.min(20_000, options.rows);
const results = new Results(options);
const encodeNarrow = storing(Reading);
const encodeWide = storing(Wide);
const narrowRow = (n: number): StoredRow => encodeNarrow(narrowOf(n));
const wideRow = (n: number): StoredRow => encodeWide(wideOf(n));
const pointKeys = rowsOf('readings', 0, 2000).map(({ key }) => Buffer.from(key));

const emulator = await startEmulator();
const ours = await connect('ours', await startProgram('server-process', 'ours', 'memory'));
const servers = [ours];
if (emulator === undefined)
  console.error("Google's emulator is not on this machine: only our server is measured.");
else servers.push(await connect('emulator', emulator));
const other: BenchServer | undefined = servers[1];

for (const { official } of servers) {
  await official.createTable('readings', ['s']);
  await official.createTable('wide', ['a', 'b']);
}
if (wants('memory')) await measureMemory();
else for (const server of servers) await load(server, 'readings', scanRows);
for (const server of servers) await load(server, 'wide', wideRows);
if (wants('scan')) await scans();
if (wants('wide')) await wides();
if (wants('points')) await points();
if (wants('floor')) await floors();
if (wants('bulk')) await bulks();
if (wants('columns')) await columns();
if (wants('limit')) await limits();
for (const server of servers) await close(server);
if (wants('start')) await starts();
if (wants('memory')) await diskMemory();
process.exit(results.finish({ rows: options.rows }));

async function connect(name: string, running: Running): Promise<BenchServer> {
  return {
    name,
    process: running,
    official: new Official(running.address),
    raw: new Raw(running.address),
  };
}

async function close({ official, raw, process: { stop } }: BenchServer): Promise<void> {
  await official.close();
  raw.close();
  await stop();
}

/** `count` rows of a table from index `from`, encoded. */
function rowsOf(table: string, from: number, count: number): StoredRow[] {
  const row = table === 'wide' ? wideRow : narrowRow;
  return Array.from({ length: count }, (_, i) => row(from + i));
}

async function load({ raw, name }: BenchServer, table: string, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += 5000) {
    progress(`loading ${table} of ${name}: ${from} of ${rows} rows`);
    await raw.mutate(mutateRequest(table, rowsOf(table, from, Math.min(5000, rows - from))));
  }
}

async function measureMemory(): Promise<void> {
  for (const server of servers) {
    const before = memoryOf(server.process.pid).now;
    await load(server, 'readings', scanRows);
    const after = memoryOf(server.process.pid).now;
    results.add({
      name: `memory.per-row.${server.name}`,
      value: ((after - before) * 2 ** 20) / scanRows,
      unit: 'bytes resident',
    });
  }
}

async function scans(): Promise<void> {
  await compare(results, ours, other, {
    name: 'scan.official',
    unit: 'us/row',
    target: 2,
    work: ({ official }) => official.stream('readings'),
  });
  await compare(results, ours, other, {
    name: 'scan.raw',
    unit: 'us/row',
    work: ({ raw }) => readAll(raw, 'readings', scanRows),
  });
}

/** Reads a table with plain grpc-js; returns its known number of rows. */
async function readAll(raw: Raw, table: string, rows: number): Promise<number> {
  if ((await raw.read(table)) === 0) throw new Error(`The table ${table} is empty.`);
  return rows;
}

async function wides(): Promise<void> {
  await compare(results, ours, other, {
    name: 'wide.official',
    unit: 'us/row',
    target: 2,
    rounds: 3,
    work: ({ official }) => official.stream('wide'),
  });
  await compare(results, ours, other, {
    name: 'wide.raw',
    unit: 'us/row',
    work: ({ raw }) => readAll(raw, 'wide', wideRows),
  });
}

/** Reads 2,000 rows by their keys, 64 in flight. */
async function readEach(read: (key: Buffer) => Promise<unknown>): Promise<number> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < pointKeys.length) await read(pointKeys[next++]);
    }),
  );
  return pointKeys.length;
}

function readOne(raw: Raw): (key: Buffer) => Promise<number> {
  return (key) => raw.read('readings', { rows: { rowKeys: [key] }, rowsLimit: 1n });
}

async function points(): Promise<void> {
  await compare(results, ours, other, {
    name: 'points.official',
    unit: 'us',
    target: 0.9,
    rounds: 7,
    work: ({ official }) =>
      readEach((key) =>
        official
          .table('readings')
          .row(key as never)
          .get(),
      ),
  });
  await compare(results, ours, other, {
    name: 'points.raw',
    unit: 'us',
    target: 0.9,
    rounds: 15,
    work: ({ raw }) => readEach(readOne(raw)),
  });
}

/** What a server on Node reaches that does nothing but respond, beside both servers. */
async function floors(): Promise<void> {
  const bytes = String(await ours.raw.read('readings', { rows: { rowKeys: [pointKeys[0]] } }));
  const variants = servers.map(({ name, raw }) => ({ name, raw }));
  const running = [];
  for (const kind of ['grpc-js', 'http2']) {
    const echo = await startProgram('echo-process', kind, bytes);
    running.push(echo);
    variants.unshift({ name: `echo.${kind}`, raw: new Raw(echo.address) });
  }
  const timings = await interleave(
    variants.map(({ name, raw }) => ({ name, run: () => readEach(readOne(raw)) })),
    21,
    2,
  );
  const theirs = timings.get('emulator');
  for (const [name, { median, min, max }] of timings) {
    const ratio = theirs === undefined ? undefined : theirs.median / median;
    results.add({
      name: `floor.${name}`,
      value: median,
      unit: 'us',
      ratio,
      of: 'times faster',
      min,
      max,
    });
  }
  for (const { name, raw } of variants) if (name.startsWith('echo')) raw.close();
  for (const echo of running) await echo.stop();
}

/** Writes new rows to a separate table, 1,000 per request, 4 in flight. */
async function bulks(): Promise<void> {
  const rows = 20_000;
  const requests = Array.from({ length: 20 }, (_, i) => rowsOf('readings', i * 1000, 1000));
  const entries = requests.map((batch) =>
    batch.map(({ key, cells }) => ({
      key: Buffer.from(key),
      data: Object.fromEntries(
        cells.map(({ family, qualifier, value }) => [
          family,
          {
            [Buffer.from(qualifier).toString()]: {
              value: Buffer.from(value),
              timestamp: '1700000000000000',
            },
          },
        ]),
      ),
    })),
  );
  let table = 0;
  const newTable = async (server: BenchServer): Promise<string> => {
    const name = `bulk${table++}`;
    await server.official.createTable(name, ['s']);
    return name;
  };
  const four = async <T>(
    work: readonly T[],
    send: (item: T) => Promise<unknown>,
  ): Promise<number> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (next < work.length) await send(work[next++]);
      }),
    );
    return rows;
  };
  await compare(results, ours, other, {
    name: 'bulk.official',
    unit: 'us/row',
    target: 1,
    rounds: 9,
    work: async (server) => {
      const name = await newTable(server);
      return four(entries, (batch) => server.official.table(name).insert(batch as never));
    },
  });
  const prepared = new Map<string, Uint8Array[]>();
  await compare(results, ours, other, {
    name: 'bulk.raw',
    unit: 'us/row',
    target: 0.6,
    // A round takes 20 to 40 ms.
    rounds: 31,
    work: async (server) => {
      // All rounds write to the same table and replace the same cells.
      if (!prepared.has(server.name))
        prepared.set(
          server.name,
          await newTable(server).then((name) =>
            requests.map((batch) => mutateRequest(name, batch)),
          ),
        );
      return four(prepared.get(server.name)!, (request) => server.raw.mutate(request));
    },
  });
}

/** Writes 16,000 columns of one row in one request, and reads them. */
async function columns(): Promise<void> {
  const cells = Array.from({ length: 16_000 }, (_, i) => ({
    family: 'a',
    qualifier: Buffer.from(`column-${i}`),
    value: Buffer.from(`value ${i}`),
  }));
  let row = 0;
  await compare(results, ours, other, {
    name: 'columns.write',
    unit: 'us/cell',
    rounds: 3,
    work: async ({ raw }) => {
      await raw.mutate(mutateRequest('wide', [{ key: Buffer.from(`columns#${row++}`), cells }]));
      return cells.length;
    },
  });
  const key = Buffer.from('columns#0');
  for (const { raw } of servers) await raw.mutate(mutateRequest('wide', [{ key, cells }]));
  await compare(results, ours, other, {
    name: 'columns.read',
    unit: 'us/cell',
    rounds: 3,
    work: async ({ raw }) => {
      if ((await raw.read('wide', { rows: { rowKeys: [key] } })) === 0)
        throw new Error('The row was not found.');
      return cells.length;
    },
  });
}

/** Reads the first row of tables of three sizes. */
async function limits(): Promise<void> {
  for (const rows of [1000, 100_000, options.rows].filter(
    (size, i, all) => size <= options.rows && all.indexOf(size) === i,
  )) {
    for (const server of servers) {
      await server.official.createTable(`limit${rows}`, ['s']);
      await load(server, `limit${rows}`, rows);
    }
    await compare(results, ours, other, {
      name: `limit-1.${rows}`,
      unit: 'us',
      rounds: 7,
      target: rows === 100_000 ? 10 : undefined,
      work: async ({ official }) => {
        for (let i = 0; i < 5; i++) await official.getRows(`limit${rows}`, { limit: 1 });
        return 5;
      },
    });
  }
}

async function starts(): Promise<void> {
  const times = { ours: [] as number[], emulator: [] as number[] };
  for (let i = 0; i < 5; i++) {
    const server = await startProgram('server-process', 'ours', 'memory');
    times.ours.push(server.startMs);
    await server.stop();
    const emulator = await startEmulator();
    if (emulator === undefined) continue;
    times.emulator.push(emulator.startMs);
    await emulator.stop();
  }
  for (const [name, each] of Object.entries(times)) {
    if (each.length > 0)
      results.add({
        name: `start.${name}`,
        value: each.sort((a, b) => a - b)[each.length >> 1],
        unit: 'ms',
        min: each[0],
        max: each.at(-1),
      });
  }
}

/**
 * The memory of the disk engine, without mapped pages of its file, must not grow with the table,
 * and neither must the time per row.
 */
async function diskMemory(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-bench-'));
  try {
    const small = await measureDisk(directory, 10_000);
    results.add({ name: 'disk.scan.10000-rows', value: small, unit: 'us/row' });
    const large = await measureDisk(directory, options.rows);
    results.add({
      name: `disk.scan.${options.rows}-rows`,
      value: large,
      unit: 'us/row',
      ratio: large / small,
      of: '10000 rows',
      target: { kind: 'atMost', ratio: 1.5 },
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds the memory of a server on disk as a result; returns the microseconds per row of a scan. */
async function measureDisk(directory: string, rows: number): Promise<number> {
  const running = await startProgram('server-process', 'ours', join(directory, String(rows)));
  const server = await connect('disk', running);
  await server.official.createTable('readings', ['s']);
  await load(server, 'readings', rows);
  await server.raw.read('readings');
  const started = performance.now();
  await server.raw.read('readings');
  const micros = (performance.now() - started) * 1000;
  results.add({
    name: `disk.memory.${rows}-rows`,
    value: memoryOf(running.pid).own,
    unit: 'MB of its own',
  });
  await close(server);
  return micros / rows;
}
