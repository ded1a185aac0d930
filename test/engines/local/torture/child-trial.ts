/** One trial of a disk that fails: writes until enough of them failed, and then with space again. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Engine } from '../../../../src/storage.js';
import { randomOf } from './random.js';
import { openSmall } from './open-small.js';
import { compareRows, ensureTable, type Comparison, type Expectations } from './rows.js';
import { armControl } from './shim.js';
import { codeOf, say, Workload, type WorkloadOptions } from './workload.js';

/** What fails, and how that begins and ends. */
export type Limit =
  /** The shim's control file and the values that arm it. */
  | { readonly kind: 'shim'; readonly control: string; readonly fields: readonly number[] }
  /** A limit of the size of every file. */
  | { readonly kind: 'fileSize'; readonly bytes: number }
  /** A file system of limited size, which is in effect from the start. */
  | { readonly kind: 'tmpfs'; readonly mount: string; readonly enoughBytes: number };

export interface TrialOptions extends WorkloadOptions {
  readonly directory: string;
  readonly seed: number;
  readonly limit: Limit;
  /** When the limit takes effect. */
  readonly armed: 'before opening' | 'after some writes';
  /** Failed writes after which the limit is lifted. */
  readonly failures: number;
  /** Steps of each writer at most, in each of two sessions. */
  readonly steps: number;
}

export interface TrialResult extends Comparison {
  /** Failed operations under the limit, as `STEP CODE`. */
  readonly errors: string[];
  /** Failed operations after the limit was lifted and, if need be, the database was reopened. */
  readonly later: string[];
  /** Whether the first writes after the limit was lifted needed a reopened database. */
  readonly reopened: boolean;
  readonly expectations: Expectations;
}

export async function runTrial(options: TrialOptions): Promise<void> {
  say(`result ${JSON.stringify(await new Trial(options).run())}`);
}

class Trial {
  readonly #errors: string[] = [];
  readonly #later: string[] = [];
  readonly #expectations: Expectations = {};
  readonly #workload: Workload;
  readonly #options: TrialOptions;
  #engine: Engine | undefined;
  #reopened = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#workload = new Workload(this.#expectations, options);
  }

  async run(): Promise<TrialResult> {
    const { limit, armed, failures, seed } = this.#options;
    if (armed === 'before opening') setLimit(limit);
    await this.#open(this.#errors);
    if (armed === 'after some writes') {
      if (this.#engine !== undefined) await this.#workload.run(this.#engine, seed, 10);
      setLimit(limit);
    }
    for (const session of [1, 2]) {
      await this.#write(session, failures * session);
      // The second session opens a database on a full disk.
      if (session === 1) await this.#close(this.#errors);
      if (session === 1) await this.#open(this.#errors);
    }
    this.#errors.push(...this.#workload.errors.splice(0).map((code) => `write ${code}`));
    if (hasRoom(limit)) await this.#makeSpace();
    liftLimit(limit);
    await this.#writeAgain();
    await this.#compactAgain();
    const { lost, wrong } = this.#workload.comparison;
    if (this.#engine !== undefined)
      await attempt(this.#later, 'read', () => this.#compare(this.#engine!));
    await this.#close(this.#later);
    this.#errors.push(...this.#workload.readErrors.map((code) => `read ${code}`));
    const [errors, later, expectations] = [this.#errors, this.#later, this.#expectations];
    return { errors, later, lost, wrong, expectations, reopened: this.#reopened };
  }

  async #open(errors: string[]): Promise<void> {
    const { directory } = this.#options;
    this.#engine = await attempt(errors, 'open', () => openSmall(directory));
    const engine = this.#engine;
    if (engine === undefined) return;
    await attempt(errors, 'table', () => ensureTable(engine));
    await attempt(errors, 'read', () => this.#compare(engine));
  }

  /** A failed write may be found after the database was opened again, and from then on. */
  #compare(engine: Engine): Promise<void> {
    const { maxBytes } = this.#options;
    const result = this.#workload.comparison;
    return compareRows(engine, this.#expectations, { maxBytes, result });
  }

  async #close(errors: string[]): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    if (engine !== undefined) await attempt(errors, 'close', () => engine.close());
  }

  /** Writes until so many writes have failed since the start, and compacts. */
  async #write(session: number, failures: number): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined) return;
    const { steps, seed } = this.#options;
    const workload = this.#workload;
    const compact = () => attempt(this.#errors, 'compact', () => engine.compact());
    const isDone = (): boolean => workload.errors.length >= failures;
    for (const part of [0, 1]) {
      const writes = workload.run(engine, seed * 4 + session * 2 + part, steps / 2, isDone);
      if (randomOf(seed + part).chance(0.5)) await Promise.all([writes, compact()]);
      await writes;
      await compact();
    }
  }

  /** On a full disk: all rows are removed, and then there is space for others. */
  async #makeSpace(): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || !this.#hasFailed) return;
    const workload = new Workload(this.#expectations, { ...this.#options, maxRows: 1 });
    const collect = (step: string): void =>
      void this.#later.push(...workload.errors.splice(0).map((code) => `${step} ${code}`));
    await workload.dropAll(engine);
    collect('removal on a full disk');
    await attempt(this.#later, 'compaction on a full disk', () => engine.compact());
    await workload.run(engine, this.#options.seed * 4 + 3, 3);
    collect('write after a removal on a full disk');
  }

  get #hasFailed(): boolean {
    return this.#errors.length > 0;
  }

  async #writeAgain(): Promise<void> {
    const { seed } = this.#options;
    const write = async (): Promise<void> => {
      const engine = this.#engine;
      if (engine === undefined) return;
      await attempt(this.#workload.errors, 'table', () => ensureTable(engine));
      await this.#workload.run(engine, seed, 10);
    };
    await write();
    if (this.#engine !== undefined && this.#workload.errors.length === 0) return;
    this.#reopened = true;
    this.#errors.push(...this.#workload.errors.splice(0).map((code) => `write again ${code}`));
    await this.#close(this.#errors);
    await this.#open(this.#later);
    await write();
    this.#later.push(...this.#workload.errors.splice(0));
  }

  /** Compacts, and leaves no unfinished file but the next segment of the log. */
  async #compactAgain(): Promise<void> {
    if (this.#engine !== undefined)
      await attempt(this.#later, 'compact', () => this.#engine!.compact());
    for (const name of readdirSync(this.#options.directory))
      if (name.includes('.new') && !name.startsWith('log.'))
        this.#later.push(`the file ${name} was left`);
  }
}

async function attempt<T>(
  errors: string[],
  step: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    errors.push(`${step} ${codeOf(error)}`);
    return undefined;
  }
}

/** True if all rows that are not removed fit. */
function hasRoom(limit: Limit): boolean {
  if (limit.kind === 'shim') return (limit.fields[5] ?? 0) > 6_000_000;
  return limit.kind === 'tmpfs';
}

function setLimit(limit: Limit): void {
  if (limit.kind === 'shim') armControl(limit.control, limit.fields);
  if (limit.kind === 'fileSize') setFileSizeLimit(`${limit.bytes}`);
}

function liftLimit(limit: Limit): void {
  if (limit.kind === 'shim') armControl(limit.control, []);
  if (limit.kind === 'fileSize') setFileSizeLimit('unlimited');
  if (limit.kind === 'tmpfs')
    execFileSync('mount', ['-o', `remount,size=${limit.enoughBytes}`, limit.mount]);
}

/** Only the soft limit, which can be raised again. */
function setFileSizeLimit(bytes: string): void {
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:unlimited`]);
}
