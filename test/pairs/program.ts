/** The programs of a history: databases over one storage, whose clocks differ. */
import { buildModels } from '../../src/model/index.js';
import { Database } from '../../src/repository/index.js';
import { CellClock, type Engine } from '../../src/store/index.js';
import type { Client, FaultyStorage } from '../derived/index/histories/faulty-storage.js';
import type { Declared } from './declare.js';
import type { CallTime } from './row-changes.js';
import type { Broken } from './run-history.js';

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
  /** It cannot keep minima and maxima. */
  readonly onlySums?: boolean;
}

export function databaseOver(
  { engine, time, isLive }: Pick<Storage, 'engine' | 'time' | 'isLive'>,
  { entities }: Declared,
  cellClock: CellClock = new CellClock(() => time.now),
): Database {
  return new Database({
    url: 'memory:',
    engine,
    models: buildModels(entities),
    cellClock,
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
    isLive,
    hideExpired: isLive ? () => time.now : undefined,
  });
}

const minute = 60_000;

export class Program {
  readonly name: string;
  readonly client: Client;
  readonly db: Database;
  readonly sabotage: Broken;
  readonly #storage: Storage;
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
    this.#storage = storage;
    this.#skew = skew;
    this.client = faulty.connect(name);
    this.#clock = new CellClock(() => storage.time.now + skew);
    this.sabotage = sabotage;
    const engine = sabotage.engine?.(this.client.engine) ?? this.client.engine;
    this.db = databaseOver({ ...storage, engine }, declared, this.#clock);
  }

  get skew(): number {
    return this.#skew;
  }

  /** The time of a call that begins now. */
  callTime(): CallTime {
    const now = this.#clock.time();
    const from = Math.max(now, Math.floor(this.#clock.newest / 1000));
    const storage = this.#storage.time.now;
    const slack = this.#storage.hasOwnClock ? 5 * minute : 0;
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
