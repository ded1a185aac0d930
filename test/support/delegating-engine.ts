/** An engine that passes every call on; wrappers override what they change. */
import type { RowsmithError } from '../../src/base/index.js';
import type {
  Compaction,
  CompactionOptions,
  DropTarget,
  Engine,
  SampledKey,
} from '../../src/data/store/engine.js';
import type {
  CheckAndMutate,
  ReadModifyWriteRule,
  RowMutation,
} from '../../src/data/store/mutation.js';
import type { ReadOptions, ReadPlan } from '../../src/data/store/read-plan.js';
import type { RowStream } from '../../src/data/store/row-cursor.js';
import type { Row } from '../../src/data/store/row.js';
import type { FamilyChange, TableSchema, TableUpdate } from '../../src/data/store/schema.js';

export class DelegatingEngine implements Engine {
  readonly name: string;
  /** The wrapped engine. */
  protected readonly engine: Engine;

  constructor(engine: Engine) {
    this.name = engine.name;
    this.engine = engine;
  }

  get skipsRows(): boolean {
    return this.engine.skipsRows === true;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    return this.engine.readRows(plan, options);
  }

  mutateRow(table: string, row: RowMutation): Promise<void> {
    return this.engine.mutateRow(table, row);
  }

  mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    return this.engine.mutateRows(table, rows, options);
  }

  checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.engine.checkAndMutateRow(table, check, options);
  }

  readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    return this.engine.readModifyWriteRow(table, key, rules);
  }

  sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    return this.engine.sampleRowKeys(table);
  }

  dropRowRange(table: string, target: DropTarget): Promise<void> {
    return this.engine.dropRowRange(table, target);
  }

  listTables(): Promise<readonly TableSchema[]> {
    return this.engine.listTables();
  }

  createTable(schema: TableSchema): Promise<void> {
    return this.engine.createTable(schema);
  }

  deleteTable(name: string): Promise<void> {
    return this.engine.deleteTable(name);
  }

  modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    return this.engine.modifyFamilies(table, changes);
  }

  updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    return this.engine.updateTable(name, update);
  }

  generateConsistencyToken(table: string): Promise<string> {
    return this.engine.generateConsistencyToken(table);
  }

  checkConsistency(table: string, token: string): Promise<boolean> {
    return this.engine.checkConsistency(table, token);
  }

  compact(table?: string, options?: CompactionOptions): Promise<Compaction> {
    return this.engine.compact(table, options);
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
