/** The programs of a history: databases over one storage, with different clocks. */
import { buildModels } from '../../src/entities/model/index.js';
import { Database, type DatabaseParts } from '../../src/entities/repository/index.js';
import { CellClock, type Engine } from '../../src/data/store/index.js';
import type { Client, FaultyStorage } from '../entities/derived/index/histories/faulty-storage.js';
import type { Declared } from './declare.js';
import type { CallTime } from './row-changes.js';
import type { Broken } from './run-history.js';
import { Witness } from './witness.js';

/** The time of a back end, which the test moves. */
export interface TestTime {
  now: number;
}

/** A storage that histories run on. */
export interface Storage {
  readonly engine: Engine;
  readonly time: TestTime;
  /** A client hides expired cells itself. */
  readonly isLive: boolean;
  /** Its clock is not `time`. */
  readonly hasOwnClock: boolean;
  /** It keeps expired cells until a compaction. */
  readonly collectsLate?: boolean;
  /** It cannot keep minima and maxima. */
  readonly onlySums?: boolean;
}

/** What a database over the storage is made of. */
export function partsOver(
  { engine, time, isLive }: Pick<Storage, 'engine' | 'time' | 'isLive'>,
  { entities }: Declared,
  cellClock: CellClock = new CellClock(() => time.now),
): DatabaseParts {
  return {
    url: 'memory:',
    engine,
    models: buildModels(entities),
    cellClock,
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    isLive,
    hideExpired: isLive ? () => time.now : undefined,
  };
}

const minute = 60_000;

export class Program {
  readonly name: string;
  readonly client: Client;
  readonly db: Database;
  readonly sabotage: Broken;
  /** Undefined where several rows change in one transaction: stages would make that impossible. */
  readonly witness: Witness | undefined;
  isClosing = false;
  readonly storage: Storage;
  readonly #clock: CellClock;
  readonly #skew: number;

  constructor(
    name: string,
    skew: number,
    storage: Storage,
    faulty: FaultyStorage,
    declared: Declared,
    sabotage: Broken = {},
  ) {
    this.name = name;
    this.storage = storage;
    this.#skew = skew;
    this.client = faulty.connect(name);
    this.#clock = new CellClock(() => storage.time.now + skew);
    this.sabotage = sabotage;
    const engine = sabotage.engine?.(this.client.engine) ?? this.client.engine;
    if (engine.transact === undefined) this.witness = new Witness(() => storage.time.now);
    const parts = partsOver({ ...storage, engine }, declared, this.#clock);
    const watched = this.witness?.watch(parts) ?? parts;
    this.db = new Database(sabotage.parts?.(watched, name) ?? watched);
  }

  /** Closes the database once it has made so many more requests, whatever is under way then. */
  closeAfter(requests: number): void {
    this.isClosing = true;
    let left = requests;
    this.client.onRequest = () => {
      if (left-- === 0) void this.db.close();
    };
  }

  get skew(): number {
    return this.#skew;
  }

  /** The time of a call that begins now. */
  callTime(): CallTime {
    const now = this.#clock.time();
    const from = Math.max(now, Math.floor(this.#clock.newest / 1000));
    const storage = this.storage.time.now;
    const slack = this.storage.hasOwnClock ? 5 * minute : 0;
    return {
      now,
      cells: { from, to: from },
      storage: { from: storage - slack, to: storage + slack },
    };
  }

  /** Once the call has ended, it is known which times its cells may have. */
  ended({ cells }: CallTime): void {
    cells.to = Math.max(cells.to, Math.ceil(this.#clock.newest / 1000));
  }
}
