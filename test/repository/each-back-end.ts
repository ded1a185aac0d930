/** Every back end that repositories run on: memory, disk, and live over our server and Google's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open } from '../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../engines/bigtable/live-backends.js';
import { findEmulator } from '../support/emulator.js';

/** An open database; `close` also removes its directory or ends its server. */
export interface BackEnd {
  readonly db: Database;
  readonly close: () => Promise<void>;
}

type Opening = (entities: readonly EntityClass[]) => Promise<BackEnd>;

async function openLive(
  entities: readonly EntityClass[],
  start: () => Promise<{ address: string; close: () => Promise<void> }>,
): Promise<BackEnd> {
  const server = await start();
  const db = await open('bigtable://p/instance-1', {
    entities,
    bigtable: { emulatorHost: server.address },
  });
  await db.admin.apply();
  const close = async (): Promise<void> => {
    await db.close();
    await server.close();
  };
  return { db, close };
}

const emulator = findEmulator();

/** Names, and functions that open an empty database with the tables of the entities. */
export const backEnds: [string, Opening][] = [
  [
    'memory',
    async (entities) => {
      const db = await open('memory:', { entities });
      return { db, close: () => db.close() };
    },
  ],
  [
    'disk',
    async (entities) => {
      const folder = mkdtempSync(join(tmpdir(), 'rowsmith-back-end-'));
      const db = await open(`file:${folder}`, { entities, durability: 'relaxed' });
      const close = async (): Promise<void> => {
        await db.close();
        rmSync(folder, { recursive: true });
      };
      return { db, close };
    },
  ],
  ['live, our server', (entities) => openLive(entities, () => openOverOurServer())],
];
if (emulator !== undefined)
  backEnds.push([
    "live, Google's emulator",
    (entities) => openLive(entities, () => openOverEmulator(emulator)),
  ]);
