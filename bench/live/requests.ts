/** Many small requests: gets, short scans and bulk writes. */
import { open } from '../../src/entities/repository/index.js';
import { deviceName, tenant } from '../data-set.js';
import { narrowOf, Reading } from '../wire/entities.js';
import { type InsertedRow, narrowRow } from '../wire/mapped.js';
import { race, type Run, type Targets } from './run.js';
import { type BenchServer, saved, stored } from './servers.js';

/** Gets of 1,000 rows, one after the other, and 8 or 64 in flight. */
export async function points(
  run: Run,
  { name, official, readings, process: { address } }: BenchServer,
): Promise<void> {
  const targets: Targets = { emulator: { 'ours-alone': 2.5, 'ours-coalesced': 10 } };
  const rows = Array.from({ length: 1000 }, (_, i) => narrowOf((i * 7919) % run.narrowRows));
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
    run,
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
  for (const width of [8, 64]) {
    const entrants = [
      {
        name: 'official',
        run: () => inFlight(width, keys, (key) => table.row(key as never).get()),
      },
      { name: 'ours-alone', run: () => inFlight(width, rows, (row) => alone.get(row)) },
      { name: 'ours-coalesced', run: () => inFlight(width, rows, get) },
    ];
    const goals = width === 64 ? (targets[name] ?? {}) : {};
    await race(run, `get-${width}.${name}`, 'us', entrants, goals, 5);
  }
  await db.close();
}

/** Queries for the 100 rows of a device, 8 in flight. */
export async function prefixes(run: Run, { name, official, readings }: BenchServer): Promise<void> {
  const targets: Targets = { emulator: { ours: 2 } };
  const devices = Array.from({ length: Math.min(400, run.narrowRows / 100) }, (_, i) =>
    deviceName(i),
  );
  await race(
    run,
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
export async function bulk(run: Run, { name, official, readings }: BenchServer): Promise<void> {
  const { narrowRows } = run;
  const targets: Targets = { canned: { ours: 3 }, emulator: { ours: 3 } };
  const entities = Array.from({ length: narrowRows }, (_, n) => narrowOf(n));
  const table = official.table('readings');
  const batches = Array.from({ length: Math.ceil(narrowRows / 1000) }, (_, i) =>
    entities.slice(i * 1000, i * 1000 + 1000),
  );
  const insert = async (rows: readonly InsertedRow[]): Promise<unknown> => table.insert(rows);
  const prepared = batches.map((batch) => batch.map(narrowRow));
  await race(
    run,
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
