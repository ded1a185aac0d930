/** The reads of the live engine: chooses the cheapest way to run each plan. */
import { isPoint, type RowsmithError, type FaultTexts } from '../../../base/index.js';
import { requestError, FamilyNames } from '../../protocol/index.js';
import {
  failedRead,
  type ReadOptions,
  type ReadPlan,
  type RowStream,
} from '../../../data/store/index.js';
import type { Calls } from '../call/calls.js';
import { ParallelReads } from './parallel-reads.js';
import { keysPerRequest, PointReads } from './point-reads.js';
import { type ReadContext, ReadStream } from './read-stream.js';

/** The reads of one instance. */
export class Reads {
  readonly #context: ReadContext;
  readonly #points: PointReads;

  /**
   * `maxAttempts` limits consecutive attempts without progress; the total timeout applies as well.
   */
  constructor(calls: Calls, maxAttempts = Infinity) {
    const tables = new Map<string, FamilyNames>();
    const families = (table: string): FamilyNames => {
      let names = tables.get(table);
      if (names === undefined) {
        names = new FamilyNames();
        tables.set(table, names);
      }
      return names;
    };
    this.#context = { calls, maxAttempts, families };
    this.#points = new PointReads(this.#context);
  }

  /**
   * Opens a read. No request is sent before the first `next`, which rejects if the plan is invalid.
   */
  open(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    const { ranges, limit } = plan;
    const { pageRows, signal, timeoutMs } = options;
    if (!isValidCount(limit)) return failedRead(countError('limit'));
    if (!isValidCount(pageRows)) return failedRead(countError('pageRows'));
    if (!ranges.every(isPoint)) return new ReadStream(this.#context, plan, options, 'scan');
    // A limit must be counted by the server, in a single request.
    if (limit === undefined && ranges.length > keysPerRequest)
      return new ParallelReads(this.#context, plan, options);
    // A request that several readers share cannot have the timeout of one of them.
    const isGathered = timeoutMs === undefined && this.#context.calls.settings.gatherGets;
    if (limit === undefined && ranges.length === 1 && isGathered)
      return this.#points.open(plan, signal);
    const kind = ranges.length > keysPerRequest ? 'scan' : 'points';
    return new ReadStream(this.#context, plan, options, kind);
  }
}

function isValidCount(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 1);
}

function countError(property: string): RowsmithError {
  return requestError(property, faults.notAWholeNumber);
}

const faults = {
  notAWholeNumber: { problem: 'must be a whole number of at least 1' },
} satisfies FaultTexts;
