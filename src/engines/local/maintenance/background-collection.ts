/**
 * Garbage collection in the background, in the mode `lazy`: periodically, one table after the
 * other, in steps of some hundred rows with pauses as long as the steps. It deletes what `compact`
 * would, but does not shrink the file.
 */
import type { GcRule } from '../../../data/store/index.js';
import type { TableState } from '../table/table-state.js';
import type { TableSweeps } from './table-sweeps.js';

/** When tables are collected in the mode `lazy`. */
export interface LazyCollection {
  /** Milliseconds of real time between two checks of which tables are due; default 60,000. */
  readonly everyMs?: number;
  /**
   * Minimum number of rows written to a table before it is collected, default 10,000. It must also
   * be a fifth of the table's rows.
   */
  readonly rows?: number;
  /**
   * Milliseconds of the engine's clock after which a table with a rule by age is collected, whether
   * it was written to or not; default an hour.
   */
  readonly ageMs?: number;
}

/** The state of a table since it was last collected. */
interface Progress {
  rowsWritten: number;
  /** Rows at the last collection. */
  rowsSeen: number;
  /** Milliseconds since 1970, by the engine's clock. */
  collectedAt: number;
}

/** A table is collected again once one in so many of its rows has been written. */
const rowsPerWritten = 5;

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

  /** `tables` returns all tables, `clock` milliseconds since 1970. */
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

  /** Called for every row that was written. */
  onWrite(table: TableState): void {
    this.#progressOf(table).rowsWritten++;
  }

  /** Starts nothing more. A step that is running ends with the engine's queue. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => void this.#collectDueTables().finally(() => this.#schedule()),
      this.#everyMs,
    );
    // The timer must not keep the process running.
    this.#timer.unref();
  }

  async #collectDueTables(): Promise<void> {
    for (const table of this.#tables()) {
      if (this.#stopped) return;
      if (!this.#isDue(table)) continue;
      try {
        await this.#collect(table);
      } catch {
        // The table was deleted, the engine closed, or the disk failed. The next call reports it,
        // and the collection is retried.
      }
    }
  }

  #isDue(table: TableState): boolean {
    const rules = [...table.families.values()].flatMap(({ schema }) => schema.gc ?? []);
    if (rules.length === 0) return false;
    const { rowsWritten, rowsSeen, collectedAt } = this.#progressOf(table);
    if (rowsWritten >= Math.max(this.#rows, rowsSeen / rowsPerWritten)) return true;
    return rules.some(hasAge) && this.#clock() - collectedAt >= this.#ageMs;
  }

  async #collect(table: TableState): Promise<void> {
    const collectedAt = this.#clock();
    let stepStart = performance.now();
    const pause = async (): Promise<void> => {
      const stepMs = performance.now() - stepStart;
      await new Promise((resolve) => void setTimeout(resolve, stepMs).unref());
      stepStart = performance.now();
    };
    const { visited, cells } = await this.#sweeps.collectGarbage(table.name, { pause });
    if (cells > 0) await this.#sweeps.settle();
    this.#progress.set(table.id, { rowsWritten: 0, rowsSeen: visited, collectedAt });
  }

  #progressOf({ id }: TableState): Progress {
    let progress = this.#progress.get(id);
    if (progress === undefined) {
      progress = { rowsWritten: 0, rowsSeen: 0, collectedAt: this.#clock() };
      this.#progress.set(id, progress);
    }
    return progress;
  }
}

function hasAge(rule: GcRule): boolean {
  return (
    rule.kind === 'maxAge' ||
    ((rule.kind === 'union' || rule.kind === 'intersection') && rule.rules.some(hasAge))
  );
}
