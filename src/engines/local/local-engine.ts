/** The embedded engine: Bigtable's rows and families over an ordered store of pairs. */
import type { RowsmithError, FaultTexts } from '../../base/index.js';
import { everyKey, invalidArgument, prefixRange, tokenTable } from '../../base/index.js';
import {
  type Compaction,
  type CompactionOptions,
  type DropTarget,
  type Engine,
  type SampledKey,
  type CheckAndMutate,
  type ReadModifyWriteRule,
  type RowMutation,
  type ReadOptions,
  type ReadPlan,
  type RowChanges,
  type RowReader,
  type RowStream,
  type Row,
  type FamilyChange,
  type TableSchema,
  type TableUpdate,
  checkCheckShape,
  checkDropShape,
  checkFamilyChanges,
  checkMutationCount,
  checkReadShape,
  checkRowsShape,
  checkRulesShape,
  checkTableSchema,
  checkTableUpdate,
  checkName,
  checkTransactionShape,
  databaseClosed,
  failedRead,
  mutationCount,
} from '../../data/store/index.js';
import { checkedCheck, checkedKey, checkedRules, checkPlan, mutationBytes } from './arguments.js';
import { checkLater, checkNow, type CheckContext } from './check-and-mutate.js';
import { DiskWork } from './disk-work.js';
import type { OrderedStore } from './kv/ordered-store.js';
import type { BackupSummary } from './kv/store/write-backup.js';
import { WriteQueue } from './kv/write-queue.js';
import type { DiskParts, LocalEngineOptions } from './local-engine-options.js';
import { BackgroundCollection } from './maintenance/background-collection.js';
import { sampleKeys } from './maintenance/row-sweep.js';
import { TableSweeps } from './maintenance/table-sweeps.js';
import { checkFilter } from './read/filter/check-filter.js';
import { LocalRowStream } from './read/local-row-stream.js';
import { PageCursor } from './read/page-cursor.js';
import { compileProjection } from './read/projection.js';
import { loadRegex } from './read/filter/regex.js';
import { OverflowIdAllocator } from './row/overflow-ids.js';
import { PendingRowFactory } from './row/prepared-row.js';
import { rowCollector } from './row/collect-row.js';
import { RowWrites } from './row/row-writes.js';
import { writeRows } from './row/write-rows.js';
import { WriteTokens } from './row/write-tokens.js';
import { Catalog, missingTable } from './table/catalog.js';
import { checkConsistencyToken, consistencyToken } from './table/consistency-token.js';
import { changedFamilies } from './table/table-change.js';
import { schemaOf, type TableState } from './table/table-state.js';
import { Transactions } from './transactions.js';

/** Bigtable's rows and families over an ordered store. */
export class LocalEngine implements Engine {
  readonly skipsRows = true;
  readonly appliesOnce = true;
  readonly #store: OrderedStore;
  readonly #catalog: Catalog;
  readonly #queue: WriteQueue;
  readonly #writes: RowWrites;
  readonly #sweeps: TableSweeps;
  readonly #tokens: WriteTokens;
  readonly #background: BackgroundCollection | undefined;
  readonly #random: () => number;
  readonly #hideExpired: boolean;
  readonly #disk: DiskParts | undefined;
  readonly #diskWork: DiskWork | undefined;
  readonly #checkContext: CheckContext;
  readonly #transactions: Transactions;
  #closed: Promise<void> | undefined;

  constructor(
    readonly name: string,
    store: OrderedStore,
    options: LocalEngineOptions = {},
    disk?: DiskParts,
  ) {
    const { clock = Date.now, random = Math.random, gc = 'onRead', lazy = {}, cellClock } = options;
    this.#store = store;
    this.#disk = disk;
    this.#diskWork = disk && new DiskWork(disk);
    this.#random = random;
    this.#hideExpired = gc === 'onRead';
    this.#catalog = new Catalog(store);
    const overflowIds = new OverflowIdAllocator(store);
    this.#writes = new RowWrites(store, this.#catalog, overflowIds, {
      nowMicros: () => Math.floor(clock()) * 1000,
      nextTimestamp: () => cellClock?.next() ?? Math.floor(clock()) * 1000,
      hideExpired: this.#hideExpired,
      onWrite: (table) => this.#background?.onWrite(table),
    });
    this.#queue = new WriteQueue(store, {
      beforeCommit: (writer) => {
        disk?.newest?.reserve(writer);
      },
      onRollback: () => {
        this.#catalog.reload();
        overflowIds.discardReservation();
        disk?.newest?.discardReservation();
      },
    });
    this.#checkContext = {
      queue: this.#queue,
      writes: this.#writes,
      tableState: (name) => this.#catalog.table(name),
      cursor: (table, plan) => this.#cursor(table, plan),
      readRows: (plan, readOptions) => this.readRows(plan, readOptions),
    };
    this.#transactions = new Transactions({
      writes: this.#writes,
      tableState: (name) => this.#table(name),
      cursor: (table, plan) => this.#cursor(table, plan),
      onFailure: () => overflowIds.discardReservation(),
    });
    this.#sweeps = new TableSweeps(store, this.#queue, this.#catalog, this.#writes, () =>
      this.#checkOpen(),
    );
    this.#tokens = new WriteTokens({
      hasTable: () => this.#catalog.has(tokenTable),
      createTable: (schema) => this.#create(schema),
      collect: () => this.#sweeps.collectGarbage(tokenTable),
    });
    if (gc !== 'manual')
      store.collect = rowCollector(
        (id) => this.#catalog.byId(id),
        () => this.#writes.nowMicros(),
      );
    if (gc === 'lazy') {
      const tables = (): TableState[] => this.#catalog.states();
      this.#background = new BackgroundCollection(this.#sweeps, tables, clock, lazy);
    }
  }

  readRows(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    try {
      checkReadShape(plan, options);
    } catch (error) {
      return failedRead(error);
    }
    const openCursor = (): PageCursor | Promise<PageCursor> => {
      const table = this.#table(plan.table);
      checkPlan(plan, options);
      if (plan.filter !== undefined) checkFilter(plan.filter, table);
      const loading = loadRegex(plan.filter);
      if (loading === undefined) return this.#cursor(table, plan);
      return loading.then(() => this.#cursor(table, plan));
    };
    return new LocalRowStream(
      openCursor,
      () => this.#writes.nowMicros(),
      plan,
      options,
      () => this.#checkOpen(),
    );
  }

  async mutateRow(table: string, row: RowMutation): Promise<void> {
    const factory = new PendingRowFactory(this.#table(table), 1);
    const pending = factory.create(0, row);
    const ready = this.#tokens.prepare([row]);
    // Not awaited when undefined, so that writes are queued in the order of the calls.
    if (ready !== undefined) await ready;
    await this.#queue.enqueue(1, factory.bytes, (writer) =>
      this.#writes.apply(table, pending, writer),
    );
  }

  async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly (RowsmithError | undefined)[]> {
    checkRowsShape(table, rows, options);
    const state = this.#table(table);
    checkMutationCount(rows.reduce((sum, row) => sum + mutationCount(row), 0));
    return writeRows(this.#queue, this.#writes, state, rows, this.#tokens.prepare(rows));
  }

  async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<boolean> {
    checkCheckShape(table, check, options);
    const state = this.#table(table);
    const { predicate } = check;
    const checked = { ...checkedCheck(check, state.granularity), predicate };
    if (predicate !== undefined) checkFilter(predicate, state);
    const loading = loadRegex(predicate);
    // Not awaited when undefined, so that writes are queued in the order of the calls.
    if (loading !== undefined) await loading;
    const context = this.#checkContext;
    const bytes = mutationBytes(checked.onTrue) + mutationBytes(checked.onFalse);
    const matched = await this.#queue.enqueue(1, bytes, (writer) =>
      checkNow(context, table, checked, writer),
    );
    return matched ?? checkLater(context, table, checked, options);
  }

  async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    checkRulesShape(table, rules);
    this.#table(table);
    const row = checkedKey(key);
    const checked = checkedRules(rules);
    return this.#queue.enqueue(1, 0, (writer) => {
      const state = this.#catalog.table(table);
      const cells = this.#writes.applyRules(state, row, checked, writer);
      return { key: new Uint8Array(row), cells };
    });
  }

  async transact<T>(bytes: number, work: (rows: RowReader) => RowChanges<T>): Promise<T> {
    checkTransactionShape(bytes, work);
    return this.#queue.enqueue(1, bytes, (writer) => this.#transactions.run(work, writer));
  }

  async sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    const state = this.#table(table);
    const projection = compileProjection(state, undefined, this.#hideExpired, this.#random);
    const pause = async (): Promise<void> => {
      await new Promise((resolve) => void setImmediate(resolve));
      this.#checkOpen();
    };
    return sampleKeys(this.#store, state, projection, this.#writes.nowMicros(), pause);
  }

  async dropRowRange(table: string, target: DropTarget): Promise<void> {
    checkDropShape(table, target);
    this.#table(table);
    const range = target.kind === 'all' ? everyKey : prefixRange(new Uint8Array(target.prefix));
    await this.#sweeps.deleteRows(table, range);
  }

  async listTables(): Promise<readonly TableSchema[]> {
    this.#checkOpen();
    this.#refreshTables();
    return this.#catalog.schemas().filter(({ name }) => name !== tokenTable);
  }

  async createTable(schema: TableSchema): Promise<void> {
    this.#checkOpen();
    checkTableSchema(schema);
    if (schema.name === tokenTable) throw invalidArgument('name', faults.reservedTable);
    await this.#create(schema);
  }

  async #create(schema: TableSchema): Promise<void> {
    await this.#queue.enqueue(1, 0, (writer) => this.#catalog.create(schema, writer));
  }

  async deleteTable(name: string): Promise<void> {
    this.#table(name);
    await this.#queue.enqueue(1, 0, (writer) =>
      this.#sweeps.removeTablePairs(this.#catalog.drop(name, writer), writer),
    );
  }

  async modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    checkFamilyChanges(table, changes);
    changedFamilies(this.#table(table), changes);
    // Cells that the old rules hid must not become visible under the new ones.
    if (this.#hideExpired && changes.some(({ kind }) => kind === 'update'))
      await this.#sweeps.collectGarbage(table);
    await this.#queue.enqueue(1, 0, (writer) =>
      this.#catalog.changeFamilies(table, changes, writer),
    );
    const schema = schemaOf(this.#table(table));
    if (changes.some(({ kind }) => kind === 'drop'))
      await this.#sweeps.deleteDroppedFamilies(table);
    return schema;
  }

  async updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    checkTableUpdate(name, update);
    this.#table(name);
    await this.#queue.enqueue(1, 0, (writer) => this.#catalog.update(name, update, writer));
    return schemaOf(this.#table(name));
  }

  async generateConsistencyToken(table: string): Promise<string> {
    return consistencyToken(this.#table(table));
  }

  async checkConsistency(table: string, token: string): Promise<boolean> {
    // There is one store, and a write is acknowledged once every reader sees it.
    checkConsistencyToken(this.#table(table), token);
    return true;
  }

  async compact(table?: string, { onProgress }: CompactionOptions = {}): Promise<Compaction> {
    this.#checkOpen();
    if (table !== undefined) checkName(table, 'table');
    const total = { rows: 0, cells: 0, bytes: 0 };
    let visited = 0;
    const names = table === undefined ? this.#catalog.states().map(({ name }) => name) : [table];
    for (const name of names) {
      const before = visited;
      const onStep = (rows: number): void =>
        onProgress?.({ phase: 'collect', rows: before + rows });
      const collected = await this.#sweeps.collectGarbage(name, { onStep }).catch((error) => {
        if (table !== undefined || this.#catalog.has(name)) throw error;
      });
      // Another call has deleted the table meanwhile.
      if (collected === undefined) continue;
      visited += collected.visited;
      total.rows += collected.rows;
      total.cells += collected.cells;
      total.bytes += collected.bytes;
    }
    this.#checkOpen();
    const onStep = (fraction: number): void =>
      onProgress?.({ phase: 'merge', rows: visited, fraction });
    const bytes = await this.#diskWork?.compact(onStep);
    if (bytes === undefined) await this.#store.settle?.();
    return { ...total, bytes: bytes ?? total.bytes };
  }

  /** Copies the database, as it is at the moment of the call, and verifies the copy. On disk. */
  async backup(directory: string, onStep: (fraction: number) => void): Promise<BackupSummary> {
    this.#checkOpen();
    return this.#diskWork!.backup(directory, onStep);
  }

  /** Reads all files and verifies them. On disk. */
  async verify(onStep: (fraction: number) => void): Promise<BackupSummary> {
    this.#checkOpen();
    return this.#diskWork!.verify(onStep);
  }

  async close(): Promise<void> {
    await (this.#closed ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    this.#background?.stop();
    await this.#diskWork?.end();
    await this.#settleTimestamp();
    await this.#queue.close(databaseClosed(this.name));
    try {
      await this.#store.close();
    } finally {
      await this.#disk?.onClose();
    }
  }

  async #settleTimestamp(): Promise<void> {
    const newest = this.#disk?.newest;
    if (newest?.isAhead !== true) return;
    // If it fails, the record stays up to a second ahead, as after a crash.
    await this.#queue.enqueue(1, 0, (writer) => newest.settle(writer)).catch(() => undefined);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw databaseClosed(this.name);
  }

  #table(name: string): TableState {
    this.#checkOpen();
    checkName(name, 'table');
    this.#refreshTables();
    if (name === tokenTable) throw missingTable(name);
    return this.#catalog.table(name);
  }

  #refreshTables(): void {
    if (this.#disk?.haveTablesChanged?.() === true) this.#catalog.reload();
  }

  #cursor(table: TableState, { ranges, reversed, filter }: ReadPlan): PageCursor {
    return new PageCursor({
      store: this.#store,
      table: table.id,
      ranges,
      reversed,
      projection: compileProjection(table, filter, this.#hideExpired, this.#random),
      watch: (key) => this.#queue.watch(key),
    });
  }
}

const faults = {
  reservedTable: { problem: `${tokenTable} is the engine's own table`, fix: 'choose another name' },
} satisfies FaultTexts;
