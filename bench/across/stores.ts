/** The storages of the benchmark, filled with the same rows. */
import { type Database, open } from '../../src/entities/repository/index.js';
import { Official } from '../wire/official.js';
import { type Running, startEmulator, startProgram } from '../wire/processes.js';
import {
  FilteredNarrow,
  FilteredTwenty,
  Narrow,
  narrowOf,
  Twenty,
  twentyOf,
  Wide,
  wideOf,
} from './entities.js';

/** A filled database. */
export interface Store {
  readonly name: string;
  readonly db: Database;
  /** Live stores only. */
  readonly live?: {
    readonly official: Official;
    readonly address: string;
    /** The same tables, declared so that reads need filters. */
    readonly filtered: Database;
  };
  /** Rows by table. */
  readonly rows: Readonly<Record<'narrow' | 'wide' | 'twenty', number>>;
  readonly close: () => Promise<void>;
}

const entities = [Narrow, Wide, Twenty];

/** Memory, our server, and Google's emulator if it is installed. */
export async function openStores(narrowRows: number): Promise<readonly Store[]> {
  const rows = {
    narrow: narrowRows,
    wide: Math.ceil(narrowRows / 10),
    twenty: Math.ceil(narrowRows / 5),
  };
  const memory = await open('memory:', { entities });
  const stores: Store[] = [{ name: 'memory', db: memory, rows, close: () => memory.close() }];
  stores.push(await openLive('ours', await startProgram('server-process', 'ours', 'memory'), rows));
  const emulator = await startEmulator();
  if (emulator === undefined)
    console.error("Google's emulator is not on this machine and is not measured.");
  else stores.push(await openLive('emulator', emulator, rows));
  for (const { db } of stores) await fill(db, rows);
  return stores;
}

/** Opens a database of a live server. */
export function openAt(address: string): Promise<Database> {
  return open('bigtable://p/i', { entities, bigtable: { emulatorHost: address } });
}

async function openLive(name: string, server: Running, rows: Store['rows']): Promise<Store> {
  const official = new Official(server.address);
  await official.createTable('narrow', ['a', 'b']);
  await official.createTable('wide', ['a']);
  await official.createTable('twenty', ['a', 'b', 'c']);
  const db = await openAt(server.address);
  const filtered = await open('bigtable://p/i', {
    entities: [FilteredNarrow, FilteredTwenty],
    bigtable: { emulatorHost: server.address },
  });
  const close = async (): Promise<void> => {
    await db.close();
    await filtered.close();
    await official.close();
    await server.stop();
  };
  return { name, db, live: { official, address: server.address, filtered }, rows, close };
}

async function fill(db: Database, rows: Store['rows']): Promise<void> {
  const narrow = await db
    .repository(Narrow)
    .saveMany(Array.from({ length: rows.narrow }, (_, i) => narrowOf(i)));
  const wide = await db
    .repository(Wide)
    .saveMany(Array.from({ length: rows.wide }, (_, i) => wideOf(i)));
  const twenty = await db
    .repository(Twenty)
    .saveMany(Array.from({ length: rows.twenty }, (_, i) => twentyOf(i)));
  for (const { error } of [...narrow.failures, ...wide.failures, ...twenty.failures]) throw error;
}
