/**
 * Steps: a process that writes, flushes, merges and compacts is killed before each of its calls that
 * changes or flushes a file, or stopped there until another process has taken the database over.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAndCount } from './outcomes.js';
import { Checker, type Child, Workshop } from './processes.js';
import { isDeletion, type Expectations } from './rows.js';
import {
  armControl,
  createControl,
  killingAnyCall,
  readControl,
  shimEnvironment,
  stoppingAnyCall,
} from './shim.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

const settings = {
  durability: 'durable',
  keys: 24,
  maxBytes: 30_000,
  maxRows: 12,
  writers: 2,
  steps: 12,
  sessions: 2,
  compacts: true,
} satisfies Partial<WriteOptions>;

/** The process is killed at each call, or at as many as there are rounds. */
export async function killedSteps(options: ScenarioOptions): Promise<Tally> {
  const run = new Steps('steps', options);
  return run.all(async (seed, number) => {
    const expectations: Expectations = {};
    const directory = run.arm(killingAnyCall(number));
    const child = run.start('write', { ...settings, directory, expectations, seed });
    const ending = await child.ended;
    applyLines(expectations, child.lines);
    const name = `steps --seed ${seed} --rounds 1, killed at call ${number}`;
    if (ending?.startsWith('SIGKILL') === true) run.tally.note('killed processes');
    else if (ending !== undefined) run.tally.fault('ended processes', `${name}: ${ending}`);
    await run.check(directory, expectations, seed, name);
  });
}

/** The process is stopped at each call, or at as many as there are rounds. */
export async function stoppedSteps(options: ScenarioOptions): Promise<Tally> {
  const run = new Steps('stops', options);
  return run.all(async (seed, number) => {
    const expectations: Expectations = {};
    const directory = run.arm(stoppingAnyCall(number));
    const former = run.start('write', { ...settings, directory, expectations, seed });
    const name = `stops --seed ${seed} --rounds 1, stopped at call ${number}`;
    if (!(await former.isStopped())) {
      applyLines(expectations, former.lines);
      return run.check(directory, expectations, seed, name);
    }
    applyLines(expectations, former.lines);
    const known = former.lines.length;
    // Other processes see that it runs: it has to look as if it had ended.
    endOwners(directory);
    const successor = run.succeed({ ...settings, directory, expectations, seed: seed + 1 });
    const ready = await successor.nextOf(['found-all', 'fault']);
    if (ready === undefined)
      run.tally.fault('ended processes', `${name}: ${await successor.ended}`);
    const found: Expectations = {};
    applyLines(found, successor.lines);
    former.resume();
    successor.send('go on');
    await former.ended;
    successor.send('close');
    const ending = await successor.ended;
    if (ending !== undefined) run.tally.fault('ended processes', `${name}: ${ending}`);
    for (const line of successor.lines.filter((text) => text.startsWith('fault')))
      run.tally.fault('failed writes of successors', `${name}: ${line}`);
    for (const line of former.lines.slice(known)) run.checkLate(line, found, name);
    const left: Expectations = {};
    applyLines(left, successor.lines);
    await run.check(directory, left, seed, name);
    run.tally.note('takeovers');
  });
}

/** Writes to the owner files that their owners have closed the database. */
function endOwners(directory: string): void {
  for (const name of readNames(directory).filter((text) => /^owner\.\d+$/.test(text))) {
    const path = join(directory, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"released":false}', '"released":true }'), { flag: 'r+' });
  }
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

class Steps {
  readonly tally: Tally;
  readonly #options: ScenarioOptions;
  readonly #workshop = new Workshop();
  readonly #checker = new Checker(this.#workshop);
  readonly #control = join(this.#workshop.directory, 'control');
  #watched = '';

  constructor(name: string, options: ScenarioOptions) {
    this.tally = new Tally(name, options.onProgress);
    this.#options = options;
  }

  /** Counts the calls of an undisturbed process, and then makes a trial for each, or for some. */
  async all(trial: (seed: number, number: number) => Promise<void>): Promise<Tally> {
    const { rounds, seed, only } = this.#options;
    try {
      const directory = this.arm(killingAnyCall(0));
      await this.start('write', { ...settings, directory, expectations: {}, seed }).ended;
      const calls = readControl(this.#control).matched;
      this.tally.note('calls', calls);
      for (let round = 0; round < Math.min(rounds, calls); round++) {
        const number = 1 + Math.floor(((round + 0.5) * calls) / Math.min(rounds, calls));
        await trial(seed, only === undefined ? number : Number(only));
        this.tally.trial();
      }
    } finally {
      await this.#checker.close();
      this.#workshop.remove();
    }
    return this.tally;
  }

  /** An empty directory for a database, and what happens in it. */
  arm(fields: readonly number[]): string {
    this.#watched = this.#workshop.empty('steps');
    createControl(this.#control);
    armControl(this.#control, fields);
    return join(this.#watched, 'db');
  }

  start(program: string, options: WriteOptions): Child {
    const env = shimEnvironment(this.#watched, { control: this.#control });
    return this.#workshop.start(program, options, { env });
  }

  /** Starts a process that takes the database over. */
  succeed(options: WriteOptions): Child {
    return this.#workshop.start('succeed', options);
  }

  async check(
    directory: string,
    expectations: Expectations,
    seed: number,
    name: string,
  ): Promise<void> {
    const { maxBytes } = settings;
    const job = { directory, expectations, maxBytes, seed, write: true, thorough: true };
    const result = await checkAndCount(this.#checker, job, this.tally, name);
    if (result === undefined) this.#options.keep(directory, name.replaceAll(/\W+/g, '-'));
  }

  /** What the former owner says after the takeover: the successor has found what it acknowledges. */
  checkLate(line: string, found: Expectations, name: string): void {
    const [kind, key, generation] = line.split(' ');
    if (kind === 'fault' && !/DATABASE_IN_USE/.test(line))
      this.tally.fault('failed writes of former owners', `${name}: ${line}`);
    if (kind !== 'a') return;
    const { acknowledged = 0 } = found[key] ?? {};
    const isRemoved = isDeletion(acknowledged) && isDeletion(Number(generation));
    if (acknowledged < Number(generation) && !isRemoved)
      this.tally.fault('writes acknowledged after a takeover', `${name}: ${line}`);
  }
}
