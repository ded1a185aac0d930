/**
 * `npm run bench -- bench/server.ts`: our server against Google's emulator, both in processes of
 * their own, over loopback, through the same clients: the official Node client as applications use
 * it, and plain grpc-js that throws the answers away. Options: --rows N (rows of the big limit-1
 * table; default 1,000,000), --only NAME (points, scan, wide, bulk, limit, columns, memory, start),
 * --json. Exit code 2 when a target was missed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { narrowOf, Reading, Wide, wideOf } from './wire/entities.js';
import { Official } from './wire/official.js';
import { compare } from './wire/peers.js';
import { memoryOf, type Running, startEmulator, startProgram } from './wire/processes.js';
import { mutateRequest, Raw } from './wire/raw.js';
import { type StoredRow, storing } from './wire/stored.js';
import { benchOptions, progress, Results } from './results.js';

/** A server with a client of each kind. */
interface Peer {
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
const narrow = storing(Reading);
const wide = storing(Wide);

const emulatorProcess = await startEmulator();
if (emulatorProcess === undefined)
  console.error("Google's emulator is not on this machine: ours is measured alone.");
const ours = await connect('ours', await startProgram('server-process', 'ours', 'memory'));
const other =
  emulatorProcess === undefined ? undefined : await connect('emulator', emulatorProcess);
const peers = other === undefined ? [ours] : [ours, other];

for (const peer of peers) {
  await peer.official.createTable('readings', ['s']);
  await peer.official.createTable('wide', ['a', 'b']);
}
if (wants('memory')) await measureMemory();
else for (const peer of peers) await load(peer, 'readings', scanRows);
for (const peer of peers) await load(peer, 'wide', wideRows);
if (wants('scan')) await scans();
if (wants('wide')) await wides();
if (wants('points')) await points();
if (wants('bulk')) await bulks();
if (wants('columns')) await columns();
if (wants('limit')) await limits();
for (const peer of peers) await close(peer);
if (wants('start')) await starts();
if (wants('memory')) await diskMemory();
process.exit(results.finish({ rows: options.rows }) ? 0 : 2);

async function connect(name: string, running: Running): Promise<Peer> {
  return {
    name,
    process: running,
    official: new Official(running.address),
    raw: new Raw(running.address),
  };
}

async function close({ official, raw, process: { stop } }: Peer): Promise<void> {
  await official.close();
  raw.close();
  await stop();
}

/** Rows of a table, from one number on, as bytes. */
function rowsOf(table: string, from: number, count: number): StoredRow[] {
  return Array.from({ length: count }, (_, i) =>
    table === 'wide' ? wide(wideOf(from + i)) : narrow(narrowOf(from + i)),
  );
}

async function load({ raw, name }: Peer, table: string, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += 5000) {
    progress(`loading ${table} of ${name}: ${from} of ${rows} rows`);
    await raw.mutate(mutateRequest(table, rowsOf(table, from, Math.min(5000, rows - from))));
  }
}

async function measureMemory(): Promise<void> {
  for (const peer of peers) {
    const before = memoryOf(peer.process.pid).now;
    await load(peer, 'readings', scanRows);
    const after = memoryOf(peer.process.pid).now;
    results.add({
      name: `memory.per-row.${peer.name}`,
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
    work: async ({ raw }) => ((await raw.read('readings')) > 0 ? scanRows : 0),
  });
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
    work: async ({ raw }) => ((await raw.read('wide')) > 0 ? wideRows : 0),
  });
}

/** 64 reads in flight, each of one row by its key. */
async function points(): Promise<void> {
  const keys = rowsOf('readings', 0, 2000).map(({ key }) => Buffer.from(key));
  const inFlight = async (read: (key: Buffer) => Promise<unknown>): Promise<number> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (next < keys.length) await read(keys[next++]);
      }),
    );
    return keys.length;
  };
  await compare(results, ours, other, {
    name: 'points.official',
    unit: 'us',
    target: 0.9,
    rounds: 7,
    work: ({ official }) =>
      inFlight((key) =>
        official
          .table('readings')
          .row(key as never)
          .get(),
      ),
  });
  await compare(results, ours, other, {
    name: 'points.raw',
    unit: 'us',
    rounds: 7,
    work: ({ raw }) =>
      inFlight((key) => raw.read('readings', { rows: { rowKeys: [key] }, rowsLimit: 1n })),
  });
}

/** New rows into a table of their own, 1,000 a request, 4 in flight. */
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
  const fresh = async (peer: Peer): Promise<string> => {
    const name = `bulk${table++}`;
    await peer.official.createTable(name, ['s']);
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
    work: async (peer) => {
      const name = await fresh(peer);
      return four(entries, (batch) => peer.official.table(name).insert(batch as never));
    },
  });
  const prepared = new Map<string, Uint8Array[]>();
  await compare(results, ours, other, {
    name: 'bulk.raw',
    unit: 'us/row',
    work: async (peer) => {
      // The same table again: the same cells, replaced.
      if (!prepared.has(peer.name))
        prepared.set(
          peer.name,
          await fresh(peer).then((name) => requests.map((batch) => mutateRequest(name, batch))),
        );
      return four(prepared.get(peer.name)!, (request) => peer.raw.mutate(request));
    },
  });
}

/** 16,000 columns written to one row in one request, and read again. */
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
  for (const { raw } of peers) await raw.mutate(mutateRequest('wide', [{ key, cells }]));
  await compare(results, ours, other, {
    name: 'columns.read',
    unit: 'us/cell',
    rounds: 3,
    work: async ({ raw }) =>
      (await raw.read('wide', { rows: { rowKeys: [key] } })) > 0 ? cells.length : 0,
  });
}

/** The first row of tables of three sizes. */
async function limits(): Promise<void> {
  for (const rows of [1000, 100_000, options.rows].filter(
    (size, i, all) => size <= options.rows && all.indexOf(size) === i,
  )) {
    for (const peer of peers) {
      await peer.official.createTable(`limit${rows}`, ['s']);
      await load(peer, `limit${rows}`, rows);
    }
    await compare(results, ours, other, {
      name: `limit-1.${rows}`,
      unit: 'us',
      rounds: 7,
      ...(rows === 100_000 ? { target: 10 } : {}),
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
 * The disk engine's memory, without the pages of the file that the system shares into it, must not
 * grow with the table; nor the time of a row.
 */
async function diskMemory(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-bench-'));
  try {
    const perRow: number[] = [];
    for (const rows of [10_000, options.rows]) {
      const running = await startProgram('server-process', 'ours', join(directory, String(rows)));
      const peer = await connect('disk', running);
      await peer.official.createTable('readings', ['s']);
      await load(peer, 'readings', rows);
      await peer.raw.read('readings');
      const started = performance.now();
      await peer.raw.read('readings');
      perRow.push(((performance.now() - started) * 1000) / rows);
      results.add({
        name: `disk.memory.${rows}-rows`,
        value: memoryOf(running.pid).own,
        unit: 'MB of its own',
      });
      results.add({
        name: `disk.scan.${rows}-rows`,
        value: perRow.at(-1)!,
        unit: 'us/row',
        ...(perRow.length > 1
          ? {
              ratio: perRow[1] / perRow[0],
              of: '10000 rows',
              target: { kind: 'atMost', ratio: 1.5 } as const,
            }
          : {}),
      });
      await close(peer);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
