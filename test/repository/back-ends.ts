/** Databases over every back end: both embedded engines, our server and Google's emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open } from '../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../engines/bigtable/live-backends.js';
import { findEmulator } from '../support/emulator.js';

/** An open database that removes what it has created when it is closed. */
export interface OpenedBackEnd {
  readonly db: Database;
  readonly close: () => Promise<void>;
}

export interface BackEnd {
  readonly name: string;
  readonly open: (entities: readonly EntityClass[]) => Promise<OpenedBackEnd>;
}

const emulator = findEmulator();

/** Google's emulator only where it is found, which `findEmulator` reports. */
export const backEnds: readonly BackEnd[] = [
  {
    name: 'memory',
    open: async (entities) => {
      const db = await open('memory:', { entities });
      return { db, close: () => db.close() };
    },
  },
  {
    name: 'disk',
    open: async (entities) => {
      const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
      const db = await open(`file:${folder}`, { entities, durability: 'relaxed' });
      const close = async (): Promise<void> => {
        await db.close();
        rmSync(folder, { recursive: true });
      };
      return { db, close };
    },
  },
  { name: 'live, our server', open: (entities) => openLive(entities, () => openOverOurServer()) },
  ...(emulator === undefined
    ? []
    : [
        {
          name: "live, Google's emulator",
          open: (entities: readonly EntityClass[]) =>
            openLive(entities, () => openOverEmulator(emulator)),
        },
      ]),
];

async function openLive(
  entities: readonly EntityClass[],
  start: () => Promise<{ address: string; close: () => Promise<void> }>,
): Promise<OpenedBackEnd> {
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
