/** The engine over a live instance: maps each method to a call of the Bigtable API. */
import { noBytes, RowsmithError, type FaultTexts } from '../../base/index.js';
import {
  requestError,
  CheckAndMutateRowRequest,
  CheckAndMutateRowResponse,
  MutateRowRequest,
  MutateRowResponse,
  encodeMutations,
  decodeRow,
  ReadModifyWriteRowRequest,
  ReadModifyWriteRowResponse,
  encodeRules,
  SampleRowKeysRequest,
  SampleRowKeysResponse,
  encodeFilter,
} from '../protocol/index.js';
import {
  type CheckAndMutate,
  type Compaction,
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
  checkCheckShape,
  checkDropShape,
  checkFamilyChanges,
  checkMutations,
  checkReadShape,
  checkRowKey,
  checkRowShape,
  checkRowsShape,
  checkRulesShape,
  checkTableSchema,
  checkTableUpdate,
  checkName,
  failedRead,
} from '../../data/store/index.js';
import { mutateRows } from './write/bulk-mutation.js';
import type { Calls } from './call/calls.js';
import { Reads } from './read/reads.js';
import { isIdempotent } from './write/idempotent.js';
import { TableAdmin } from './table-admin.js';

const data = '/google.bigtable.v2.Bigtable';

/** The engine over a live Bigtable instance. */
export class LiveEngine implements Engine {
  readonly #admin: TableAdmin;
  readonly #reads: Reads;

  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
    this.#reads = new Reads(calls);
    this.#admin = new TableAdmin(calls);
  }

  get name(): string {
    return this.#calls.name;
  }

  get totalTimeoutMs(): number {
    return this.#calls.settings.totalTimeoutMs;
  }

  readRows(plan: ReadPlan, options: ReadOptions = {}): RowStream {
    try {
      checkReadShape(plan, options);
    } catch (error) {
      return failedRead(error);
    }
    return this.#reads.open(plan, options);
  }

  async mutateRow(table: string, row: RowMutation): Promise<void> {
    checkName(table, 'table');
    checkRowShape(row);
    const { key, mutations } = row;
    checkRowKey(key);
    checkMutations(mutations);
    const request = {
      ...this.#calls.target(table),
      rowKey: key,
      mutations: encodeMutations(mutations),
    };
    await this.#calls.unary(
      `${data}/MutateRow`,
      [MutateRowRequest, MutateRowResponse],
      request,
      this.#calls.routing(table),
      { idempotent: isIdempotent(mutations), details: { table } },
    );
  }

  async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly (RowsmithError | undefined)[]> {
    checkRowsShape(table, rows, options);
    return mutateRows(this.#calls, table, rows, options.signal);
  }

  async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    checkCheckShape(table, check);
    const { key, predicate, onTrue = [], onFalse = [] } = check;
    checkRowKey(key);
    if (onTrue.length === 0 && onFalse.length === 0)
      throw requestError('onTrue', faults.emptyBranches);
    for (const branch of [onTrue, onFalse]) if (branch.length > 0) checkMutations(branch);
    const request = {
      ...this.#calls.target(table),
      rowKey: key,
      trueMutations: encodeMutations(onTrue),
      falseMutations: encodeMutations(onFalse),
      predicateFilter: predicate === undefined ? undefined : encodeFilter(predicate),
    };
    const { predicateMatched = false } = await this.#calls.unary(
      `${data}/CheckAndMutateRow`,
      [CheckAndMutateRowRequest, CheckAndMutateRowResponse],
      request,
      this.#calls.routing(table),
      // A second attempt would see the writes of the first.
      { idempotent: false, details: { table } },
    );
    return predicateMatched;
  }

  async readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    checkRulesShape(table, rules);
    checkRowKey(key);
    const request = { ...this.#calls.target(table), rowKey: key, rules: encodeRules(rules) };
    const { row = {} } = await this.#calls.unary(
      `${data}/ReadModifyWriteRow`,
      [ReadModifyWriteRowRequest, ReadModifyWriteRowResponse],
      request,
      this.#calls.routing(table),
      { idempotent: false, details: { table } },
    );
    return decodeRow(row);
  }

  async sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    checkName(table, 'table');
    this.#calls.check();
    const request = SampleRowKeysRequest.encode(this.#calls.target(table));
    const messages = await this.#calls.collect(
      `${data}/SampleRowKeys`,
      request,
      this.#calls.routing(table),
      { idempotent: true, reads: true, details: { table } },
    );
    return messages.map((message) => {
      const { rowKey = noBytes, offsetBytes = 0n } = SampleRowKeysResponse.decode(message);
      return { key: rowKey, offsetBytes: Number(offsetBytes) };
    });
  }

  async dropRowRange(table: string, target: DropTarget): Promise<void> {
    checkDropShape(table, target);
    await this.#admin.drop(table, target);
  }

  async listTables(): Promise<readonly TableSchema[]> {
    return this.#admin.list();
  }

  async createTable(schema: TableSchema): Promise<void> {
    checkTableSchema(schema);
    await this.#admin.create(schema);
  }

  async deleteTable(name: string): Promise<void> {
    checkName(name, 'table');
    await this.#admin.remove(name);
  }

  async modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    checkFamilyChanges(table, changes);
    return this.#admin.modify(table, changes);
  }

  async updateTable(name: string, update: TableUpdate): Promise<TableSchema> {
    checkTableUpdate(name, update);
    return this.#admin.update(name, update);
  }

  async generateConsistencyToken(table: string): Promise<string> {
    checkName(table, 'table');
    return this.#admin.consistencyToken(table);
  }

  async checkConsistency(table: string, token: string): Promise<boolean> {
    checkName(table, 'table');
    checkName(token, 'token');
    return this.#admin.isConsistent(table, token);
  }

  async compact(): Promise<Compaction> {
    this.#calls.check();
    throw new RowsmithError('UNSUPPORTED', {
      database: this.name,
      ...faults.managedCollection,
    });
  }

  /** Google's own client of the instance, over the same connections. */
  async client(): Promise<object> {
    this.#calls.check();
    return this.#calls.channel.client();
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}

const faults = {
  emptyBranches: { problem: 'neither branch has a mutation' },
  managedCollection: {
    problem: 'Cloud Bigtable runs garbage collection itself',
    fix: 'none needed: cells that the rules delete are collected within about a week',
  },
} satisfies FaultTexts;
