/** Databases for single tests: in memory, isolated, with a clock and faults. */
import {
  checkOptions,
  invalidArgument,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../../base/index.js';
import { loadMemoryImage, type MemoryImage, openMemory } from '../../engines/index.js';
import type { EntityClass, KeyParts } from '../../entities/model/index.js';
import {
  Database,
  type DatabaseParts,
  type Init,
  openParts,
  type OpenOptions,
} from '../../entities/repository/index.js';
import type { Engine } from '../../data/store/index.js';
import type { Faults } from './faults/faults.js';
import { FaultyEngine } from './faults/faulty-engine.js';
import { seedRows } from './seed-rows.js';
import { type ClockState, TestClock } from './test-clock.js';

/** Options of a test database: some of `open('memory:', ...)`, and the clock. */
export interface TestDatabaseOptions extends Pick<
  OpenOptions,
  'gc' | 'validate' | 'onForeignRow' | 'onDamagedCell' | 'onIncompleteRow' | 'copies'
> {
  /**
   * Start time of the clock: a Date, or milliseconds since 1970. Default 2026-01-01T00:00:00.000Z,
   * the same in every run.
   */
  readonly now?: Date | number;
}

const testDatabaseOptions: readonly (keyof TestDatabaseOptions)[] = [
  'now',
  'gc',
  'validate',
  'onForeignRow',
  'onDamagedCell',
  'onIncompleteRow',
  'copies',
];

/** Options of reset(). */
export interface ResetOptions {
  /** True sets the clock to its start time again. Default false: the clock keeps its time. */
  readonly clock?: boolean;
}

/**
 * Tables, rows and clock of a test database at one point in time. Immutable; can be restored any
 * number of times.
 */
export class Snapshot {
  readonly #image: MemoryImage;
  readonly #clock: ClockState;

  /** @internal Use snapshot(). */
  constructor(image: MemoryImage, clock: ClockState) {
    this.#image = image;
    this.#clock = clock;
  }

  /** @internal */
  contents(): { readonly image: MemoryImage; readonly clock: ClockState } {
    return { image: this.#image, clock: this.#clock };
  }
}

/** @internal The components of a test database. */
export interface TestDatabaseParts extends Omit<DatabaseParts, 'engine'> {
  readonly engine: FaultyEngine;
  readonly inner: Engine;
  readonly clock: TestClock;
  readonly options: TestDatabaseOptions;
  readonly imageOf: (engine: Engine) => MemoryImage;
}

/** A database with a clock, faults, seed data and snapshots. */
export class TestDatabase extends Database {
  /** The time for cells and for garbage collection; changes only when the test changes it. */
  readonly clock: TestClock;
  /** Faults to inject into storage. A fault is active from when it is added until it is cleared. */
  readonly faults: Faults;
  readonly #parts: TestDatabaseParts;
  readonly #start: Snapshot;
  #inner: Engine;
  #closed = false;
  /** Bypasses the faults; opened by the first seed() after each restore. */
  #withoutFaults: Database | undefined;

  /** @internal Use testDatabase(). */
  constructor(parts: TestDatabaseParts) {
    super(parts);
    this.#parts = parts;
    this.#inner = parts.inner;
    this.clock = parts.clock;
    this.faults = parts.engine.faults;
    this.#start = this.snapshot();
  }

  /**
   * The current tables, rows and time. Later writes do not change it. Takes constant time, whatever
   * the number of rows.
   */
  snapshot(): Snapshot {
    this.#checkOpen();
    return new Snapshot(this.#parts.imageOf(this.#inner), this.clock.state());
  }

  /**
   * Restores the tables, rows and clock of a snapshot, taken of this test database or of another
   * one with the same entities, and clears all faults. Repositories remain valid. Calls in progress
   * complete on the rows as they were before.
   */
  async restore(snapshot: Snapshot): Promise<void> {
    this.#checkOpen();
    if (!(snapshot instanceof Snapshot))
      throw invalidArgument('snapshot', faults.notASnapshot(valueText(snapshot)));
    const { clock, options } = this.#parts;
    const { image, clock: state } = snapshot.contents();
    const inner = await openMemory(
      { clock: () => clock.now(), gc: options.gc, cellClock: clock.cells },
      image,
    );
    this.#checkOpen();
    clock.restore(state);
    this.#inner = inner;
    this.#withoutFaults = undefined;
    this.#parts.engine.replace(inner);
    this.onRowsReplaced();
    this.faults.clear();
  }

  /** Restores the initial state: the declared tables, empty, and no faults. */
  async reset({ clock = false }: ResetOptions = {}): Promise<void> {
    const { millis } = this.clock.state();
    await this.restore(this.#start);
    if (!clock) this.clock.set(millis);
  }

  /**
   * Saves rows given by their initial values and resolves to the entities, in order. Faults neither
   * affect nor count these writes. Counters are incremented by the given values. Rejects with the
   * error of the first row that cannot be stored, with its `index` in the details.
   */
  async seed<E extends object, K extends KeyParts>(
    entity: EntityClass<E, K>,
    rows: Iterable<Init<E>>,
  ): Promise<E[]> {
    this.#checkOpen();
    this.#withoutFaults ??= new Database({ ...this.#parts, engine: this.#inner });
    return seedRows(this.#withoutFaults.repository(entity), rows);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    await super.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new RowsmithError('DATABASE_CLOSED', faults.closedDatabase);
  }
}

/**
 * Opens an empty database in memory with the tables of these entities. It shares nothing with other
 * databases, and is deleted when closed.
 */
export async function testDatabase(
  entities: readonly EntityClass[],
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  checkOptions('testDatabase()', options, testDatabaseOptions);
  const { now = Date.UTC(2026, 0, 1), ...opened } = options;
  const clock = new TestClock(now);
  const parts = await openParts(
    'memory:',
    { ...opened, entities, clock: () => clock.now() },
    clock.cells,
  );
  return new TestDatabase({
    ...parts,
    timers: clock.timers,
    engine: new FaultyEngine(parts.engine),
    inner: parts.engine,
    clock,
    options,
    imageOf: await loadMemoryImage(),
  });
}

const faults = {
  notASnapshot: (given: string) => ({
    problem: `snapshot is ${given}, not a snapshot`,
    fix: 'give the result of db.snapshot()',
  }),
  closedDatabase: {
    problem: 'the test database was closed',
    fix: 'open one for each test with testDatabase()',
  },
} satisfies FaultTexts;
