/** An engine that rejects every write. */
import { RowsmithError } from '../errors.js';
import type {
  Compaction,
  Engine,
  ReadOptions,
  ReadPlan,
  Row,
  RowStream,
  SampledKey,
  TableSchema,
} from '../store/index.js';

/** Reads from another engine. Everything else rejects with UNSUPPORTED. */
export class ReadOnlyEngine implements Engine {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get name(): string {
    return this.#engine.name;
  }

  get skipsRows(): boolean {
    return this.#engine.skipsRows === true;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    return this.#engine.readRows(plan, options);
  }

  sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    return this.#engine.sampleRowKeys(table);
  }

  listTables(): Promise<readonly TableSchema[]> {
    return this.#engine.listTables();
  }

  generateConsistencyToken(table: string): Promise<string> {
    return this.#engine.generateConsistencyToken(table);
  }

  checkConsistency(table: string, token: string): Promise<boolean> {
    return this.#engine.checkConsistency(table, token);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  mutateRow(): Promise<void> {
    return this.#reject();
  }

  mutateRows(): Promise<readonly (RowsmithError | undefined)[]> {
    return this.#reject();
  }

  checkAndMutateRow(): Promise<boolean> {
    return this.#reject();
  }

  readModifyWriteRow(): Promise<Row> {
    return this.#reject();
  }

  dropRowRange(): Promise<void> {
    return this.#reject();
  }

  createTable(): Promise<void> {
    return this.#reject();
  }

  deleteTable(): Promise<void> {
    return this.#reject();
  }

  modifyFamilies(): Promise<TableSchema> {
    return this.#reject();
  }

  updateTable(): Promise<TableSchema> {
    return this.#reject();
  }

  compact(): Promise<Compaction> {
    return this.#reject();
  }

  #reject(): Promise<never> {
    return Promise.reject(
      new RowsmithError('UNSUPPORTED', {
        database: this.name,
        problem: 'the database was opened with readOnly: true',
        fix: 'open it without readOnly to write to it',
      }),
    );
  }
}
