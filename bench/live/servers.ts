/** The servers of the benchmark, their clients and their rows. */
import { open, type Database, type Repository } from '../../src/entities/repository/index.js';
import { jsonText } from '../json-text.js';
import { progress } from '../results.js';
import { narrowOf, Reading, Wide, wideOf } from '../wire/entities.js';
import { narrowObject, narrowRow, wideObject } from '../wire/mapped.js';
import { Official } from '../wire/official.js';
import type { Running } from '../wire/processes.js';
import { Raw } from '../wire/raw.js';
import { storing } from '../wire/stored.js';
import type { Run } from './run.js';

/** A narrow row as stored bytes. */
export const stored = storing(Reading);

/** A server with both clients. */
export interface BenchServer {
  readonly name: string;
  readonly process: Running;
  readonly official: Official;
  readonly raw: Raw;
  readonly db: Database;
  readonly readings: Repository<typeof Reading>;
  readonly wide: Repository<typeof Wide>;
}

/** Connects both clients to a running server. */
export async function connect(name: string, running: Running): Promise<BenchServer> {
  const db = await open('bigtable://p/i', {
    entities: [Reading, Wide],
    bigtable: { emulatorHost: running.address },
  });
  return {
    name,
    process: running,
    official: new Official(running.address),
    raw: new Raw(running.address),
    db,
    readings: db.repository(Reading),
    wide: db.repository(Wide),
  };
}

/** Creates the tables and writes all rows. */
export async function fill(
  { narrowRows, wideRows }: Run,
  { name, official, readings, wide: wides }: BenchServer,
): Promise<void> {
  progress(`filling ${name}`);
  await official.createTable('readings', ['s']);
  await official.createTable('wide', ['a', 'b']);
  await saved(readings.saveMany(Array.from({ length: narrowRows }, (_, n) => narrowOf(n))));
  await saved(wides.saveMany(Array.from({ length: wideRows }, (_, n) => wideOf(n))));
}

/** Throws the first error of a bulk write. */
export async function saved(
  result: Promise<{ readonly failures: readonly { readonly error: Error }[] }>,
): Promise<void> {
  const { failures } = await result;
  if (failures.length > 0) throw failures[0].error;
}

/**
 * Checks that all clients read the same rows. Ours are compared without their toJSON, which writes
 * bigints in another way.
 */
export async function checkRows(
  { narrowRows, wideRows }: Run,
  servers: readonly BenchServer[],
): Promise<void> {
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
      if (jsonText(narrowObject(theirs[i])) !== jsonText(Object.assign({}, ours[i])))
        throw new Error(
          `${name}: ${jsonText(narrowObject(theirs[i]))} and ${jsonText(Object.assign({}, ours[i]))}`,
        );
    // Not row 0: its values are all zero, which the two codecs encode differently.
    for (const i of [1, narrowRows - 1]) {
      const [{ key, cells }, row] = [stored(narrowOf(i)), narrowRow(narrowOf(i))];
      if (!row.key.equals(key) || !row.data.s.status.value.equals(cells[0].value))
        throw new Error(`row ${i} is mapped to other bytes`);
    }
    for (const i of [0, wideRows - 1])
      if (jsonText(wideObject(theirWide[i])) !== jsonText(Object.assign({}, ourWide[i])))
        throw new Error(
          `${name}: ${jsonText(wideObject(theirWide[i]))} and ${jsonText(Object.assign({}, ourWide[i]))}`,
        );
  }
}
