/** The storages that histories run on: both embedded engines, our server, Google's emulator. */
import { openOverEmulator, openOverOurServer } from '../engines/bigtable/live-backends.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { everyBackEnd } from '../entities/repository/support/back-ends.js';
import { findEmulator } from '../support/emulator.js';
import { declare } from './declare.js';
import { featureSet } from './features.js';
import type { Storage } from './program.js';

export interface OpenedStorage extends Storage {
  readonly close: () => Promise<void>;
}
type OpenStorage = () => Promise<OpenedStorage>;

function embedded(name: 'memory' | 'disk'): OpenStorage {
  return async () => {
    const time = { now: Date.now() };
    const { open } = everyBackEnd.find((each) => each.name === name)!;
    const { entities } = declare(featureSet([]), 'none');
    const { db, close } = await open(entities, { clock: () => time.now });
    return { engine: db.engine, time, isLive: false, hasOwnClock: false, close };
  };
}

/** Expired cells stay until a compaction, as in production; programs hide them. */
async function collectingLate(): Promise<OpenedStorage> {
  const time = { now: Date.now() };
  const engine = await openMemoryEngine({ clock: () => time.now, gc: 'manual' });
  const close = (): Promise<void> => engine.close();
  return { engine, time, isLive: true, hasOwnClock: false, collectsLate: true, close };
}

const emulator = findEmulator();
export const storages: Readonly<Record<string, OpenStorage | undefined>> = {
  memory: embedded('memory'),
  disk: embedded('disk'),
  'memory that collects late': collectingLate,
  'our server': async () => {
    const time = { now: Date.now() };
    const { engine, close } = await openOverOurServer({ clock: () => time.now });
    return { engine, time, isLive: true, hasOwnClock: false, close };
  },
  "Google's emulator":
    emulator === undefined
      ? undefined
      : async () => {
          const { engine, close } = await openOverEmulator(emulator);
          return {
            engine,
            time: { now: Date.now() },
            isLive: true,
            hasOwnClock: true,
            onlySums: true,
            close,
          };
        },
};
