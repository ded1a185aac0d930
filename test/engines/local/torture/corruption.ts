/**
 * Damaged files: every trial opens a copy of a database with one fault, reads, writes, closes and
 * opens it again. Damage is CORRUPT_DATA; it never gives other rows and never ends the process.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { footerBytes } from '../../../../src/engines/local/kv/tables/table-writer.js';
import { countErrors, countRows } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf, type Random } from './random.js';
import type { Expectations } from './rows.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

const sectorBytes = 512;
const maxBytes = 3000;

/** A database, of which copies are damaged. */
interface Original {
  readonly directory: string;
  readonly expectations: Expectations;
  /** An earlier copy, and another database with files of the same names. */
  readonly older: string;
  readonly other: string;
}

type Damage = (
  data: Buffer,
  random: Random,
  file: string,
  original: Original,
) => Buffer | undefined;

/** Each damages the content of a file; undefined removes it. */
const damages: Record<string, Damage> = {
  'a flipped bit': (data, random) => flipBit(data, random.below(data.length * 8)),
  'a flipped bit at the end': (data, random) =>
    flipBit(data, data.length * 8 - 1 - random.below(Math.min(data.length, 700) * 8)),
  noise: (data, random) => {
    const start = random.below(data.length);
    for (let at = start; at < Math.min(data.length, start + 300); at++)
      data[at] = random.below(256);
    return data;
  },
  'a zeroed sector': (data, random) => {
    const start = sectorOf(data, random);
    return data.fill(0, start, Math.min(data.length, start + sectorBytes));
  },
  'swapped sectors': (data, random) => {
    const [a, b] = [sectorOf(data, random), sectorOf(data, random)];
    const kept = Buffer.from(data.subarray(a, a + sectorBytes));
    data.copy(data, a, b, b + sectorBytes);
    kept.copy(data, b);
    return data;
  },
  'a cut file': (data, random) => {
    const length = random.oneOf([0, random.below(data.length), sectorOf(data, random), undefined]);
    return length === undefined ? undefined : data.subarray(0, length);
  },
  'a longer file': (data, random) => Buffer.concat([data, data.subarray(0, random.below(900) + 1)]),
  'a file of another name': (_, random, file, { directory }) => {
    const kind = file.split('.')[0];
    const names = readdirSync(directory).filter((name) => name.startsWith(`${kind}.`));
    return readFileSync(join(directory, random.oneOf(names)));
  },
  'a file of another database': (data, _, file, { other }) => readOr(join(other, file), data),
  'an older file': (data, _, file, { older }) => readOr(join(older, file), data),
};

/** Files that are damaged. An incomplete log of a killed process is treated apart. */
const damagedFiles = /^(manifest|table)\.\d+-\d+$|^rowsmith\.json$/;

/** The scenario. */
export async function corruption(options: ScenarioOptions): Promise<Tally> {
  const tally = new Tally('corruption', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  try {
    const trials = new Trials(workshop, checker, tally, options);
    const original = await closedDatabase(workshop);
    const kinds = Object.entries(damages);
    for (let round = 0; round < options.rounds; round++) {
      const seed = options.seed + round;
      const [kind, damage] = kinds[seed % kinds.length];
      await trials.run(original, seed, kind, damage);
    }
    await trials.everyByte(original, options.rounds);
    await trials.logs(Math.ceil(options.rounds / 5));
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

  /** All bytes of the manifest and of the footers of tables, or as many as there are rounds. */
  async everyByte(original: Original, rounds: number): Promise<void> {
    const bytes = readdirSync(original.directory).flatMap((file) => {
      if (!/^(manifest|table)/.test(file)) return [];
      const { length } = readFileSync(join(original.directory, file));
      const first = file.startsWith('table') ? length - footerBytes : 0;
      return Array.from({ length: length - first }, (_, i) => ({ file, at: first + i }));
    });
    const step = Math.max(1, Math.floor(bytes.length / rounds));
    for (let i = this.#options.seed % step; i < bytes.length; i += step) {
      const { file, at } = bytes[i];
      const damage: Damage = (data, random) => flipBit(data, at * 8 + random.below(8));
      await this.run(original, i, `byte ${at} of ${file}`, damage, file);
    }
  }

  /** Logs of processes that were killed while they wrote. */
  async logs(rounds: number): Promise<void> {
    let killed: Original | undefined;
    for (let round = 0; round < rounds; round++) {
      const seed = this.#options.seed + round;
      if (!'a damaged log'.includes(this.#options.only ?? '')) return;
      if (killed === undefined || round % 20 === 0)
        killed = await killedDatabase(this.#workshop, Math.floor(seed / 20));
      const directory = this.#copy(killed.directory);
      if (!damageLog(directory, randomOf(seed))) continue;
      await this.#check(directory, killed, seed, 'a damaged log', 'a log');
    }
  }

  async run(
    original: Original,
    seed: number,
    kind: string,
    damage: Damage,
    wanted?: string,
  ): Promise<void> {
    if (!kind.includes(this.#options.only ?? '')) return;
    const random = randomOf(seed);
    const directory = this.#copy(original.directory);
    const files = readdirSync(directory).filter((name) => damagedFiles.test(name));
    const file = wanted ?? random.oneOf(files);
    const path = join(directory, file);
    const damaged = damage(readFileSync(path), random, file, original);
    if (damaged === undefined) rmSync(path);
    else writeFileSync(path, damaged);
    await this.#check(directory, original, seed, kind, file);
  }

  #copy(directory: string): string {
    const copy = join(this.#workshop.empty('damaged'), 'db');
    cpSync(directory, copy, { recursive: true });
    return copy;
  }

  async #check(
    directory: string,
    original: Original,
    seed: number,
    kind: string,
    file: string,
  ): Promise<void> {
    const tally = this.#tally;
    const verify = Math.floor(seed / 20) % 2 === 0 ? undefined : true;
    const name = `corruption --seed ${seed} --rounds 1 --only '${kind}', ${file}${verify ? ', verified' : ''}`;
    const result = await this.#checker.check({
      directory,
      expectations: structuredClone(original.expectations),
      maxBytes,
      seed,
      verify,
      write: true,
      thorough: true,
    });
    tally.trial();
    tally.group = kind.replace(/byte .* of (\w+).*/, 'a byte of a $1');
    if ('ended' in result) return tally.fault('ended processes', `${name}: ${result.ended}`);
    countRows(result, tally, name);
    const expected =
      file === 'rowsmith.json'
        ? /^\w+ (CORRUPT_DATA|NOT_A_DATABASE|FORMAT_TOO_NEW)/
        : /^\w+ CORRUPT_DATA/;
    const others = result.errors.filter((error) => !expected.test(error));
    countErrors(others, tally, name);
    tally.note(result.errors.length > 0 ? 'trials with CORRUPT_DATA' : 'trials without effect');
    if (result.lost.length + result.wrong.length + others.length > 0)
      this.#options.keep(directory, `corruption-${seed}`);
  }
}

/**
 * Damages a log of writes that a killed process has left: a flipped bit or noise in the first half
 * of a segment. Damage of the last commit cannot be distinguished from an unfinished commit.
 */
function damageLog(directory: string, random: Random): boolean {
  const names = readdirSync(directory).filter((file) => /^log\.\d+-\d+$/.test(file));
  const path = join(directory, random.oneOf(names));
  const log = readFileSync(path);
  let end = log.length;
  while (end > 0 && log[end - 1] === 0) end--;
  if (end < 1000) return false;
  const at = random.below(end / 2);
  if (random.chance(0.7)) flipBit(log, at * 8 + random.below(8));
  else for (let i = at; i < at + 300; i++) log[i] = random.below(256);
  writeFileSync(path, log);
  return true;
}

function readOr(path: string, data: Buffer): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return data;
  }
}

function flipBit(data: Buffer, bit: number): Buffer {
  data[bit >>> 3] ^= 1 << (bit & 7);
  return data;
}

function sectorOf(data: Buffer, random: Random): number {
  return random.below(Math.ceil(data.length / sectorBytes)) * sectorBytes;
}

/** A closed database, which was written in three sessions. */
async function closedDatabase(workshop: Workshop): Promise<Original> {
  const directory = join(workshop.empty('closed'), 'db');
  const older = join(workshop.empty('older'), 'db');
  const other = join(workshop.empty('other'), 'db');
  const expectations: Expectations = {};
  await writeSessions(workshop, directory, expectations, 1, 2);
  cpSync(directory, older, { recursive: true });
  await writeSessions(workshop, directory, expectations, 2, 1);
  await writeSessions(workshop, other, {}, 3, 3);
  return { directory, older, other, expectations };
}

async function writeSessions(
  workshop: Workshop,
  directory: string,
  expectations: Expectations,
  seed: number,
  sessions: number,
): Promise<void> {
  const options = { ...settings, directory, expectations, seed, steps: 60, sessions };
  const child = workshop.start('write', options);
  const ending = await child.ended;
  if (ending !== undefined) throw new Error(`The database was not written: ${ending}`);
  applyLines(expectations, child.lines);
}

const settings: Omit<WriteOptions, 'directory' | 'expectations' | 'seed' | 'steps'> = {
  durability: 'relaxed',
  keys: 400,
  maxBytes,
  writers: 4,
  maxRows: 20,
  compacts: false,
};

async function killedDatabase(workshop: Workshop, seed: number): Promise<Original> {
  const directory = join(workshop.empty('killed'), 'db');
  const child = workshop.start('write', {
    ...settings,
    directory,
    expectations: {},
    seed,
    steps: 10_000,
  });
  await child.next('ready');
  const wanted = 100 + randomOf(seed).below(300);
  while (child.lines.length < wanted) await child.next('a');
  child.kill();
  await child.ended;
  const expectations: Expectations = {};
  applyLines(expectations, child.lines);
  return { directory, older: directory, other: directory, expectations };
}
