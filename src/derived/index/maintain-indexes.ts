/**
 * An engine that keeps the indexes of one entity: whatever writes its rows, by whichever method,
 * runs the protocol. Reads, and the other tables, are those of the engine itself.
 */
import { invalidArgument, RowsmithError } from '../../errors.js';
import { newestWrite } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  type CheckAndMutate,
  type DropTarget,
  type Engine,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
  Silence,
} from '../../store/index.js';
import type { BaseWrite } from './index-requests.js';
import { IndexWriter, type WriteOutcome } from './index-writer.js';
import { RowTurns } from './row-turns.js';

/** Rows of a batch whose protocols run at the same time. */
const rowsInFlight = 512;

type BatchOptions = { readonly signal?: AbortSignal };
type BatchResults = readonly (RowsmithError | undefined)[];

/** Called once values of a row that others copy may have changed, before its write resolves. */
export type SourceListener = (row: Uint8Array, signal: AbortSignal | undefined) => Promise<void>;

/** What the writes of one entity share with others. */
export interface SharedWrites {
  /** The turns of its rows. */
  readonly turns: RowTurns;
  readonly onSource: SourceListener;
}

/** Options of `maintainIndexes`. */
export interface MaintainOptions {
  /**
   * For copies of rows: cells keep their timestamps, and stored cells that are newer stay. By
   * default each write is the newest, whatever the clocks of its writers. Default false.
   */
  readonly keepsTimes?: boolean;
  /** Default: turns of its own, and marks of sources that are left to propagations. */
  readonly shared?: SharedWrites;
}

/** The engine itself if the entity has no indexes, and no values that others copy. */
export function maintainIndexes(
  engine: Engine,
  model: EntityModel,
  options: MaintainOptions = {},
): Engine {
  if (!isMaintained(model)) return engine;
  const writes = new IndexedWrites(engine, model, options);
  return new Proxy(engine, {
    get(target, name) {
      if (Object.hasOwn(writes.methods, name)) return Reflect.get(writes.methods, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Whether other rows follow from those of an entity. */
export function isMaintained({ indexes, copiedBy }: EntityModel): boolean {
  return indexes.length > 0 || copiedBy !== undefined;
}

class IndexedWrites {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #writer: IndexWriter;
  readonly #turns: RowTurns;
  readonly #onSource: SourceListener | undefined;
  readonly #keepsTimes: boolean;
  readonly methods: Pick<
    Engine,
    'mutateRow' | 'mutateRows' | 'checkAndMutateRow' | 'readModifyWriteRow' | 'dropRowRange'
  >;

  constructor(engine: Engine, model: EntityModel, { keepsTimes = false, shared }: MaintainOptions) {
    this.#engine = engine;
    this.#turns = shared?.turns ?? new RowTurns();
    this.#onSource = shared?.onSource;
    this.#model = model;
    this.#keepsTimes = keepsTimes;
    this.#writer = new IndexWriter(engine, model);
    const isOwn = (table: string): boolean => table === model.table.name;
    this.methods = {
      mutateRow: (table, row) =>
        isOwn(table) ? this.#mutateRow(row, undefined) : engine.mutateRow(table, row),
      mutateRows: (table, rows, options) =>
        isOwn(table) ? this.#mutateRows(rows, options) : engine.mutateRows(table, rows, options),
      checkAndMutateRow: (table, check, options) =>
        isOwn(table)
          ? this.#checkAndMutateRow(check, options)
          : engine.checkAndMutateRow(table, check, options),
      readModifyWriteRow: (table, key, rules) =>
        isOwn(table)
          ? this.#readModifyWriteRow(key, rules)
          : engine.readModifyWriteRow(table, key, rules),
      dropRowRange: (table, target) =>
        isOwn(table) ? this.#dropRowRange(target) : engine.dropRowRange(table, target),
    };
  }

  async #mutateRow(row: RowMutation, signal: AbortSignal | undefined): Promise<void> {
    const { key, mutations } = row;
    if (!this.#writer.rows.leavesEntries(mutations)) {
      const written = this.#keepsTimes ? mutations : newestWrite(this.#model, mutations);
      await this.#write({ key, mutations: written, condition: undefined }, signal);
      return;
    }
    const write = (): Promise<void> => this.#engine.mutateRow(this.#model.table.name, row);
    return this.#turns.isBusy(key) ? this.#turns.take(key, write) : write();
  }

  /** Copies follow once the row's turn is over. */
  async #write(
    row: Pick<BaseWrite, 'key' | 'mutations' | 'condition'>,
    signal: AbortSignal | undefined,
  ): Promise<WriteOutcome> {
    const { key } = row;
    let marked = false;
    const onMarked = (): void => {
      marked = true;
    };
    const write = { ...row, keepsTimes: this.#keepsTimes };
    try {
      return await this.#turns.take(key, () => this.#writer.write(write, onMarked));
    } finally {
      if (marked) await this.#onSource?.(key, signal);
    }
  }

  /** Rows that leave their entries as they are go in one batch; the others run the protocol. */
  async #mutateRows(rows: readonly RowMutation[], options?: BatchOptions): Promise<BatchResults> {
    const results: (RowsmithError | undefined)[] = rows.map(() => undefined);
    const plain: number[] = [];
    const indexed: number[] = [];
    for (const [i, { key, mutations }] of rows.entries()) {
      const leaves = this.#writer.rows.leavesEntries(mutations) && !this.#turns.isBusy(key);
      (leaves ? plain : indexed).push(i);
    }
    const batch = plain.map((i) => rows[i]);
    const written = await Promise.all([
      batch.length > 0 ? this.#engine.mutateRows(this.#model.table.name, batch, options) : [],
      this.#writeEach(rows, indexed, results, options?.signal),
    ]);
    for (const [at, i] of plain.entries()) results[i] = written[0][at];
    return results;
  }

  /** In waves, whose rows make the same steps at the same time and share requests. */
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
    const condition = { predicate, appliedWhen };
    const outcome = await this.#write({ key, mutations, condition }, options?.signal);
    return (outcome === 'written') === appliedWhen;
  }

  async #readModifyWriteRow(key: Uint8Array, rules: readonly ReadModifyWriteRule[]): Promise<Row> {
    const { rows } = this.#writer;
    for (const { family, qualifier, kind } of rules) {
      if (!rows.isTotal && !rows.isWatched(family, qualifier)) continue;
      throw invalidArgument(
        kind,
        rows.isTotal
          ? `each row is in an index, and Bigtable has no condition for '${kind}'`
          : `the column is in an index or copied, and Bigtable has no condition for '${kind}'`,
        rows.isTotal
          ? 'add a column that can be absent to the index, or count in an aggregate family'
          : 'read the row, and patch it with a condition',
        { entity: this.#model.name },
      );
    }
    const write = (): Promise<Row> =>
      this.#engine.readModifyWriteRow(this.#model.table.name, key, rules);
    return this.#turns.isBusy(key) ? this.#turns.take(key, write) : write();
  }

  async #dropRowRange(_target: DropTarget): Promise<void> {
    throw new RowsmithError('UNSUPPORTED', {
      entity: this.#model.name,
      problem:
        'rows that are dropped as a range leave the entries of their indexes, and their copies',
      fix: 'delete the rows of a query without dropRanges',
    });
  }

  #twoBranches(): RowsmithError {
    return new RowsmithError('UNSUPPORTED', {
      entity: this.#model.name,
      problem: 'a write of an indexed row has one branch',
      fix: 'write two conditional writes',
    });
  }
}

/** Errors after which no other row can be written. */
function isFatal({ code }: RowsmithError): boolean {
  return ['TABLE_NOT_FOUND', 'DATABASE_CLOSED', 'PERMISSION_DENIED'].includes(code);
}
