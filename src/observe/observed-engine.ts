/** An engine that reports its calls to observers and delegates them to another engine. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RowsmithError } from '../errors.js';
import {
  type CheckAndMutate,
  type Compaction,
  type CompactionOptions,
  type DropTarget,
  type Engine,
  type FamilyChange,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  rowMutationBytes,
  type RowStream,
  type SampledKey,
  type TableSchema,
  type TableUpdate,
} from '../store/index.js';
import { ObservedStream } from './observed-stream.js';
import type { Observer, Operation, OperationName } from './operation.js';
import { Watch } from './watch.js';

/**
 * The current call. Lets the retries of the live engine be reported for the call they belong to
 * without passing an observer through every interface.
 */
const currentCall = new AsyncLocalStorage<Watch>();

/** Reports to the observers of the current call that it sends another request. */
export function reportRetry(status: number): void {
  currentCall.getStore()?.retry(status);
}

/** Wraps an engine for the repository of one entity, or for the database itself. */
export class ObservedEngine implements Engine {
  readonly #inner: Engine;
  readonly #observers: readonly Observer[];
  readonly #entity: string | undefined;

  constructor(inner: Engine, observers: readonly Observer[], entity?: string) {
    this.#inner = inner;
    this.#observers = observers;
    this.#entity = entity;
  }

  get name(): string {
    return this.#inner.name;
  }

  get skipsRows(): boolean {
    return this.#inner.skipsRows === true;
  }

  get totalTimeoutMs(): number | undefined {
    return this.#inner.totalTimeoutMs;
  }

  get appliesOnce(): boolean {
    return this.#inner.appliesOnce === true;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    const watch = this.#watch('readRows', plan.table, { plan });
    const runInContext = <T>(work: () => T): T =>
      currentCall.run(watch, () => watch.runInContext(work));
    return new ObservedStream(
      runInContext(() => this.#inner.readRows(plan, options)),
      watch,
      runInContext,
    );
  }

  mutateRow(table: string, row: RowMutation): Promise<void> {
    return this.#run(
      'mutateRow',
      table,
      { keys: [row.key], rows: 1, bytes: rowMutationBytes(row) },
      () => this.#inner.mutateRow(table, row),
    );
  }

  mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const bytes = rows.reduce((sum, row) => sum + rowMutationBytes(row), 0);
    return this.#run(
      'mutateRows',
      table,
      { keys: rows.map(({ key }) => key), rows: rows.length, bytes },
      () => this.#inner.mutateRows(table, rows, options),
    );
  }

  checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const bytes = rowMutationBytes({
      key: check.key,
      mutations: [...(check.onTrue ?? []), ...(check.onFalse ?? [])],
    });
    return this.#run('checkAndMutateRow', table, { keys: [check.key], rows: 1, bytes }, () =>
      this.#inner.checkAndMutateRow(table, check, options),
    );
  }

  readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    return this.#run('readModifyWriteRow', table, { keys: [key], rows: 1 }, () =>
      this.#inner.readModifyWriteRow(table, key, rules),
    );
  }

  sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    return this.#run('sampleRowKeys', table, {}, () => this.#inner.sampleRowKeys(table));
  }

  dropRowRange(table: string, target: DropTarget): Promise<void> {
    const keys = target.kind === 'prefix' ? [target.prefix] : undefined;
    return this.#run('dropRowRange', table, { keys }, () =>
      this.#inner.dropRowRange(table, target),
    );
  }

  listTables(): Promise<readonly TableSchema[]> {
    return this.#inner.listTables();
  }

  createTable(schema: TableSchema): Promise<void> {
    return this.#run('createTable', schema.name, {}, () => this.#inner.createTable(schema));
  }

  deleteTable(name: string): Promise<void> {
    return this.#run('deleteTable', name, {}, () => this.#inner.deleteTable(name));
  }

  modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    return this.#run('modifyFamilies', table, {}, () => this.#inner.modifyFamilies(table, changes));
  }

  updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    return this.#run('updateTable', name, {}, () => this.#inner.updateTable(name, update));
  }

  generateConsistencyToken(table: string): Promise<string> {
    return this.#inner.generateConsistencyToken(table);
  }

  checkConsistency(table: string, token: string): Promise<boolean> {
    return this.#inner.checkConsistency(table, token);
  }

  compact(table?: string, options?: CompactionOptions): Promise<Compaction> {
    return this.#run('compact', table, {}, () => this.#inner.compact(table, options));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #watch(name: OperationName, table: string | undefined, request: Partial<Operation>): Watch {
    return new Watch(
      {
        name,
        entity: this.#entity,
        table,
        rows: 0,
        bytes: 0,
        attempts: 1,
        engineMillis: 0,
        ...request,
      },
      this.#observers,
    );
  }

  async #run<T>(
    name: OperationName,
    table: string | undefined,
    request: Partial<Operation>,
    work: () => Promise<T>,
  ): Promise<T> {
    const watch = this.#watch(name, table, request);
    try {
      const result = await watch.timed(() =>
        currentCall.run(watch, () => watch.runInContext(work)),
      );
      watch.end();
      return result;
    } catch (error) {
      watch.end(error);
      throw error;
    }
  }
}
