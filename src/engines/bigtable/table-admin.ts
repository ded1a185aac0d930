/** Tables and families through the admin API, which reads and writes of rows never call. */
import { RowsmithError } from '../../base/index.js';
import {
  encodeFamilyChanges,
  encodeTableUpdate,
  CheckConsistencyRequest,
  CheckConsistencyResponse,
  checkId,
  encodeCreateTable,
  CreateTableRequest,
  DeleteTableRequest,
  DropRowRangeRequest,
  Empty,
  GenerateConsistencyTokenRequest,
  GenerateConsistencyTokenResponse,
  GetOperationRequest,
  GetTableRequest,
  ListTablesRequest,
  ListTablesResponse,
  ModifyColumnFamiliesRequest,
  LongOperation,
  parseResource,
  decodeTable,
  TableMessage,
  UpdateTableRequest,
  type MessageType,
} from '../protocol/index.js';
import type { DropTarget, FamilyChange, TableSchema, TableUpdate } from '../../data/store/index.js';
import type { CallKind, Calls } from './call/calls.js';
import { CallError } from './channel/channel.js';

const service = '/google.bigtable.admin.v2.BigtableTableAdmin';
/** Table.View (table.proto). */
const view = { nameOnly: 1, schema: 2 } as const;
/** Concurrent GetTable calls; ListTables returns only names. */
const maxInFlight = 8;
/** Interval between polls of a running operation, in milliseconds. */
const pollIntervalMs = 250;
const pageSize = 1000;

const read: CallKind = { idempotent: true, reads: true, admin: 'default' };
/** Not retried: the response of a retry would describe the effect of the first attempt. */
const change: CallKind = { idempotent: false, admin: 'default' };

/** The tables of one instance. */
export class TableAdmin {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async list(): Promise<readonly TableSchema[]> {
    const names = await this.#names();
    const tables: (TableSchema | undefined)[] = new Array<undefined>(names.length).fill(undefined);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < names.length) {
        const index = next++;
        tables[index] = await this.#find(names[index]);
      }
    };
    await Promise.all(Array.from({ length: maxInFlight }, work));
    return tables.filter((table) => table !== undefined);
  }

  async create(schema: TableSchema): Promise<void> {
    checkId(schema.name, 'tables');
    const { instance } = this.#calls.channel;
    await this.#call(
      'CreateTable',
      [CreateTableRequest, TableMessage],
      encodeCreateTable(schema, instance),
      `parent=${encodeURIComponent(instance)}`,
      { ...change, details: { table: schema.name } },
    );
  }

  async remove(table: string): Promise<void> {
    await this.#onTable('DeleteTable', [DeleteTableRequest, Empty], table, {}, change);
  }

  async modify(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    const modifications = encodeFamilyChanges(changes);
    if (modifications.length === 0) return this.#get(table);
    return decodeTable(
      await this.#onTable(
        'ModifyColumnFamilies',
        [ModifyColumnFamiliesRequest, TableMessage],
        table,
        { modifications },
        change,
      ),
      table,
    );
  }

  async update(table: string, update: TableUpdate): Promise<TableSchema> {
    const { table: fields, paths, ignoreWarnings } = encodeTableUpdate(update);
    if (paths.length === 0) return this.#get(table);
    const name = this.#calls.tableName(table);
    const request = {
      table: { ...fields, name },
      updateMask: { paths: [...paths] },
      ignoreWarnings,
    };
    let operation = await this.#call(
      'UpdateTable',
      [UpdateTableRequest, LongOperation],
      request,
      `table.name=${encodeURIComponent(name)}`,
      { ...change, details: { table } },
    );
    while (operation.done !== true) {
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      const { name: id = '' } = operation;
      operation = await this.#calls.unary(
        '/google.longrunning.Operations/GetOperation',
        [GetOperationRequest, LongOperation],
        { name: id },
        `name=${encodeURIComponent(id)}`,
        read,
      );
    }
    if (operation.error !== undefined)
      throw this.#calls.error(
        new CallError(operation.error.code ?? 2, operation.error.message ?? ''),
        { table },
      );
    return this.#get(table);
  }

  async drop(table: string, target: DropTarget): Promise<void> {
    const rows =
      target.kind === 'all' ? { deleteAllDataFromTable: true } : { rowKeyPrefix: target.prefix };
    // Not retried after an unknown outcome: rows may have been written since.
    await this.#onTable('DropRowRange', [DropRowRangeRequest, Empty], table, rows, {
      idempotent: false,
      admin: 'drop',
    });
  }

  async consistencyToken(table: string): Promise<string> {
    const { consistencyToken = '' } = await this.#onTable(
      'GenerateConsistencyToken',
      [GenerateConsistencyTokenRequest, GenerateConsistencyTokenResponse],
      table,
      {},
      read,
    );
    return consistencyToken;
  }

  async isConsistent(table: string, consistencyToken: string): Promise<boolean> {
    const { consistent = false } = await this.#onTable(
      'CheckConsistency',
      [CheckConsistencyRequest, CheckConsistencyResponse],
      table,
      { consistencyToken },
      read,
    );
    return consistent;
  }

  async #get(table: string): Promise<TableSchema> {
    return decodeTable(
      await this.#onTable(
        'GetTable',
        [GetTableRequest, TableMessage],
        table,
        { view: view.schema },
        read,
      ),
      table,
    );
  }

  /** Undefined for a table that was deleted in the meantime. */
  async #find(table: string): Promise<TableSchema | undefined> {
    try {
      return await this.#get(table);
    } catch (error) {
      if (error instanceof RowsmithError && error.code === 'TABLE_NOT_FOUND') return undefined;
      throw error;
    }
  }

  async #names(): Promise<string[]> {
    const parent = this.#calls.channel.instance;
    const names: string[] = [];
    let pageToken: string | undefined;
    do {
      const request = { parent, view: view.nameOnly, pageSize, pageToken };
      const page = await this.#call(
        'ListTables',
        [ListTablesRequest, ListTablesResponse],
        request,
        `parent=${encodeURIComponent(parent)}`,
        read,
      );
      for (const { name } of page.tables ?? []) names.push(parseResource(name, 'tables').id);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && pageToken !== '');
    return names.sort();
  }

  #onTable<Q extends { name?: string }, A>(
    method: string,
    types: readonly [MessageType<Q>, MessageType<A>],
    table: string,
    request: Omit<Q, 'name'>,
    kind: CallKind,
  ): Promise<A> {
    const name = this.#calls.tableName(table);
    return this.#call(
      method,
      types,
      { ...request, name } as unknown as Q,
      `name=${encodeURIComponent(name)}`,
      { ...kind, details: { table } },
    );
  }

  #call<Q, A>(
    method: string,
    types: readonly [MessageType<Q>, MessageType<A>],
    request: Q,
    routing: string,
    kind: CallKind,
  ): Promise<A> {
    return this.#calls.unary(`${service}/${method}`, types, request, routing, kind);
  }
}
