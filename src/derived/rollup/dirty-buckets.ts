/** Reads of rebuilt rollups: rows that a write has marked are computed from their source. */
import type { EntityModel, RollupModel } from '../../model/index.js';
import { marksProperty } from '../../model/index.js';
import type { Engine } from '../../store/index.js';
import type { ReadingMaker } from './reading.js';
import { RollupSourceRows } from './source.js';

type Cells = Readonly<Record<string, unknown>>;

/** Computes rows of one rollup. */
export class DirtyBuckets {
  readonly #engine: Engine;
  readonly #source: RollupSourceRows;
  readonly #maker: ReadingMaker;

  constructor(engine: Engine, model: EntityModel, rollup: RollupModel) {
    this.#engine = engine;
    this.#source = new RollupSourceRows(model, [rollup]);
    this.#maker = this.#source.makers[0];
  }

  /** Whether a stored row is marked. */
  isDirty(row: Cells): boolean {
    const marks = row[marksProperty];
    return marks instanceof Map && marks.size > 0;
  }

  /** The row with the values of its source; undefined if no source row is left. */
  async current(row: Cells, signal?: AbortSignal): Promise<Cells | undefined> {
    const segments: Record<string, unknown> = {};
    for (const name of this.#maker.rollup.by) segments[name] = row[name];
    const totals = await this.#source.totalsOf(this.#engine, this.#maker, segments, signal);
    if (totals.isEmpty) return undefined;
    return { ...segments, ...totals.cellValues() };
  }
}
