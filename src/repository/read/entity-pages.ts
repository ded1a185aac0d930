/**
 * Converts the pages of one storage read to pages of entities. Skips rows that are not the entity's
 * and reads on until the limit is reached.
 */
import { copyBytes, printable, toHex } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import { compileHydrator, type HydratedColumns, type Hydrator } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import { type QueryPlan, rangesAfter } from '../../query/index.js';
import type { Engine, ReadPlan, RowCursor, RowStream } from '../../store/index.js';

/**
 * What to do with a row that cannot be read as an entity: `skip` it, `throw` the error, or call a
 * function with the error and skip the row.
 */
export type UnreadableRowPolicy = 'skip' | 'throw' | ((error: RowsmithError) => void);

/** Shared by all readers of a database. */
export interface ReaderContext {
  readonly engine: Engine;
  /** The opened entities of a table: rows whose keys match one of them are not foreign. */
  readonly modelsOf: (table: string) => readonly EntityModel[];
  readonly onForeignRow: UnreadableRowPolicy;
  readonly onDamagedCell: UnreadableRowPolicy;
}

/** Pages of results, in row key order. */
export interface Pages<R> {
  /** Returns the next page, never empty, or undefined at the end. */
  next(): Promise<R[] | undefined>;
  /** Ends the read and releases its stream. */
  close(): Promise<void>;
}

/** A result with its row key, for merging shards. */
export interface Keyed {
  readonly key: Uint8Array;
  readonly row: object;
}

/**
 * Converts a hydrated row to a result; undefined if the row itself is the result, so that plain
 * reads do not copy keys.
 */
type Wrap<R> = ((row: object, cursor: RowCursor) => R) | undefined;

/** Opens a read whose results are the rows. */
export function openRows(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  signal?: AbortSignal,
): Pages<object> {
  return new EntityPages(context, model, plan, readPlan, signal, undefined);
}

/** Opens a read whose results are the rows with their keys. */
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
  /** Results still to return; Infinity without a limit. */
  #remaining: number;
  /**
   * Rows that the current stream may still return under its storage limit. When they are used up
   * but some were skipped, another stream is opened after `#lastKey`.
   */
  #streamRows: number;
  /** Storage limit of the current stream. */
  #streamLimit: number;
  /** Key of the row that reached the storage limit. */
  #lastKey: Uint8Array | undefined;

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
    this.#hydrate = hydratorOf(model, plan.selection);
    this.#plan = readPlan;
    this.#signal = signal;
    this.#wrap = wrap;
    this.#remaining = readPlan.limit ?? Infinity;
    this.#streamRows = this.#streamLimit = this.#remaining;
    this.#stream = context.engine.readRows(readPlan, { signal });
  }

  async next(): Promise<R[] | undefined> {
    try {
      while (this.#remaining > 0) {
        this.#signal?.throwIfAborted();
        const cursor = await this.#stream.next();
        if (cursor !== undefined) {
          const rows = this.#readPage(cursor);
          if (rows.length > 0) return rows;
        } else if (!(await this.#openNextStream())) {
          return undefined;
        }
      }
      await this.close();
      return undefined;
    } catch (error) {
      // A loop that is left by an error does not call return().
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#remaining = 0;
    return this.#stream.close();
  }

  #readPage(cursor: RowCursor): R[] {
    const rows: R[] = [];
    const wrap = this.#wrap;
    const remaining = this.#remaining;
    let streamRows = this.#streamRows;
    while (rows.length < remaining && cursor.nextRow()) {
      if (--streamRows === 0)
        this.#lastKey = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
      const row = this.#readRow(cursor);
      if (row === undefined) continue;
      if (wrap === undefined) rows.push(row as R);
      else rows.push(wrap(row, cursor));
    }
    this.#remaining -= rows.length;
    this.#streamRows = streamRows;
    return rows;
  }

  #readRow(cursor: RowCursor): object | undefined {
    try {
      const row = this.#hydrate(cursor);
      if (row === undefined) this.#handleForeign(cursor);
      return row;
    } catch (error) {
      if (error instanceof RowsmithError && error.code === 'DAMAGED_CELL')
        return handleUnreadable(this.#context.onDamagedCell, error);
      throw error;
    }
  }

  #handleForeign(cursor: RowCursor): void {
    if (this.#context.onForeignRow === 'skip') return;
    const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    const isKnown = this.#context
      .modelsOf(this.#model.table.name)
      .some((model) => model.key.foreignReason(key) === undefined);
    if (!isKnown) handleUnreadable(this.#context.onForeignRow, foreignKey(this.#model, key));
  }

  /**
   * Continues after the last row if the storage limit was used up by skipped rows. Returns false at
   * the end of the read.
   */
  async #openNextStream(): Promise<boolean> {
    const last = this.#lastKey;
    if (last === undefined) return false;
    await this.#stream.close();
    const ranges = rangesAfter(this.#plan.ranges, last, this.#plan.reversed);
    if (ranges.length === 0) return false;
    // The limit grows each time, so that many consecutive foreign rows cost a logarithmic number of
    // reads.
    this.#streamLimit = Math.min(this.#streamLimit * 4, 1 << 20);
    this.#streamRows = this.#streamLimit;
    this.#lastKey = undefined;
    this.#stream = this.#context.engine.readRows(
      { ...this.#plan, ranges, limit: this.#streamLimit },
      { signal: this.#signal },
    );
    return true;
  }
}

/** One hydrator per projection: queries are read repeatedly, and all point reads share one. */
const hydrators = new WeakMap<HydratedColumns, Hydrator>();

/** The hydrator of a projection, compiled once. */
export function hydratorOf(model: EntityModel, projection: HydratedColumns): Hydrator {
  let hydrate = hydrators.get(projection);
  if (hydrate === undefined)
    hydrators.set(projection, (hydrate = compileHydrator(model, projection)));
  return hydrate;
}

/** Applies the policy to a row that cannot be read. */
export function handleUnreadable(policy: UnreadableRowPolicy, error: RowsmithError): undefined {
  if (policy === 'throw') throw error;
  if (policy !== 'skip') policy(error);
  return undefined;
}

function foreignKey(model: EntityModel, key: Uint8Array): RowsmithError {
  return new RowsmithError('FOREIGN_KEY', {
    entity: model.name,
    problem: model.key.foreignReason(key),
    fix: `declare the entity these rows belong to, or skip them with open(url, { onForeignRow: 'skip' })`,
    table: model.table.name,
    key: printable(key),
    keyHex: toHex(key),
  });
}
