/**
 * Damaged files: every trial opens a copy of a database with one fault, reads, writes, closes and
 * opens it again. Damage is CORRUPT_DATA; it never gives other rows and never ends the process.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countErrors, countRows } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf, type Random } from './random.js';
import type { Expectations } from './rows.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

const pageBytes = 8192;
/** The header and the contents of a meta page. */
const metaBytes = 176;

/** A database that a killed process has left. */
interface Killed {
  readonly directory: string;
  readonly expectations: Expectations;
  readonly maxBytes: number;
}

/** A closed database. Copies of its files are damaged. */
interface Pristine extends Killed {
  readonly data: Buffer;
  /** The data file as it was before later writes. */
  readonly older: Buffer;
}

type Damage = (data: Buffer, random: Random, pristine: Pristine) => Buffer | undefined;

/** Each damages a copy of the data file; undefined removes it. */
const damages: Record<string, Damage> = {
  'a flipped bit': (data, random) => flipBit(data, random.below(data.length * 8)),
  'a flipped bit in the header of a page': (data, random) =>
    flipBit(data, pageOf(data, random) * 8 + random.below(64 * 8)),
  'a page of noise': (data, random) => {
    const page = pageOf(data, random);
    for (let at = page; at < page + pageBytes; at++) data[at] = random.below(256);
    return data;
  },
  'a zeroed page': (data, random) => {
    const page = pageOf(data, random);
    return data.fill(0, page, page + pageBytes);
  },
  'swapped pages': (data, random) => {
    const [a, b] = [pageOf(data, random), pageOf(data, random)];
    const kept = Buffer.from(data.subarray(a, a + pageBytes));
    data.copy(data, a, b, b + pageBytes);
    kept.copy(data, b);
    return data;
  },
  'an older version of a page': (data, random, { older }) => {
    const pages = Math.floor(Math.min(data.length, older.length) / pageBytes);
    let page = 0;
    // Pages that were not written in between are the same.
    for (let attempts = 0; attempts < 1000; attempts++) {
      page = random.below(pages) * pageBytes;
      if (older.compare(data, page, page + pageBytes, page, page + pageBytes) !== 0) break;
    }
    older.copy(data, page, page, page + pageBytes);
    return data;
  },
  'a cut file': (data, random) => {
    const length = random.oneOf([0, random.below(data.length), pageOf(data, random), undefined]);
    return length === undefined ? undefined : data.subarray(0, length);
  },
};

/**
 * Damages a log of writes that a killed process has left, if there is one: a flipped bit or noise
 * in its first half. Damage of the last commit cannot be distinguished from an unfinished commit.
 */
function damageLog(directory: string, random: Random): boolean {
  const name = readdirSync(directory)
    .filter((file) => /^log\.\d+$/.test(file))
    .sort()[0];
  if (name === undefined) return false;
  const log = readFileSync(join(directory, name));
  let end = log.length;
  while (end > 0 && log[end - 1] === 0) end--;
  if (end < 1000) return false;
  const at = random.below(end / 2);
  if (random.chance(0.7)) flipBit(log, at * 8 + random.below(8));
  else for (let i = at; i < at + 300; i++) log[i] = random.below(256);
  writeFileSync(join(directory, name), log);
  return true;
}

/** With `small` databases only, a test takes seconds. */
export async function corruption(
  options: ScenarioOptions,
  sizes: 'small' | 'small and large',
): Promise<Tally> {
  const tally = new Tally('corruption', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  try {
    const small = await pristineDatabase(workshop, 'small', { keys: 300, maxBytes: 30_000 });
    const trials = new Trials(workshop, checker, tally, options);
    const kinds = Object.entries(damages);
    let large: Pristine | undefined;
    for (let round = 0; round < options.rounds; round++) {
      const seed = options.seed + round;
      const [kind, damage] = kinds[seed % kinds.length];
      // Opening a large file takes a while.
      const isLarge = sizes === 'small and large' && seed % 10 === 9;
      if (isLarge && large === undefined) {
        large = await pristineDatabase(workshop, 'large', { keys: 9000, maxBytes: 20_000 });
        tally.note('MB of the large file', Math.round(large.data.length / 1e6));
      }
      const pristine = isLarge ? large! : small;
      const name = `${pristine === small ? 'small' : 'large'} file, ${kind}`;
      await trials.run(pristine, seed, name, (data, random) => damage(data, random, pristine));
    }
    await trials.runMetaPages(small, options.rounds);
    await trials.runLogs(Math.ceil(options.rounds / 10));
  } finally {
    await checker.close();
    workshop.remove();
  }
  return tally;
}

class Trials {
  readonly #workshop: Workshop;
  readonly #checker: Checker;
  readonly #tally: Tally;
  readonly #options: ScenarioOptions;

  constructor(workshop: Workshop, checker: Checker, tally: Tally, options: ScenarioOptions) {
    this.#workshop = workshop;
    this.#checker = checker;
    this.#tally = tally;
    this.#options = options;
  }

  /** All bits of the headers and contents of both meta pages, or as many as there are rounds. */
  async runMetaPages(pristine: Pristine, rounds: number): Promise<void> {
    const bits = 2 * metaBytes * 8;
    const step = Math.max(1, Math.floor(bits / rounds));
    for (let bit = this.#options.seed % step; bit < bits; bit += step) {
      const page = bit < bits / 2 ? 0 : 1;
      const at = page * pageBytes * 8 + (bit % (bits / 2));
      await this.run(pristine, bit, `bit ${bit} of the meta pages`, (data) => flipBit(data, at));
    }
  }

  /** Logs of processes that were killed while they wrote. */
  async runLogs(rounds: number): Promise<void> {
    let killed: Killed | undefined;
    for (let round = 0; round < rounds; round++) {
      const seed = this.#options.seed + round;
      if (!'a damaged log'.includes(this.#options.only ?? '')) return;
      if (killed === undefined || round % 20 === 0)
        killed = await killedDatabase(this.#workshop, Math.floor(seed / 20));
      const directory = this.#copy(killed.directory);
      if (!damageLog(directory, randomOf(seed))) continue;
      await this.#check(directory, killed, seed, 'a damaged log');
    }
  }

  async run(
    pristine: Pristine,
    seed: number,
    kind: string,
    damage: (data: Buffer, random: Random) => Buffer | undefined,
  ): Promise<void> {
    if (!kind.includes(this.#options.only ?? '')) return;
    const directory = this.#copy(pristine.directory);
    const file = join(directory, 'data.mdb');
    const damaged = damage(Buffer.from(pristine.data), randomOf(seed));
    if (damaged === undefined) rmSync(file);
    else writeFileSync(file, damaged);
    await this.#check(directory, pristine, seed, kind);
  }

  #copy(directory: string): string {
    const copy = join(this.#workshop.empty('damaged'), 'db');
    cpSync(directory, copy, { recursive: true });
    return copy;
  }

  async #check(directory: string, original: Killed, seed: number, kind: string): Promise<void> {
    const tally = this.#tally;
    const verify = Math.floor(seed / 20) % 2 === 0 ? undefined : true;
    const name = `corruption --seed ${seed} --rounds 1 --only '${kind}'${verify ? ', verified' : ''}`;
    const result = await this.#checker.check({
      directory,
      expectations: structuredClone(original.expectations),
      maxBytes: original.maxBytes,
      seed,
      verify,
      write: true,
      thorough: true,
    });
    tally.trial();
    tally.group = kind.replace(/bit \d+/, 'a flipped bit');
    if ('ended' in result) return tally.fault('ended processes', `${name}: ${result.ended}`);
    countRows(result, tally, name);
    const others = result.errors.filter((error) => !/^\w+ CORRUPT_DATA/.test(error));
    countErrors(others, tally, name);
    tally.note(result.errors.length > 0 ? 'trials with CORRUPT_DATA' : 'trials without effect');
  }
}

function flipBit(data: Buffer, bit: number): Buffer {
  data[bit >>> 3] ^= 1 << (bit & 7);
  return data;
}

/** The offset of a page. */
function pageOf(data: Buffer, random: Random): number {
  return random.below(data.length / pageBytes) * pageBytes;
}

/** A closed database, which was written in two sessions. */
async function pristineDatabase(
  workshop: Workshop,
  name: string,
  { keys, maxBytes }: { keys: number; maxBytes: number },
): Promise<Pristine> {
  const directory = join(workshop.empty(name), 'db');
  const file = join(directory, 'data.mdb');
  const expectations: Expectations = {};
  const write = async (steps: number, seed: number): Promise<Buffer> => {
    const options: WriteOptions = {
      directory,
      expectations,
      seed,
      durability: 'relaxed',
      keys,
      maxBytes,
      writers: 4,
      maxRows: 20,
      steps,
      sessions: 1,
      compacts: false,
    };
    const child = workshop.start('write', options, { maxSeconds: 600 });
    const ending = await child.ended;
    if (ending !== undefined) throw new Error(`The database was not written: ${ending}`);
    applyLines(expectations, child.lines);
    return readFileSync(file);
  };
  const older = await write(Math.ceil(keys / 4), 1);
  const data = await write(Math.ceil(keys / 20), 2);
  return { directory, data, older, expectations, maxBytes };
}

async function killedDatabase(workshop: Workshop, seed: number): Promise<Killed> {
  const directory = join(workshop.empty('killed'), 'db');
  const maxBytes = 3000;
  const options: WriteOptions = {
    directory,
    expectations: {},
    seed,
    durability: 'relaxed',
    keys: 300,
    maxBytes,
    compacts: false,
    writers: 4,
    maxRows: 20,
    steps: 10_000,
  };
  const child = workshop.start('write', options);
  await child.next('ready');
  await new Promise((resolve) => setTimeout(resolve, 200));
  child.kill();
  await child.ended;
  const expectations: Expectations = {};
  applyLines(expectations, child.lines);
  return { directory, expectations, maxBytes };
}
