/**
 * Writes of an entity with indexes, copies or rollups: every method that writes a row runs the
 * protocol that keeps its entries, copies and buckets right.
 */
import {
  allEnded,
  latin1Text,
  pointRange,
  printable,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import { newestWrite } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  type CellClock,
  type CheckAndMutate,
  collectRows,
  type DropTarget,
  type Engine,
  type ReadModifyWriteRule,
  type ResultOf,
  type Row,
  type RowMutation,
  Silence,
  type Stage,
  withStages,
  type WriteRequest,
} from '../../../data/store/index.js';
import type { CallerCondition } from './guarded-check.js';
import type { BaseWrite } from './row-requests.js';
import { RowWriter, type WriteOutcome } from './row-writer.js';
import { modifiedRow, ruleFilter } from './read-modify.js';
import { RowTurns } from './row-turns.js';
import { WritesAtOnce } from './write-at-once.js';

/** The rows of a batch that run their protocols at the same time. */
const rowsInFlight = 512;

/** How often an increment or append begins again. */
const maxModifyAttempts = 64;
const processClock = { next: (): number => Date.now() * 1000 };

type BatchOptions = { readonly signal?: AbortSignal };
type BatchResults = readonly (RowsmithError | undefined)[];

/** Called once values of a row that other rows copy may have changed, before its write resolves. */
export type SourceListener = (row: Uint8Array, signal: AbortSignal | undefined) => Promise<void>;

/** What the writes of one entity share with the writes of other entities. */
export interface SharedWrites {
  /** The turns of its rows. */
  readonly turns: RowTurns;
  readonly onSource: SourceListener;
}

/** Options of `derivedWrites`. */
export interface DerivedWriteOptions {
  /**
   * For copies of rows: cells keep their timestamps, and stored cells that are newer stay. By
   * default each write is the newest, whatever the clocks of its writers. Default false.
   */
  readonly keepsTimes?: boolean;
  /** Default: separate turns, and marks of sources that are left to propagations. */
  readonly shared?: SharedWrites;
  /** The times of increments and appends; default: the clock of the process. */
  readonly clock?: Pick<CellClock, 'next'>;
}

/**
 * The stage in which writes of an entity also write what follows from its rows; undefined if
 * nothing does. Its requests go to `engine`: what comes after this stage.
 */
export function derivedWrites(
  engine: Engine,
  model: EntityModel,
  options: DerivedWriteOptions = {},
): Stage | undefined {
  if (!isMaintained(model)) return undefined;
  const writes = new DerivedWrites(engine, model, options);
  return {
    write: (request, send) =>
      request.table === model.table.name ? writes.write(request) : send(request),
  };
}

/** An engine with this stage. */
export function withDerivedWrites(
  engine: Engine,
  model: EntityModel,
  options?: DerivedWriteOptions,
): Engine {
  return withStages(engine, [derivedWrites(engine, model, options)]);
}

/** Whether other rows follow from the rows of an entity. */
export function isMaintained({ indexes, rollups, copiedBy }: EntityModel): boolean {
  return indexes.length + rollups.length > 0 || copiedBy !== undefined;
}

class DerivedWrites {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #writer: RowWriter;
  readonly #atOnce: WritesAtOnce | undefined;
  readonly #turns: RowTurns;
  readonly #onSource: SourceListener | undefined;
  readonly #keepsTimes: boolean;
  readonly #clock: Pick<CellClock, 'next'>;

  constructor(
    engine: Engine,
    model: EntityModel,
    { keepsTimes = false, shared, clock = processClock }: DerivedWriteOptions,
  ) {
    this.#engine = engine;
    this.#turns = shared?.turns ?? new RowTurns();
    this.#onSource = shared?.onSource;
    this.#model = model;
    this.#clock = clock;
    this.#keepsTimes = keepsTimes;
    this.#writer = new RowWriter(engine, model);
    this.#atOnce = WritesAtOnce.of(engine, model, this.#writer.rows);
  }

  async write(request: WriteRequest): Promise<ResultOf<WriteRequest>> {
    switch (request.kind) {
      case 'mutateRow':
        return this.#mutateRow(request.row, undefined);
      case 'mutateRows':
        return this.#mutateRows(request.rows, request.options);
      case 'checkAndMutateRow':
        return this.#checkAndMutateRow(request.check, request.options);
      case 'readModifyWriteRow':
        return this.#readModifyWriteRow(request.key, request.rules);
      case 'dropRowRange':
        return this.#dropRowRange(request.target);
    }
  }

  async #mutateRow(row: RowMutation, signal: AbortSignal | undefined): Promise<void> {
    const { key, mutations } = row;
    if (!this.#writer.rows.leavesEntries(mutations)) {
      await this.#write(this.#written(row), signal);
      return;
    }
    const write = (): Promise<void> => this.#engine.mutateRow(this.#model.table.name, row);
    return this.#turns.isBusy(key) ? this.#turns.take(key, write) : write();
  }

  #written({ key, mutations }: RowMutation, condition?: CallerCondition): BaseWrite {
    const keepsTimes = this.#keepsTimes;
    const written = keepsTimes ? mutations : newestWrite(this.#model, mutations);
    return { key, mutations: written, condition, keepsTimes };
  }

  #write(write: BaseWrite, signal: AbortSignal | undefined): Promise<WriteOutcome> {
    // Nothing copies these rows.
    if (this.#atOnce !== undefined)
      return this.#turns.take(write.key, () => this.#writeAtOnce(this.#atOnce!, write));
    return this.#inTurn(write.key, signal, (onMarked) => this.#writer.write(write, onMarked));
  }

  async #writeAtOnce(atOnce: WritesAtOnce, write: BaseWrite): Promise<WriteOutcome> {
    const settled = await atOnce.write(write);
    if ('error' in settled) throw settled.error;
    return settled.outcome ?? this.#writer.write(write);
  }

  /** Copies follow once the row's turn is over. */
  async #inTurn<T>(
    key: Uint8Array,
    signal: AbortSignal | undefined,
    work: (onMarked: () => void) => Promise<T>,
  ): Promise<T> {
    let marked = false;
    const onMarked = (): void => {
      marked = true;
    };
    try {
      return await this.#turns.take(key, () => work(onMarked));
    } finally {
      if (marked) await this.#onSource?.(key, signal);
    }
  }

  /** Rows that leave their entries as they are go in one batch; all other rows run the protocol. */
  async #mutateRows(rows: readonly RowMutation[], options?: BatchOptions): Promise<BatchResults> {
    const results: (RowsmithError | undefined)[] = rows.map(() => undefined);
    const plain: number[] = [];
    const indexed: number[] = [];
    // Later writes of an indexed row follow it.
    const turns = new Set<string>();
    for (const [i, { key, mutations }] of rows.entries()) {
      const leaves = this.#writer.rows.leavesEntries(mutations) && !this.#turns.isBusy(key);
      if (leaves && !(turns.size > 0 && turns.has(latin1Text(key)))) plain.push(i);
      else {
        indexed.push(i);
        turns.add(latin1Text(key));
      }
    }
    const batch = plain.map((i) => rows[i]);
    const write = async (): Promise<void> => {
      if (batch.length === 0) return;
      const written = await this.#engine.mutateRows(this.#model.table.name, batch, options);
      for (const [at, i] of plain.entries()) results[i] = written[at];
    };
    await allEnded([write(), this.#writeEach(rows, indexed, results, options?.signal)]);
    return results;
  }

  /** In waves: the rows of a wave make the same steps at the same time and share requests. */
  async #writeEach(
    rows: readonly RowMutation[],
    indexed: readonly number[],
    results: (RowsmithError | undefined)[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const silence = new Silence(this.#engine, this.#model.name);
    for (let from = 0; from < indexed.length; from += rowsInFlight) {
      signal?.throwIfAborted();
      const wave = indexed.slice(from, from + rowsInFlight);
      if (silence.notSent !== undefined) {
        for (const i of wave) results[i] = silence.notSent;
        continue;
      }
      const sent = silence.start();
      // All of them settle before an error is thrown: no write is in flight afterwards.
      const settled = await Promise.allSettled(wave.map((i) => this.#mutateRow(rows[i], signal)));
      for (const [at, outcome] of settled.entries()) {
        if (outcome.status === 'fulfilled') continue;
        const error: unknown = outcome.reason;
        if (!(error instanceof RowsmithError) || isFatal(error)) throw error;
        results[wave[at]] = error;
      }
      silence.end(
        sent,
        wave.map((i) => results[i]),
      );
    }
  }

  async #checkAndMutateRow(check: CheckAndMutate, options?: BatchOptions): Promise<boolean> {
    const { key, predicate, onTrue, onFalse } = check;
    const appliedWhen = onTrue !== undefined;
    if (appliedWhen && onFalse !== undefined) throw this.#twoBranches();
    const mutations = onTrue ?? onFalse ?? [];
    options?.signal?.throwIfAborted();
    const write = this.#written({ key, mutations }, { predicate, appliedWhen });
    const outcome = await this.#write(write, options?.signal);
    return (outcome === 'written') === appliedWhen;
  }

  async #readModifyWriteRow(key: Uint8Array, rules: readonly ReadModifyWriteRule[]): Promise<Row> {
    const { rows } = this.#writer;
    const leaves =
      !rows.isTotal && rules.every((rule) => !rows.isWatched(rule.family, rule.qualifier));
    if (!leaves) return this.#modify(key, rules);
    const write = (): Promise<Row> =>
      this.#engine.readModifyWriteRow(this.#model.table.name, key, rules);
    return this.#turns.isBusy(key) ? this.#turns.take(key, write) : write();
  }

  /** Storage knows no condition for rules: their results are written instead. */
  #modify(key: Uint8Array, rules: readonly ReadModifyWriteRule[]): Promise<Row> {
    return this.#inTurn(key, undefined, async (onMarked) => {
      const table = this.#model.table.name;
      const plan = { table, ranges: [pointRange(key)], reversed: false, filter: ruleFilter(rules) };
      for (let attempt = 0; attempt < maxModifyAttempts; attempt++) {
        const [stored] = await collectRows(this.#engine.readRows(plan));
        const modified = modifiedRow(rules, stored?.cells ?? [], this.#clock);
        // The storage's own error.
        if (modified === undefined) return this.#engine.readModifyWriteRow(table, key, rules);
        const { mutations, condition, cells } = modified;
        const write = { key, mutations, condition, keepsTimes: this.#keepsTimes };
        const outcome = await (this.#atOnce === undefined
          ? this.#writer.write(write, onMarked)
          : this.#writeAtOnce(this.#atOnce, write));
        if (outcome === 'written') return { key, cells };
      }
      throw this.#contended(key);
    });
  }

  #contended(key: Uint8Array): RowsmithError {
    return new RowsmithError('CONTENTION', {
      entity: this.#model.name,
      key: printable(key),
      ...faults.changedMeanwhile,
    });
  }

  async #dropRowRange(_target: DropTarget): Promise<void> {
    throw new RowsmithError('UNSUPPORTED', {
      entity: this.#model.name,
      ...faults.rangeDropWithIndexes,
    });
  }

  #twoBranches(): RowsmithError {
    return new RowsmithError('UNSUPPORTED', {
      entity: this.#model.name,
      ...faults.twoBranches,
    });
  }
}

/** Errors after which no other row can be written. */
function isFatal({ code }: RowsmithError): boolean {
  return ['TABLE_NOT_FOUND', 'DATABASE_CLOSED', 'PERMISSION_DENIED'].includes(code);
}

const faults = {
  changedMeanwhile: {
    problem: `another writer changed the value at each of ${maxModifyAttempts} attempts; nothing was written`,
    fix: 'write again later, or count in an aggregate family',
  },
  rangeDropWithIndexes: {
    problem:
      'rows that are dropped as a range leave the entries of their indexes, and their copies',
    fix: 'delete the rows of a query without dropRanges',
  },
  twoBranches: {
    problem: 'a write of an indexed row has one branch',
    fix: 'make two conditional writes, one for each branch',
  },
} satisfies FaultTexts;
