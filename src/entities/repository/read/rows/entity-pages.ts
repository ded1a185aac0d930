/**
 * Converts the pages of one storage read to pages of entities. Skips rows that are not the entity's
 * and reads on until the limit is reached.
 */
import {
  copyBytes,
  printable,
  RowsmithError,
  toHex,
  type Values,
  type FaultTexts,
} from '../../../../base/index.js';
import { absentRow } from '../../../mapping/index.js';
import type { IndexStates } from '../../../derived/index.js';
import type { EntityModel } from '../../../model/index.js';
import { type QueryPlan, rangesAfter } from '../../../query/index.js';
import type { Engine, ReadPlan, RowCursor, RowStream } from '../../../../data/store/index.js';
import type { BareRead, BareReads } from './bare-reads.js';
import type { Hidden } from './hide-expired.js';
import { type EntityReader, rowReaderOf } from './row-reader.js';

/**
 * What to do with a row that cannot be read as an entity: `skip` it, `throw` the error, or call a
 * function with the error and skip the row.
 */
export type UnreadableRowPolicy = 'skip' | 'throw' | ((error: RowsmithError) => void);

/** Reads rows of an entity by their keys: a repository. */
export interface KeyedRows {
  readonly model: EntityModel;
  getMany(
    keys: Iterable<Values>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<(object | undefined)[]>;
}

/** Finds the repository of an entity. Throws INVALID_ARGUMENT for an entity that is not opened. */
export type RowsOf = (entity: unknown) => KeyedRows;

/** Shared by all readers of a database. */
export interface ReaderContext {
  /** Finds the repositories of the same database or scope, for references. */
  readonly rowsOf?: RowsOf;
  readonly engine: Engine;
  /** The opened entities of a table: rows with keys that match one of them are not foreign. */
  readonly modelsOf: (table: string) => readonly EntityModel[];
  readonly onForeignRow: UnreadableRowPolicy;
  readonly onDamagedCell: UnreadableRowPolicy;
  /** Default: `throw`. */
  readonly onIncompleteRow?: UnreadableRowPolicy | undefined;
  /** Live only: leaves out filters that a table does not need. */
  readonly bareReads?: BareReads | undefined;
  /** What the engine hides of the cells that garbage collection rules have expired. */
  readonly hidesExpired?: Hidden | undefined;
  /** Which indexes can be read. */
  readonly indexStates?: Pick<IndexStates, 'assertReady'>;
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
export type Wrap<R> = ((row: object, cursor: RowCursor) => R | undefined) | undefined;

/** Opens a read with the rows as its results. */
export function openRows(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  signal?: AbortSignal,
): Pages<object> {
  return new EntityPages(context, model, plan, readPlan, signal, undefined);
}

/** Opens a read with the rows and their keys as its results. */
export function openKeyedRows(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  signal?: AbortSignal,
): Pages<Keyed> {
  return new EntityPages(context, model, plan, readPlan, signal, keyedRow);
}

/** A row with a copy of its key. */
export function keyedRow(row: object, cursor: RowCursor): Keyed {
  return { row, key: copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd) };
}

/**
 * Opens a read. `wrap` makes its results of the rows, may skip rows of the page, and leaves a row
 * out by returning undefined.
 */
export function openWrappedRows<R>(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  readPlan: ReadPlan,
  { signal, wrap }: { readonly signal: AbortSignal | undefined; readonly wrap: Wrap<R> },
): Pages<R> {
  return new EntityPages(context, model, plan, readPlan, signal, wrap);
}

class EntityPages<R> implements Pages<R> {
  readonly #context: ReaderContext;
  readonly #model: EntityModel;
  readonly #readEntity: EntityReader;
  readonly #bare: BareRead | undefined;
  readonly #plan: ReadPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #wrap: Wrap<R>;
  readonly #pageRows: number | undefined;
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
    this.#bare = context.bareReads?.of(model, plan.selection);
    this.#readEntity = this.#bare?.read ?? rowReaderOf(model, plan.selection);
    this.#plan = readPlan;
    if (this.#bare !== undefined) this.#plan = { ...readPlan, filter: this.#bare.filter };
    this.#signal = signal;
    this.#wrap = wrap;
    this.#remaining = readPlan.limit ?? Infinity;
    this.#pageRows = plan.query.pageRows;
    this.#streamLimit = storageLimit(plan, this.#remaining);
    this.#streamRows = this.#streamLimit;
    let first = this.#plan;
    if (this.#streamLimit !== this.#remaining) first = { ...first, limit: this.#streamLimit };
    this.#stream = this.#openStream(first);
  }

  #openStream(readPlan: ReadPlan): RowStream {
    const { engine } = this.#context;
    return engine.readRows(readPlan, { signal: this.#signal, pageRows: this.#pageRows });
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
      const result = wrap === undefined ? (row as R) : wrap(row, cursor);
      if (result !== undefined) rows.push(result);
    }
    this.#remaining -= rows.length;
    this.#bare?.onRows(rows.length);
    this.#streamRows = streamRows;
    return rows;
  }

  #readRow(cursor: RowCursor): object | undefined {
    try {
      const row = this.#readEntity(cursor);
      if (row === undefined) this.#handleForeign(cursor);
      return row === absentRow ? undefined : row;
    } catch (error) {
      return skippedRow(this.#context, error);
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
    this.#stream = this.#openStream({ ...this.#plan, ranges, limit: this.#streamLimit });
    return true;
  }
}

/** Smallest row limit sent to storage when the client drops rows itself. */
const minTestedRows = 128;

/** The limit of the first storage read: more than the results, if the client tests them. */
function storageLimit({ selection }: QueryPlan, rows: number): number {
  if (rows === Infinity || (selection.where?.plan.atClient.length ?? 0) === 0) return rows;
  return Math.max(rows, minTestedRows);
}

/** Handles the error of a row that cannot be read; throws every other error. */
export function skippedRow(
  context: Pick<ReaderContext, 'onDamagedCell' | 'onIncompleteRow'>,
  error: unknown,
): undefined {
  if (error instanceof RowsmithError) {
    if (error.code === 'DAMAGED_CELL') return handleUnreadable(context.onDamagedCell, error);
    if (error.code === 'INCOMPLETE_ROW')
      return handleUnreadable(context.onIncompleteRow ?? 'throw', error);
  }
  throw error;
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
    ...faults.foreignRow(model.key.foreignReason(key)),
    table: model.table.name,
    key: printable(key),
    keyHex: toHex(key),
  });
}

const faults = {
  foreignRow: (problem = '') => ({
    problem,
    fix: `declare the entity these rows belong to, or skip them with open(url, { onForeignRow: 'skip' })`,
  }),
} satisfies FaultTexts;
