/** Scans of whole tables. */
import { buildModel } from '../../src/entities/model/index.js';
import { encodeFilter } from '../../src/engines/protocol/index.js';
import { fullScan, planOf } from '../../src/entities/query/index.js';
import type { Variant } from '../interleave.js';
import { Reading, Wide } from '../wire/entities.js';
import { narrowObject, wideObject } from '../wire/mapped.js';
import type { OfficialRow } from '../wire/official.js';
import { race, type Run, type Targets } from './run.js';
import type { BenchServer } from './servers.js';

/** The filter of our queries for whole tables. */
const filterOf: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  [buildModel(Reading), buildModel(Wide)].map((model) => [
    model.table.name,
    encodeFilter(planOf(model, fullScan, { perShard: [] }).selection.filter),
  ]),
);

/** Reads the narrow rows in every way. */
export async function narrow(run: Run, server: BenchServer): Promise<void> {
  const targets: Targets = {
    canned: { 'ours-all': 2.5, 'ours-pages': 4 },
    emulator: { 'ours-all': 2 },
  };
  const { name, readings } = server;
  await race(
    run,
    `narrow.${name}`,
    'us/row',
    scans(server, run.narrowRows, 'readings', narrowObject, readings.scanAll()),
    targets[name] ?? {},
    7,
  );
}

/** Reads the wide rows in every way. */
export async function wide(run: Run, server: BenchServer): Promise<void> {
  const targets: Targets = {
    canned: { 'ours-all': 12 },
    emulator: { 'ours-all': 4 },
  };
  const { name, wide: wides } = server;
  await race(
    run,
    `wide.${name}`,
    'us/row',
    scans(server, run.wideRows, 'wide', wideObject, wides.scanAll()),
    targets[name] ?? {},
    5,
  );
}

/** The ways to read a whole table. */
function scans<T extends object>(
  { official, raw }: BenchServer,
  rows: number,
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
        return rows;
      },
    },
    {
      name: 'floor-filtered',
      run: async () => {
        await raw.read(table, { filter: filterOf[table] });
        return rows;
      },
    },
    { name: 'ours-all', run: async () => (await query.all()).length },
    { name: 'ours-for-await', run: () => countRows(query) },
    { name: 'ours-pages', run: () => countPages(query.pages()) },
  ];
}

/** Reads row by row. */
export async function countRows(rows: AsyncIterable<object>): Promise<number> {
  let count = 0;
  for await (const row of rows) if (row !== undefined) count++;
  return count;
}

/** Reads page by page. */
export async function countPages(pages: AsyncIterable<readonly object[]>): Promise<number> {
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}
