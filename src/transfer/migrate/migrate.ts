/**
 * Runs a migration: copies rows, compares them, and deletes the old ones when that was asked for.
 */
import { fromHex, printable, toHex, unionRanges } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import { buildModel } from '../../model/index.js';
import { everything, rangesAfter, rangesOf } from '../../query/index.js';
import { copyRow, type Engine, type Row, type RowMutation } from '../../store/index.js';
import {
  counterAdvice,
  countersOf,
  type GuardedRow,
  sumsOf,
  writeGuarded,
} from './counter-guard.js';
import type { Migration } from './migration.js';
import { MigrationState, type MigrationPhase } from './migration-state.js';
import { addedTo, deletionsOf, differencesOf } from './row-comparison.js';
import { type MovedRow, moveMutations, type RowMover, rowMover } from './row-mover.js';
import { ScanShare } from '../scan-progress.js';

/** How far a migration is. */
export interface MigrationProgress {
  readonly phase: MigrationPhase;
  /** Rows of this phase, those of an earlier run too. */
  readonly rows: number;
  /** Of these, rows that an earlier run had done. */
  readonly earlier: number;
  /**
   * Share of the phase, 0 to 1: of the copy an estimate from keys that storage samples, undefined
   * in its first second; of the others by the rows of the copy.
   */
  readonly share: number | undefined;
}

/** How to run a migration. */
export interface MigrateOptions {
  /** Only count and show: nothing is written, and there is no state. */
  readonly dryRun?: boolean;
  /**
   * The file that keeps how far it is; with one that is there the migration goes on. Without a name
   * nothing is kept.
   */
  readonly state?: string;
  /** Most rows a second; default: as many as storage takes. */
  readonly rowsPerSecond?: number;
  /** Compare every row after copying; default true. */
  readonly verify?: boolean;
  /** Delete the old rows, after the comparison found no difference. Default false. */
  readonly deleteOld?: boolean;
  /**
   * Put the old value of a sum in place of one that the new row has already. Default false: such a
   * row stops the migration, because somebody may have added to the new one.
   */
  readonly replaceCounters?: boolean;
  /** Called when a phase begins, and after each batch. */
  readonly onProgress?: (progress: MigrationProgress) => void;
  readonly signal?: AbortSignal;
}

/** A row before and after. */
export interface MovedKeys {
  readonly from: string;
  /** Undefined where the row is left out. */
  readonly to: string | undefined;
}

/** What became of a migration. */
export interface MigrationResult {
  /** Rows of the old entity. */
  readonly rows: number;
  /** Rows that were copied, now or before. */
  readonly copied: number;
  /** Rows that the map function left out. */
  readonly leftOut: number;
  /** Cells that the old class does not declare or the migration drops: they stay where they are. */
  readonly undeclaredCells: number;
  /** Rows that were compared; 0 without verifying. */
  readonly verified: number;
  readonly deleted: number;
  /** Some of the rows. */
  readonly samples: readonly MovedKeys[];
}

const batchRows = 1_024;
const mostSamples = 5;

/**
 * Moves the rows of `from` to `to` on one engine, whose tables are there. Killed and started again
 * with the same state file it goes on, and ends with the same rows: cells keep their timestamps, so
 * copying one again changes nothing. What is written to old rows meanwhile is found by the
 * comparison. Throws FAILED_PRECONDITION when the comparison finds a difference; nothing is deleted
 * then.
 */
export async function migrate<Old extends object, New extends object>(
  engine: Engine,
  migration: Migration<Old, New>,
  options: MigrateOptions = {},
): Promise<MigrationResult> {
  // Each by itself: the two claim the same rows, which is a fault in one database.
  const mover = rowMover(
    buildModel(migration.from),
    buildModel(migration.to),
    migration as unknown as Migration,
  );
  return new MigrationRun(engine, mover, options).run();
}

class MigrationRun {
  readonly #engine: Engine;
  readonly #mover: RowMover;
  readonly #options: MigrateOptions;
  readonly #state: MigrationState;
  readonly #samples: MovedKeys[] = [];
  readonly #started = performance.now();
  #paced = 0;

  constructor(engine: Engine, mover: RowMover, options: MigrateOptions) {
    this.#engine = engine;
    this.#mover = mover;
    this.#options = options;
    const { rowsPerSecond } = options;
    if (rowsPerSecond !== undefined && !(rowsPerSecond > 0)) {
      throw new RowsmithError('INVALID_ARGUMENT', {
        property: 'rowsPerSecond',
        problem: `it is ${rowsPerSecond}`,
        fix: 'give a number above 0, or leave it out',
      });
    }
    this.#state = new MigrationState(
      options.dryRun === true ? undefined : options.state,
      mover.from,
      mover.to,
    );
  }

  async run(): Promise<MigrationResult> {
    const { dryRun = false, verify = true, deleteOld = false } = this.#options;
    if (deleteOld && !verify)
      throw new RowsmithError('INVALID_ARGUMENT', {
        property: 'deleteOld',
        problem: 'old rows are deleted only after the comparison',
        fix: 'leave verify on',
      });
    if (this.#state.phase === 'copy')
      await this.#phase('copy', (rows) => (dryRun ? Promise.resolve() : this.#copy(rows)));
    if (!dryRun && verify) {
      if (this.#state.phase === 'copy') this.#state.begin('verify');
      if (this.#state.phase === 'verify') await this.#phase('verify', (rows) => this.#verify(rows));
      if (deleteOld) await this.#deleteAll();
    }
    this.#state.remove();
    return { ...this.#state.counts, samples: this.#samples };
  }

  async #deleteAll(): Promise<void> {
    const { undeclaredCells } = this.#state.counts;
    if (undeclaredCells > 0) {
      throw new RowsmithError('FAILED_PRECONDITION', {
        entity: this.#mover.from.name,
        problem: `${undeclaredCells} cells of the old rows were not copied, because ${this.#mover.from.name} does not declare them or the migration drops them`,
        fix: 'declare them, or delete the old rows yourself once nobody needs them; they are all still there',
      });
    }
    if (this.#state.phase === 'verify') this.#state.begin('delete');
    await this.#phase('delete', (rows) => this.#delete(rows));
  }

  /** Goes through the old rows, after the last one that the state knows. */
  async #phase(
    phase: MigrationPhase,
    take: (rows: readonly MovedRow[]) => Promise<void>,
  ): Promise<void> {
    const { from } = this.#mover;
    const last = this.#state.last === undefined ? undefined : fromHex(this.#state.last);
    const whole = unionRanges(rangesOf(from, everything.key).perShard.flat());
    const ranges = last === undefined ? whole : rangesAfter(whole, last, false);
    if (ranges.length === 0) return;
    const share = new ScanShare(this.#engine, from.table.name, ranges, {
      resumed: last !== undefined,
    });
    const earlier = this.#rowsOf(phase);
    let met = 0;
    this.#options.onProgress?.({ phase, rows: earlier, earlier, share: undefined });
    const stream = this.#engine.readRows(
      { table: from.table.name, ranges, reversed: false },
      { signal: this.#options.signal, pageRows: batchRows },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        const rows: Row[] = [];
        while (page.nextRow()) rows.push(copyRow(page));
        for (let at = 0; at < rows.length; at += batchRows) {
          const some = rows.slice(at, at + batchRows);
          await this.#batch(phase, some, take);
          met += some.reduce(
            (sum, { cells }) => sum + cells.reduce((bytes, { value }) => bytes + value.length, 0),
            0,
          );
          this.#options.onProgress?.({
            phase,
            rows: this.#rowsOf(phase),
            earlier,
            share:
              phase === 'copy' ? share.after(some[some.length - 1].key, met) : this.#shareOf(phase),
          });
          this.#options.signal?.throwIfAborted();
        }
      }
    } finally {
      await stream.close();
    }
  }

  async #batch(
    phase: MigrationPhase,
    rows: readonly Row[],
    take: (rows: readonly MovedRow[]) => Promise<void>,
  ): Promise<void> {
    const moved = rows.flatMap((row) => this.#mover.move(row) ?? []);
    if (moved.length > 0) await take(moved);
    this.#count(phase, moved);
    this.#state.reached(toHex(rows[rows.length - 1].key));
    await this.#pace(moved.length);
  }

  #rowsOf(phase: MigrationPhase): number {
    const { rows, verified, deleted } = this.#state.counts;
    return { copy: rows, verify: verified, delete: deleted }[phase];
  }

  #shareOf(phase: MigrationPhase): number {
    return Math.min(1, this.#rowsOf(phase) / Math.max(1, this.#state.counts.rows));
  }

  #count(phase: MigrationPhase, moved: readonly MovedRow[]): void {
    if (phase === 'verify') this.#state.add({ verified: moved.length });
    if (phase === 'delete') this.#state.add({ deleted: moved.length });
    if (phase !== 'copy') return;
    for (const { source, to } of moved.slice(0, mostSamples - this.#samples.length))
      this.#samples.push({
        from: printable(source.key),
        to: to === undefined ? undefined : printable(to),
      });
    const leftOut = moved.filter(({ to }) => to === undefined).length;
    this.#state.add({
      rows: moved.length,
      copied: this.#options.dryRun === true ? 0 : moved.length - leftOut,
      leftOut,
      undeclaredCells: moved.reduce((sum, { undeclared }) => sum + undeclared, 0),
    });
  }

  async #pace(rows: number): Promise<void> {
    const { rowsPerSecond } = this.#options;
    if (rowsPerSecond === undefined) return;
    this.#paced += rows;
    const ahead = (this.#paced / rowsPerSecond) * 1000 - (performance.now() - this.#started);
    if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead));
  }

  async #copy(rows: readonly MovedRow[]): Promise<void> {
    const guarded = this.#options.replaceCounters !== true;
    const [refused] = await this.#write(
      this.#mover.to.table.name,
      rows.flatMap((row): GuardedRow[] => {
        const mutations = row.to === undefined ? [] : moveMutations(row);
        return mutations.length === 0
          ? []
          : [{ key: row.to!, mutations, counters: guarded ? sumsOf(row.cells) : [] }];
      }),
    );
    if (refused !== undefined) {
      throw new RowsmithError('FAILED_PRECONDITION', {
        entity: this.#mover.to.name,
        problem: `a counter of the row ${printable(refused.key)} holds another value than in the old row: ${addedTo}`,
        fix: counterAdvice,
        keyHex: toHex(refused.key),
      });
    }
  }

  /**
   * Resolves to the rows that were not written, because a counter of theirs is not what it should
   * be.
   */
  async #write(table: string, rows: readonly GuardedRow[]): Promise<readonly RowMutation[]> {
    const refused = await writeGuarded(
      this.#engine,
      table,
      rows.filter(({ counters }) => counters.length > 0),
    );
    await this.#writePlain(
      table,
      rows.filter(({ counters }) => counters.length === 0),
    );
    return refused;
  }

  async #writePlain(table: string, rows: readonly RowMutation[]): Promise<void> {
    if (rows.length === 0) return;
    const { signal } = this.#options;
    const results = await this.#engine.mutateRows(
      table,
      rows,
      signal === undefined ? {} : { signal },
    );
    const failed = results.find((error) => error !== undefined);
    if (failed !== undefined) throw failed;
  }

  async #verify(rows: readonly MovedRow[]): Promise<void> {
    const [first] = await differencesOf(this.#engine, rows, this.#mover);
    if (first === undefined) return;
    this.#state.begin('copy');
    throw new RowsmithError('FAILED_PRECONDITION', {
      entity: this.#mover.to.name,
      problem: `the row ${printable(first.row.source.key)} is not at ${printable(first.row.to!)} as it should be: ${first.problem}`,
      key: printable(first.row.to!),
      keyHex: toHex(first.row.to!),
      fix: first.problem.endsWith(addedTo)
        ? counterAdvice
        : 'run the migration again to copy what was written since; nothing was deleted',
    });
  }

  /**
   * Compares each row once more, and takes away exactly the cells that were copied: what was
   * written since stays.
   */
  async #delete(rows: readonly MovedRow[]): Promise<void> {
    await this.#verify(rows);
    const [refused] = await this.#write(
      this.#mover.from.table.name,
      rows.flatMap((row): GuardedRow[] => {
        const mutations = deletionsOf(row, this.#mover);
        return mutations.length === 0
          ? []
          : [{ key: row.source.key, mutations, counters: countersOf(row, this.#mover) }];
      }),
    );
    if (refused === undefined) return;
    this.#state.begin('copy');
    throw new RowsmithError('FAILED_PRECONDITION', {
      entity: this.#mover.from.name,
      problem: `a counter of the old row ${printable(refused.key)} was added to while it was to be deleted`,
      fix: counterAdvice,
      keyHex: toHex(refused.key),
    });
  }
}
