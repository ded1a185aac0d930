/**
 * Who is asked: engines by their interface, and servers by the low-level client, all with tables of
 * their own for each history.
 */
import { Field, Type } from 'protobufjs';
import {
  nextKey,
  pointRange,
  rangeFrom,
  unionRanges,
  type KeyRange,
} from '../../src/bytes/index.js';
import { RowsmithError } from '../../src/errors.js';
import { collectRows, type Engine, type FamilySchema, type GcRule } from '../../src/store/index.js';
import { family, filter, mutation, rowOf, rule } from '../fidelity/wire.js';
import { published } from '../protocol/published.js';
import { RowMerger, type Chunk } from '../protocol/row-merger.js';
import type { RawClient } from '../server/raw-client.js';
import { plainRows, plainSamples, plainSchema, type Answer } from './answer.js';
import { apiFilter } from './api-filter.js';
import type { KeyBound, Operation, ReadOperation, TableOfHistory } from './operation.js';

/** Somebody who keeps tables. */
export interface Peer {
  readonly name: string;
  /** `engine`: by the Engine interface; `server`: ours, over gRPC; `emulator`: Google's. */
  readonly kind: 'engine' | 'server' | 'emulator';
  readonly create: (table: string, made: TableOfHistory) => Promise<void>;
  readonly run: (table: string, operation: Operation) => Promise<Answer>;
  readonly remove: (table: string) => Promise<void>;
}

/** The status of a refusal (google.rpc.Code), where an engine has a code. */
const codes: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 3,
  LIMIT_EXCEEDED: 3,
  TABLE_NOT_FOUND: 5,
  FAMILY_NOT_FOUND: 5,
  TABLE_EXISTS: 6,
  SCHEMA_CONFLICT: 6,
  FAILED_PRECONDITION: 9,
  UNSUPPORTED: 12,
};

/** What is done to the storage behind a peer, past its own calls. */
export interface Storage {
  /** Closes it and opens it again, where that keeps what it holds. */
  readonly reopen?: () => Promise<void>;
  /** Collects the garbage of a table, by the engine's name of it. */
  readonly collect?: (table: string) => Promise<unknown>;
}

/** The code of a refusal; throws what is none. */
async function codeOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    if (!(error instanceof RowsmithError) || codes[error.code] === undefined) throw error;
    return codes[error.code];
  }
}

/**
 * An engine, asked without a protocol between; the server over the same engine has tables of other
 * names.
 */
export function enginePeer(name: string, engine: () => Engine, { reopen }: Storage = {}): Peer {
  const nameOf = (table: string): string => `direct-${table}`;
  const create = (
    table: string,
    { families, granularity, splitKeys }: TableOfHistory,
  ): Promise<void> =>
    engine().createTable({
      name: nameOf(table),
      families: new Map(Object.entries(families)),
      ...(granularity === undefined ? {} : { granularity }),
      ...(splitKeys === undefined ? {} : { splitKeys }),
    });
  const remove = (table: string): Promise<void> => engine().deleteTable(nameOf(table));
  const run = async (table: string, operation: Operation): Promise<Answer> => {
    if (operation.kind === 'nowhere') return run(`${table}-none`, operation.call);
    if (operation.kind === 'recreate')
      return { statuses: [await codeOf(remove(table)), await codeOf(create(table, operation))] };
    if (operation.kind === 'reopen') await reopen?.();
    let answer: Answer | undefined;
    const code = await codeOf(
      (async () => void (answer = await onEngine(engine(), nameOf(table), operation)))(),
    );
    return answer ?? { code };
  };
  return { name, kind: 'engine', create, run, remove };
}

async function onEngine(engine: Engine, table: string, operation: Operation): Promise<Answer> {
  switch (operation.kind) {
    case 'mutateRow':
      await engine.mutateRow(table, operation);
      return { done: true };
    case 'mutateRows':
      return {
        statuses: (await engine.mutateRows(table, operation.rows)).map((error) =>
          error === undefined ? 0 : codes[error.code],
        ),
      };
    case 'check':
      return { matched: await engine.checkAndMutateRow(table, operation) };
    case 'modify':
      return {
        rows: plainRows([await engine.readModifyWriteRow(table, operation.key, operation.rules)]),
      };
    case 'read': {
      const { reversed, limit = 0, filter: wanted, pageRows = 3 } = operation;
      if (limit < 0) throw new RowsmithError('INVALID_ARGUMENT');
      const plan = {
        table,
        ranges: rangesOf(operation),
        reversed,
        ...(limit === 0 ? {} : { limit }),
        ...(wanted === undefined ? {} : { filter: wanted }),
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
      return plainSamples(await engine.sampleRowKeys(table));
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
      return plainSchema(schema.families, schema.deletionProtection === true);
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
    case 'warm':
      return { done: true };
    case 'recreate':
    case 'nowhere':
      throw new Error('is said by several calls');
  }
}

/**
 * The ranges of a row set as an engine takes them, by the words of data.proto (RowSet, RowRange).
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
    ...ranges.map(({ start = { key: new Uint8Array(0), open: false }, end }) => {
      const bounded = end === undefined || (end.open && end.key.length === 0) ? undefined : end;
      if (bounded !== undefined && Buffer.compare(start.key, bounded.key) > 0)
        throw new RowsmithError('INVALID_ARGUMENT');
      return rangeFrom(
        start.open ? nextKey(start.key) : start.key,
        bounded === undefined || bounded.open ? bounded?.key : nextKey(bounded.key),
      );
    }),
  ]);
}

const instance = 'projects/p/instances/i';

/** A server behind an address: ours or Google's emulator. */
export function serverPeer(
  name: string,
  kind: 'server' | 'emulator',
  client: () => RawClient,
  { reopen, collect }: Storage = {},
): Peer {
  const nameOf = (table: string): string => `${instance}/tables/${table}`;
  const create = async (
    table: string,
    { families, granularity, splitKeys = [] }: TableOfHistory,
  ) => {
    const columnFamilies = Object.fromEntries(
      Object.entries(families).map(([id, schema]) => [id, family(schema)]),
    );
    const made = { columnFamilies, ...(granularity === 'micros' ? { granularity: 2 } : {}) };
    return client().call('tables', 'CreateTable', {
      parent: instance,
      tableId: table,
      table: made,
      initialSplits: splitKeys.map((key) => ({ key })),
    });
  };
  const remove = (table: string) => client().call('tables', 'DeleteTable', { name: nameOf(table) });
  const run = async (table: string, operation: Operation): Promise<Answer> => {
    switch (operation.kind) {
      case 'nowhere':
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
        return onServer(client(), nameOf(table), operation);
    }
  };
  const done = async (
    call: Promise<{ readonly code: number; readonly details: string }>,
  ): Promise<void> => {
    const { code, details } = await call;
    if (code !== 0) throw new Error(`${code} ${details}`);
  };
  return {
    name,
    kind,
    run,
    create: (table, made) => done(create(table, made)),
    remove: (table) => done(remove(table)),
  };
}

type Call = Exclude<
  Operation,
  { readonly kind: 'nowhere' | 'recreate' | 'reopen' | 'collect' | 'wait' }
>;

async function onServer(client: RawClient, name: string, operation: Call): Promise<Answer> {
  const data = { tableName: name, appProfileId: 'default' };
  const answer = async (
    service: 'data' | 'tables',
    method: string,
    request: object,
    told: (messages: any[]) => Answer,
  ): Promise<Answer> => {
    const { code, messages } = await client.call(service, method, request, 60_000);
    return code === 0 ? told(messages) : { code };
  };
  const done = (): Answer => ({ done: true });
  switch (operation.kind) {
    case 'mutateRow':
      return answer(
        'data',
        'MutateRow',
        { ...data, rowKey: operation.key, mutations: operation.mutations.map(mutation) },
        done,
      );
    case 'mutateRows':
      return answer(
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
    case 'check': {
      const predicate =
        operation.predicate === undefined
          ? {}
          : { predicateFilter: filter(apiFilter(operation.predicate)) };
      return answer(
        'data',
        'CheckAndMutateRow',
        {
          ...data,
          rowKey: operation.key,
          ...predicate,
          trueMutations: operation.onTrue.map(mutation),
          falseMutations: operation.onFalse.map(mutation),
        },
        ([{ predicateMatched = false }]) => ({ matched: predicateMatched }),
      );
    }
    case 'modify':
      return answer(
        'data',
        'ReadModifyWriteRow',
        { ...data, rowKey: operation.key, rules: operation.rules.map(rule) },
        ([{ row }]) => ({
          rows: plainRows([rowOf({ key: row.key, families: row.families ?? [] })]),
        }),
      );
    case 'read':
      return answer('data', 'ReadRows', { ...data, ...readRequest(operation) }, rowsOf);
    case 'drop':
      return answer(
        'tables',
        'DropRowRange',
        {
          name,
          ...(operation.target.kind === 'all'
            ? { deleteAllDataFromTable: true }
            : { rowKeyPrefix: operation.target.prefix }),
        },
        done,
      );
    case 'families': {
      const modifications = operation.changes.map((change) => {
        if (change.kind === 'drop') return { id: change.family, drop: true };
        return change.kind === 'create'
          ? { id: change.family, create: family(change.schema) }
          : {
              id: change.family,
              update: family({ gc: change.gc }),
              updateMask: { paths: ['gc_rule'] },
            };
      });
      return answer('tables', 'ModifyColumnFamilies', { name, modifications }, done);
    }
    case 'sample':
      return answer(
        'data',
        'SampleRowKeys',
        data,
        (messages: { rowKey?: Uint8Array; offsetBytes?: string }[]) =>
          plainSamples(
            messages.map(({ rowKey = new Uint8Array(0), offsetBytes = '0' }) => ({
              key: rowKey,
              offsetBytes: Number(offsetBytes),
            })),
          ),
      );
    case 'token': {
      const check = (consistencyToken: string): Promise<Answer> =>
        answer(
          'tables',
          'CheckConsistency',
          {
            name,
            consistencyToken,
            ...(operation.mode === undefined ? {} : { [operation.mode]: {} }),
          },
          ([{ consistent = false }]) => ({ matched: consistent }),
        );
      if (operation.bogus === true) return check('nonsense');
      const { code, messages } = await client.call(
        'tables',
        'GenerateConsistencyToken',
        { name },
        60_000,
      );
      return code === 0
        ? check((messages[0] as { consistencyToken: string }).consistencyToken)
        : { code };
    }
    case 'schema':
      return answer('tables', 'GetTable', { name, view: 2 }, ([table]) =>
        schemaOf(table as TableMessage),
      );
    case 'list':
      return answer(
        'tables',
        'ListTables',
        { parent: instance },
        ([{ tables = [] }]: { tables?: { name: string }[] }[]) => ({
          matched: tables.some((one) => one.name === name),
        }),
      );
    case 'warm':
      return answer('data', 'PingAndWarm', { name: instance, appProfileId: 'default' }, done);
    case 'protect':
      return answer(
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

function schemaOf({ columnFamilies = {}, deletionProtection = false }: TableMessage): Answer {
  return plainSchema(
    Object.entries(columnFamilies).map(([name, { gcRule, valueType }]): [string, FamilySchema] => {
      const gc = gcRule === undefined ? undefined : gcOf(gcRule);
      const aggregate = (['sum', 'min', 'max'] as const).find(
        (one) => valueType?.aggregateType?.[one] !== undefined,
      );
      return [
        name,
        { ...(gc === undefined ? {} : { gc }), ...(aggregate === undefined ? {} : { aggregate }) },
      ];
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
  return intersection === undefined
    ? undefined
    : { kind: 'intersection', rules: inner(intersection.rules) };
}

function statusesOf(messages: any[]): Answer {
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

function rowsOf(messages: any[]): Answer {
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
  filter: wanted,
  stats,
}: ReadOperation): object {
  const bound = (side: string, given: KeyBound | undefined): object =>
    given === undefined ? {} : { [`${side}Key${given.open ? 'Open' : 'Closed'}`]: given.key };
  const rowRanges = ranges.map(({ start, end }) => ({
    ...bound('start', start),
    ...bound('end', end),
  }));
  return {
    rows: { rowKeys: keys, rowRanges },
    reversed,
    rowsLimit: limit,
    ...(wanted === undefined ? {} : { filter: filter(apiFilter(wanted)) }),
    ...(stats === undefined ? {} : { requestStatsView: 2 }),
  };
}

/**
 * The official client's protos end before ValueBitmask (data.proto, 2026): the field is added as
 * that file has it, so that the client can say it.
 */
export function teachBitmask(): void {
  const filters = published.lookupType('google.bigtable.v2.RowFilter');
  if (filters.fields.valueBitmaskFilter !== undefined) return;
  filters.parent!.add(new Type('ValueBitmask').add(new Field('mask', 1, 'bytes')));
  filters.oneofs.filter.add(new Field('valueBitmaskFilter', 20, 'google.bigtable.v2.ValueBitmask'));
}
