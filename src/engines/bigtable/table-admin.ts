/**
 * Tables and families through the admin API. Only explicit calls come here: reads and writes never
 * do.
 */
import { RowsmithError } from '../../errors.js';
import {
  badRequest,
  changeMessages,
  CheckConsistencyRequest,
  CheckConsistencyResponse,
  checkId,
  createTableRequest,
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
  Operation,
  parseResource,
  readTableSchema,
  Table,
  UpdateTableRequest,
  type MessageType,
} from '../../protocol/index.js';
import type { DropTarget, FamilyChange, TableSchema, TableUpdate } from '../../store/index.js';
import type { CallKind, Calls } from './call/calls.js';
import { CallFault } from './channel/channel.js';

const service = '/google.bigtable.admin.v2.BigtableTableAdmin';
/** Table.View (table.proto). */
const view = { nameOnly: 1, schema: 2 } as const;
/** Tables whose schema is asked for at once; listing gives only names. */
const inFlight = 8;
/** Milliseconds between two looks at an operation that is not done. */
const operationPoll = 250;
const pageSize = 1000;

const safe: CallKind = { repeatable: true, admin: 'attempt' };
/** What was perhaps done is not done again: the second answer would be about the first. */
const once: CallKind = { repeatable: false, admin: 'attempt' };

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
        const at = next++;
        tables[at] = await this.#find(names[at]);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    return tables.filter((table) => table !== undefined);
  }

  async create(schema: TableSchema): Promise<void> {
    checkId(schema.name, 'tables');
    const { instance } = this.#calls.channel;
    await this.#ask(
      'CreateTable',
      [CreateTableRequest, Table],
      createTableRequest(schema, instance),
      `parent=${encodeURIComponent(instance)}`,
      { ...once, details: { table: schema.name } },
    );
  }

  async remove(table: string): Promise<void> {
    await this.#onTable('DeleteTable', [DeleteTableRequest, Empty], table, {}, once);
  }

  async modify(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    const modifications = changeMessages(changes);
    if (modifications.length === 0) return this.#get(table);
    return readTableSchema(
      await this.#onTable(
        'ModifyColumnFamilies',
        [ModifyColumnFamiliesRequest, Table],
        table,
        { modifications },
        once,
      ),
      table,
    );
  }

  async update(table: string, { deletionProtection }: TableUpdate): Promise<TableSchema> {
    if (deletionProtection === undefined) return this.#get(table);
    const name = this.#calls.tableName(table);
    const request = {
      table: { name, deletionProtection },
      updateMask: { paths: ['deletion_protection'] },
    };
    let operation = await this.#ask(
      'UpdateTable',
      [UpdateTableRequest, Operation],
      request,
      `table.name=${encodeURIComponent(name)}`,
      { ...once, details: { table } },
    );
    while (operation.done !== true) {
      await new Promise((resolve) => setTimeout(resolve, operationPoll));
      const { name: id = '' } = operation;
      operation = await this.#calls.ask(
        '/google.longrunning.Operations/GetOperation',
        [GetOperationRequest, Operation],
        { name: id },
        `name=${encodeURIComponent(id)}`,
        safe,
      );
    }
    if (operation.error !== undefined)
      throw this.#calls.error(
        new CallFault(operation.error.code ?? 2, operation.error.message ?? ''),
        { table },
      );
    return this.#get(table);
  }

  async drop(table: string, target: DropTarget): Promise<void> {
    if (target.kind === 'prefix' && target.prefix.length === 0)
      throw badRequest('prefix', 'Prefix cannot be zero length');
    const rows =
      target.kind === 'all' ? { deleteAllDataFromTable: true } : { rowKeyPrefix: target.prefix };
    // Not again after a try of unknown outcome: rows may have been written since.
    await this.#onTable('DropRowRange', [DropRowRangeRequest, Empty], table, rows, {
      repeatable: false,
      admin: 'drop',
    });
  }

  async token(table: string): Promise<string> {
    return (
      (
        await this.#onTable(
          'GenerateConsistencyToken',
          [GenerateConsistencyTokenRequest, GenerateConsistencyTokenResponse],
          table,
          {},
          safe,
        )
      ).consistencyToken ?? ''
    );
  }

  async consistent(table: string, consistencyToken: string): Promise<boolean> {
    return (
      (
        await this.#onTable(
          'CheckConsistency',
          [CheckConsistencyRequest, CheckConsistencyResponse],
          table,
          { consistencyToken },
          safe,
        )
      ).consistent ?? false
    );
  }

  async #get(table: string): Promise<TableSchema> {
    return readTableSchema(
      await this.#onTable('GetTable', [GetTableRequest, Table], table, { view: view.schema }, safe),
      table,
    );
  }

  /** Undefined for a table that was deleted meanwhile. */
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
    let pageToken = '';
    do {
      const request = {
        parent,
        view: view.nameOnly,
        pageSize,
        ...(pageToken === '' ? {} : { pageToken }),
      };
      const page = await this.#ask(
        'ListTables',
        [ListTablesRequest, ListTablesResponse],
        request,
        `parent=${encodeURIComponent(parent)}`,
        safe,
      );
      for (const { name } of page.tables ?? []) names.push(parseResource(name, 'tables').id);
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
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
    return this.#ask(
      method,
      types,
      { ...request, name } as unknown as Q,
      `name=${encodeURIComponent(name)}`,
      { ...kind, details: { table } },
    );
  }

  #ask<Q, A>(
    method: string,
    types: readonly [MessageType<Q>, MessageType<A>],
    request: Q,
    routing: string,
    kind: CallKind,
  ): Promise<A> {
    return this.#calls.ask(`${service}/${method}`, types, request, routing, kind);
  }
}
