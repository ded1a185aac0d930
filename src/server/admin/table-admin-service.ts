/**
 * google.bigtable.admin.v2.BigtableTableAdmin over an engine, except backups. All other methods
 * return UNIMPLEMENTED.
 */
import {
  changedTypes,
  checkedSettings,
  decodeTableChange,
  checkView,
  keptTypes,
  requestError,
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
  LongOperation,
  parseInstance,
  parseResource,
  StatusError,
  statusOf,
  decodeDropTarget,
  decodeFamilyChanges,
  decodeCreateTable,
  TableMessage,
  encodeTable,
  UpdateTableMetadata,
  UpdateTableRequest,
  type ContentOf,
  type KeptTypes,
  type TableExtras,
  type TableSettings,
} from '../../engines/protocol/index.js';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { Engine, TableSchema } from '../../data/store/index.js';
import type { InstanceLookup } from '../resources/instance-lookup.js';
import type { Operations } from './operations.js';
import { emptyTableLists } from './empty-lists.js';
import { onePage } from './paging.js';
import { policyMethods } from './policy-admin.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { notFoundError } from '../resources/resource-error.js';
import { storedBackup } from '../resources/stored-backups.js';
import { removeViews, storedView } from '../resources/stored-views.js';
import { viewMethods } from './view-admin.js';
import type { Methods, Service } from '../rpc.js';
import type { TableNames } from '../resources/table-names.js';

const nameOf = ({ name }: { readonly name?: string }): string | undefined => name;
/** Table.View.NAME_ONLY. */
const nameOnly = 1;

/** The methods of the service. */
export function tableAdminService(
  service: Service,
  engine: Engine,
  names: TableNames,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
): Methods {
  const admin = new TableAdmin(engine, names, store, instances, operations);
  return {
    ...policyMethods(service, store, names.changes, 'tables', (name) => admin.exists(name)),
    ...emptyTableLists(service, (name) => admin.exists(name)),
    ...viewMethods(service, store, (table) => admin.schema(table), operations, names.changes),
    CreateTable: service.unary(
      'CreateTable',
      CreateTableRequest,
      TableMessage,
      (request) => admin.createTable(request),
      ({ parent, tableId }) => `${parent}/tables/${tableId}`,
    ),
    ListTables: service.unary('ListTables', ListTablesRequest, ListTablesResponse, (request) =>
      admin.listTables(request),
    ),
    GetTable: service.unary(
      'GetTable',
      GetTableRequest,
      TableMessage,
      (request) => admin.getTable(request),
      nameOf,
    ),
    UpdateTable: service.unary(
      'UpdateTable',
      UpdateTableRequest,
      LongOperation,
      (request) => names.changes.run(() => admin.updateTable(request)),
      ({ table }) => table?.name,
    ),
    DeleteTable: service.unary(
      'DeleteTable',
      DeleteTableRequest,
      Empty,
      ({ name }) => names.remove(name).then(() => ({})),
      nameOf,
    ),
    ModifyColumnFamilies: service.unary(
      'ModifyColumnFamilies',
      ModifyColumnFamiliesRequest,
      TableMessage,
      (request) => names.changes.run(() => admin.modifyColumnFamilies(request)),
      nameOf,
    ),
    DropRowRange: service.unary(
      'DropRowRange',
      DropRowRangeRequest,
      Empty,
      (request) => admin.dropRowRange(request),
      nameOf,
    ),
    ...consistencyMethods(service, engine, names),
  };
}

function consistencyMethods(service: Service, engine: Engine, names: TableNames): Methods {
  return {
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
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;

  constructor(
    engine: Engine,
    names: TableNames,
    store: ResourceStore,
    instances: InstanceLookup,
    operations: Operations,
  ) {
    this.#engine = engine;
    this.#names = names;
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
  }

  async createTable(
    request: ContentOf<typeof CreateTableRequest>,
  ): Promise<ContentOf<typeof TableMessage>> {
    const { parent = '', tableId } = request;
    if (parseInstance(parent).instance === '-')
      throw requestError('parent', faults.differentInstances);
    const named = request.table?.name ?? '';
    if (named !== '' && named !== `${parent}/tables/${tableId}`)
      throw requestError('table.name', faults.wrongName(named, parent, tableId));
    const settings = checkedSettings(request.table ?? {});
    const [name, schema] = await this.#names.create(
      parent,
      tableId,
      (engineName) => decodeCreateTable(request, engineName),
      async (created) => {
        await this.#storeExtras(created, keptTypes(request.table?.columnFamilies), settings);
        // Left if the table was deleted through the engine, or by a server that ended meanwhile.
        await this.#store.remove('policy', created);
        await removeViews(this.#store, created);
      },
    );
    return this.#encoded(schema, name);
  }

  async listTables({
    parent = '',
    view = 0,
    pageSize,
    pageToken,
  }: ContentOf<typeof ListTablesRequest>): Promise<ContentOf<typeof ListTablesResponse>> {
    parseInstance(parent);
    checkView(view);
    const { items, nextPageToken } = onePage(
      await this.#names.list(parent),
      ([name]) => name,
      pageSize,
      pageToken,
    );
    // VIEW_UNSPECIFIED means NAME_ONLY here, SCHEMA_VIEW in GetTable (bigtable_table_admin.proto).
    const effectiveView = view === 0 ? nameOnly : view;
    const clusterIds = this.#instances.clusterIds(parent);
    return {
      tables: items.map(([name, schema]) => this.#encoded(schema, name, effectiveView, clusterIds)),
      nextPageToken,
    };
  }

  async getTable({
    name,
    view = 0,
  }: ContentOf<typeof GetTableRequest>): Promise<ContentOf<typeof TableMessage>> {
    return this.#encoded(await this.schema(name), name!, view === 0 ? undefined : view);
  }

  async updateTable(
    request: ContentOf<typeof UpdateTableRequest>,
  ): Promise<ContentOf<typeof LongOperation>> {
    const startTime = new Date();
    let schema = await this.schema(request.table?.name);
    const name = request.table!.name!;
    const { types, settings: current } = this.#extras(name);
    const families = schema.families.keys();
    const { deletionProtection, settings } = decodeTableChange(request, current, families);
    if (deletionProtection !== undefined)
      schema = await this.#engine.updateTable(schema.name, { deletionProtection });
    if (settings !== current) await this.#storeExtras(name, types, settings);
    return this.#operations.finished(
      name,
      [TableMessage, this.#encoded(schema, name)],
      [UpdateTableMetadata, { name, startTime, endTime: new Date() }],
    );
  }

  async modifyColumnFamilies({
    name,
    modifications,
  }: ContentOf<typeof ModifyColumnFamiliesRequest>): Promise<ContentOf<typeof TableMessage>> {
    const current = await this.schema(name);
    const { types: typesBefore, settings } = this.#extras(name!);
    const types = changedTypes(typesBefore, modifications ?? []);
    const schema = await this.#engine.modifyFamilies(
      current.name,
      decodeFamilyChanges(modifications, current),
    );
    this.#store.familiesChanged();
    await this.#storeExtras(name!, types, settings);
    return this.#encoded(schema, name!);
  }

  async dropRowRange(request: ContentOf<typeof DropRowRangeRequest>): Promise<object> {
    const table = this.#names.find(request.name);
    const target = decodeDropTarget(request);
    if (target !== undefined) await this.#engine.dropRowRange(table, target);
    else await this.schema(request.name);
    return {};
  }

  /** NOT_FOUND if the table, the view of a table, or the backup does not exist. */
  async exists(name: string): Promise<void> {
    if (name.includes('/backups/')) {
      if (storedBackup(this.#store, name) === undefined) throw notFoundError('Resource', name);
      return;
    }
    const [table, view] = name.split('/authorizedViews/');
    if (view !== undefined && storedView(this.#store, name) === undefined)
      throw notFoundError('Resource', name);
    try {
      await this.schema(table);
    } catch (error) {
      const { code, message } = statusOf(error, name);
      throw new StatusError(code, message);
    }
  }

  #encoded(
    schema: TableSchema,
    name: string,
    view?: number,
    clusterIds = this.#instances.clusterIds(parseResource(name, 'tables').parent),
  ): ContentOf<typeof TableMessage> {
    const { types: valueTypes, settings } = this.#extras(name);
    const extras: TableExtras = { view, clusterIds, valueTypes, settings };
    return encodeTable(schema, name, extras);
  }

  /** What the engine does not keep of a table. */
  #extras(name: string): { readonly types: KeptTypes; readonly settings: TableSettings } {
    const stored = this.#store.get('settings', name);
    if (stored === undefined) return { types: keptTypes(undefined), settings: {} };
    const { columnFamilies, ...settings } = TableMessage.decode(stored);
    return { types: keptTypes(columnFamilies), settings };
  }

  async #storeExtras(name: string, types: KeptTypes, settings: TableSettings): Promise<void> {
    const columnFamilies = new Map([...types].map(([id, valueType]) => [id, { valueType }]));
    const bytes = TableMessage.encode({ columnFamilies, ...settings });
    if (bytes.length === 0) return this.#store.remove('settings', name);
    await this.#store.put('settings', name, bytes);
  }

  /** TABLE_NOT_FOUND if the table does not exist. */
  async schema(fullName: string | undefined): Promise<TableSchema> {
    const name = this.#names.find(fullName);
    const schema = (await this.#engine.listTables()).find((table) => table.name === name);
    if (schema === undefined) throw new RowsmithError('TABLE_NOT_FOUND', { table: fullName });
    return schema;
  }
}

const faults = {
  differentInstances: { problem: 'A table is created in one instance' },
  wrongName: (named: string, parent: string, tableId: undefined | string) => ({
    problem: `'${named}' is not ${parent}/tables/${tableId}`,
  }),
} satisfies FaultTexts;
