/** Databases over every back end: both embedded engines, our server and Google's emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open, type OpenOptions } from '../../../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { chosenLive, shareOf } from '../../../support/back-end-share.js';
import { findEmulator } from '../../../support/emulator.js';

/** An open database that removes what it has created when it is closed. */
export interface OpenedBackEnd {
  readonly db: Database;
  readonly close: () => Promise<void>;
}

export interface BackEnd {
  readonly name: string;
  readonly open: OpenBackEnd;
}

export type OpenBackEnd = (
  entities: readonly EntityClass[],
  options?: Partial<OpenOptions>,
) => Promise<OpenedBackEnd>;

const emulator = findEmulator();

const disk: BackEnd = {
  name: 'disk',
  open: async (entities, options) => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
    const db = await open(`file:${folder}`, { durability: 'relaxed', ...options, entities });
    const close = async (): Promise<void> => {
      await db.close();
      rmSync(folder, { recursive: true });
    };
    return { db, close };
  },
};

const memory: BackEnd = {
  name: 'memory',
  open: async (entities, options) => {
    const db = await open('memory:', { ...options, entities });
    return { db, close: () => db.close() };
  },
};
const ourServer: BackEnd = { name: 'live, our server', open: openLive(() => openOverOurServer()) };
/** Only where it is found, which `findEmulator` reports. */
const googleEmulator: BackEnd | undefined =
  emulator === undefined
    ? undefined
    : { name: "live, Google's emulator", open: openLive(() => openOverEmulator(emulator)) };
const live = googleEmulator === undefined ? [ourServer] : [ourServer, googleEmulator];

/** The back ends that this run of a suite is for. */
export const backEnds = shareOf({
  usual: [memory],
  rest: [disk, ...chosenLive(ourServer, googleEmulator)],
});
/** For slow suites, which `npm test` leaves out: the same, in one run. */
export const slowBackEnds: readonly BackEnd[] = [
  memory,
  disk,
  ...chosenLive(ourServer, googleEmulator),
];
export const everyBackEnd: readonly BackEnd[] = [memory, disk, ...live];

/** Opens databases live, each over a server that is started for it. */
export function openLive(
  start: () => Promise<{ address: string; close: () => Promise<void> }>,
): OpenBackEnd {
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
