/**
 * An engine that serves only the keys of a scope. Keys and ranges are made by the scope's key codec
 * already; this holds whatever else a method of a repository may do.
 */
import { compareBytes, type KeyRange, prefixRange, rangeContains } from '../../bytes/index.js';
import { quotedList } from '../../base/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import {
  type CheckAndMutate,
  type Compaction,
  type DropTarget,
  type Engine,
  failedRead,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowMutation,
  type RowStream,
  type SampledKey,
  type TableSchema,
} from '../../store/index.js';

/** Requests to other tables or keys are rejected with OUTSIDE_SCOPE, before they are sent. */
export class ScopeGuard implements Engine {
  readonly name: string;
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #ranges: readonly KeyRange[];

  /** `ranges` are the keys of the scope. */
  constructor(engine: Engine, model: EntityModel, ranges: readonly KeyRange[]) {
    this.name = engine.name;
    this.#engine = engine;
    this.#model = model;
    this.#ranges = ranges;
  }

  get skipsRows(): boolean {
    return this.#engine.skipsRows === true;
  }

  get totalTimeoutMs(): number | undefined {
    return this.#engine.totalTimeoutMs;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    try {
      this.#assertTable(plan.table);
      if (!plan.ranges.every((range) => this.#holdsRange(range))) throw this.#outside();
    } catch (error) {
      return failedRead(error);
    }
    return this.#engine.readRows(plan, options);
  }

  async mutateRow(table: string, row: RowMutation): Promise<void> {
    this.#assertKey(table, row.key);
    return this.#within(this.#engine.mutateRow(table, row));
  }

  async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    for (const { key } of rows) this.#assertKey(table, key);
    const errors = await this.#engine.mutateRows(table, rows, options);
    return errors.map((error) => error && this.#known(error));
  }

  async checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    this.#assertKey(table, check.key);
    return this.#within(this.#engine.checkAndMutateRow(table, check, options));
  }

  async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    this.#assertKey(table, key);
    return this.#within(this.#engine.readModifyWriteRow(table, key, rules));
  }

  /** Without the keys outside the scope, which are rows of others. */
  async sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    this.#assertTable(table);
    const keys = await this.#engine.sampleRowKeys(table);
    return keys.filter(({ key }) => key.length === 0 || this.#holdsKey(key));
  }

  async dropRowRange(table: string, target: DropTarget): Promise<void> {
    this.#assertTable(table);
    if (target.kind === 'all' || !this.#holdsRange(prefixRange(target.prefix)))
      throw this.#outside();
    return this.#engine.dropRowRange(table, target);
  }

  async generateConsistencyToken(table: string): Promise<string> {
    this.#assertTable(table);
    return this.#engine.generateConsistencyToken(table);
  }

  async checkConsistency(table: string, token: string): Promise<boolean> {
    this.#assertTable(table);
    return this.#engine.checkConsistency(table, token);
  }

  async listTables(): Promise<readonly TableSchema[]> {
    throw this.#outside();
  }

  async createTable(): Promise<void> {
    throw this.#outside();
  }

  async deleteTable(): Promise<void> {
    throw this.#outside();
  }

  async modifyFamilies(): Promise<TableSchema> {
    throw this.#outside();
  }

  async updateTable(): Promise<TableSchema> {
    throw this.#outside();
  }

  async compact(): Promise<Compaction> {
    throw this.#outside();
  }

  async close(): Promise<void> {
    throw this.#outside();
  }

  async #within<T>(written: Promise<T>): Promise<T> {
    try {
      return await written;
    } catch (error) {
      throw error instanceof RowsmithError ? this.#known(error) : error;
    }
  }

  /** An error without what the scope must not know: the key of a row outside. */
  #known(error: RowsmithError): RowsmithError {
    if (error.code !== 'UNIQUE_VIOLATION') return error;
    const { holder, holderKey: _, ...details } = error.details;
    if (this.#holdsRow(holder)) return error;
    return new RowsmithError(error.code, {
      ...details,
      problem:
        'a row outside the scope has the same value in the unique index; nothing was written',
      fix: `use another value, or begin the index with ${quotedList(this.#model.key.scope!.names)}`,
    });
  }

  #holdsRow(holder: unknown): boolean {
    const scope = this.#model.key.scope!;
    const row = holder as Readonly<Record<string, unknown>>;
    try {
      scope.assertInside(row);
    } catch {
      return false;
    }
    return scope.names.every((name) => Object.hasOwn(row, name));
  }

  #assertTable(table: string): void {
    if (table !== this.#model.table.name) throw this.#outside();
  }

  #assertKey(table: string, key: Uint8Array): void {
    this.#assertTable(table);
    if (!this.#holdsKey(key)) throw this.#outside();
  }

  #holdsKey(key: Uint8Array): boolean {
    const own = this.#rangeUpTo(key);
    return own !== undefined && rangeContains(own, key);
  }

  /** The ranges of the scope are apart from each other, so that one of them holds all of it. */
  #holdsRange({ start, end }: KeyRange): boolean {
    const own = this.#rangeUpTo(start);
    if (own === undefined || !rangeContains(own, start)) return false;
    if (own.end === undefined) return true;
    return end !== undefined && compareBytes(end, own.end) <= 0;
  }

  /** The last range of the scope that starts at the key or before it; shards make many. */
  #rangeUpTo(key: Uint8Array): KeyRange | undefined {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#ranges[middle].start, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.#ranges[low - 1];
  }

  #outside(): RowsmithError {
    const { name, key } = this.#model;
    return new RowsmithError('OUTSIDE_SCOPE', {
      entity: name,
      property: key.scope?.names.at(-1),
      problem: 'the call would read or write rows outside of the scope',
      fix: `use the repository of the database: db.repository(${name})`,
    });
  }
}
