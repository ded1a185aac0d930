/** One random history of programs that write the rows of one declaration, and what is wrong then. */
import { RowsmithError, type Database } from '../../src/index.js';
import type { Engine } from '../../src/store/index.js';
import { migrate } from '../../src/transfer/index.js';
import { FaultyStorage, randomOf } from '../derived/index/histories/faulty-storage.js';
import { type Call, Caller, type ItemKey } from './calls.js';
import { checkFollowers, checkQueries, type Expected } from './check.js';
import { type Declared, maxAgeHours } from './declare.js';
import { addExpired, type Bucket } from './expected.js';
import { makeCall } from './choose-call.js';
import { Oracle } from './oracle.js';
import { entriesExpire } from './target.js';
import { databaseOver, Program, type Storage } from './program.js';

const minute = 60_000;
const hour = 60 * minute;

export interface HistoryOptions {
  readonly seed: number;
  readonly programs: number;
  /** Each step is one call, or some at the same time. */
  readonly steps: number;
  readonly faults: number;
  /** Calls at the same time; default: 1 to 3. */
  readonly calls?: number;
  /** What is broken, to see that it is noticed. */
  readonly sabotage?: Broken | undefined;
}

export interface Broken {
  /** The engine of each program, and that of migrations. */
  readonly engine?: (engine: Engine) => Engine;
  /** The stored position of an import that has stopped: the text of its file. */
  readonly position?: (stored: string) => string;
}

/** What a history was: nothing is wrong if `problems` is empty. */
export interface HistoryResult {
  readonly problems: readonly string[];
  /** Its calls and faults, for reports. */
  readonly log: readonly string[];
}

export async function runHistory(
  storage: Storage,
  declared: Declared,
  options: HistoryOptions,
): Promise<HistoryResult> {
  const history = new History(storage, declared, options);
  try {
    await history.run();
  } catch (error) {
    history.problems.push(
      `the history ends with ${error instanceof Error ? error.stack : String(error)}`,
    );
  }
  return history;
}

class History implements HistoryResult {
  readonly problems: string[] = [];
  readonly log: string[] = [];
  readonly #storage: Storage;
  readonly #declared: Declared;
  readonly #options: HistoryOptions;
  readonly #random: () => number;
  readonly #faulty: FaultyStorage;
  readonly #plain: Database;
  readonly #firstKeys: readonly ItemKey[];
  #keys: readonly ItemKey[];
  readonly #oracle: Oracle;
  readonly #programs: Program[] = [];
  #hasExpired = false;
  /** Whether a call was stopped between two requests. */
  #hasStopped = false;
  readonly #expired = new Map<string, Bucket>();

  constructor(storage: Storage, declared: Declared, options: HistoryOptions) {
    this.#storage = storage;
    this.#declared = declared;
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#faulty = new FaultyStorage(storage.engine, this.#random, options.faults);
    this.#plain = databaseOver(storage, declared);
    this.#firstKeys = keysAt(storage.time.now);
    this.#keys = this.#firstKeys;
    this.#oracle = new Oracle(declared, this.#keys, this.#random);
  }

  async run(): Promise<void> {
    for (const { name } of await this.#storage.engine.listTables())
      await this.#storage.engine.dropRowRange(name, { kind: 'all' });
    await this.#plain.admin.apply();
    for (let i = 0; i < this.#options.programs; i++) this.#start(i);
    const { steps } = this.#options;
    const jump = this.#declared.features.has('maxAge') && !this.#storage.hasOwnClock;
    for (let step = 0; step < steps && this.problems.length === 0; step++) {
      if (jump && step === Math.floor(steps / 2)) await this.#expire();
      await this.#step();
      this.#storage.time.now += 1000;
    }
    if (this.problems.length === 0) await this.#end();
  }

  /** A program whose clock is wrong. */
  #start(i: number): void {
    // A clock that is late by more than the age of cells writes expired ones.
    const hours = this.#declared.features.has('maxAge') ? 1 : 24;
    const skew = i === 0 ? 0 : Math.round((this.#random() - 0.5) * hours * hour);
    const { sabotage } = this.#options;
    this.#programs[i] = new Program(
      `program ${i}`,
      skew,
      this.#storage,
      this.#faulty,
      this.#declared,
      sabotage,
    );
  }

  /** Calls of different programs, or of one, at the same time. */
  async #step(): Promise<void> {
    const usual = this.#random() < 0.6 ? 1 : 2 + Math.floor(this.#random() * 2);
    const count = this.#options.calls ?? usual;
    const callers = Array.from({ length: count }, () => {
      const program = this.#programs[Math.floor(this.#random() * this.#programs.length)];
      return new Caller({
        declared: this.#declared,
        program,
        random: this.#random,
        keys: this.#keys,
        allKeys: [...new Set([...this.#firstKeys, ...this.#keys])],
        read: (row) => this.#oracle.read(row),
      });
    });
    const calls = callers.map(makeCall);
    this.#hasStopped ||= calls.some(({ isTwice }) => isTwice);
    const injected = this.#faulty.injected.length;
    const results = calls.map(() => ({ value: undefined }));
    const running = calls.map((call, i) => this.#call(callers[i], call, results[i]));
    await this.#faulty.run(running);
    for (const [i, { name }] of calls.entries())
      this.log.push(`${callers[i].context.program.name}: ${name} -> ${textOf(results[i])}`);
    const faults = this.#faulty.injected.slice(injected);
    this.log.push(...faults);
    const options = {
      isAlone: count === 1,
      hasFault: faults.length > 0,
      mayArrive: this.#faulty.late > 0,
      hadFault: this.#faulty.injected.length > 0,
    };
    const names = callers.map(({ context }) => context.program.name);
    this.problems.push(...this.#oracle.take(calls, names, results, options));
    this.problems.push(...(await this.#oracle.look(this.#plain, options)));
    if (this.#random() < 0.5 && this.problems.length === 0)
      this.problems.push(...(await checkQueries(this.#plain, this.#declared, this.#expected())));
    for (const [i, { client }] of this.#programs.entries()) if (client.isDead) this.#start(i);
  }

  async #call({ context: { program }, time }: Caller, call: Call, result: Result): Promise<void> {
    const run = async (): Promise<void> => {
      try {
        result.value = await call.run();
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        result.error = error;
      }
      program.ended(time);
      result.isEnded = true;
    };
    await Promise.race([run(), program.client.killed]);
    program.ended(time);
  }

  /** Time passes, so that all cells of families with an age expire. */
  async #expire(): Promise<void> {
    await this.#settle();
    const before = this.#oracle.items();
    this.#storage.time.now += 3 * maxAgeHours * hour;
    this.#hasExpired = true;
    this.log.push('everything expires');
    await this.#oracle.expire(this.#plain);
    addExpired(this.#expired, before, this.#oracle.items());
    if (!this.#declared.features.has('cellTimestamp')) return;
    // Rows of earlier times would expire as they are written.
    this.#keys = keysAt(this.#storage.time.now);
    this.#oracle.track(this.#keys);
  }

  /** Requests that are on their way arrive, or never do. */
  async #settle(): Promise<void> {
    await this.#faulty.settle();
    const options = { isAlone: true, mayArrive: false };
    this.problems.push(...(await this.#oracle.look(this.#plain, options)));
  }

  #isToBeRepaired(): boolean {
    const isInterrupted = this.#faulty.injected.length > 0 || this.#hasStopped;
    const isLeft = this.#hasExpired && !entriesExpire;
    return isInterrupted || isLeft;
  }

  #expected(): Expected {
    const hasAge = this.#declared.features.has('maxAge');
    return {
      items: this.#oracle.items(),
      owners: this.#oracle.owners(),
      expired: this.#expired,
      computedSince: hasAge ? this.#storage.time.now - maxAgeHours * hour : 0,
    };
  }

  async #end(): Promise<void> {
    await this.#settle();
    const { Item, Moved, Owner, features } = this.#declared;
    this.problems.push(...(await checkQueries(this.#plain, this.#declared, this.#expected())));
    const follows = ['index', 'unique', 'copies', 'rollup'] as const;
    if (this.#isToBeRepaired() && follows.some((each) => features.has(each))) {
      if (features.has('copies')) await this.#plain.derived.propagate(Owner);
      await this.#plain.derived.repair(Item);
      await this.#oracle.look(this.#plain, { isAlone: true, mayArrive: false });
    }
    this.problems.push(...(await checkFollowers(this.#plain, this.#declared, this.#expected())));
    if (!features.has('migrate') || this.problems.length > 0) return;
    const { engine } = this.#storage;
    const broken = this.#options.sabotage?.engine?.(engine) ?? engine;
    await migrate(broken, { from: Item, to: Moved });
    const moved = await this.#plain.repository(Moved).scanAll().all();
    this.problems.push(...this.#oracle.compareMoved(moved));
    const there = { ...this.#expected(), items: moved, expired: new Map<string, Bucket>() };
    const problems = await checkFollowers(this.#plain, this.#declared, there, Moved);
    this.problems.push(...problems.map((each) => `migrated: ${each}`));
  }
}

/** How a call ended; nothing if its program was killed. */
export interface Result {
  value: unknown;
  error?: RowsmithError;
  isEnded?: boolean;
}

function textOf({ value, error, isEnded }: Result): string {
  if (isEnded !== true) return 'killed';
  if (error !== undefined) return error.code;
  const { failures = [] } = (value ?? {}) as { failures?: readonly { error: RowsmithError }[] };
  return ['ended', ...failures.map((each) => each.error.code)].join(' ');
}

/** Some rows of two tenants, in three buckets. */
function keysAt(now: number): readonly ItemKey[] {
  const bucket = Math.floor(now / (30 * minute)) * 30 * minute;
  const at = (minutes: number): Date => new Date(bucket + minutes * minute);
  return [
    { tenant: 'a', at: at(-30), id: 1 },
    { tenant: 'a', at: at(-30), id: 2 },
    { tenant: 'a', at: at(-20), id: 3 },
    { tenant: 'a', at: at(0), id: 1 },
    { tenant: 'b', at: at(-30), id: 1 },
  ];
}
