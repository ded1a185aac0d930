/** A database for one test: in memory, isolated, with a clock and faults. */
import { loadMemoryImage, type MemoryImage, openMemory } from '../engines/index.js';
import { RowsmithError } from '../errors.js';
import { buildModels, type EntityClass, type KeyParts } from '../model/index.js';
import {
  Database,
  type DatabaseParts,
  type Init,
  open,
  type OpenOptions,
} from '../repository/index.js';
import type { Engine } from '../store/index.js';
import type { Faults } from './faults/faults.js';
import { FaultyEngine } from './faults/faulty-engine.js';
import { seedRows } from './seed-rows.js';
import { type ClockState, TestClock } from './test-clock.js';

/** How a test database behaves: as `open('memory:', ...)`, with a clock of its own. */
export interface TestDatabaseOptions extends Pick<
  OpenOptions,
  'gc' | 'validate' | 'onForeignRow' | 'onDamagedCell'
> {
  /**
   * Where the clock starts: a Date, or milliseconds since 1970. Default 2026-01-01T00:00:00.000Z,
   * the same in every run.
   */
  readonly now?: Date | number;
}

/** What reset() puts back besides the rows. */
export interface ResetOptions {
  /** True: the clock starts again where it first stood. Default false: time goes on. */
  readonly clock?: boolean;
}

/**
 * Tables, rows and clock of a test database at one moment: a value that can be restored any number
 * of times.
 */
export class Snapshot {
  readonly #image: MemoryImage;
  readonly #clock: ClockState;

  /** @internal snapshot() makes snapshots. */
  constructor(image: MemoryImage, clock: ClockState) {
    this.#image = image;
    this.#clock = clock;
  }

  /** @internal */
  contents(): { readonly image: MemoryImage; readonly clock: ClockState } {
    return { image: this.#image, clock: this.#clock };
  }
}

/** @internal What a test database is made of. */
export interface TestDatabaseParts extends Omit<DatabaseParts, 'engine'> {
  readonly engine: FaultyEngine;
  readonly inner: Engine;
  readonly clock: TestClock;
  readonly options: TestDatabaseOptions;
  readonly imageOf: (engine: Engine) => MemoryImage;
}

/** A database as any other, and what a test needs beside it. */
export class TestDatabase extends Database {
  /** The time of cells and of garbage collection; stands still until moved. */
  readonly clock: TestClock;
  /** What goes wrong with storage, from when it is added until it is cleared. */
  readonly faults: Faults;
  readonly #parts: TestDatabaseParts;
  readonly #start: Snapshot;
  #inner: Engine;
  #closed = false;
  /** Repositories past the faults, for seeds; of the engine that is there now. */
  #unharmed: Database | undefined;

  /** @internal testDatabase() makes test databases. */
  constructor(parts: TestDatabaseParts) {
    super(parts);
    this.#parts = parts;
    this.#inner = parts.inner;
    this.clock = parts.clock;
    this.faults = parts.engine.faults;
    this.#start = this.snapshot();
  }

  /**
   * What is stored now, and the time. Later writes do not change it. Costs the same for any number
   * of rows.
   */
  snapshot(): Snapshot {
    this.#check();
    return new Snapshot(this.#parts.imageOf(this.#inner), this.clock.state());
  }

  /**
   * Puts tables, rows and clock back to the snapshot, of this test database or of another one of
   * the same entities, and clears all faults. Repositories stay valid. Calls under way end on the
   * rows they began on.
   */
  async restore(snapshot: Snapshot): Promise<void> {
    this.#check();
    if (!(snapshot instanceof Snapshot))
      throw new RowsmithError('INVALID_ARGUMENT', {
        property: 'snapshot',
        problem: 'this is no snapshot',
        fix: 'give what db.snapshot() returned',
      });
    const { clock, options } = this.#parts;
    const { image, clock: state } = snapshot.contents();
    const inner = await openMemory({ clock: () => clock.now(), gc: options.gc }, image);
    this.#check();
    clock.restore(state);
    this.#inner = inner;
    this.#unharmed = undefined;
    this.#parts.engine.replace(inner);
    this.faults.clear();
  }

  /**
   * Back to the start: the declared tables, empty, and no faults. The clock goes on, unless asked.
   */
  async reset({ clock = false }: ResetOptions = {}): Promise<void> {
    const { millis } = this.clock.state();
    await this.restore(this.#start);
    if (!clock) this.clock.set(millis);
  }

  /**
   * Saves rows from their initial values and resolves to the entities, in order. Faults do not
   * touch it, and it does not count as their writes. Counters are added to by the values given.
   * Rejects with the error of the first row that cannot be stored, with its `index` in the details.
   */
  async seed<E extends object, K extends KeyParts>(
    entity: EntityClass<E, K>,
    rows: Iterable<Init<E>>,
  ): Promise<E[]> {
    this.#check();
    this.#unharmed ??= new Database({ ...this.#parts, engine: this.#inner });
    return seedRows(this.#unharmed.repository(entity), rows);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    await super.close();
  }

  #check(): void {
    if (this.#closed)
      throw new RowsmithError('DATABASE_CLOSED', {
        problem: 'the test database was closed',
        fix: 'make one for each test with testDatabase()',
      });
  }
}

/**
 * Opens an empty database in memory with the tables of these entities: of no other test, gone when
 * closed.
 */
export async function testDatabase(
  entities: readonly EntityClass[],
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const {
    now = Date.UTC(2026, 0, 1),
    gc,
    validate,
    onForeignRow: onForeignRow,
    onDamagedCell,
  } = options;
  const clock = new TestClock(now);
  const { engine: inner, url } = await open('memory:', {
    entities,
    clock: () => clock.now(),
    gc,
    validate,
    onForeignRow: onForeignRow,
    onDamagedCell,
  });
  return new TestDatabase({
    url,
    engine: new FaultyEngine(inner),
    inner,
    models: buildModels(entities),
    now: () => clock.cellTime(),
    validate: validate ?? true,
    onForeignRow: onForeignRow ?? 'skip',
    onDamagedCell: onDamagedCell ?? 'throw',
    clock,
    options,
    imageOf: await loadMemoryImage(),
  });
}
