/** Builds an index of a table that has rows: makes the entries that are missing. */
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';
import type { IndexStates } from '../index/index-states.js';
import { type CheckedPage, checkedPages } from './index-check.js';

/** An index to build. */
export interface BuildJob {
  /** The storage itself. */
  readonly engine: Engine;
  readonly states: IndexStates;
  readonly model: EntityModel;
  /** Position of the index in the entity's declaration. */
  readonly at: number;
  readonly inFlight: number;
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; default: the clock of the process. */
  readonly now?: (() => number) | undefined;
}

/** How a build ended. */
export interface Build {
  /** False if findings are left that only the rows' owner can solve. */
  readonly ready: boolean;
  /** Whether it continued a build that was stopped. */
  readonly resumed: boolean;
}

/**
 * Builds from the stored position, page by page. Writers go on meanwhile. The index is ready at the
 * end if nothing is left to solve; otherwise the next build starts again. Rejects with CONTENTION
 * if another program builds the same index, or drops it.
 */
export async function* buildIndex(job: BuildJob): AsyncGenerator<CheckedPage, Build> {
  const { engine, states, model, at, inFlight, signal, now } = job;
  const index = model.indexes[at];
  let state = await states.begin(model, index);
  const resumed = state.position !== '';
  const check = { engine, model, indexes: [at], repair: true, inFlight, signal, now };
  for await (const page of checkedPages({ ...check, after: state.position })) {
    // Orphans do not make an answer wrong: reads look at the rows.
    const left = page.findings.filter(({ kind, repaired }) => kind !== 'orphan' && !repaired);
    const unresolved = state.unresolved + left.length;
    state = await states.advance(index, state, { position: page.position, unresolved });
    yield page;
  }
  const ready = state.unresolved === 0;
  if (ready) await states.finish(index, state);
  else await states.advance(index, state, { position: '', unresolved: 0 });
  return { ready, resumed };
}
