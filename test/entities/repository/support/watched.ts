/** A real database over an engine that records reads, open streams and writes in flight. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexStates } from '../../../../src/entities/derived/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import type { EntityClass } from '../../../../src/index.js';
import type { Engine, ReadPlan, RowStream } from '../../../../src/storage.js';
import { buildModels, storedModels } from '../../../../src/entities/model/index.js';
import { CellClock } from '../../../../src/data/store/index.js';
import {
  Database,
  type DatabaseParts,
} from '../../../../src/entities/repository/database/database.js';
import { syncTables } from '../../../../src/entities/repository/database/schema-sync.js';

/** What was recorded. */
export interface Watch {
  /** Plans of all reads. */
  readonly plans: ReadPlan[];
  /** The signal of each read, in the order of `plans`. */
  readonly signals: (AbortSignal | undefined)[];
  /** Number of pages requested. */
  pages: number;
  /** Streams that have neither ended nor been closed. */
  openStreams: number;
  /** Calls of mutateRows in flight, now and at most. */
  writing: number;
  maxWriting: number;
  /** Rows in each batch. */
  readonly batches: number[];
  /** Awaited before each page and each batch, to simulate slow storage. */
  pause: () => Promise<void>;
}

export interface Watched {
  readonly db: Database;
  readonly seen: Watch;
}

/** Opens a memory database over a recording engine; `engineParts` replace parts of it. */
export async function openWatched(
  entities: readonly EntityClass[],
  parts: Partial<DatabaseParts> = {},
  engineParts: Partial<Engine> = {},
): Promise<Watched> {
  const seen: Watch = {
    plans: [],
    signals: [],
    pages: 0,
    openStreams: 0,
    writing: 0,
    maxWriting: 0,
    batches: [],
    pause: () => Promise.resolve(),
  };
  const engine = watch(await openMemoryEngine({}), seen, engineParts);
  const models = buildModels(entities);
  await syncTables(engine, storedModels(models), 'add');
  await new IndexStates(engine).prepare(models);
  const db = new Database({
    url: 'memory:',
    engine,
    models,
    cellClock: new CellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    ...parts,
  });
  return { db, seen };
}

function watch(engine: Engine, seen: Watch, engineParts: Partial<Engine>): Engine {
  const own: Partial<Engine> = {
    ...engineParts,
    readRows(plan, options) {
      seen.plans.push(plan);
      seen.signals.push(options?.signal);
      return watchStream(engine.readRows(plan, options), seen);
    },
    async mutateRows(table, rows) {
      seen.batches.push(rows.length);
      seen.maxWriting = Math.max(seen.maxWriting, ++seen.writing);
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

/** A memory database and one on disk, in a directory that `remove` deletes. */
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
