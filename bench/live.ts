/**
 * `npm run bench -- bench/live.ts`: the live engine and the official client, with three servers in
 * separate processes: a canned one (prepared messages of 64 KiB, as production sends), ours, and
 * Google's emulator (one message per row); and through a proxy that delays. Typed entities of ours
 * are compared with raw rows of the official client (`decode: false`, its metrics off), and with
 * those rows mapped to the same objects. Options: --rows N (narrow rows, default 100,000; a fifth
 * as many wide ones), --only NAME (narrow, wide, points, prefix, bulk, delay, memory), --json. The
 * exit code is 2 if a target was missed.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open, type Database, type Repository } from '../src/repository/index.js';
import { encodeFilter } from '../src/protocol/index.js';
import { fullScan, planOf } from '../src/query/index.js';
import { buildModel } from '../src/model/index.js';
import { deviceName, tenant } from './data-set.js';
import { interleave, type Variant } from './interleave.js';
import { benchOptions, progress, Results, type Target } from './results.js';
import { jsonText } from './json-text.js';
import { narrowOf, Reading, Wide, wideOf } from './wire/entities.js';
import { type InsertedRow, narrowObject, narrowRow, wideObject } from './wire/mapped.js';
import { Official, type OfficialRow } from './wire/official.js';
import { type Running, startEmulator, startProgram } from './wire/processes.js';
import { Raw } from './wire/raw.js';
import { storing } from './wire/stored.js';

/** A server with both clients. */
interface BenchServer {
  readonly name: string;
  readonly process: Running;
  readonly official: Official;
  readonly raw: Raw;
  readonly db: Database;
  readonly readings: Repository<Reading, typeof Reading.key>;
  readonly wide: Repository<Wide, typeof Wide.key>;
}

/** Flow-control window of our client, in bytes. */
const window = 8 << 20;
const options = benchOptions(process.argv.slice(2), 100_000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const narrowRows = options.rows;
const wideRows = Math.floor(options.rows / 5);
const rowsOf: Readonly<Record<string, number>> = { readings: narrowRows, wide: wideRows };
/** Bounds of ratios, by server or delay, then by variant. */
type Targets = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The filter of our queries for whole tables. */
const filterOf: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  [buildModel(Reading), buildModel(Wide)].map((model) => [
    model.table.name,
    encodeFilter(planOf(model, fullScan, { perShard: [] }).selection.filter),
  ]),
);
const results = new Results(options);
const stored = storing(Reading);

const canned = await connect(
  'canned',
  await startProgram('server-process', 'canned', String(narrowRows), String(wideRows)),
);
const ours = await connect('ours', await startProgram('server-process', 'ours', 'memory'));
const servers = [canned, ours];
const emulator = await startEmulator();
if (emulator === undefined)
  console.error("Google's emulator is not on this machine and is not measured.");
else servers.push(await connect('emulator', emulator));

const filled = servers.filter((server) => server !== canned);
for (const server of filled) await fill(server);
await checkRows();
for (const server of servers) {
  if (wants('narrow')) await narrow(server);
  if (wants('wide')) await wide(server);
}
for (const server of servers) {
  const hasRows = server !== canned;
  if (hasRows && wants('points')) await points(server);
  if (hasRows && wants('prefix')) await prefixes(server);
  if (wants('bulk')) await bulk(server);
}
if (wants('delay')) await delays();
if (wants('memory')) for (const server of servers) memory(server);
for (const { process: running } of servers) await running.stop();
process.exit(results.finish({ rows: narrowRows, wide: wideRows }));

async function connect(
  name: string,
  running: Running,
  officialWindow?: number,
): Promise<BenchServer> {
  const db = await open('bigtable://p/i', {
    entities: [Reading, Wide],
    bigtable: { emulatorHost: running.address },
  });
  return {
    name,
    process: running,
    official: new Official(running.address, officialWindow),
    raw: new Raw(running.address),
    db,
    readings: db.repository(Reading),
    wide: db.repository(Wide),
  };
}

async function fill({ name, official, readings, wide: wides }: BenchServer): Promise<void> {
  progress(`filling ${name}`);
  await official.createTable('readings', ['s']);
  await official.createTable('wide', ['a', 'b']);
  await saved(readings.saveMany(Array.from({ length: narrowRows }, (_, n) => narrowOf(n))));
  await saved(wides.saveMany(Array.from({ length: wideRows }, (_, n) => wideOf(n))));
}

async function saved(
  result: Promise<{ readonly failed: readonly { readonly error: Error }[] }>,
): Promise<void> {
  const { failed } = await result;
  if (failed.length > 0) throw failed[0].error;
}

/** Checks that all clients read the same rows. */
async function checkRows(): Promise<void> {
  for (const { name, official, readings, wide: wides } of servers) {
    const [theirs, ours, theirWide, ourWide] = [
      await official.getRows('readings'),
      await readings.scanAll().all(),
      await official.getRows('wide'),
      await wides.scanAll().all(),
    ];
    if (theirs.length !== narrowRows || ours.length !== narrowRows || ourWide.length !== wideRows)
      throw new Error(`${name}: ${theirs.length}, ${ours.length}, ${ourWide.length} rows`);
    for (const i of [0, 1, narrowRows - 1])
      if (jsonText(narrowObject(theirs[i])) !== jsonText(ours[i]))
        throw new Error(`${name}: ${jsonText(narrowObject(theirs[i]))} and ${jsonText(ours[i])}`);
    // Not row 0: its values are all zero, which the two codecs encode differently.
    for (const i of [1, narrowRows - 1]) {
      const [{ key, cells }, row] = [stored(narrowOf(i)), narrowRow(narrowOf(i))];
      if (!row.key.equals(key) || !row.data.s.status.value.equals(cells[0].value))
        throw new Error(`row ${i} is mapped to other bytes`);
    }
    for (const i of [0, wideRows - 1])
      if (jsonText(wideObject(theirWide[i])) !== jsonText(ourWide[i]))
        throw new Error(
          `${name}: ${jsonText(wideObject(theirWide[i]))} and ${jsonText(ourWide[i])}`,
        );
  }
}

/** Runs variants in turns. Each result shows how many times faster it is than the first variant. */
async function race(
  name: string,
  unit: string,
  variants: readonly Variant[],
  targets: Readonly<Record<string, number>>,
  rounds: number,
): Promise<void> {
  progress(name);
  const timings = await interleave(variants, rounds, 2);
  const [{ name: baseName }, ...others] = variants;
  const base = timings.get(baseName)!;
  results.addTiming(`${name}.${baseName}`, base, unit);
  for (const variant of others) {
    const timing = timings.get(variant.name)!;
    results.add({
      name: `${name}.${variant.name}`,
      unit,
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ratio: base.median / timing.median,
      of: `x ${baseName}`,
      target: atLeast(targets[variant.name]),
    });
  }
}

function atLeast(ratio: number | undefined): Target | undefined {
  if (ratio === undefined) return undefined;
  return { kind: 'atLeast', ratio };
}

/** The ways to read a whole table. */
function scans<T extends object>(
  { official, raw }: BenchServer,
  table: string,
  mapped: (row: OfficialRow) => object,
  query: {
    all(): Promise<T[]>;
    pages(): AsyncIterable<T[]>;
    [Symbol.asyncIterator](): AsyncIterator<T>;
  },
): Variant[] {
  return [
    { name: 'getRows', run: async () => (await official.getRows(table)).length },
    { name: 'getRows-mapped', run: async () => (await official.getRows(table)).map(mapped).length },
    { name: 'stream', run: () => official.stream(table) },
    { name: 'stream-mapped', run: () => official.stream(table, {}, mapped) },
    // Only transport and server, without decoding: for all cells, as the official client reads
    // them, and for the families and newest versions of an entity.
    {
      name: 'floor',
      run: async () => {
        await raw.read(table);
        return rowsOf[table];
      },
    },
    {
      name: 'floor-filtered',
      run: async () => {
        await raw.read(table, { filter: filterOf[table] });
        return rowsOf[table];
      },
    },
    { name: 'ours-all', run: async () => (await query.all()).length },
    { name: 'ours-for-await', run: () => countRows(query) },
    { name: 'ours-pages', run: () => countPages(query.pages()) },
  ];
}

async function narrow(server: BenchServer): Promise<void> {
  const targets: Targets = {
    canned: { 'ours-all': 2.5, 'ours-pages': 4 },
    emulator: { 'ours-all': 2 },
  };
  const { name, readings } = server;
  await race(
    `narrow.${name}`,
    'us/row',
    scans(server, 'readings', narrowObject, readings.scanAll()),
    targets[name] ?? {},
    7,
  );
}

async function wide(server: BenchServer): Promise<void> {
  const targets: Targets = {
    canned: { 'ours-all': 12 },
    emulator: { 'ours-all': 4 },
  };
  const { name, wide: wides } = server;
  await race(
    `wide.${name}`,
    'us/row',
    scans(server, 'wide', wideObject, wides.scanAll()),
    targets[name] ?? {},
    5,
  );
}

/** Runs all calls with `width` of them in flight. */
async function inFlight<T>(
  width: number,
  work: readonly T[],
  call: (item: T) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < work.length) await call(work[next++]);
    }),
  );
  return work.length;
}

async function points({
  name,
  official,
  readings,
  process: { address },
}: BenchServer): Promise<void> {
  const targets: Targets = { emulator: { 'ours-alone': 2.5, 'ours-coalesced': 10 } };
  const rows = Array.from({ length: 1000 }, (_, i) => narrowOf((i * 7919) % narrowRows));
  const keys = rows.map((row) => Buffer.from(stored(row).key));
  const table = official.table('readings');
  const get = (row: Reading): Promise<unknown> => readings.get(row);
  // With a request for each get, as the official client sends them.
  const db = await open('bigtable://p/i', {
    entities: [Reading],
    bigtable: { emulatorHost: address, gatherGets: false },
  });
  const alone = db.repository(Reading);
  await race(
    `get-1.${name}`,
    'us',
    [
      {
        name: 'official',
        run: () => inFlight(1, keys.slice(0, 300), (key) => table.row(key as never).get()),
      },
      { name: 'ours', run: () => inFlight(1, rows.slice(0, 300), get) },
    ],
    {},
    5,
  );
  await race(
    `get-64.${name}`,
    'us',
    [
      { name: 'official', run: () => inFlight(64, keys, (key) => table.row(key as never).get()) },
      { name: 'ours-alone', run: () => inFlight(64, rows, (row) => alone.get(row)) },
      { name: 'ours-coalesced', run: () => inFlight(64, rows, get) },
    ],
    targets[name] ?? {},
    5,
  );
  await db.close();
}

/** Queries for the 100 rows of a device, 8 in flight. */
async function prefixes({ name, official, readings }: BenchServer): Promise<void> {
  const targets: Targets = { emulator: { ours: 2 } };
  const devices = Array.from({ length: Math.min(400, narrowRows / 100) }, (_, i) => deviceName(i));
  await race(
    `prefix-100.${name}`,
    'us/row',
    [
      {
        name: 'official',
        run: async () =>
          (await inFlight(8, devices, (device) =>
            official.getRows('readings', {
              start: `${tenant}#${device}#`,
              end: `${tenant}#${device}$`,
            }),
          )) * 100,
      },
      {
        name: 'ours',
        run: async () =>
          (await inFlight(8, devices, (device) => readings.prefix({ tenant, device }).all())) * 100,
      },
    ],
    targets[name] ?? {},
    5,
  );
}

/**
 * Writes all narrow rows again: the official client with 1,000 rows per request and 4 in flight,
 * with rows prepared beforehand or mapped from the same entities.
 */
async function bulk({ name, official, readings }: BenchServer): Promise<void> {
  const targets: Targets = { canned: { ours: 3 }, emulator: { ours: 3 } };
  const entities = Array.from({ length: narrowRows }, (_, n) => narrowOf(n));
  const table = official.table('readings');
  const batches = Array.from({ length: Math.ceil(narrowRows / 1000) }, (_, i) =>
    entities.slice(i * 1000, i * 1000 + 1000),
  );
  const insert = async (rows: readonly InsertedRow[]): Promise<unknown> => table.insert(rows);
  const prepared = batches.map((batch) => batch.map(narrowRow));
  await race(
    `bulk.${name}`,
    'us/row',
    [
      { name: 'insert', run: async () => (await inFlight(4, prepared, insert)) * 1000 },
      {
        name: 'insert-mapped',
        run: async () =>
          (await inFlight(4, batches, (batch) => insert(batch.map(narrowRow)))) * 1000,
      },
      {
        name: 'ours',
        run: async () => {
          await saved(readings.saveMany(entities));
          return narrowRows;
        },
      },
    ],
    targets[name] ?? {},
    3,
  );
}

/**
 * The canned server with network delays of 1 and 10 ms one way. The official client runs also with
 * our flow-control window.
 */
async function delays(): Promise<void> {
  const targets: Targets = { 'delay-10ms': { 'ours-for-await': 2.5 } };
  for (const millis of [1, 10]) {
    const proxy = await startProgram('delay-proxy', canned.process.address, String(millis));
    const { official, readings } = await connect('far', proxy);
    const tuned = new Official(proxy.address, window);
    const variants: Variant[] = [
      { name: 'stream-tuned', run: () => tuned.stream('readings') },
      { name: 'stream', run: () => official.stream('readings') },
      { name: 'ours-for-await', run: () => countRows(readings.scanAll()) },
      { name: 'ours-pages', run: () => countPages(readings.scanAll().pages()) },
    ];
    // With 10 ms the official client's own window takes too long.
    const measured = variants.filter(({ name }) => millis === 1 || name !== 'stream');
    const name = `delay-${millis}ms`;
    await race(name, 'us/row', measured, targets[name] ?? {}, 3);
    await proxy.stop();
  }
}

async function countRows(rows: AsyncIterable<object>): Promise<number> {
  let count = 0;
  for await (const row of rows) if (row !== undefined) count++;
  return count;
}

async function countPages(pages: AsyncIterable<readonly object[]>): Promise<number> {
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}

/**
 * The peak memory of a process that reads the wide rows into an array: in total, and how much the
 * scan adds to a process that has loaded the client.
 */
function memory({ name, process: { address } }: BenchServer): void {
  const official = peakMemory('official', name, address);
  const parts = ['whole', 'scan'] as const;
  for (const part of parts)
    results.add({
      name: `memory.wide.${name}.official.${part}`,
      value: official[part],
      unit: 'MB',
    });
  for (const client of ['ours', 'ours-pages']) {
    const used = peakMemory(client, name, address);
    const hasTarget = name === 'canned' && client === 'ours';
    for (const part of parts)
      results.add({
        name: `memory.wide.${name}.${client}.${part}`,
        value: used[part],
        unit: 'MB',
        ratio: used[part] / official[part],
        of: 'official',
        target: hasTarget ? { kind: 'atMost', ratio: 0.33 } : undefined,
      });
  }
}

interface PeakMemory {
  readonly whole: number;
  readonly scan: number;
}

function peakMemory(client: string, server: string, address: string): PeakMemory {
  const program = join(dirname(fileURLToPath(import.meta.url)), 'wire/memory-process.js');
  const { stdout } = spawnSync(process.execPath, [program, client, address], { encoding: 'utf8' });
  const found = /^(\d+) rows, ([\d.]+) MB, ([\d.]+) MB/m.exec(stdout);
  if (Number(found?.[1]) !== wideRows) throw new Error(`${client} of ${server}: ${stdout}`);
  return { whole: Number(found![2]), scan: Number(found![2]) - Number(found![3]) };
}
