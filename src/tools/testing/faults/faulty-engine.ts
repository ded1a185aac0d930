/** An engine with faults: calls that are not failed are delegated to another engine. */
import { noBytes, onAbort, type RowsmithError, toHex } from '../../../base/index.js';
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
  type RowStream,
  type SampledKey,
  type TableSchema,
  type TableUpdate,
} from '../../../data/store/index.js';
import {
  type ActiveFault,
  type BatchFault,
  Faults,
  type WriteAttempt,
  type TableCall,
  type WriteFault,
} from './faults.js';
import { FaultyStream } from './faulty-stream.js';

/**
 * Wraps an engine: its calls fail, and reads and writes of rows are delayed, as defined by
 * `faults`. A write that fails leaves the row unchanged, unless the fault has `applied`.
 */
export class FaultyEngine implements Engine {
  /** Faults to inject into the calls of this engine. */
  readonly faults = new Faults();
  #inner: Engine;

  constructor(inner: Engine) {
    this.#inner = inner;
  }

  get name(): string {
    return this.#inner.name;
  }

  get totalTimeoutMs(): number | undefined {
    return this.#inner.totalTimeoutMs;
  }

  /** @internal Replaces the wrapped engine; calls in progress complete on the previous one. */
  replace(inner: Engine): void {
    this.#inner = inner;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    const { table } = plan;
    return new FaultyStream(
      this.#inner.readRows(plan, options),
      table,
      this.faults.onRead(table),
      () => this.#delay('reads', table, options?.signal),
    );
  }

  async mutateRow(table: string, row: RowMutation): Promise<void> {
    const inner = this.#inner;
    await this.#write({ table, key: row.key, call: 'mutateRow', mutations: row.mutations }, () =>
      inner.mutateRow(table, row),
    );
  }

  async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    const inner = this.#inner;
    const batch = this.faults.onBatch(table);
    const writes = rows.map(({ key, mutations }) =>
      this.faults.onWrite({ table, key, call: 'mutateRows', mutations }),
    );
    await this.#delay('writes', table);
    if (batch !== undefined && batch.options.entries === undefined)
      throw batch.error(batch.options.code, { table });
    const errors: (RowsmithError | undefined)[] = [];
    const sent: number[] = [];
    rows.forEach((row, index) => {
      const inBatch = batch !== undefined && isFailedEntry(batch.options, row, index);
      const fault = inBatch ? batch : writes[index];
      errors.push(fault?.error(fault.options.code, { table, key: toHex(row.key), index }));
      // A write with a lost response is sent as well, and reported as an error all the same.
      const isApplied = !inBatch && writes[index]?.options.applied === true;
      if (fault === undefined || isApplied) sent.push(index);
    });
    if (sent.length === 0 && rows.length > 0) return errors;
    const results = await inner.mutateRows(
      table,
      sent.map((index) => rows[index]),
      options,
    );
    sent.forEach((index, i) => {
      errors[index] ??= results[i];
    });
    return errors;
  }

  async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const inner = this.#inner;
    const mutations = [...(check.onTrue ?? []), ...(check.onFalse ?? [])];
    return this.#write({ table, key: check.key, call: 'checkAndMutateRow', mutations }, () =>
      inner.checkAndMutateRow(table, check, options),
    );
  }

  async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    const inner = this.#inner;
    return this.#write({ table, key, call: 'readModifyWriteRow', mutations: [] }, () =>
      inner.readModifyWriteRow(table, key, rules),
    );
  }

  async dropRowRange(table: string, target: DropTarget): Promise<void> {
    const inner = this.#inner;
    const key = target.kind === 'prefix' ? target.prefix : noBytes;
    await this.#write({ table, key, call: 'dropRowRange', mutations: [] }, () =>
      inner.dropRowRange(table, target),
    );
  }

  async sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    return this.#call('sampleRowKeys', table, (inner) => inner.sampleRowKeys(table));
  }

  async listTables(): Promise<readonly TableSchema[]> {
    return this.#call('listTables', '', (inner) => inner.listTables());
  }

  async createTable(schema: TableSchema): Promise<void> {
    await this.#call('createTable', schema.name, (inner) => inner.createTable(schema));
  }

  async deleteTable(name: string): Promise<void> {
    await this.#call('deleteTable', name, (inner) => inner.deleteTable(name));
  }

  async modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    return this.#call('modifyFamilies', table, (inner) => inner.modifyFamilies(table, changes));
  }

  async updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    return this.#call('updateTable', name, (inner) => inner.updateTable(name, update));
  }

  async generateConsistencyToken(table: string): Promise<string> {
    return this.#call('generateConsistencyToken', table, (inner) =>
      inner.generateConsistencyToken(table),
    );
  }

  async checkConsistency(table: string, token: string): Promise<boolean> {
    return this.#call('checkConsistency', table, (inner) => inner.checkConsistency(table, token));
  }

  async compact(table?: string, options?: CompactionOptions): Promise<Compaction> {
    return this.#call('compact', table ?? '', (inner) => inner.compact(table, options));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #call<T>(call: TableCall, table: string, run: (inner: Engine) => Promise<T>): Promise<T> {
    const fault = this.faults.onCall(call, table);
    if (fault === undefined) return run(this.#inner);
    if (fault.options.applied === true) await run(this.#inner);
    throw fault.error(fault.options.code, { call, table });
  }

  async #write<T>(write: WriteAttempt, run: () => Promise<T>): Promise<T> {
    const fault: ActiveFault<WriteFault> | undefined = this.faults.onWrite(write);
    await this.#delay('writes', write.table);
    if (fault === undefined) return run();
    if (fault.options.applied === true) await run();
    throw fault.error(fault.options.code, { table: write.table, key: toHex(write.key) });
  }

  #delay(kind: 'reads' | 'writes', table: string, signal?: AbortSignal): Promise<void> | undefined {
    const millis = this.faults.delayOf(kind, table);
    if (millis === 0) return undefined;
    return pause(millis, signal);
  }
}

function isFailedEntry({ entries }: BatchFault, row: RowMutation, index: number): boolean {
  if (entries === undefined) return false;
  if (typeof entries === 'function') return entries(row, index);
  return entries.includes(index);
}

/** Resolves early when the signal is aborted: the engine itself checks the signal afterwards. */
function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, millis);
    const unsubscribe = signal && onAbort(signal, end);
    function end(): void {
      clearTimeout(timer);
      unsubscribe?.();
      resolve();
    }
    if (signal?.aborted === true) end();
  });
}
