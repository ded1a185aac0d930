/** The reads of the live engine: each plan goes the way that costs the least. */
import { isPoint } from '../../../bytes/index.js';
import { badRequest, FamilyNames } from '../../../protocol/index.js';
import type { ReadOptions, ReadPlan, RowStream } from '../../../store/index.js';
import type { Calls } from '../call/calls.js';
import { ParallelReads } from './parallel-reads.js';
import { keysPerRequest, PointReads } from './point-reads.js';
import { type ReadContext, ReadStream } from './read-stream.js';

/** See above. */
export class Reads {
  readonly #context: ReadContext;
  readonly #points: PointReads;

  /**
   * `mostTries`: how often in a row a read may be tried without bringing anything; the time for all
   * tries ends it too.
   */
  constructor(calls: Calls, mostTries = Infinity) {
    const tables = new Map<string, FamilyNames>();
    const families = (table: string): FamilyNames => {
      let names = tables.get(table);
      if (names === undefined) tables.set(table, (names = new FamilyNames()));
      return names;
    };
    this.#context = { calls, mostTries, families };
    this.#points = new PointReads(this.#context);
  }

  /** Starts a read. Nothing is asked before the first `next`, which faults of the plan reject. */
  open(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    const { ranges, limit } = plan;
    for (const [property, count] of [
      ['limit', limit],
      ['pageRows', options.pageRows],
    ] as const) {
      if (count !== undefined && !(Number.isInteger(count) && count >= 1))
        return refusing(badRequest(property, 'must be a whole number of at least 1'));
    }
    // A limit over many points is counted by the server.
    if (limit !== undefined || ranges.length === 0 || !ranges.every(isPoint))
      return new ReadStream(this.#context, plan, options);
    if (ranges.length === 1)
      return this.#context.calls.settings.gatherGets
        ? this.#points.open(plan, options.signal)
        : new ReadStream(this.#context, plan, options);
    return ranges.length > keysPerRequest
      ? new ParallelReads(this.#context, plan, options)
      : new ReadStream(this.#context, plan, options);
  }
}

/** A read that cannot begin. */
function refusing(error: Error): RowStream {
  return { next: () => Promise.reject(error), close: async () => undefined };
}
