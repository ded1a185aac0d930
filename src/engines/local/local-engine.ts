/** The embedded engine: Bigtable's rows and families over an ordered store of pairs. */
import { everyKey, pointRange, prefixRange } from '../../bytes/index.js';
import { RowsmithError, invalidArgument } from '../../errors.js';
import {
  type Compaction,
  type DropTarget,
  type Engine,
  type GcMode,
  type SampledKey,
  type CheckAndMutate,
  type ReadModifyWriteRule,
  type RowMutation,
  type ReadOptions,
  type ReadPlan,
  type RowStream,
  type Row,
  type FamilyChange,
  type TableSchema,
  type TableUpdate,
  checkMutationCount,
} from '../../store/index.js';
import { checkedCheck, checkedKey, checkedRules, checkPlan, mutationBytes } from './arguments.js';
import { BackgroundCollection, type LazyCollection } from './maintenance/background-collection.js';
import { Catalog } from './table/catalog.js';
import { checkFilter } from './read/check-filter.js';
import { consistencyToken } from './table/consistency-token.js';
import type { OrderedStore } from './kv/ordered-store.js';
import { PageCursor } from './read/page-cursor.js';
import { OverflowIdAllocator } from './row/overflow-ids.js';
import { compileProjection } from './read/projection.js';
import { inKeyOrder, type PendingRow, PendingRows } from './row/prepared-row.js';
import { loadRegex } from './read/regex.js';
import { LocalRowStream } from './read/local-row-stream.js';
import { sampleKeys } from './maintenance/row-sweep.js';
import { RowWrites } from './row/row-writes.js';
import { changedFamilies } from './table/table-change.js';
import { schemaOf, type TableState } from './table/table-state.js';
import { TableSweeps } from './maintenance/table-sweeps.js';
import { WriteQueue } from './kv/write-queue.js';

/** How a local engine behaves. */
export interface LocalEngineOptions {
  /** Milliseconds since 1970; default Date.now. Gives server timestamps and the age of cells. */
  readonly clock?: () => number;
  /**
   * `onRead` (default): reads hide what the garbage collection rules would collect, and writes
   * remove it from the row they rewrite. `lazy`: it stays visible until it is collected, in the
   * background from time to time, as in production. `manual`: until `compact` is called.
   */
  readonly gc?: GcMode;
  /** When the mode `lazy` collects. */
  readonly lazy?: LazyCollection;
  /** A number in `0 <= n < 1` at each call, for rowSample; default Math.random. */
  readonly random?: () => number;
}

/** Rows of a mutateRows that are applied without a turn of the event loop. */
const sliceRows = 10_000;

/** Rows and families over any ordered store. */
export class LocalEngine implements Engine {
  readonly #catalog: Catalog;
  #closed: Promise<void> | undefined;
  #shrinking: Promise<number> | undefined;
  readonly #queue: WriteQueue;
  readonly #writes: RowWrites;
  readonly #sweeps: TableSweeps;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #hides: boolean;
  readonly #background: BackgroundCollection | undefined;

  readonly #store: OrderedStore;
  readonly #onClose: () => void;
  /**
   * Gives free space back; answers how many bytes. Without it, what is removed is free at once.
   * `check` throws when the engine closes.
   */
  readonly #shrink: ((check: () => void) => Promise<number>) | undefined;

  /** `onClose` runs after the last write and before the store closes. */
  constructor(
    readonly name: string,
    store: OrderedStore,
    options: LocalEngineOptions = {},
    onClose: () => void = () => undefined,

    shrink?: (check: () => void) => Promise<number>,
  ) {
    this.#store = store;
    this.#onClose = onClose;
    this.#shrink = shrink;
    this.#clock = options.clock ?? Date.now;
    this.#random = options.random ?? Math.random;
    this.#hides = (options.gc ?? 'onRead') === 'onRead';
    this.#catalog = new Catalog(store);
    const numbers = new OverflowIdAllocator(store);
    this.#writes = new RowWrites(store, this.#catalog, numbers, {
      clock: this.#clock,
      hides: this.#hides,
      wrote: (table) => this.#background?.wrote(table),
    });
    this.#queue = new WriteQueue(store, () => {
      this.#catalog.reload();
      numbers.forget();
    });
    this.#sweeps = new TableSweeps(store, this.#queue, {
      check: () => this.#check(),
      table: (name) => this.#catalog.table(name),
      draft: (table, key) => this.#writes.draft(table, key),
      save: (draft, writer) => this.#writes.save(draft, writer),
      now: () => this.#now(),
    });
    if (options.gc === 'lazy')
      this.#background = new BackgroundCollection(
        this.#sweeps,
        () => this.#catalog.states(),
        this.#clock,
        options.lazy ?? {},
      );
  }

  /** Removes what a deleted table left behind when the process ended too early. */
  async finishDrops(): Promise<void> {
    for (const id of this.#catalog.droppedTables()) await this.#removeTable(id);
  }

  readRows(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    return new LocalRowStream(
      () => {
        const table = this.#table(plan.table);
        checkPlan(plan, options);
        if (plan.filter !== undefined) checkFilter(plan.filter, table);
        const loading = loadRegex(plan.filter);
        return loading === undefined
          ? this.#cursor(table, plan)
          : loading.then(() => this.#cursor(table, plan));
      },
      () => this.#now(),
      plan,
      options,
      () => this.#check(),
    );
  }

  async mutateRow(table: string, row: RowMutation): Promise<void> {
    const waiting = new PendingRows(this.#table(table), 1);
    const one = waiting.add(0, row);
    await this.#queue.enqueue(1, waiting.bytes, (writer) => this.#writes.apply(table, one, writer));
  }

  async mutateRows(
    table: string,
    rows: readonly RowMutation[],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const state = this.#table(table);
    checkMutationCount(rows.reduce((sum, row) => sum + row.mutations.length, 0));
    const results: (RowsmithError | undefined)[] = new Array<undefined>(rows.length).fill(
      undefined,
    );
    const slices: Promise<void>[] = [];
    for (let start = 0; start < rows.length; start += sliceRows)
      slices.push(this.#applySlice(state, rows, start, results));
    await Promise.all(slices);
    return results;
  }

  async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    const state = this.#table(table);
    const { predicate } = check;
    const { key, onTrue, onFalse } = checkedCheck(check, state.granularity);
    if (predicate !== undefined) checkFilter(predicate, state);
    const loading = loadRegex(predicate);
    // Without it nothing waits, so that writes keep the order they were asked for.
    if (loading !== undefined) await loading;
    return this.#queue.enqueue(1, mutationBytes(onTrue) + mutationBytes(onFalse), (writer) => {
      const cursor = this.#cursor(this.#catalog.table(table), {
        table,
        ranges: [pointRange(key)],
        reversed: false,
        filter: predicate,
      });
      cursor.beginPage(1, this.#now());
      const matched = cursor.nextRow();
      cursor.release();
      const mutations = matched ? onTrue : onFalse;
      if (mutations.length > 0) this.#writes.applyMutations(table, { key, mutations }, writer);
      return matched;
    });
  }

  async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    this.#table(table);
    const row = checkedKey(key);
    const checked = checkedRules(rules);
    return this.#queue.enqueue(1, 0, (writer) => {
      const state = this.#catalog.table(table);
      const cells = this.#writes.applyRules(state, row, checked, writer);
      return { key: new Uint8Array(row), cells };
    });
  }

  async sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    const state = this.#table(table);
    return sampleKeys(
      this.#store,
      state,
      compileProjection(state, undefined, this.#hides, this.#random),
      this.#now(),
      async () => {
        await new Promise((resolve) => void setImmediate(resolve));
        this.#check();
      },
    );
  }

  async dropRowRange(table: string, target: DropTarget): Promise<void> {
    this.#table(table);
    if (target.kind === 'prefix' && target.prefix.length === 0)
      throw invalidArgument(
        'target',
        'the prefix is empty',
        "use { kind: 'all' } to drop every row",
      );
    await this.#sweeps.rows(
      table,
      target.kind === 'all' ? everyKey : prefixRange(new Uint8Array(target.prefix)),
      (draft, writer) => {
        draft.clear();
        this.#writes.save(draft, writer);
      },
    );
  }

  async listTables(): Promise<readonly TableSchema[]> {
    this.#check();
    return this.#catalog.schemas();
  }

  async createTable(schema: TableSchema): Promise<void> {
    this.#check();
    await this.#queue.enqueue(1, 0, (writer) => this.#catalog.create(schema, writer));
  }

  async deleteTable(name: string): Promise<void> {
    this.#table(name);
    await this.#removeTable(
      await this.#queue.enqueue(1, 0, (writer) => this.#catalog.drop(name, writer)),
    );
  }

  async modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    changedFamilies(this.#table(table), changes);
    // What the old rules hid must not come back under the new ones.
    if (this.#hides && changes.some(({ kind }) => kind === 'update'))
      await this.#sweeps.collect(table);
    await this.#queue.enqueue(1, 0, (writer) =>
      this.#catalog.changeFamilies(table, changes, writer),
    );
    const schema = schemaOf(this.#table(table));
    if (changes.some(({ kind }) => kind === 'drop')) {
      await this.#sweeps.rows(table, everyKey, (draft, writer) => {
        if (draft.stale) this.#writes.save(draft, writer);
      });
    }
    return schema;
  }

  async updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    this.#table(name);
    await this.#queue.enqueue(1, 0, (writer) => this.#catalog.update(name, update, writer));
    return schemaOf(this.#table(name));
  }

  async generateConsistencyToken(table: string): Promise<string> {
    return consistencyToken(this.#table(table));
  }

  async checkConsistency(table: string, token: string): Promise<boolean> {
    // One store, and a write is acknowledged once every reader sees it: what was written before any
    // token is there.
    if (token !== consistencyToken(this.#table(table)))
      throw invalidArgument(
        'token',
        'no token of this table',
        'give what generateConsistencyToken answered for it',
      );
    return true;
  }

  async compact(table?: string): Promise<Compaction> {
    this.#check();
    const total = { rows: 0, cells: 0, bytes: 0 };
    for (const name of table === undefined
      ? this.#catalog.states().map(({ name: each }) => each)
      : [table]) {
      // Another call may have deleted the table meanwhile.
      if (table === undefined && !this.#catalog.has(name)) continue;
      const gone = await this.#sweeps.collect(name);
      total.rows += gone.rows;
      total.cells += gone.cells;
      total.bytes += gone.bytes;
    }
    if (this.#shrink === undefined) return total;
    this.#check();
    // Calls at the same time share one pass over the file.
    this.#shrinking ??= this.#shrink(() => this.#check()).finally(
      () => (this.#shrinking = undefined),
    );
    return { ...total, bytes: await this.#shrinking };
  }

  async close(): Promise<void> {
    await (this.#closed ??= this.#shut());
  }

  async #shut(): Promise<void> {
    this.#background?.stop();
    await this.#shrinking?.catch(() => undefined);
    await this.#queue.close(this.#refusal());
    try {
      this.#onClose();
    } finally {
      await this.#store.close();
    }
  }

  #check(): void {
    if (this.#closed !== undefined) throw this.#refusal();
  }

  #refusal(): RowsmithError {
    const fix =
      'await what uses the database before it is closed; inside `await using`, write `return await` and not `return`';
    return new RowsmithError('DATABASE_CLOSED', { database: this.name, fix });
  }

  #table(name: string): TableState {
    this.#check();
    return this.#catalog.table(name);
  }

  #cursor(table: TableState, { ranges, reversed, filter }: ReadPlan): PageCursor {
    return new PageCursor({
      store: this.#store,
      table: table.id,
      ranges,
      reversed,
      projection: compileProjection(table, filter, this.#hides, this.#random),
    });
  }

  async #applySlice(
    table: TableState,
    rows: readonly RowMutation[],
    start: number,
    results: (RowsmithError | undefined)[],
  ): Promise<void> {
    const end = Math.min(rows.length, start + sliceRows);
    const waiting = new PendingRows(table, end - start);
    const checked: PendingRow[] = [];
    for (let index = start; index < end; index++)
      attempt(results, index, () => checked.push(waiting.add(index, rows[index])));
    try {
      // In key order each block is met once.
      await this.#queue.enqueue(end - start, waiting.bytes, (writer) => {
        for (const row of inKeyOrder(checked))
          attempt(results, row.index, () => this.#writes.apply(table.name, row, writer));
      });
    } catch (error) {
      for (let index = start; index < end; index++)
        attempt(results, index, () => {
          throw error;
        });
    }
  }

  async #removeTable(id: number): Promise<void> {
    await this.#sweeps.removePairs(id);
    await this.#queue.enqueue(1, 0, (writer) => this.#catalog.forget(id, writer));
  }

  /** Microseconds since 1970. */
  #now(): number {
    return Math.floor(this.#clock()) * 1000;
  }
}

/**
 * Runs one row's step; what refuses it becomes that row's answer, what fails the storage fails them
 * all.
 */
function attempt<T>(
  results: (RowsmithError | undefined)[],
  index: number,
  step: () => T,
): T | undefined {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    results[index] ??= error;
    return undefined;
  }
}
