/**
 * Garbage collection by itself, in the mode `lazy`: from time to time, a table after the other, in
 * steps of some hundred rows with as much rest between them as they took. What it takes away is
 * what `compact` would; the file stays as large as it is.
 */
import type { GcRule } from '../../../store/index.js';
import type { TableState } from '../table/table-state.js';
import type { TableSweeps } from './table-sweeps.js';

/** When tables are collected in the mode `lazy`. */
export interface LazyCollection {
  /** Real milliseconds between two looks at the tables; default 60,000. */
  readonly everyMs?: number;
  /**
   * Rows written to a table before it is collected, if that is also a fifth of the rows it had;
   * default 10,000.
   */
  readonly rows?: number;
  /**
   * Milliseconds of the engine's clock after which a table with a rule by age is collected, written
   * to or not; default an hour.
   */
  readonly ageMs?: number;
}

/** What is known of a table since it was last collected. */
interface Progress {
  written: number;
  /** Rows it had. */
  seen: number;
  /** Milliseconds since 1970, by the engine's clock. */
  at: number;
}

/** The share of a table that is written before it is collected again: one part in so many. */
const share = 5;

/** Collects the tables of one engine until it is stopped. */
export class BackgroundCollection {
  readonly #progress = new Map<number, Progress>();
  readonly #everyMs: number;
  readonly #rows: number;
  readonly #ageMs: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  readonly #sweeps: TableSweeps;
  readonly #tables: () => readonly TableState[];
  readonly #clock: () => number;

  /** `tables` gives the tables there are; `clock` milliseconds since 1970. */
  constructor(
    sweeps: TableSweeps,
    tables: () => readonly TableState[],
    clock: () => number,
    { everyMs = 60_000, rows = 10_000, ageMs = 3_600_000 }: LazyCollection,
  ) {
    this.#sweeps = sweeps;
    this.#tables = tables;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#rows = rows;
    this.#ageMs = ageMs;
    for (const table of tables()) this.#progressOf(table);
    this.#schedule();
  }

  /** A row of the table was written. */
  wrote(table: TableState): void {
    this.#progressOf(table).written++;
  }

  /** Begins nothing more; a step under way ends with the engine's queue. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => void this.#look().finally(() => this.#schedule()),
      this.#everyMs,
    );
    // A process with nothing else to do may end.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    for (const table of this.#tables()) {
      if (this.#stopped) return;
      if (!this.#isDue(table)) continue;
      try {
        await this.#collect(table);
      } catch {
        // The table or the engine went, or the disk failed: whoever calls next is told, and the
        // next look tries again.
      }
    }
  }

  #isDue(table: TableState): boolean {
    const rules = [...table.families.values()].flatMap(({ schema }) => schema.gc ?? []);
    if (rules.length === 0) return false;
    const { written, seen, at } = this.#progressOf(table);
    return (
      written >= Math.max(this.#rows, seen / share) ||
      (rules.some(hasAge) && this.#clock() - at >= this.#ageMs)
    );
  }

  async #collect(table: TableState): Promise<void> {
    const at = this.#clock();
    let began = performance.now();
    const { seen } = await this.#sweeps.collect(table.name, async () => {
      await new Promise((resolve) => void setTimeout(resolve, performance.now() - began).unref());
      began = performance.now();
    });
    this.#progress.set(table.id, { written: 0, seen, at });
  }

  #progressOf({ id }: TableState): Progress {
    let progress = this.#progress.get(id);
    if (progress === undefined)
      this.#progress.set(id, (progress = { written: 0, seen: 0, at: this.#clock() }));
    return progress;
  }
}

function hasAge(rule: GcRule): boolean {
  return (
    rule.kind === 'maxAge' ||
    ((rule.kind === 'union' || rule.kind === 'intersection') && rule.rules.some(hasAge))
  );
}
