/** The three stores: Rowsmith on disk, Rowsmith in memory, and classic-level. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import type { Database } from '../src/entities/repository/database/database.js';
import { open } from '../src/entities/repository/database/open.js';
import type { Repository } from '../src/entities/repository/types/repository-types.js';
import { deviceName, tenant } from './data-set.js';
import type { HandReader } from './hand-codec.js';
import { Reading } from './reading.js';

/** A Rowsmith database with its repository. */
export interface Opened {
  readonly database: Database;
  readonly readings: Repository<typeof Reading>;
}

/** Opens a database of readings. */
export async function openReadings(url: string): Promise<Opened> {
  const database = await open(url, { entities: [Reading] });
  return { database, readings: database.repository(Reading) };
}

/** classic-level with a cache that holds the whole table. */
export type Level = ClassicLevel<Buffer, Buffer>;

/** Opens classic-level. */
export async function openLevel(directory: string): Promise<Level> {
  const level = new ClassicLevel<Buffer, Buffer>(directory, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    cacheSize: 256 << 20,
  });
  await level.open();
  return level;
}

/** Reads the rows of a device with `nextv(1000)` and the decoder of the floor. */
export async function scanLevel(
  level: Level,
  reader: HandReader,
  device: number,
  each: (reading: Reading) => void,
): Promise<number> {
  const prefix = `${tenant}#${deviceName(device)}`;
  const iterator = level.iterator({
    gte: Buffer.from(`${prefix}#`),
    lt: Buffer.from(`${prefix}$`),
  });
  let rows = 0;
  for (
    let entries = await iterator.nextv(1000);
    entries.length > 0;
    entries = await iterator.nextv(1000)
  ) {
    for (const [key, value] of entries) each(reader.read(key, value));
    rows += entries.length;
  }
  await iterator.close();
  return rows;
}

/**
 * A directory for this run, removed when it ends. It is in the repository, because the system's
 * temporary directory may be in memory.
 */
export function scratchDirectory(): string {
  const parent = join(process.cwd(), 'bench', '.data');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'run-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  return directory;
}

/** Megabytes (10^6 bytes) of the disk blocks used by the files of a directory. */
export function diskMegabytes(directory: string): number {
  return (
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).reduce(
      (sum, name) => sum + statSync(join(directory, name)).blocks * 512,
      0,
    ) / 1e6
  );
}
