/**
 * A real database whose engine is watched: what is asked of storage, what is let go of, how much is
 * under way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import type { EntityClass } from '../../src/index.js';
import type { Engine, ReadPlan, RowStream } from '../../src/storage.js';
import { buildModels } from '../../src/model/index.js';
import { cellClock } from '../../src/repository/database/clock.js';
import { Database, type DatabaseParts } from '../../src/repository/database/database.js';
import { syncTables } from '../../src/repository/database/schema-sync.js';

/** What was seen. */
export interface Watch {
  /** Plans of the reads that were started. */
  readonly plans: ReadPlan[];
  /** Pages that were asked for. */
  pages: number;
  /** Streams that were started and neither ended nor closed. */
  openStreams: number;
  /** Calls of mutateRows under way, and the most there were at once. */
  writing: number;
  mostWriting: number;
  /** Sizes of the batches. */
  readonly batches: number[];
  /** Waited for before each page and each batch: for slow storage. */
  pause: () => Promise<void>;
}

export interface Watched {
  readonly db: Database;
  readonly seen: Watch;
}

/** Opens a memory database over a watched engine. */
export async function openWatched(
  entities: readonly EntityClass[],
  parts: Partial<DatabaseParts> = {},
): Promise<Watched> {
  const seen: Watch = {
    plans: [],
    pages: 0,
    openStreams: 0,
    writing: 0,
    mostWriting: 0,
    batches: [],
    pause: () => Promise.resolve(),
  };
  const engine = watch(await openMemoryEngine({}), seen);
  const models = buildModels(entities);
  await syncTables(engine, models, 'add');
  const db = new Database({
    url: 'memory:',
    engine,
    models,
    now: cellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    ...parts,
  });
  return { db, seen };
}

function watch(engine: Engine, seen: Watch): Engine {
  const own: Partial<Engine> = {
    readRows(plan, options) {
      seen.plans.push(plan);
      return watchStream(engine.readRows(plan, options), seen);
    },
    async mutateRows(table, rows) {
      seen.batches.push(rows.length);
      seen.mostWriting = Math.max(seen.mostWriting, ++seen.writing);
      try {
        await seen.pause();
        return await engine.mutateRows(table, rows);
      } finally {
        seen.writing--;
      }
    },
  };
  return new Proxy(engine, {
    get: (target, name) =>
      own[name as keyof Engine] ??
      ((value: unknown) => (typeof value === 'function' ? (value.bind(target) as unknown) : value))(
        target[name as keyof Engine],
      ),
  });
}

function watchStream(stream: RowStream, seen: Watch): RowStream {
  let open = true;
  seen.openStreams++;
  const end = (): void => {
    if (open) seen.openStreams--;
    open = false;
  };
  return {
    async next() {
      seen.pages++;
      await seen.pause();
      const page = await stream.next();
      if (page === undefined) end();
      return page;
    },
    async close() {
      await stream.close();
      end();
    },
  };
}

/** The urls of a memory database and of one in a directory of its own, which `remove` deletes. */
export const storages = [
  { storage: 'memory', make: () => ({ url: 'memory:', remove: () => undefined }) },
  {
    storage: 'disk',
    make: () => {
      const directory = mkdtempSync(join(tmpdir(), 'rowsmith-'));
      return {
        url: `file:${join(directory, 'data')}`,
        remove: () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  },
];
