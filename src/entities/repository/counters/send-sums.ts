/** Sends the sums of one flush, a limited number of requests in flight. */
import { type ErrorCode, RowsmithError } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type {
  CellClock,
  Engine,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../../data/store/index.js';
import { revisionRule } from '../managed/managed-values.js';
import { requestsInFlight, type RequestsInFlight } from '../write/calls-in-flight.js';
import type { CounterSums, CountedSum, SumOutcome } from './counter-sums.js';

/** Bounds of a request. The live engine sends one of this size whole, never in parts. */
const maxBatchBytes = 1 << 20;
const maxBatchMutations = 10_000;
const maxRowRules = 1000;
/** Bytes of an addition besides key and qualifier, about. */
const additionBytes = 64;

/**
 * Errors after which nothing was written, for certain. After any other the outcome is unknown: also
 * STORAGE_FAILED may be a connection that broke, or a disk that failed after the write.
 */
const rejections: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_VALUE',
  'OUTSIDE_SCOPE',
  'FAILED_PRECONDITION',
  'TABLE_NOT_FOUND',
  'FAMILY_NOT_FOUND',
  'LIMIT_EXCEEDED',
  'DATABASE_CLOSED',
  'PERMISSION_DENIED',
  'QUOTA_EXCEEDED',
  'MISSING_PACKAGE',
  'UNSUPPORTED',
]);

/** What a flush needs of a repository, and its limits. */
export interface SendParts {
  readonly engine: Engine;
  readonly model: EntityModel;
  readonly clock: CellClock;
  /** Requests of a flush in flight, of both kinds; undefined for the default of each. */
  readonly inFlight: number | undefined;
}

/** The sums that one row of a request holds. */
interface RowSums {
  readonly key: Uint8Array;
  readonly sums: readonly CountedSum[];
}

/** Sends sums. Each instance serves one flush. */
export class SumSender {
  readonly #parts: SendParts;
  readonly #settle: (outcome: SumOutcome) => void;
  readonly #inFlight: RequestsInFlight;
  #batch: RowSums[] = [];
  #mutations = 0;
  #bytes = 0;

  /** `settle` is called once for each sum. */
  constructor(parts: SendParts, settle: (outcome: SumOutcome) => void) {
    this.#parts = parts;
    this.#settle = settle;
    this.#inFlight = requestsInFlight(parts.inFlight);
  }

  /** Resolves when every sum is settled. Never rejects. */
  async send(sums: CounterSums): Promise<void> {
    const { batches, rows } = this.#inFlight;
    for (const row of sums.rows()) {
      const added: CountedSum[] = [];
      const incremented: CountedSum[] = [];
      for (const sum of row.values())
        (sum.cell.aggregate === undefined ? incremented : added).push(sum);
      for (const part of parts(added, maxBatchMutations)) await this.#put(part);
      for (const part of parts(incremented, maxRowRules)) {
        rows.start(() => this.#increment(part));
        await rows.ready();
      }
    }
    this.#sendBatch();
    await batches.idle();
    await rows.idle();
  }

  async #put(row: RowSums): Promise<void> {
    let bytes = row.key.length;
    for (const sum of row.sums) bytes += bytesOf(sum);
    const isFull =
      this.#mutations + row.sums.length > maxBatchMutations || this.#bytes + bytes > maxBatchBytes;
    if (isFull) {
      this.#sendBatch();
      await this.#inFlight.batches.ready();
    }
    this.#batch.push(row);
    this.#mutations += row.sums.length;
    this.#bytes += bytes;
  }

  #sendBatch(): void {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#mutations = 0;
    this.#bytes = 0;
    this.#inFlight.batches.start(() => this.#add(batch));
  }

  /** AddToCell for many rows. */
  async #add(batch: readonly RowSums[]): Promise<void> {
    const { engine, model } = this.#parts;
    const rows = batch.map(({ key, sums }): RowMutation => ({
      key,
      mutations: sums.map(addition),
    }));
    let errors: readonly (RowsmithError | undefined)[];
    try {
      errors = await engine.mutateRows(model.table.name, rows);
    } catch (error) {
      for (const { sums } of batch) this.#settleAll(sums, error);
      return;
    }
    batch.forEach(({ sums }, i) => this.#settleAll(sums, errors[i]));
  }

  /** ReadModifyWriteRow for one row. */
  async #increment({ key, sums }: RowSums): Promise<void> {
    const { engine, model, clock } = this.#parts;
    const rules = sums.map(({ cell: { family, qualifier }, amount }): ReadModifyWriteRule => {
      return { kind: 'increment', family, qualifier, amount: wrapped(amount) };
    });
    // As with increments: save() writes entries of column maps, and no counters.
    const hasEntry = sums.some(({ cell }) => cell.entry !== undefined);
    const revision = hasEntry ? revisionRule(model) : undefined;
    if (revision !== undefined) rules.push(revision);
    try {
      const { cells } = await engine.readModifyWriteRow(model.table.name, key, rules);
      // The engine's clock sets the timestamps, so ours moves on to them.
      if (model.cellTimestamp === undefined)
        for (const { timestamp } of cells) clock.advance(timestamp);
    } catch (error) {
      this.#settleAll(sums, error);
      return;
    }
    this.#settleAll(sums, undefined);
  }

  #settleAll(sums: readonly CountedSum[], cause: unknown): void {
    if (cause === undefined) {
      for (const sum of sums) this.#settle({ sum, mayBeWritten: false });
      return;
    }
    const error = typedError(cause);
    const mayBeWritten = !rejections.has(error.code);
    for (const sum of sums) this.#settle({ sum, error, mayBeWritten });
  }
}

function addition({ cell: { family, qualifier }, amount }: CountedSum): Mutation {
  // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
  return { kind: 'addToCell', family, qualifier, timestamp: 0, input: wrapped(amount) };
}

/**
 * Stored counters wrap around, so adding a sum modulo 2^64 has the effect of adding its parts. A
 * smallest or largest value is an int64 already.
 */
function wrapped(amount: bigint): bigint {
  return BigInt.asIntN(64, amount);
}

/** The sums of a row in parts that a request can hold. */
function* parts(all: readonly CountedSum[], max: number): Generator<RowSums> {
  let sums: CountedSum[] = [];
  let bytes = 0;
  for (const sum of all) {
    bytes += bytesOf(sum);
    if (sums.length === max || (bytes > maxBatchBytes && sums.length > 0)) {
      yield { key: sum.row.bytes, sums };
      sums = [];
      bytes = bytesOf(sum);
    }
    sums.push(sum);
  }
  if (sums.length > 0) yield { key: sums[0].row.bytes, sums };
}

function bytesOf({ cell }: CountedSum): number {
  return additionBytes + cell.qualifier.length;
}

/** Engines reject with typed errors; anything else is a fault in one. */
function typedError(cause: unknown): RowsmithError {
  if (cause instanceof RowsmithError) return cause;
  return new RowsmithError('STORAGE_FAILED', { problem: String(cause) }, { cause });
}
