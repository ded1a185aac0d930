/** Databases over every engine that a user can have, which count their requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../../../src/engines/local/index.js';
import type { EntityClass } from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { Database } from '../../../../src/entities/repository/database/database.js';
import { syncTables } from '../../../../src/entities/repository/database/schema-sync.js';
import { CellClock, type Engine } from '../../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { chosenLive, shareOf } from '../../../support/back-end-share.js';
import { findEmulator } from '../../../support/emulator.js';

interface Opened {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

/** A back end; `open` is undefined if it is not installed. */
export interface BackEnd {
  readonly name: string;
  readonly isGoogles: boolean;
  readonly open: (() => Promise<Opened>) | undefined;
}

const emulator = findEmulator();

const memory: BackEnd = {
  name: 'in memory',
  isGoogles: false,
  open: async () => {
    const engine = await openMemoryEngine();
    return { engine, close: () => engine.close() };
  },
};
const disk: BackEnd = {
  name: 'on disk',
  isGoogles: false,
  open: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rowsmith-'));
    const engine = await openDiskEngine(directory, { durability: 'relaxed' });
    const close = async (): Promise<void> => {
      await engine.close();
      rmSync(directory, { recursive: true });
    };
    return { engine, close };
  },
};
const live: BackEnd = {
  name: 'live, over our server',
  isGoogles: false,
  open: () => openOverOurServer(),
};
const googles: BackEnd = {
  name: "live, over Google's emulator",
  isGoogles: true,
  open: emulator === undefined ? undefined : () => openOverEmulator(emulator),
};

/** The back ends that this run of a suite is for. */
export const backEnds = shareOf({
  usual: [memory],
  rest: [disk, ...chosenLive(live, emulator === undefined ? undefined : googles)],
});

/** A database, and the calls of its engine. */
export interface Counted {
  readonly db: Database;
  /** The calls that read or change rows, by name. */
  readonly calls: string[];
  /** Calls of one row in flight at the same time, at most. */
  maxInFlight: number;
  readonly close: () => Promise<void>;
}

const counted = ['readRows', 'mutateRow', 'mutateRows', 'checkAndMutateRow', 'readModifyWriteRow'];

/** Opens a database over an engine and counts its requests; `clock` is the writer's. */
export async function openCounted(
  opened: Opened,
  entities: readonly EntityClass[],
  clock: () => number = Date.now,
): Promise<Counted> {
  const models = buildModels(entities);
  await syncTables(opened.engine, models, 'add');
  const calls: string[] = [];
  let inFlight = 0;
  const engine = new Proxy(opened.engine, {
    get(target, name) {
      const value: unknown = target[name as keyof Engine];
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...values: unknown[]) => unknown;
      if (!counted.includes(String(name))) return method;
      return (...values: unknown[]): unknown => {
        calls.push(String(name));
        const result = method(...values);
        if (!(result instanceof Promise)) return result;
        seen.maxInFlight = Math.max(seen.maxInFlight, ++inFlight);
        return result.finally(() => inFlight--);
      };
    },
  });
  const db = new Database({
    url: 'memory:',
    engine,
    models,
    cellClock: new CellClock(clock),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
  const seen: Counted = { db, calls, maxInFlight: 0, close: opened.close };
  return seen;
}
