/** One random history of programs that write the rows of one declaration, and what is wrong then. */
import { Database, RowsmithError } from '../../src/index.js';
import type { DatabaseParts } from '../../src/entities/repository/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { migrate } from '../../src/tools/transfer/index.js';
import { FaultyStorage, randomOf } from '../entities/derived/index/histories/faulty-storage.js';
import { type Call, Caller, type ItemKey } from './calls.js';
import { checkFollowers, checkQueries, type Expected } from './check.js';
import { type Declared, maxAgeHours, withoutIndex } from './declare.js';
import { addExpired, type Bucket } from './expected.js';
import { makeCall } from './choose-call.js';
import { save } from './one-row.js';
import { Oracle } from './oracle.js';
import { entriesExpire } from './target.js';
import { partsOver, Program, type Storage } from './program.js';

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
  /** The engine of each program and of migrations. */
  readonly engine?: (engine: Engine) => Engine;
  /** The parts of each database: `name` is its program, or undefined for the one that checks. */
  readonly parts?: (parts: DatabaseParts, name?: string) => DatabaseParts;
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
  #declared: Declared;
  readonly #options: HistoryOptions;
  readonly #random: () => number;
  readonly #faulty: FaultyStorage;
  #plain: Database;
  readonly #firstKeys: readonly ItemKey[];
  #keys: readonly ItemKey[];
  readonly #oracle: Oracle;
  readonly #programs: Program[] = [];
  #hasExpired = false;
  /** Whether a call was stopped between two requests. */
  #hasStopped = false;
  #hasClosed = false;
  /** Whether rows of a program without the index have no entries yet. */
  #isUnready = false;
  readonly #expired = new Map<string, Bucket>();

  constructor(storage: Storage, declared: Declared, options: HistoryOptions) {
    this.#storage = storage;
    this.#declared = declared;
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#faulty = new FaultyStorage(storage.engine, this.#random, options.faults);
    this.#plain = this.#plainDatabase();
    this.#firstKeys = keysAt(storage.time.now);
    this.#keys = this.#firstKeys;
    this.#oracle = new Oracle(declared, this.#keys, this.#random);
  }

  async run(): Promise<void> {
    for (const { name } of await this.#storage.engine.listTables())
      await this.#storage.engine.dropRowRange(name, { kind: 'all' });
    if (this.#mayBeUnready() && this.#random() < 0.3) await this.#writeUnindexed();
    else await this.#plain.admin.apply();
    if (this.#isUnready) await this.#build();
    for (let i = 0; i < this.#options.programs; i++) this.#start(i);
    const { steps } = this.#options;
    const jump = this.#declared.features.has('maxAge') && !this.#storage.hasOwnClock;
    for (let step = 0; step < steps && this.problems.length === 0; step++) {
      if (jump && step === Math.floor(steps / 2)) await this.#expire();
      await this.#step();
      this.#storage.time.now += 1000;
    }
    for (const program of this.#programs) await this.#dismiss(program);
    if (this.problems.length === 0) await this.#end();
  }

  /** A build ends only if values are unique; builds of rollups and copies have other rules. */
  #mayBeUnready(): boolean {
    const { features } = this.#declared;
    const others = ['unique', 'rollup', 'copies'] as const;
    return features.has('index') && !others.some((each) => features.has(each));
  }

  #plainDatabase(): Database {
    const parts = partsOver(this.#storage, this.#declared);
    return new Database(this.#options.sabotage?.parts?.(parts) ?? parts);
  }

  /** Rows of a program that does not know the index. */
  async #writeUnindexed(): Promise<void> {
    this.#isUnready = true;
    const declared = this.#declared;
    await this.#declare(withoutIndex(declared));
    this.#start(0);
    for (let i = 0; i < 3; i++) await this.#call([this.#caller(this.#programs[0])], save);
    await this.#settle();
    await this.#dismiss(this.#programs[0]);
    await this.#declare(declared);
  }

  async #declare(declared: Declared): Promise<void> {
    this.#declared = declared;
    this.#plain = this.#plainDatabase();
    await this.#plain.admin.apply();
    await this.#oracle.readAs(declared, this.#plain);
  }

  /** An index that is not complete answers no query, or as one that is. */
  async #build(): Promise<void> {
    try {
      this.problems.push(...(await checkQueries(this.#plain, this.#declared, this.#expected())));
    } catch (error) {
      if ((error as Partial<RowsmithError>).code !== 'INDEX_NOT_READY') throw error;
    }
    await this.#plain.derived.rebuild(this.#declared.Item, 'byStatus');
    this.#isUnready = false;
  }

  /** A program with a wrong clock. */
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

  /** The program ends: what was observed and recorded of it is compared with what it has sent. */
  async #dismiss({ name, client, witness, isClosing, db }: Program): Promise<void> {
    if (!client.isDead && witness !== undefined)
      this.problems.push(...witness.problems().map((each) => `${name}: ${each}`));
    if (!client.isDead && isClosing) await db.close();
    await witness?.close();
  }

  #caller(program: Program): Caller {
    return new Caller({
      declared: this.#declared,
      program,
      random: this.#random,
      keys: this.#keys,
      allKeys: [...new Set([...this.#firstKeys, ...this.#keys])],
      read: (row) => this.#oracle.read(row),
    });
  }

  /** Calls of different programs, or of one, at the same time. */
  async #step(): Promise<void> {
    const usual = this.#random() < 0.6 ? 1 : 2 + Math.floor(this.#random() * 2);
    const count = this.#options.calls ?? usual;
    const callers = Array.from({ length: count }, () => {
      const program = this.#programs[Math.floor(this.#random() * this.#programs.length)];
      return this.#caller(program);
    });
    await this.#call(callers, makeCall);
    for (const [i, program] of this.#programs.entries()) {
      if (!program.client.isDead && !program.isClosing) continue;
      await this.#dismiss(program);
      this.#start(i);
    }
    if (this.#storage.collectsLate === true && this.#random() < 0.05)
      await this.#storage.engine.compact();
  }

  /** In some steps a program is closed during its calls. */
  #closeSome(callers: readonly Caller[], calls: readonly Call[]): boolean {
    if (this.#isUnready || this.#random() > 0.15) return false;
    const { program } = callers[0].context;
    const isBelow = calls.some(
      (call, i) => call.isBelow === true && callers[i].context.program === program,
    );
    if (isBelow) return false;
    program.closeAfter(Math.floor(this.#random() * 6));
    this.log.push(`${program.name} is closed`);
    return true;
  }

  async #call(callers: readonly Caller[], make: (caller: Caller) => Call): Promise<void> {
    const calls = callers.map(make);
    const hasClosed = this.#closeSome(callers, calls);
    this.#hasClosed ||= hasClosed;
    this.#hasStopped ||= calls.some(({ isTwice }) => isTwice);
    const injected = this.#faulty.injected.length;
    const results = calls.map(() => ({ value: undefined }));
    const running = calls.map((call, i) => this.#run(callers[i], call, results[i]));
    await this.#faulty.run(running);
    for (const [i, { name }] of calls.entries())
      this.log.push(`${callers[i].context.program.name}: ${name} -> ${textOf(results[i])}`);
    const faults = this.#faulty.injected.slice(injected);
    this.log.push(...faults);
    const options = {
      isAlone: calls.length === 1,
      hasFault: faults.length > 0,
      mayArrive: this.#faulty.late > 0,
      hadFault: this.#faulty.injected.length > 0,
      hasClosed,
    };
    for (const [i, call] of calls.entries())
      this.problems.push(...this.#unobserved(callers[i], call, results[i]));
    const names = callers.map(({ context }) => context.program.name);
    this.problems.push(...this.#oracle.take(calls, names, results, options));
    this.problems.push(...(await this.#oracle.look(this.#plain, options)));
    const isExact = this.problems.length === 0 && !this.#isUnready;
    if (this.#random() < 0.5 && isExact)
      this.problems.push(...(await checkQueries(this.#plain, this.#declared, this.#expected())));
  }

  /** Rows that a made call wrote, and that nobody has observed. */
  #unobserved({ context: { program } }: Caller, call: Call, result: Result): string[] {
    const { witness } = program;
    const isMade = result.isEnded === true && textOf(result) === 'ended';
    if (witness === undefined || !isMade || call.isBelow === true || call.isScan === true)
      return [];
    if (call.isRefused?.(result.value) === true) return [];
    return call.parts
      .filter(({ row }) => !witness.hasSeen(...this.#oracle.stored(program.db, row)))
      .map(({ row }) => `${call.name}: no write of ${row} was observed`);
  }

  async #run({ context: { program }, time }: Caller, call: Call, result: Result): Promise<void> {
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
    // Closing stops propagations, and their marks stay.
    const isDue = features.has('copies') && this.#hasClosed;
    if ((isDue || this.#isToBeRepaired()) && follows.some((each) => features.has(each))) {
      if (features.has('copies')) await this.#plain.derived.propagate(Owner);
      if (this.#isToBeRepaired()) await this.#plain.derived.repair(Item);
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
