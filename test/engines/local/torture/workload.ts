/** Random writes through the public interface, in a child process, with a log of their outcomes. */
import { writeSync } from 'node:fs';
import { RowsmithError } from '../../../../src/base/index.js';
import type { Engine } from '../../../../src/storage.js';
import { randomOf, type Random } from './random.js';
import {
  compareRow,
  counterKey,
  ensureTable,
  increment,
  nextDeletion,
  readRow,
  table,
  writeOf,
  type Comparison,
  type Expectations,
  type Expected,
} from './rows.js';

/** Writes a line to standard output, synchronously: a killed process has written all of them. */
export function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;)
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      // The pipe is full until it is read.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
}

/** The code and the problem of an error; for one that is not typed, its stack after 'untyped: '. */
export function codeOf(error: unknown): string {
  if (error instanceof RowsmithError)
    return `${error.code} ${String(error.details.problem ?? '')}`.trimEnd();
  return `untyped: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export interface WorkloadOptions {
  readonly keys: number;
  /** Maximum size of a value. */
  readonly maxBytes: number;
  /** Maximum number of rows in a call. */
  readonly maxRows: number;
  /** Writers that run at the same time, each with separate keys. */
  readonly writers: number;
  /** The writes of this process have greater generations; default 0. */
  readonly firstGeneration?: number;
}

/** Writes rows and keeps what they may be. Failed writes are collected, not thrown. */
export class Workload {
  /** Codes of failed writes. */
  readonly errors: string[] = [];
  /** Codes of failed reads of rows after a failed write. */
  readonly readErrors: string[] = [];
  /** Failed writes that changed a row nevertheless, and other rows that are wrong. */
  readonly comparison: Comparison = { lost: [], wrong: [] };

  readonly #expectations: Expectations;
  readonly #options: WorkloadOptions;

  constructor(expectations: Expectations, options: WorkloadOptions) {
    this.#expectations = expectations;
    this.#options = options;
  }

  /** Makes writes, `steps` by each writer, until `isDone`. */
  async run(engine: Engine, seed: number, steps: number, isDone = () => false): Promise<void> {
    const { writers } = this.#options;
    const writer = async (number: number): Promise<void> => {
      const random = randomOf(seed * writers + number);
      for (let step = 0; step < steps && !isDone(); step++) await this.step(engine, random, number);
    };
    await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)));
  }

  /** One random write by a writer. */
  async step(engine: Engine, random: Random, writer: number): Promise<void> {
    if (random.chance(0.1)) return this.#increment(engine, counterKey(writer));
    if (random.chance(0.04)) return this.#drop(engine, writer, random);
    if (writer === 0 && random.chance(0.04)) return this.#recreate(engine);
    const count = random.oneOf([1, 1, 1, 1, 1, 1, 2, 5, 10, this.#options.maxRows]);
    const keys = new Set(Array.from({ length: count }, () => this.#keyOf(writer, random)));
    await this.#write(engine, [...keys]);
  }

  #keyOf(writer: number, random: Random): string {
    const { keys, writers } = this.#options;
    const number = random.below(Math.ceil(keys / writers));
    return `${prefixOf(writer)}${String(number).padStart(5, '0')}`;
  }

  #expected(key: string): Expected {
    return (this.#expectations[key] ??= { acknowledged: 0, attempted: 0 });
  }

  async #write(engine: Engine, keys: readonly string[]): Promise<void> {
    const rows = keys.map((key) => {
      const expected = this.#expected(key);
      const { firstGeneration = 0 } = this.#options;
      const generation = Math.max(expected.attempted, firstGeneration) + 1;
      expected.attempted = generation;
      say(`t ${key} ${generation}`);
      return { key, generation };
    });
    const writes = rows.map(({ key, generation }) =>
      writeOf(key, generation, this.#options.maxBytes),
    );
    let results: readonly unknown[];
    try {
      if (writes.length === 1) await engine.mutateRow(table, writes[0]);
      results = writes.length === 1 ? [undefined] : await engine.mutateRows(table, writes);
    } catch (error) {
      results = writes.map(() => error);
    }
    for (const [i, { key, generation }] of rows.entries()) {
      if (results[i] === undefined) this.#acknowledge(key, generation);
      else await this.#onFailure(engine, key, results[i]);
    }
  }

  async #increment(engine: Engine, key: string): Promise<void> {
    const expected = this.#expected(key);
    const next = expected.acknowledged + 1;
    expected.attempted = Math.max(expected.attempted, next);
    say(`t ${key} ${expected.attempted}`);
    try {
      const value = await increment(engine, key);
      if (value !== next) this.comparison.wrong.push(`${key} became ${value} instead of ${next}`);
      this.#acknowledge(key, value);
    } catch (error) {
      await this.#onFailure(engine, key, error);
    }
  }

  /** Removes a range of the writer's rows: all, a hundred or ten of them. */
  #drop(engine: Engine, writer: number, random: Random): Promise<void> {
    const digits = random.oneOf([1, 1, 1, 2, 5]);
    return this.#dropPrefix(engine, this.#keyOf(writer, random).slice(0, -digits));
  }

  /** Removes all rows. */
  dropAll(engine: Engine): Promise<void> {
    return this.#dropPrefix(engine, 'row-');
  }

  async #dropPrefix(engine: Engine, prefix: string): Promise<void> {
    const names = Object.keys(this.#expectations).filter((key) => key.startsWith(prefix));
    const rows = names.map((key) => {
      const expected = this.#expected(key);
      const { firstGeneration = 0 } = this.#options;
      expected.attempted = nextDeletion(Math.max(expected.attempted, firstGeneration));
      say(`t ${key} ${expected.attempted}`);
      return { key, generation: expected.attempted };
    });
    try {
      await engine.dropRowRange(table, { kind: 'prefix', prefix: Buffer.from(prefix) });
      for (const { key, generation } of rows) this.#acknowledge(key, generation);
    } catch (error) {
      for (const { key } of rows) await this.#onFailure(engine, key, error);
    }
  }

  /** Creates or deletes another table with rows; a new one is empty. */
  async #recreate(engine: Engine): Promise<void> {
    try {
      if ((await engine.listTables()).some(({ name }) => name === scratchTable))
        return await engine.deleteTable(scratchTable);
      await ensureTable(engine, scratchTable);
      const key = `${prefixOf(0)}00000`;
      if ((await readRow(engine, key, scratchTable)) !== undefined)
        this.comparison.wrong.push('a new table has rows');
      await engine.mutateRow(scratchTable, writeOf(key, 1, this.#options.maxBytes));
    } catch (error) {
      this.errors.push(codeOf(error));
    }
  }

  #acknowledge(key: string, generation: number): void {
    this.#expected(key).acknowledged = generation;
    say(`a ${key} ${generation}`);
  }

  /** Checks that the row of the failed write is unchanged. */
  async #onFailure(engine: Engine, key: string, error: unknown): Promise<void> {
    this.errors.push(codeOf(error));
    await this.#checkRow(engine, key);
  }

  /** Reads a row, which must be the one that was acknowledged. A failed read is collected. */
  async #checkRow(engine: Engine, key: string): Promise<void> {
    const { acknowledged } = this.#expected(key);
    const exact = { acknowledged, attempted: acknowledged };
    try {
      const row = await readRow(engine, key);
      compareRow(key, row, exact, this.#options.maxBytes, this.comparison);
    } catch (error) {
      this.readErrors.push(codeOf(error));
    }
  }
}

/** Is created and deleted again and again. */
const scratchTable = 'u';

/** How the keys of a writer begin. */
function prefixOf(writer: number): string {
  return `row-${writer}-`;
}

/** Applies lines that a workload has written to the expectations. */
export function applyLines(expectations: Expectations, lines: readonly string[]): void {
  for (const line of lines) {
    const [kind, key, generation] = line.split(' ');
    if (kind !== 't' && kind !== 'a') continue;
    const expected = (expectations[key] ??= { acknowledged: 0, attempted: 0 });
    if (kind === 't') expected.attempted = Math.max(expected.attempted, Number(generation));
    else expected.acknowledged = Number(generation);
  }
}
