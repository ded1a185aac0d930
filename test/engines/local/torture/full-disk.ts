/**
 * Full disks: a process writes until its writes fail, for want of space or because a call fails,
 * and once there is space again. Failures are typed errors, nothing acknowledged is lost, and writes
 * work again.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Limit, TrialOptions, TrialResult } from './child-trial.js';
import { checkAndCount, countErrors, countRows } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf } from './random.js';
import * as shim from './shim.js';
import { Tally, type ScenarioOptions } from './tally.js';

/** The trial that counts calls. */
const countingTrial = 'no failing call';
const megabyte = 1024 * 1024;

/** `rounds` trials of each kind of limit, and all calls or at most 10 times as many. */
export async function fullDisk(options: ScenarioOptions): Promise<Tally> {
  const tally = new Tally('full-disk', options.onProgress);
  const workshop = new Workshop();
  const trials = new Trials(workshop, tally, options);
  try {
    for (let round = 0; round < options.rounds; round++) {
      const seed = options.seed + round;
      if (canMount(workshop)) await trials.onSmallFileSystem(seed);
      else tally.note('SKIPPED: trials on a tmpfs, which cannot be mounted');
      if (canLimit()) await trials.withFileSizeLimit(seed);
      else tally.note('SKIPPED: trials with a limit of the file size, which needs prlimit');
      if (shim.shimLibrary() === undefined) {
        tally.note('SKIPPED: trials of failing calls, which need a C compiler');
        continue;
      }
      await trials.withCapacity(seed, 'ENOSPC');
      await trials.withCapacity(seed, 'EDQUOT');
    }
    if (shim.shimLibrary() !== undefined) await trials.everyCall(options.rounds * 10);
  } finally {
    await trials.close();
    workshop.remove();
  }
  return tally;
}

/** What a call may fail with. */
function errorsOf(call: shim.Call): readonly shim.ErrorName[] {
  if (call === 'write') return ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG', 'EROFS'];
  if (call === 'open') return ['EMFILE', 'EIO', 'ENOSPC', 'EROFS'];
  return ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'];
}

function canLimit(): boolean {
  return spawnSync('prlimit', ['--version']).status === 0;
}

function canMount(workshop: Workshop): boolean {
  const mount = workshop.empty('probe');
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mount]).status !== 0) return false;
  execFileSync('umount', [mount]);
  return true;
}

class Trials {
  readonly #checker: Checker;
  readonly #control: string;
  readonly #workshop: Workshop;
  readonly #tally: Tally;
  readonly #options: ScenarioOptions;

  constructor(workshop: Workshop, tally: Tally, options: ScenarioOptions) {
    this.#workshop = workshop;
    this.#tally = tally;
    this.#options = options;
    this.#checker = new Checker(workshop);
    this.#control = join(workshop.directory, 'control');
  }

  close(): Promise<void> {
    return this.#checker.close();
  }

  async onSmallFileSystem(seed: number): Promise<void> {
    const mount = this.#workshop.empty('disk');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mount]);
    try {
      const limit: Limit = { kind: 'tmpfs', mount, enoughBytes: 256 * megabyte };
      await this.#trial(seed, 'tmpfs of 8 MB', mount, limit);
    } finally {
      execFileSync('umount', ['--lazy', mount]);
    }
  }

  async withFileSizeLimit(seed: number): Promise<void> {
    // Files are small: a limit above what the log allocates ahead is never met.
    const bytes = randomOf(seed).below(megabyte / 2);
    const limit: Limit = { kind: 'fileSize', bytes };
    await this.#trial(seed, 'limit of the file size', this.#workshop.empty('disk'), limit);
  }

  async withCapacity(seed: number, error: shim.ErrorName): Promise<void> {
    const fields = shim.capacity(randomOf(seed).below(8 * megabyte) + 1, error);
    const limit: Limit = { kind: 'shim', control: this.#control, fields };
    await this.#trial(seed, `capacity, ${error}`, this.#workshop.empty('disk'), limit);
  }

  /** Lets every call of a small trial fail, once and from then on; evenly chosen if too many. */
  async everyCall(maxTrials: number): Promise<void> {
    const { seed } = this.#options;
    const small = {
      keys: 12,
      maxRows: 12,
      maxBytes: 30_000,
      writers: 2,
      failures: 5,
      steps: 6,
    } as const;
    const run = (name: string, fields: readonly number[]): Promise<void> => {
      const limit: Limit = { kind: 'shim', control: this.#control, fields };
      const options = { ...small, armed: 'before opening' } as const;
      return this.#trial(seed, name, this.#workshop.empty('disk'), limit, options);
    };
    await run(countingTrial, []);
    const { counts } = shim.readControl(this.#control);
    const all = shim.calls.flatMap((call) =>
      Array.from({ length: counts[call] }, (_, i) => ({ call, number: i + 1 })),
    );
    const step = Math.max(1, (all.length * 2) / maxTrials);
    for (let i = 0; i < all.length * 2; i += step) {
      const one = all[Math.floor(i / 2)];
      const count = Math.floor(i) % 2;
      const random = randomOf(seed + Math.floor(i));
      const error = random.oneOf(errorsOf(one.call));
      const short = one.call === 'write' && random.chance(0.5);
      const until = count === 0 ? ' and all after it' : '';
      const name = `${one.call} ${one.number}${until}, ${error}${short ? ', short' : ''}`;
      await run(name, shim.failingCall({ ...one, count, error, short }));
    }
  }

  async #trial(
    seed: number,
    kind: string,
    watched: string,
    limit: Limit,
    settings?: Partial<TrialOptions>,
  ): Promise<void> {
    const random = randomOf(seed);
    const trial: TrialOptions = {
      directory: join(watched, 'db'),
      seed,
      limit,
      keys: 1000,
      // Commits of many rows, some of which are written before the space ends.
      maxRows: 300,
      maxBytes: random.oneOf([3000, 100_000, 1_000_000]),
      writers: 3,
      armed: random.oneOf(['before opening', 'after some writes', 'after some writes']),
      failures: 60,
      steps: 200,
      ...settings,
    };
    const name = `full-disk --seed ${seed} --only '${kind}'`;
    const { only = '' } = this.#options;
    if (!kind.includes(only) && kind !== countingTrial) return;
    shim.createControl(this.#control);
    const env =
      limit.kind === 'shim' ? shim.shimEnvironment(watched, { control: this.#control }) : undefined;
    const child = this.#workshop.start('trial', trial, { env, ignoreFileSizeSignal: true });
    const ending = await child.ended;
    const tally = this.#tally;
    tally.trial();
    const line = child.lines.find((text) => text.startsWith('result'));
    if (line === undefined || ending !== undefined) {
      tally.fault('ended processes', `${name}: ${ending}`);
      return this.#options.keep(watched, `full-disk-${seed}-${kind}`);
    }
    const result = JSON.parse(line.slice('result '.length)) as TrialResult;
    this.#count(result, name);
    const { expectations } = result;
    const { maxBytes } = trial;
    const job = { directory: trial.directory, expectations, maxBytes, seed };
    await checkAndCount(this.#checker, { ...job, write: true, thorough: true }, tally, name);
  }

  #count(result: TrialResult, name: string): void {
    const tally = this.#tally;
    countRows(result, tally, name);
    // A table that could not be created does not exist.
    const hasTable = !result.errors.some((error) => error.startsWith('table '));
    const isExpected = (error: string): boolean =>
      /^[a-z ]+ STORAGE_FAILED/.test(error) || (!hasTable && error.includes('TABLE_NOT_FOUND'));
    tally.note('STORAGE_FAILED', result.errors.filter(isExpected).length);
    const others = result.errors.filter((error) => !isExpected(error));
    countErrors(others, tally, name);
    if (result.later.length > 0)
      tally.fault('trials with errors though there was space again', `${name}: ${result.later[0]}`);
    if (result.reopened) tally.note('trials in which the database had to be reopened');
    if (result.errors.length === 0) tally.note('trials in which nothing failed');
  }
}
