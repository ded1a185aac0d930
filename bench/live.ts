/**
 * `npm run bench -- bench/live.ts`: the live engine against the official client, through three
 * servers in processes of their own: a canned one (prepared messages of 64 KiB, as production
 * batches), ours, and Google's emulator (a message a row); and through a proxy that delays. Typed
 * entities of ours against raw rows of the official client (`decode: false`, its metrics off), and
 * against those mapped to the same objects. Options: --rows N (narrow rows; default 100,000; wide
 * ones are a fifth), --only NAME (narrow, wide, points, prefix, bulk, delay, memory), --json. Exit
 * code 2 when a target was missed.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open, type Database, type Repository } from '../src/repository/index.js';
import { writeFilter } from '../src/protocol/index.js';
import { everything, planOf } from '../src/query/index.js';
import { buildModel } from '../src/model/index.js';
import { deviceName, tenant } from './data-set.js';
import { interleave, type Variant } from './interleave.js';
import { benchOptions, progress, Results, type Target } from './results.js';
import { narrowOf, Reading, Wide, wideOf } from './wire/entities.js';
import { type InsertedRow, narrowObject, narrowRow, wideObject } from './wire/mapped.js';
import { Official, type OfficialRow } from './wire/official.js';
import { type Running, startEmulator, startProgram } from './wire/processes.js';
import { Raw } from './wire/raw.js';
import { storing } from './wire/stored.js';

/** A server with both clients on it. */
interface Peer {
  readonly name: string;
  readonly process: Running;
  readonly official: Official;
  readonly raw: Raw;
  readonly db: Database;
  readonly readings: Repository<Reading, typeof Reading.key>;
  readonly wide: Repository<Wide, typeof Wide.key>;
}

const window = 8 << 20;
const options = benchOptions(process.argv.slice(2), 100_000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const narrowRows = options.rows;
const wideRows = Math.floor(options.rows / 5);
const rowsOf: Readonly<Record<string, number>> = { readings: narrowRows, wide: wideRows };
/** What our queries of everything ask the server to leave out. */
const filterOf: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  [buildModel(Reading), buildModel(Wide)].map((model) => [
    model.table.name,
    writeFilter(planOf(model, everything, { perShard: [] }).projection.filter),
  ]),
);
const results = new Results(options);
const stored = storing(Reading);

const canned = await connect(
  'canned',
  await startProgram('server-process', 'canned', String(narrowRows), String(wideRows)),
);
const ours = await connect('ours', await startProgram('server-process', 'ours', 'memory'));
const emulatorProcess = await startEmulator();
if (emulatorProcess === undefined)
  console.error("Google's emulator is not on this machine: its lines are left out.");
const emulator =
  emulatorProcess === undefined ? undefined : await connect('emulator', emulatorProcess);
const peers = [canned, ours, ...(emulator === undefined ? [] : [emulator])];

for (const peer of peers) if (peer !== canned) await fill(peer);
await checkRows();
for (const peer of peers) {
  if (wants('narrow')) await narrow(peer);
  if (wants('wide')) await wide(peer);
}
for (const peer of peers) {
  if (peer !== canned && wants('points')) await points(peer);
  if (peer !== canned && wants('prefix')) await prefixes(peer);
  if (wants('bulk')) await bulk(peer);
}
if (wants('delay')) await delays();
if (wants('memory')) for (const peer of peers) memory(peer);
for (const {
  process: { stop },
} of peers)
  await stop();
process.exit(results.finish({ rows: narrowRows, wide: wideRows }) ? 0 : 2);

async function connect(name: string, running: Running, officialWindow?: number): Promise<Peer> {
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

async function fill({ name, official, readings, wide: wides }: Peer): Promise<void> {
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

/** The ratios say nothing unless all read the same. */
async function checkRows(): Promise<void> {
  const show = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
  for (const { name, official, readings, wide: wides } of peers) {
    const [theirs, ours, theirWide, ourWide] = [
      await official.getRows('readings'),
      await readings.scanAll().all(),
      await official.getRows('wide'),
      await wides.scanAll().all(),
    ];
    if (theirs.length !== narrowRows || ours.length !== narrowRows || ourWide.length !== wideRows)
      throw new Error(`${name}: ${theirs.length}, ${ours.length}, ${ourWide.length} rows`);
    for (const i of [0, 1, narrowRows - 1])
      if (show(narrowObject(theirs[i])) !== show(ours[i]))
        throw new Error(`${name}: ${show(narrowObject(theirs[i]))} and ${show(ours[i])}`);
    // Row 0 is all zeros, which the two codecs write differently.
    for (const i of [1, narrowRows - 1]) {
      const [{ key, cells }, row] = [stored(narrowOf(i)), narrowRow(narrowOf(i))];
      if (!row.key.equals(key) || !row.data.s.status.value.equals(cells[0].value))
        throw new Error(`row ${i} is mapped to other bytes`);
    }
    for (const i of [0, wideRows - 1])
      if (show(wideObject(theirWide[i])) !== show(ourWide[i]))
        throw new Error(`${name}: ${show(wideObject(theirWide[i]))} and ${show(ourWide[i])}`);
  }
}

/** Runs variants in turns; each line says how many times quicker it is than the first. */
async function race(
  name: string,
  unit: string,
  variants: readonly Variant[],
  targets: Readonly<Record<string, number>>,
  rounds: number,
): Promise<void> {
  progress(name);
  const timings = await interleave(variants, rounds, 2);
  const base = timings.get(variants[0].name)!;
  for (const variant of variants) {
    const timing = timings.get(variant.name)!;
    const target: Target | undefined =
      targets[variant.name] === undefined
        ? undefined
        : { kind: 'atLeast', ratio: targets[variant.name] };
    results.add({
      name: `${name}.${variant.name}`,
      unit,
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ...(variant === variants[0]
        ? {}
        : {
            ratio: base.median / timing.median,
            of: `x ${variants[0].name}`,
            ...(target === undefined ? {} : { target }),
          }),
    });
  }
}

/** The ways to read a whole table. */
function scans<T extends object>(
  { official, raw }: Peer,
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
    // What the transport and the server take, with nothing decoded: for all cells, as the official
    // client asks for them, and for an entity's families and latest versions.
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
    {
      name: 'ours-for-await',
      run: async () => {
        let rows = 0;
        for await (const row of query) if (row !== undefined) rows++;
        return rows;
      },
    },
    {
      name: 'ours-pages',
      run: async () => {
        let rows = 0;
        for await (const page of query.pages()) rows += page.length;
        return rows;
      },
    },
  ];
}

async function narrow(peer: Peer): Promise<void> {
  const targets: Record<string, Record<string, number>> = {
    canned: { 'ours-all': 2.5, 'ours-pages': 4 },
    emulator: { 'ours-all': 2 },
  };
  const { name, readings } = peer;
  await race(
    `narrow.${name}`,
    'us/row',
    scans(peer, 'readings', narrowObject, readings.scanAll()),
    targets[name] ?? {},
    7,
  );
}

async function wide(peer: Peer): Promise<void> {
  const targets: Record<string, Record<string, number>> = {
    canned: { 'ours-all': 12 },
    emulator: { 'ours-all': 4 },
  };
  const { name, wide: wides } = peer;
  await race(
    `wide.${name}`,
    'us/row',
    scans(peer, 'wide', wideObject, wides.scanAll()),
    targets[name] ?? {},
    5,
  );
}

/** Keeps `width` calls in flight until all are done. */
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

async function points({ name, official, readings, process: { address } }: Peer): Promise<void> {
  const rows = Array.from({ length: 1000 }, (_, i) => narrowOf((i * 7919) % narrowRows));
  const keys = rows.map((row) => Buffer.from(stored(row).key));
  const table = official.table('readings');
  const get = (row: Reading): Promise<unknown> => readings.get(row);
  // Each get in a request of its own, as the official client sends them.
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
    name === 'emulator' ? { 'ours-alone': 2.5, 'ours-coalesced': 10 } : {},
    5,
  );
  await db.close();
}

/** 100 rows of a device, 8 queries in flight. */
async function prefixes({ name, official, readings }: Peer): Promise<void> {
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
    name === 'emulator' ? { ours: 2 } : {},
    5,
  );
}

/**
 * Every narrow row again: 1,000 a request, 4 in flight, as the official client's users do; its rows
 * made ready before, or mapped from the same entities.
 */
async function bulk({ name, official, readings }: Peer): Promise<void> {
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
    name === 'ours' ? {} : { ours: 3 },
    3,
  );
}

/**
 * The canned server behind a network of 1 and 10 ms one way; the official client also with the
 * window that ours has.
 */
async function delays(): Promise<void> {
  for (const millis of [1, 10]) {
    const proxy = await startProgram('delay-proxy', canned.process.address, String(millis));
    const far = await connect('far', proxy);
    const tuned = new Official(proxy.address, window);
    await race(
      `delay-${millis}ms`,
      'us/row',
      [
        { name: 'stream-tuned', run: () => tuned.stream('readings') },
        ...(millis === 10 ? [] : [{ name: 'stream', run: () => far.official.stream('readings') }]),
        {
          name: 'ours-for-await',
          run: async () => {
            let rows = 0;
            for await (const row of far.readings.scanAll()) if (row !== undefined) rows++;
            return rows;
          },
        },
        {
          name: 'ours-pages',
          run: async () => {
            let rows = 0;
            for await (const page of far.readings.scanAll().pages()) rows += page.length;
            return rows;
          },
        },
      ],
      millis === 10 ? { 'ours-for-await': 2.5 } : {},
      3,
    );
    await proxy.stop();
  }
}

/**
 * The most memory that a process has which reads the wide rows as an array, one process each: the
 * whole, and what the scan adds to a client that is loaded (80 MB of modules in both).
 */
function memory({ name, process: { address } }: Peer): void {
  const program = join(dirname(fileURLToPath(import.meta.url)), 'wire/memory-process.js');
  const peak = (who: string): { readonly whole: number; readonly scan: number } => {
    const { stdout } = spawnSync(process.execPath, [program, who, address], { encoding: 'utf8' });
    const found = /^(\d+) rows, ([\d.]+) MB, ([\d.]+) MB/m.exec(stdout);
    if (Number(found?.[1]) !== wideRows) throw new Error(`${who} of ${name}: ${stdout}`);
    return { whole: Number(found![2]), scan: Number(found![2]) - Number(found![3]) };
  };
  const official = peak('official');
  for (const part of ['whole', 'scan'] as const)
    results.add({
      name: `memory.wide.${name}.official.${part}`,
      value: official[part],
      unit: 'MB',
    });
  for (const who of ['ours', 'ours-pages']) {
    const used = peak(who);
    for (const part of ['whole', 'scan'] as const) {
      const target: Target | undefined =
        name === 'canned' && who === 'ours' ? { kind: 'atMost', ratio: 0.33 } : undefined;
      results.add({
        name: `memory.wide.${name}.${who}.${part}`,
        value: used[part],
        unit: 'MB',
        ratio: used[part] / official[part],
        of: 'official',
        ...(target === undefined ? {} : { target }),
      });
    }
  }
}
