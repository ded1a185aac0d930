/** One random history of programs that write and repair the rows of an entity with indexes. */
import { RowWriter } from '../../../../../src/entities/derived/index.js';
import { buildModel } from '../../../../../src/entities/model/index.js';
import { Database } from '../../../../../src/entities/repository/index.js';
import { CellClock, type Engine } from '../../../../../src/data/store/index.js';
import { Order } from '../entities.js';
import { compareEntries, storedEntries } from '../stored-entries.js';
import { type Client, FaultyStorage, randomOf } from './faulty-storage.js';
import { assertExpected, operation, repairRound } from './programs.js';

const hourMillis = 3_600_000;
export interface HistoryOptions {
  readonly seed: number;
  readonly writers: number;
  readonly operations: number;
  readonly faults: number;
}

/** What a history ended with: nothing is wrong if `problems` is empty. */
export interface HistoryResult {
  readonly problems: readonly string[];
  readonly injected: readonly string[];
  /** Entries that no row had before they were repaired. */
  readonly orphans: number;
}

export function databaseOver(engine: Engine, skewMillis = 0): Database {
  return new Database({
    url: 'memory:',
    engine,
    models: [buildModel(Order)],
    cellClock: new CellClock(() => Date.now() + skewMillis),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
}

/** Runs a history over an engine with all tables. Rows of earlier histories are deleted first. */
export async function runHistory(engine: Engine, options: HistoryOptions): Promise<HistoryResult> {
  const random = randomOf(options.seed);
  const storage = new FaultyStorage(engine, random, options.faults);
  const plain = databaseOver(engine);
  await clear(plain);
  const programs = Array.from({ length: options.writers }, async (_, i) => {
    const client = storage.connect(`writer ${i}`);
    const skew = Math.round((random() - 0.5) * 48 * hourMillis);
    const writing = write(databaseOver(client.engine, skew), random, options.operations);
    await Promise.race([writing, client.killed]);
  });
  programs.push(repairing(storage.connect('repairer'), random));
  await storage.run(programs);
  await storage.settle();
  const problems = await missing(plain);
  const orphans = await repairAll(engine, plain);
  problems.push(...(await inexact(plain)));
  return { problems, injected: storage.injected, orphans };
}

async function clear(db: Database): Promise<void> {
  for (const { name } of await db.engine.listTables())
    await db.engine.dropRowRange(name, { kind: 'all' });
}

async function write(db: Database, random: () => number, operations: number): Promise<void> {
  for (let i = 0; i < operations; i++) await operation(db, random).catch(assertExpected);
}

async function repairing(client: Client, random: () => number): Promise<void> {
  const work = async (): Promise<void> => {
    for (let round = 0; round < 2; round++)
      await repairRound(client.engine, random).catch(assertExpected);
  };
  await Promise.race([work(), client.killed]);
}

/** Rows without an entry, and values that two rows have, in words. */
export async function missing(db: Database): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, { stored, expected }] of Object.entries(await compareEntries(db, Order))) {
    for (const key of expected)
      if (!stored.includes(key)) problems.push(`${name} has no entry ${key}`);
    if (new Set(expected).size < expected.length)
      problems.push(`${name} has two rows: ${expected.join()}`);
  }
  const { indexes } = buildModel(Order);
  const byEmail = indexes.findIndex(({ unique }) => unique);
  const entries = await storedEntries(db.engine, buildModel(Order));
  for (const order of await db.repository(Order).scanAll().all()) {
    if (order.email === undefined) continue;
    const key = buildModel(Order).key.encode({ tenant: order.tenant, id: order.id });
    const own = entries.filter(({ entry, row }) => entry.index === byEmail && row.equals(key));
    if (own.length === 0) problems.push(`byEmail has no entry of ${order.id}`);
  }
  return problems;
}

/** Indexes with entries that differ from the rows, in words. */
export async function inexact(db: Database): Promise<string[]> {
  return Object.entries(await compareEntries(db, Order)).flatMap(([name, { stored, expected }]) => {
    if (stored.join() === expected.join()) return [];
    return [`${name} has ${stored.join()} after repair, not ${expected.join()}`];
  });
}

/** Repairs all entries. Returns how many no row had. */
export async function repairAll(engine: Engine, db: Database): Promise<number> {
  const before = await compareEntries(db, Order);
  const count = (compared: typeof before): number =>
    Object.values(compared).reduce(
      (sum, { stored, expected }) => sum + stored.length - expected.length,
      0,
    );
  const writer = new RowWriter(engine, buildModel(Order));
  for (const { entry, row } of await storedEntries(engine, writer.model))
    await writer.repair(entry, row);
  return count(before);
}
