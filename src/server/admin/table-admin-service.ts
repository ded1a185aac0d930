/**
 * google.bigtable.admin.v2.BigtableTableAdmin over an engine. All other methods return
 * UNIMPLEMENTED.
 */
import {
  requestError,
  checkTableFeatures,
  CheckConsistencyRequest,
  CheckConsistencyResponse,
  CreateTableRequest,
  DeleteTableRequest,
  DropRowRangeRequest,
  Empty,
  GenerateConsistencyTokenRequest,
  GenerateConsistencyTokenResponse,
  GetTableRequest,
  ListTablesRequest,
  ListTablesResponse,
  ModifyColumnFamiliesRequest,
  Operation,
  parseInstance,
  decodeDropTarget,
  decodeFamilyChanges,
  decodeCreateTable,
  Table,
  encodeTable,
  UpdateTableMetadata,
  UpdateTableRequest,
  type ContentOf,
} from '../../protocol/index.js';
import { RowsmithError } from '../../errors.js';
import type { Engine, TableSchema } from '../../store/index.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';
import type { Methods, Service } from '../rpc.js';
import type { TableNames } from './table-names.js';

const nameOf = ({ name }: { readonly name?: string }): string | undefined => name;
/** Table.View.NAME_ONLY. */
const nameOnly = 1;

/** The methods of the service. */
export function tableAdminService(
  service: Service,
  engine: Engine,
  names: TableNames,
  operations: Operations,
): Methods {
  const admin = new TableAdmin(engine, names, operations);
  return {
    CreateTable: service.unary(
      'CreateTable',
      CreateTableRequest,
      Table,
      (request) => admin.createTable(request),
      ({ parent, tableId }) => `${parent}/tables/${tableId}`,
    ),
    ListTables: service.unary('ListTables', ListTablesRequest, ListTablesResponse, (request) =>
      admin.listTables(request),
    ),
    GetTable: service.unary(
      'GetTable',
      GetTableRequest,
      Table,
      (request) => admin.getTable(request),
      nameOf,
    ),
    UpdateTable: service.unary(
      'UpdateTable',
      UpdateTableRequest,
      Operation,
      (request) => admin.updateTable(request),
      ({ table }) => table?.name,
    ),
    DeleteTable: service.unary(
      'DeleteTable',
      DeleteTableRequest,
      Empty,
      async ({ name }) => {
        await names.remove(name);
        return {};
      },
      nameOf,
    ),
    ModifyColumnFamilies: service.unary(
      'ModifyColumnFamilies',
      ModifyColumnFamiliesRequest,
      Table,
      (request) => admin.modifyColumnFamilies(request),
      nameOf,
    ),
    DropRowRange: service.unary(
      'DropRowRange',
      DropRowRangeRequest,
      Empty,
      (request) => admin.dropRowRange(request),
      nameOf,
    ),
    GenerateConsistencyToken: service.unary(
      'GenerateConsistencyToken',
      GenerateConsistencyTokenRequest,
      GenerateConsistencyTokenResponse,
      async ({ name }) => ({
        consistencyToken: await engine.generateConsistencyToken(names.find(name)),
      }),
      nameOf,
    ),
    CheckConsistency: service.unary(
      'CheckConsistency',
      CheckConsistencyRequest,
      CheckConsistencyResponse,
      async ({ name, consistencyToken = '' }) => ({
        consistent: await engine.checkConsistency(names.find(name), consistencyToken),
      }),
      nameOf,
    ),
  };
}

class TableAdmin {
  readonly #engine: Engine;
  readonly #names: TableNames;
  readonly #operations: Operations;

  constructor(engine: Engine, names: TableNames, operations: Operations) {
    this.#engine = engine;
    this.#names = names;
    this.#operations = operations;
  }

  async createTable(
    request: ContentOf<typeof CreateTableRequest>,
  ): Promise<ContentOf<typeof Table>> {
    const { parent = '', tableId } = request;
    parseInstance(parent);
    const [name, schema] = await this.#names.create(parent, tableId, (engineName) =>
      decodeCreateTable(request, engineName),
    );
    return encodeTable(schema, name);
  }

  async listTables({
    parent = '',
    view = 0,
    pageSize,
    pageToken,
  }: ContentOf<typeof ListTablesRequest>): Promise<ContentOf<typeof ListTablesResponse>> {
    parseInstance(parent);
    const { items, nextPageToken } = onePage(
      await this.#names.list(parent),
      ([name]) => name,
      pageSize,
      pageToken,
    );
    // VIEW_UNSPECIFIED means NAME_ONLY here, SCHEMA_VIEW in GetTable (bigtable_table_admin.proto).
    const effectiveView = view === 0 ? nameOnly : view;
    return {
      tables: items.map(([name, schema]) => encodeTable(schema, name, effectiveView)),
      nextPageToken,
    };
  }

  async getTable({
    name,
    view = 0,
  }: ContentOf<typeof GetTableRequest>): Promise<ContentOf<typeof Table>> {
    return encodeTable(await this.#schema(name), name!, view);
  }

  async updateTable({
    table = {},
    updateMask,
  }: ContentOf<typeof UpdateTableRequest>): Promise<ContentOf<typeof Operation>> {
    const paths = updateMask?.paths ?? [];
    if (paths.length === 0) throw requestError('update_mask', 'The update mask must be specified');
    checkTableFeatures(table);
    const immutable = paths.find((path) => path !== 'deletion_protection');
    if (immutable !== undefined)
      throw requestError('update_mask', `'${immutable}' cannot be updated on this server.`);
    const startTime = new Date();
    const schema = await this.#engine.updateTable(this.#names.find(table.name), {
      deletionProtection: table.deletionProtection ?? false,
    });
    const name = table.name!;
    return this.#operations.finished(
      name,
      [Table, encodeTable(schema, name)],
      [UpdateTableMetadata, { name, startTime, endTime: new Date() }],
    );
  }

  async modifyColumnFamilies({
    name,
    modifications,
  }: ContentOf<typeof ModifyColumnFamiliesRequest>): Promise<ContentOf<typeof Table>> {
    const current = await this.#schema(name);
    return encodeTable(
      await this.#engine.modifyFamilies(current.name, decodeFamilyChanges(modifications, current)),
      name!,
    );
  }

  async dropRowRange(request: ContentOf<typeof DropRowRangeRequest>): Promise<object> {
    const table = this.#names.find(request.name);
    const target = decodeDropTarget(request);
    if (target !== undefined) await this.#engine.dropRowRange(table, target);
    else await this.#schema(request.name);
    return {};
  }

  async #schema(fullName: string | undefined): Promise<TableSchema> {
    const name = this.#names.find(fullName);
    const schema = (await this.#engine.listTables()).find((table) => table.name === name);
    if (schema === undefined) throw new RowsmithError('TABLE_NOT_FOUND', { table: fullName });
    return schema;
  }
}
