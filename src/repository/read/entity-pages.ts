/**
 * Storage pages -> pages of entities, for one list of ranges. Skips rows of others, goes on until
 * the limit is met.
 */
import { printable, toHex, copyBytes } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import { compileHydrator, type HydratedColumns, type Hydrator } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import { type QueryPlan, rangesAfter } from '../../query/index.js';
import { type Engine, type ReadPlan, type RowCursor, type RowStream } from '../../store/index.js';

/**
 * What to do with a row that cannot be read as the entity: leave it out, end the scan, or leave it
 * out and tell.
 */
export type UnreadableRowPolicy = 'skip' | 'throw' | ((error: RowsmithError) => void);

/** What every reader of a database shares. */
export interface ReaderContext {
  readonly engine: Engine;
  /** Rows of these keys are somebody's: they are passed over without a word. */
  readonly modelsOf: (table: string) => readonly EntityModel[];
  readonly onForeignRow: UnreadableRowPolicy;
  readonly onDamagedCell: UnreadableRowPolicy;
}

/** Pages of results, in row order. */
export interface Pages<R> {
  /** The next page, never empty; undefined at the end. */
  next(): Promise<R[] | undefined>;
  /** Ends the read early. */
  close(): Promise<void>;
}

/** One result with its row key, for merging. */
export interface Keyed {
  readonly key: Uint8Array;
  readonly row: object;
}

/** Wraps a hydrated row where a result is more than the row: the key is copied only for those. */
type Wrap<R> = ((row: object, cursor: RowCursor) => R) | undefined;

/** Pages of plain results. */
export function openRows(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  signal?: AbortSignal,
): Pages<object> {
  return new EntityPages(context, model, plan, readPlan, signal, undefined);
}

/** Pages of results with their keys. */
export function openKeyedRows(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  signal?: AbortSignal,
): Pages<Keyed> {
  return new EntityPages(context, model, plan, readPlan, signal, (row, cursor) => ({
    row,
    key: copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd),
  }));
}

class EntityPages<R> implements Pages<R> {
  readonly #context: ReaderContext;
  readonly #model: EntityModel;
  readonly #hydrate: Hydrator;
  readonly #plan: ReadPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #wrap: Wrap<R>;
  #stream: RowStream;
  /** Results still to deliver; Infinity without a limit. */
  #remaining: number;
  /**
   * Rows storage may still give on this stream. When it gives them all and some were skipped, the
   * read goes on after the last one.
   */
  #allowance: number;
  #nextAllowance: number;
  #lastAllowed: Uint8Array | undefined;

  constructor(
    context: ReaderContext,
    model: EntityModel,
    plan: QueryPlan,
    readPlan: ReadPlan,
    signal: AbortSignal | undefined,
    wrap: Wrap<R>,
  ) {
    this.#context = context;
    this.#model = model;
    this.#hydrate = hydratorOf(model, plan.projection);
    this.#plan = readPlan;
    this.#signal = signal;
    this.#wrap = wrap;
    this.#remaining = readPlan.limit ?? Infinity;
    this.#allowance = this.#nextAllowance = this.#remaining;
    this.#stream = context.engine.readRows(readPlan, { signal });
  }

  async next(): Promise<R[] | undefined> {
    try {
      while (this.#remaining > 0) {
        this.#signal?.throwIfAborted();
        const cursor = await this.#stream.next();
        if (cursor !== undefined) {
          const rows = this.#take(cursor);
          if (rows.length > 0) return rows;
        } else if (!(await this.#goOn())) {
          return undefined;
        }
      }
      await this.close();
      return undefined;
    } catch (error) {
      // A loop that ends by an error does not call return().
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#remaining = 0;
    return this.#stream.close();
  }

  #take(cursor: RowCursor): R[] {
    const rows: R[] = [];
    const wrap = this.#wrap;
    const remaining = this.#remaining;
    let allowance = this.#allowance;
    while (rows.length < remaining && cursor.nextRow()) {
      if (--allowance === 0)
        this.#lastAllowed = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
      const row = this.#read(cursor);
      if (row !== undefined) rows.push(wrap === undefined ? (row as R) : wrap(row, cursor));
    }
    this.#remaining -= rows.length;
    this.#allowance = allowance;
    return rows;
  }

  #read(cursor: RowCursor): object | undefined {
    try {
      const row = this.#hydrate(cursor);
      if (row === undefined) this.#meetForeign(cursor);
      return row;
    } catch (error) {
      if (error instanceof RowsmithError && error.code === 'DAMAGED_CELL')
        return handleUnreadable(this.#context.onDamagedCell, error);
      throw error;
    }
  }

  #meetForeign(cursor: RowCursor): void {
    if (this.#context.onForeignRow === 'skip') return;
    const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    const { name, table } = this.#model;
    const ours = this.#context
      .modelsOf(table.name)
      .some((model) => model.key.foreignBecause(key) === undefined);
    if (!ours) handleUnreadable(this.#context.onForeignRow, foreignKey(this.#model, name, key));
  }

  /**
   * Opens the rest of the read where the limit of storage was used up by rows that were not ours.
   */
  async #goOn(): Promise<boolean> {
    const last = this.#lastAllowed;
    if (last === undefined) return false;
    await this.#stream.close();
    const ranges = rangesAfter(this.#plan.ranges, last, this.#plan.reversed);
    if (ranges.length === 0) return false;
    // Many foreign rows in a row: ask for more each time, so that their number costs a logarithm of
    // reads.
    this.#nextAllowance = Math.min(this.#nextAllowance * 4, 1 << 20);
    this.#allowance = this.#nextAllowance;
    this.#lastAllowed = undefined;
    this.#stream = this.#context.engine.readRows(
      { ...this.#plan, ranges, limit: this.#allowance },
      { signal: this.#signal },
    );
    return true;
  }
}

/** Compiled once for each projection: a query may be read many times, and point reads share one. */
const hydrators = new WeakMap<HydratedColumns, Hydrator>();

function hydratorOf(model: EntityModel, projection: HydratedColumns): Hydrator {
  let hydrate = hydrators.get(projection);
  if (hydrate === undefined)
    hydrators.set(projection, (hydrate = compileHydrator(model, projection)));
  return hydrate;
}

/** Does what was chosen for rows that cannot be read. */
export function handleUnreadable(policy: UnreadableRowPolicy, error: RowsmithError): undefined {
  if (policy === 'throw') throw error;
  if (policy !== 'skip') policy(error);
  return undefined;
}

function foreignKey(model: EntityModel, entity: string, key: Uint8Array): RowsmithError {
  return new RowsmithError('FOREIGN_KEY', {
    entity,
    problem: model.key.foreignBecause(key),
    fix: `declare the entity these rows belong to, or leave them out with open(url, { onForeignRow: 'skip' })`,
    table: model.table.name,
    key: printable(key),
    keyHex: toHex(key),
  });
}
