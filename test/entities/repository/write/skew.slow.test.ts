/**
 * Writers with different clocks. Every interleaving of three writers that read a row and write it
 * on the condition that it has not changed is compared with a model without clocks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  Column,
  ColumnMap,
  Entity,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import { openDiskEngine, openMemoryEngine } from '../../../../src/engines/local/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { Database } from '../../../../src/entities/repository/database/database.js';
import { syncTables } from '../../../../src/entities/repository/database/schema-sync.js';
import { CellClock, type Engine } from '../../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';

@Entity({ table: 'docs', families: { m: {}, t: {} } })
class Doc {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'double') revision!: number;
  @Column('m', 'string') a?: string;
  @Column('m', 'string') b?: string;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

/** What a row holds, without its key. */
interface State {
  readonly revision: number;
  readonly a?: string;
  readonly b?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A conditional write: on a database, and on the model. */
interface Operation {
  write(docs: Docs, id: string, revision: number, writer: string): Promise<void>;
  apply(state: State, writer: string): State;
}

const openDocs = (db: Database) => db.repository(Doc);
type Docs = ReturnType<typeof openDocs>;

const operations: readonly Operation[] = [
  {
    write: (docs, id, revision, writer) =>
      docs.patch(
        { id },
        { revision: revision + 1, a: writer, tags: new Map([['x', writer]]) },
        { if: { equals: { revision } } },
      ),
    apply: ({ revision, b, tags }, writer) => ({
      revision: revision + 1,
      a: writer,
      b,
      tags: { ...tags, x: writer },
    }),
  },
  {
    write: (docs, id, revision, writer) => {
      const tags = new Map([['y', writer]]);
      const doc = docs.create({ id, revision: revision + 1, b: writer, tags });
      return docs.save(doc, { if: { equals: { revision } } });
    },
    apply: ({ revision }, writer) => ({ revision: revision + 1, b: writer, tags: { y: writer } }),
  },
  {
    write: (docs, id, revision) =>
      docs.patch(
        { id },
        { revision: revision + 1, a: null, tags: new Map([['x', null]]) },
        { if: { equals: { revision } } },
      ),
    apply: ({ revision, b, tags: { x: _x, ...tags } }) => ({ revision: revision + 1, b, tags }),
  },
];

/**
 * All orders of two steps of each of three writers, as indexes of writers. Writers are numbered in
 * the order in which they begin: the other orders are the same with the writers exchanged.
 */
function interleavings(order: readonly number[] = []): (readonly number[])[] {
  if (order.length === 6) return [order];
  const begun = new Set(order).size;
  return [0, 1, 2]
    .filter((writer) => writer <= begun)
    .filter((writer) => order.filter((each) => each === writer).length < 2)
    .flatMap((writer) => interleavings([...order, writer]));
}

/** All triples of the elements. */
function triples<T>(elements: readonly T[]): T[][] {
  return elements.flatMap((a) => elements.flatMap((b) => elements.map((c) => [a, b, c])));
}

const offsetsMs = [-2000, 0, 2000];
const start = Date.UTC(2026, 10, 22);

/** One writer: a database with a clock that is ahead or behind by its offset. */
interface Writer {
  readonly docs: Docs;
  /** Sets the offset in milliseconds. The clock forgets what it has issued. */
  readonly reset: (offset: number) => void;
}

/** Writers of one row. Their clocks advance by 1 ms with each step. */
interface Lane {
  readonly seeder: Writer;
  readonly writers: readonly Writer[];
  step: number;
}

function openLane(engine: Engine): Lane {
  const [seeder, ...writers] = Array.from({ length: 4 }, (): Writer => {
    let offset = 0;
    const cellClock = new CellClock(() => start + offset + lane.step);
    const db = new Database({
      url: 'memory:',
      engine,
      models: buildModels([Doc]),
      cellClock,
      validate: true,
      onForeignRow: 'skip',
      onDamagedCell: 'throw',
    });
    const reset = (offsetMs: number): void => {
      offset = offsetMs;
      cellClock.startAt(0);
    };
    return { docs: openDocs(db), reset };
  });
  const lane: Lane = { seeder, writers, step: 0 };
  return lane;
}

interface Scenario {
  readonly order: readonly number[];
  readonly offsets: readonly number[];
  readonly kinds: readonly Operation[];
}

/** Runs a scenario on a separate row; every step is compared with the model. */
async function runScenario(lane: Lane, scenario: Scenario, id: string): Promise<void> {
  const { order, offsets, kinds } = scenario;
  const { seeder, writers } = lane;
  lane.step = 0;
  writers.forEach((writer, i) => writer.reset(offsets[i]));
  seeder.reset(1000);
  let state: State = { revision: 1, a: 'first', b: 'first', tags: { x: 'first', z: 'first' } };
  const tags = new Map(Object.entries(state.tags));
  await seeder.docs.save(seeder.docs.create({ ...state, id, tags }));
  const read: (number | undefined)[] = [];
  for (const writer of order) {
    const { docs } = writers[writer];
    lane.step++;
    const revision = read[writer];
    if (revision === undefined) {
      read[writer] = (await docs.get({ id }))!.revision;
      continue;
    }
    const won = await wins(kinds[writer].write(docs, id, revision, `writer ${writer}`));
    if (won !== (revision === state.revision)) expect(won).toBe(!won);
    if (won) state = kinds[writer].apply(state, `writer ${writer}`);
    const { revision: storedRevision, a, b, tags: stored = new Map() } = (await docs.get({ id }))!;
    const found = { revision: storedRevision, a, b, tags: Object.fromEntries(stored) };
    // Some 33,000 comparisons: expect() takes longer than the writes.
    if (!isDeepStrictEqual(found, { a: undefined, b: undefined, ...state }))
      expect(found).toEqual(state);
  }
}

/** Whether the condition of a write held. */
async function wins(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof RowsmithError && error.code === 'CONDITION_FAILED') return false;
    throw error;
  }
}

/** With every combination of operations, or with each operation once, in changing order. */
function scenarios(all: boolean): Scenario[] {
  const rotations = operations.map((_, i) => operations.map((_one, j) => operations[(i + j) % 3]));
  return interleavings().flatMap((order) =>
    triples(offsetsMs).flatMap((offsets, i) =>
      (all ? triples(operations) : [rotations[i % 3]]).map((kinds) => ({ order, offsets, kinds })),
    ),
  );
}

interface Opened {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

/** Runs scenarios in 30 lanes at the same time, each on a separate row. */
async function checkAll({ engine, close }: Opened, remaining: readonly Scenario[]): Promise<void> {
  await syncTables(engine, buildModels([Doc]), 'add');
  const queue = remaining.entries();
  const runLane = async (): Promise<void> => {
    const lane = openLane(engine);
    for (const [i, scenario] of queue) await runScenario(lane, scenario, `${i}`);
  };
  await Promise.all(Array.from({ length: 30 }, runLane));
  await close();
}

describe('three writers, clocks ahead and behind, in every order', () => {
  test('in memory, with every combination of writes', async () => {
    const engine = await openMemoryEngine();
    const every = scenarios(true);
    expect(every).toHaveLength(15 * 27 * 27);
    await checkAll({ engine, close: () => engine.close() }, every);
  });

  test('on disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rowsmith-skew-'));
    const engine = await openDiskEngine(directory, { durability: 'relaxed' });
    await checkAll({ engine, close: () => engine.close() }, scenarios(false));
    rmSync(directory, { recursive: true });
  });

  test('live, over our server', async () => checkAll(await openOverOurServer(), scenarios(false)));

  const emulator = findEmulator();
  (emulator === undefined ? test.skip : test)("live, over Google's emulator", async () =>
    checkAll(await openOverEmulator(emulator!), scenarios(false)),
  );
});
