/** Random writes through the public interface, in a child process, with a log of their outcomes. */
import { writeSync } from 'node:fs';
import { RowsmithError } from '../../../../src/base/index.js';
import type { Engine } from '../../../../src/storage.js';
import { randomOf, type Random } from './random.js';
import {
  compareRow,
  counterKey,
  increment,
  readRow,
  table,
  writeOf,
  type Comparison,
  type Expectations,
  type Expected,
} from './rows.js';

/** Writes a line to standard output, synchronously: a killed process has written all of them. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
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
    const count = random.oneOf([1, 1, 1, 1, 1, 1, 2, 5, 10, this.#options.maxRows]);
    const keys = new Set(Array.from({ length: count }, () => this.#keyOf(writer, random)));
    await this.#write(engine, [...keys]);
  }

  #keyOf(writer: number, random: Random): string {
    const { keys, writers } = this.#options;
    const number = random.below(Math.ceil(keys / writers)) * writers + writer;
    return `row-${String(number).padStart(5, '0')}`;
  }

  #expected(key: string): Expected {
    return (this.#expectations[key] ??= { acknowledged: 0, attempted: 0 });
  }

  async #write(engine: Engine, keys: readonly string[]): Promise<void> {
    const rows = keys.map((key) => {
      const generation = ++this.#expected(key).attempted;
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
