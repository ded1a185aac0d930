/**
 * Targets: engines called directly, and servers called through the low-level client, each with its
 * own table for each history.
 */
import { Field, Type } from 'protobufjs';
import {
  type KeyRange,
  nextKey,
  pointRange,
  rangeFrom,
  RowsmithError,
  unionRanges,
} from '../../src/base/index.js';
import {
  collectRows,
  type Engine,
  type FamilySchema,
  type Filter,
  type GcRule,
} from '../../src/data/store/index.js';
import {
  dropTargetFields,
  family,
  filter,
  granularityCode,
  modification,
  mutation,
  rowOf,
  rule,
} from '../fidelity/wire.js';
import { published } from '../engines/protocol/published.js';
import { RowMerger, type Chunk } from '../engines/protocol/row-merger.js';
import type { RawClient } from '../server/raw-client.js';
import {
  plainRows,
  samplesResponse,
  schemaResponse,
  type TargetResponse,
} from './target-response.js';
import { apiFilter } from './api-filter.js';
import type { KeyBound, Operation, ReadOperation, TableDefinition } from './operation.js';

/** An implementation of the data model. */
export interface Target {
  readonly name: string;
  /** `engine`: the Engine interface; `server`: our server, over gRPC; `emulator`: Google's. */
  readonly kind: 'engine' | 'server' | 'emulator';
  readonly create: (table: string, definition: TableDefinition) => Promise<void>;
  readonly run: (table: string, operation: Operation) => Promise<TargetResponse>;
  readonly remove: (table: string) => Promise<void>;
}

/** The status code (google.rpc.Code) for each error code of an engine. */
const statusCodes: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  LIMIT_EXCEEDED: 3,
  TABLE_NOT_FOUND: 5,
  FAMILY_NOT_FOUND: 5,
  TABLE_EXISTS: 6,
  SCHEMA_CONFLICT: 6,
  FAILED_PRECONDITION: 9,
  UNSUPPORTED: 12,
};

/** Operations on the storage of a target that are not calls of its API. */
export interface StorageControl {
  /** Closes and reopens it, if it is persistent. */
  readonly reopen?: () => Promise<void>;
  /** Collects the garbage of a table, given its name in the engine. */
  readonly collectGarbage?: (table: string) => Promise<unknown>;
}

/** The status code of the outcome; rethrows unexpected errors. */
async function statusCodeOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    if (!(error instanceof RowsmithError) || statusCodes[error.code] === undefined) throw error;
    return statusCodes[error.code];
  }
}

/** An engine, called directly. The server over the same engine uses other table names. */
export function engineTarget(
  name: string,
  engine: () => Engine,
  { reopen }: StorageControl = {},
): Target {
  const nameOf = (table: string): string => `direct-${table}`;
  const create = (
    table: string,
    { families, granularity, splitKeys }: TableDefinition,
  ): Promise<void> =>
    engine().createTable({
      name: nameOf(table),
      families: new Map(Object.entries(families)),
      granularity,
      splitKeys,
    });
  const remove = (table: string): Promise<void> => engine().deleteTable(nameOf(table));
  const run = async (table: string, operation: Operation): Promise<TargetResponse> => {
    if (operation.kind === 'missingTable') return run(`${table}-none`, operation.call);
    if (operation.kind === 'recreate')
      return {
        statuses: [await statusCodeOf(remove(table)), await statusCodeOf(create(table, operation))],
      };
    if (operation.kind === 'reopen') await reopen?.();
    let response: TargetResponse | undefined;
    const code = await statusCodeOf(
      (async () => void (response = await runOnEngine(engine(), nameOf(table), operation)))(),
    );
    return response ?? { code };
  };
  return { name, kind: 'engine', create, run, remove };
}

async function runOnEngine(
  engine: Engine,
  table: string,
  operation: Operation,
): Promise<TargetResponse> {
  switch (operation.kind) {
    case 'mutateRow':
      await engine.mutateRow(table, operation);
      return { done: true };
    case 'mutateRows':
      return {
        statuses: (await engine.mutateRows(table, operation.rows)).map((error) =>
          error === undefined ? 0 : statusCodes[error.code],
        ),
      };
    case 'check':
      return { matched: await engine.checkAndMutateRow(table, operation) };
    case 'modify':
      return {
        rows: plainRows([await engine.readModifyWriteRow(table, operation.key, operation.rules)]),
      };
    case 'read': {
      const { reversed, limit = 0, filter: readFilter, pageRows = 3 } = operation;
      if (limit < 0) throw new RowsmithError('INVALID_ARGUMENT');
      const plan = {
        table,
        ranges: rangesOf(operation),
        reversed,
        limit: limit === 0 ? undefined : limit,
        filter: readFilter,
      };
      return { rows: plainRows(await collectRows(engine.readRows(plan, { pageRows }))) };
    }
    case 'drop':
      await engine.dropRowRange(table, operation.target);
      return { done: true };
    case 'families':
      await engine.modifyFamilies(table, operation.changes);
      return { done: true };
    case 'sample':
      return samplesResponse(await engine.sampleRowKeys(table));
    case 'token':
      return {
        matched: await engine.checkConsistency(
          table,
          operation.bogus === true ? 'nonsense' : await engine.generateConsistencyToken(table),
        ),
      };
    case 'schema': {
      const schema = (await engine.listTables()).find(({ name }) => name === table);
      if (schema === undefined) throw new RowsmithError('TABLE_NOT_FOUND');
      return schemaResponse(schema.families, schema.deletionProtection === true);
    }
    case 'protect':
      await engine.updateTable(table, { deletionProtection: operation.on });
      return { done: true };
    case 'collect':
      await engine.compact(table);
      return { done: true };
    case 'list':
      return { matched: (await engine.listTables()).some(({ name }) => name === table) };
    case 'reopen':
    case 'wait':
    case 'ping':
      return { done: true };
    case 'recreate':
    case 'missingTable':
      throw new Error(`${operation.kind} consists of several calls`);
  }
}

/**
 * The ranges of a row set as defined in data.proto (RowSet, RowRange), in the form of an engine.
 */
function rangesOf({ keys, ranges }: ReadOperation): readonly KeyRange[] {
  if (keys.length === 0 && ranges.length === 0) return [{ start: new Uint8Array(0) }];
  if (
    [...keys, ...ranges.flatMap(({ start, end }) => [start?.key, end?.key])].some(
      (key) => key !== undefined && key.length > 4096,
    )
  )
    throw new RowsmithError('INVALID_ARGUMENT');
  return unionRanges([
    ...keys.filter((key) => key.length > 0).map(pointRange),
    ...ranges.map(rangeOf),
  ]);
}

function rangeOf({ start, end }: ReadOperation['ranges'][number]): KeyRange {
  const startKey = start?.key ?? new Uint8Array(0);
  const isUnbounded = end === undefined || (end.open && end.key.length === 0);
  if (!isUnbounded && Buffer.compare(startKey, end.key) > 0)
    throw new RowsmithError('INVALID_ARGUMENT');
  const inclusiveStart = start?.open === true ? nextKey(startKey) : startKey;
  if (isUnbounded) return rangeFrom(inclusiveStart, undefined);
  return rangeFrom(inclusiveStart, end.open ? end.key : nextKey(end.key));
}

const instance = 'projects/p/instances/i';

/** A server: ours or Google's emulator. */
export function serverTarget(
  name: string,
  kind: 'server' | 'emulator',
  client: () => RawClient,
  { reopen, collectGarbage: collect }: StorageControl = {},
): Target {
  const nameOf = (table: string): string => `${instance}/tables/${table}`;
  const create = async (
    table: string,
    { families, granularity, splitKeys = [] }: TableDefinition,
  ) => {
    const columnFamilies = Object.fromEntries(
      Object.entries(families).map(([id, schema]) => [id, family(schema)]),
    );
    return client().call('tables', 'CreateTable', {
      parent: instance,
      tableId: table,
      table: { columnFamilies, granularity: granularityCode(granularity) },
      initialSplits: splitKeys.map((key) => ({ key })),
    });
  };
  const remove = (table: string) => client().call('tables', 'DeleteTable', { name: nameOf(table) });
  const run = async (table: string, operation: Operation): Promise<TargetResponse> => {
    switch (operation.kind) {
      case 'missingTable':
        return run(`${table}-none`, operation.call);
      case 'recreate':
        return { statuses: [(await remove(table)).code, (await create(table, operation)).code] };
      case 'reopen':
        await reopen?.();
        return { done: true };
      case 'collect':
        await collect?.(table);
        return { done: true };
      case 'wait':
        return { done: true };
      default:
        return runOnServer(client(), nameOf(table), operation);
    }
  };
  const succeed = async (
    call: Promise<{ readonly code: number; readonly details: string }>,
  ): Promise<void> => {
    const { code, details } = await call;
    if (code !== 0) throw new Error(`${code} ${details}`);
  };
  return {
    name,
    kind,
    run,
    create: (table, definition) => succeed(create(table, definition)),
    remove: (table) => succeed(remove(table)),
  };
}

type ServerOperation = Exclude<
  Operation,
  { readonly kind: 'missingTable' | 'recreate' | 'reopen' | 'collect' | 'wait' }
>;

async function runOnServer(
  client: RawClient,
  name: string,
  operation: ServerOperation,
): Promise<TargetResponse> {
  const data = { tableName: name, appProfileId: 'default' };
  const call = async (
    service: 'data' | 'tables',
    method: string,
    request: object,
    responseOf: (messages: any[]) => TargetResponse,
  ): Promise<TargetResponse> => {
    const { code, messages } = await client.call(service, method, request, 60_000);
    if (code !== 0) return { code };
    return responseOf(messages);
  };
  const done = (): TargetResponse => ({ done: true });
  switch (operation.kind) {
    case 'mutateRow':
      return call(
        'data',
        'MutateRow',
        { ...data, rowKey: operation.key, mutations: operation.mutations.map(mutation) },
        done,
      );
    case 'mutateRows':
      return call(
        'data',
        'MutateRows',
        {
          ...data,
          entries: operation.rows.map(({ key, mutations }) => ({
            rowKey: key,
            mutations: mutations.map(mutation),
          })),
        },
        statusesOf,
      );
    case 'check':
      return call(
        'data',
        'CheckAndMutateRow',
        {
          ...data,
          rowKey: operation.key,
          predicateFilter: filterMessage(operation.predicate),
          trueMutations: operation.onTrue.map(mutation),
          falseMutations: operation.onFalse.map(mutation),
        },
        ([{ predicateMatched = false }]) => ({ matched: predicateMatched }),
      );
    case 'modify':
      return call(
        'data',
        'ReadModifyWriteRow',
        { ...data, rowKey: operation.key, rules: operation.rules.map(rule) },
        ([{ row }]) => ({
          rows: plainRows([rowOf({ key: row.key, families: row.families ?? [] })]),
        }),
      );
    case 'read':
      return call('data', 'ReadRows', { ...data, ...readRequest(operation) }, rowsOf);
    case 'drop':
      return call('tables', 'DropRowRange', { name, ...dropTargetFields(operation.target) }, done);
    case 'families':
      return call(
        'tables',
        'ModifyColumnFamilies',
        { name, modifications: operation.changes.map(modification) },
        done,
      );
    case 'sample':
      return call(
        'data',
        'SampleRowKeys',
        data,
        (messages: { rowKey?: Uint8Array; offsetBytes?: string }[]) =>
          samplesResponse(
            messages.map(({ rowKey = new Uint8Array(0), offsetBytes = '0' }) => ({
              key: rowKey,
              offsetBytes: Number(offsetBytes),
            })),
          ),
      );
    case 'token': {
      const check = (consistencyToken: string): Promise<TargetResponse> =>
        call(
          'tables',
          'CheckConsistency',
          { name, consistencyToken, ...modeFields(operation.mode) },
          ([{ consistent = false }]) => ({ matched: consistent }),
        );
      if (operation.bogus === true) return check('nonsense');
      const { code, messages } = await client.call(
        'tables',
        'GenerateConsistencyToken',
        { name },
        60_000,
      );
      if (code !== 0) return { code };
      return check((messages[0] as { consistencyToken: string }).consistencyToken);
    }
    case 'schema':
      return call('tables', 'GetTable', { name, view: 2 }, ([table]) =>
        schemaOf(table as TableMessage),
      );
    case 'list':
      return call(
        'tables',
        'ListTables',
        { parent: instance },
        ([{ tables = [] }]: { tables?: { name: string }[] }[]) => ({
          matched: tables.some((one) => one.name === name),
        }),
      );
    case 'ping':
      return call('data', 'PingAndWarm', { name: instance, appProfileId: 'default' }, done);
    case 'protect':
      return call(
        'tables',
        'UpdateTable',
        {
          table: { name, deletionProtection: operation.on },
          updateMask: { paths: ['deletion_protection'] },
        },
        done,
      );
  }
}

interface GcMessage {
  maxNumVersions?: number;
  maxAge?: { seconds?: string; nanos?: number };
  union?: { rules?: GcMessage[] };
  intersection?: { rules?: GcMessage[] };
}
interface TableMessage {
  deletionProtection?: boolean;
  columnFamilies?: Record<
    string,
    { gcRule?: GcMessage; valueType?: { aggregateType?: Record<string, unknown> } }
  >;
}

function schemaOf({
  columnFamilies = {},
  deletionProtection = false,
}: TableMessage): TargetResponse {
  return schemaResponse(
    Object.entries(columnFamilies).map(([name, { gcRule, valueType }]): [string, FamilySchema] => {
      const gc = gcRule === undefined ? undefined : gcOf(gcRule);
      const aggregate = (['sum', 'min', 'max'] as const).find(
        (one) => valueType?.aggregateType?.[one] !== undefined,
      );
      return [name, { gc, aggregate }];
    }),
    deletionProtection,
  );
}

function gcOf({ maxNumVersions, maxAge, union, intersection }: GcMessage): GcRule | undefined {
  if (maxNumVersions !== undefined) return { kind: 'maxVersions', versions: maxNumVersions };
  if (maxAge !== undefined)
    return {
      kind: 'maxAge',
      micros: Number(maxAge.seconds ?? 0) * 1_000_000 + (maxAge.nanos ?? 0) / 1000,
    };
  const inner = (rules: readonly GcMessage[] = []): GcRule[] =>
    rules.map((rule) => gcOf(rule) ?? { kind: 'union', rules: [] });
  if (union !== undefined) return { kind: 'union', rules: inner(union.rules) };
  if (intersection !== undefined) return { kind: 'intersection', rules: inner(intersection.rules) };
  return undefined;
}

function statusesOf(messages: any[]): TargetResponse {
  const entries = messages.flatMap(
    (message: { entries?: { index?: string; status?: { code?: number } }[] }) =>
      message.entries ?? [],
  );
  return {
    statuses: entries
      .sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))
      .map(({ status }) => status?.code ?? 0),
  };
}

function rowsOf(messages: any[]): TargetResponse {
  const merger = new RowMerger(true);
  for (const { chunks = [] } of messages as { chunks?: Chunk[] }[])
    for (const chunk of chunks) merger.add(chunk);
  merger.end();
  return { rows: plainRows(merger.rows) };
}

function readRequest({
  keys,
  ranges,
  reversed,
  limit = 0,
  filter: readFilter,
  stats,
}: ReadOperation): object {
  const rowRanges = ranges.map(({ start, end }) => ({
    ...keyBoundFields('start', start),
    ...keyBoundFields('end', end),
  }));
  return {
    rows: { rowKeys: keys, rowRanges },
    reversed,
    rowsLimit: limit,
    filter: filterMessage(readFilter),
    requestStatsView: stats === true ? 2 : undefined,
  };
}

function keyBoundFields(side: 'start' | 'end', bound: KeyBound | undefined): object {
  if (bound === undefined) return {};
  return { [`${side}Key${bound.open ? 'Open' : 'Closed'}`]: bound.key };
}

function filterMessage(readFilter: Filter | undefined): object | undefined {
  if (readFilter === undefined) return undefined;
  return filter(apiFilter(readFilter));
}

function modeFields(mode: string | undefined): object {
  if (mode === undefined) return {};
  return { [mode]: {} };
}

/**
 * Adds ValueBitmask (data.proto, 2026) to the published protos: the official client's protos do not
 * have it yet.
 */
export function addValueBitmask(): void {
  const filters = published.lookupType('google.bigtable.v2.RowFilter');
  if (filters.fields.valueBitmaskFilter !== undefined) return;
  filters.parent!.add(new Type('ValueBitmask').add(new Field('mask', 1, 'bytes')));
  filters.oneofs.filter.add(new Field('valueBitmaskFilter', 20, 'google.bigtable.v2.ValueBitmask'));
}
