/** One random history of programs that write the rows of entities with rollups, and repair them. */
import { type Database, type EntityClass, RowsmithError } from '../../../../../src/index.js';
import { buildModels } from '../../../../../src/entities/model/index.js';
import { Database as OpenDatabase } from '../../../../../src/entities/repository/index.js';
import { CellClock, type Engine } from '../../../../../src/data/store/index.js';
import { type Client, FaultyStorage, randomOf } from '../../index/histories/faulty-storage.js';

const hourMillis = 3_600_000;

export interface HistoryOptions {
  readonly seed: number;
  readonly writers: number;
  readonly operations: number;
  readonly faults: number;
}

/** What the programs of a history write, and the entities that they write. */
export interface Programs {
  readonly entities: readonly EntityClass[];
  /** A random write. */
  readonly write: (db: Database, random: () => number) => Promise<unknown>;
  /** Breaks the engine of each program, to see that the histories notice it. */
  readonly sabotage?: (engine: Engine) => Engine;
  /** A pass over all rows beside the writers; undefined for none. */
  readonly repair?: (db: Database) => Promise<unknown>;
}

/** A database of a program with a wrong clock. */
export function databaseOver(
  engine: Engine,
  entities: readonly EntityClass[],
  skewMillis = 0,
): Database {
  return new OpenDatabase({
    url: 'memory:',
    engine,
    models: buildModels(entities),
    cellClock: new CellClock(() => Date.now() + skewMillis),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
}

/**
 * Runs a history over an engine with all tables. Rows of earlier histories are deleted first.
 * Resolves to the faults that it had.
 */
export async function runHistory(
  engine: Engine,
  { entities, write, repair, sabotage = (each) => each }: Programs,
  options: HistoryOptions,
): Promise<readonly string[]> {
  const random = randomOf(options.seed);
  for (const { name } of await engine.listTables())
    await engine.dropRowRange(name, { kind: 'all' });
  const storage = new FaultyStorage(engine, random, options.faults);
  const run = async (client: Client, work: (db: Database) => Promise<void>): Promise<void> => {
    const skew = Math.round((random() - 0.5) * 20 * hourMillis);
    await Promise.race([
      work(databaseOver(sabotage(client.engine), entities, skew)),
      client.killed,
    ]);
  };
  const programs = Array.from({ length: options.writers }, (_, i) =>
    run(storage.connect(`writer ${i}`), async (db) => {
      for (let n = 0; n < options.operations; n++) await typed(write(db, random));
    }),
  );
  if (repair !== undefined)
    programs.push(
      run(storage.connect('repairer'), async (db) => {
        for (let n = 0; n < 2; n++) await typed(repair(db));
      }),
    );
  await storage.run(programs);
  await storage.settle();
  return storage.injected;
}

/** Waits for a call. Its errors are typed. */
async function typed(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof RowsmithError)) throw error;
  });
}
