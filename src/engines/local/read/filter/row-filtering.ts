/** Filters one row, in several turns of the event loop when that takes long. */
import type { CellFilter, FilterRun } from './cell-filter.js';
import { checkMadeCells, sortCells, type FilterCell, type FilterRow } from './filtered-cell.js';

/**
 * What happens when a row takes long: `allowed` interrupts its filter, so that the event loop can
 * turn. `bounded`, within a commit, throws RowTakesLong. `never` completes it.
 */
export type Interruption = 'allowed' | 'bounded' | 'never';

/** Milliseconds after which reading or filtering a row is interrupted. */
export const maxFilterMs = 10;
/** Work of a filter on one row within a commit: about 10 ms. */
const maxBoundedWork = 200_000;
/** Cells of a row that is filtered within a commit: about 10 ms. */
export const maxBoundedCells = 50_000;

/** The row takes too long to be filtered within a commit. */
export class RowTakesLong extends Error {}

/** The filter of a read and the row that it is applied to. */
export class RowFiltering {
  readonly #row: FilterRow;
  readonly #run: FilterRun;
  #reportedWork = 0;

  constructor(filter: CellFilter, row: FilterRow) {
    this.#row = row;
    this.#run = filter(row.cells, row);
  }

  /** Returns the matching cells; undefined when the filter was interrupted. */
  continue(interruption: Interruption): readonly FilterCell[] | undefined {
    let result = this.#run.next();
    if (result.done !== true) {
      const started = performance.now();
      while (result.done !== true) {
        if (interruption === 'allowed' && performance.now() - started > maxFilterMs)
          return undefined;
        if (interruption === 'bounded' && this.#row.work > maxBoundedWork) throw new RowTakesLong();
        result = this.#run.next();
      }
    }
    const { sinkCells } = this.#row;
    if (sinkCells.length === 0) return result.value;
    const all = [...result.value, ...sinkCells];
    checkMadeCells(all, this.#row);
    return sortCells(all);
  }

  /** The work since the last call. */
  takeWork(): number {
    const work = this.#row.work - this.#reportedWork;
    this.#reportedWork = this.#row.work;
    return work;
  }
}
