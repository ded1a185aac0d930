/** The same entities in memory, on disk, and live on our server and on Google's emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open, type OpenOptions } from '../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../engines/bigtable/live-backends.js';
import { findEmulator } from '../support/emulator.js';

/** An open database, and how to remove it. */
export interface Opened {
  readonly db: Database;
  readonly close: () => Promise<void>;
}

/** Opens entities on one kind of storage. */
export type OpenOn = (
  entities: readonly EntityClass[],
  options?: Partial<OpenOptions>,
) => Promise<Opened>;

const onMemory: OpenOn = async (entities, options) => {
  const db = await open('memory:', { ...options, entities });
  return { db, close: () => db.close() };
};

const onDisk: OpenOn = async (entities, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  const db = await open(`file:${folder}`, { durability: 'relaxed', ...options, entities });
  const close = async (): Promise<void> => {
    await db.close();
    rmSync(folder, { recursive: true });
  };
  return { db, close };
};

type StartServer = () => Promise<{ readonly address: string; readonly close: () => Promise<void> }>;

/** Opens entities live, over a server that is started for them. */
export function onServer(start: StartServer): OpenOn {
  return async (entities, options) => {
    const server = await start();
    const db = await open('bigtable://p/instance-1', {
      ...options,
      entities,
      bigtable: { emulatorHost: server.address },
    });
    await db.admin.apply();
    const close = async (): Promise<void> => {
      await db.close();
      await server.close();
    };
    return { db, close };
  };
}

/** Every kind of storage with its name; Google's emulator only if it is installed. */
export const backends: [string, OpenOn][] = [
  ['memory', onMemory],
  ['disk', onDisk],
  ['live, our server', onServer(() => openOverOurServer())],
];
const emulator = findEmulator();
if (emulator !== undefined)
  backends.push(["live, Google's emulator", onServer(() => openOverEmulator(emulator))]);
