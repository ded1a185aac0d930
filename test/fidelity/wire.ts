/**
 * Runs the steps of fidelity cases as calls of the Bigtable API, in Google's published messages.
 */
import type {
  Aggregate,
  DropTarget,
  FamilyChange,
  FamilySchema,
  Filter,
  GcRule,
  Granularity,
  Mutation,
  ReadModifyWriteRule,
  Row,
} from '../../src/data/store/index.js';
import type { RawClient } from '../server/raw-client.js';
import { formatRows, type StepResult, type Step } from './step.js';

/** The status code (google.rpc.Code) for each error code of an engine. */
const statusCodes: Readonly<Record<string, number>> = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  LIMIT_EXCEEDED: 3,
  TABLE_NOT_FOUND: 5,
  FAMILY_NOT_FOUND: 5,
  TABLE_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  UNSUPPORTED: 12,
};

/** An expected result with error codes replaced by status codes. */
export function asWireResult(result: StepResult, step: Step): unknown {
  if (typeof result === 'string') return statusCodes[result];
  if (step.op === 'mutateRows' && Array.isArray(result))
    return result.map((code: string) => statusCodes[code]);
  return result;
}

/**
 * Runs a step as a client. Errors are returned as status codes. `runLocally` is called for
 * `compact` and `wait`, which are not calls of the API.
 */
export async function runOnWire(
  client: RawClient,
  instance: string,
  step: Step,
  runLocally: (step: Step) => Promise<StepResult>,
): Promise<unknown> {
  try {
    return await call(client, instance, step, runLocally);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') return code;
    throw error;
  }
}

async function call(
  client: RawClient,
  instance: string,
  step: Step,
  runLocally: (step: Step) => Promise<StepResult>,
): Promise<unknown> {
  const name = `${instance}/tables/t`;
  const data = { tableName: name };
  switch (step.op) {
    case 'mutateRow':
      await client.unary('data', 'MutateRow', {
        ...data,
        rowKey: step.key,
        mutations: step.mutations.map(mutation),
      });
      return undefined;
    case 'mutateRows': {
      const { code, messages } = await client.call('data', 'MutateRows', {
        ...data,
        entries: step.rows.map(({ key, mutations }) => ({
          rowKey: key,
          mutations: mutations.map(mutation),
        })),
      });
      if (code !== 0) throw Object.assign(new Error('MutateRows'), { code });
      const entries = messages.flatMap(
        (message: { entries: { index?: string; status?: { code?: number } }[] }) => message.entries,
      );
      return entries
        .sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))
        .map(({ status }) => status?.code ?? 0);
    }
    case 'check': {
      const { predicateMatched = false } = (await client.unary('data', 'CheckAndMutateRow', {
        ...data,
        rowKey: step.key,
        predicateFilter: step.predicate && filter(step.predicate),
        trueMutations: (step.onTrue ?? []).map(mutation),
        falseMutations: (step.onFalse ?? []).map(mutation),
      })) as { predicateMatched?: boolean };
      return predicateMatched;
    }
    case 'modify': {
      const { row } = (await client.unary('data', 'ReadModifyWriteRow', {
        ...data,
        rowKey: step.key,
        rules: step.rules.map(rule),
      })) as { row: RowMessage };
      return formatRows([rowOf(row)]);
    }
    case 'read': {
      const { limit = 0, reversed = false } = step;
      const request = {
        ...data,
        rows: step.range && rowSet(step.range),
        rowsLimit: limit,
        reversed,
        filter: step.filter && filter(step.filter),
      };
      return formatRows(await client.rows(request));
    }
    case 'sample': {
      const { code, messages } = await client.call('data', 'SampleRowKeys', data);
      if (code !== 0) throw Object.assign(new Error('SampleRowKeys'), { code });
      return messages.map(
        ({
          rowKey = Buffer.alloc(0),
          offsetBytes = '0',
        }: {
          rowKey?: Buffer;
          offsetBytes?: string;
        }) => `${rowKey.toString('latin1')}@${offsetBytes}`,
      );
    }
    case 'drop':
      await client.unary('tables', 'DropRowRange', {
        name,
        ...dropTargetFields(step.target),
      });
      return undefined;
    case 'createTable': {
      const { name: tableId, families, granularity } = step.schema;
      const columnFamilies = Object.fromEntries(
        [...families].map(([id, schema]) => [id, family(schema)]),
      );
      await client.unary('tables', 'CreateTable', {
        parent: instance,
        tableId,
        table: { columnFamilies, granularity: granularityCode(granularity) },
      });
      return undefined;
    }
    case 'deleteTable':
      await client.unary('tables', 'DeleteTable', { name: `${instance}/tables/${step.table}` });
      return undefined;
    case 'updateTable':
      await client.unary('tables', 'UpdateTable', {
        table: { name, deletionProtection: step.deletionProtection },
        updateMask: { paths: ['deletion_protection'] },
      });
      return undefined;
    case 'families':
      await client.unary('tables', 'ModifyColumnFamilies', {
        name,
        modifications: step.changes.map(modification),
      });
      return undefined;
    case 'schema': {
      const { columnFamilies } = (await client.unary('tables', 'GetTable', { name })) as {
        columnFamilies: Record<string, FamilyMessage>;
      };
      return schemaOf(columnFamilies);
    }
    case 'token': {
      const consistencyToken = step.bogus ?? (await generateToken(client, name));
      const { consistent = false } = (await client.unary('tables', 'CheckConsistency', {
        name,
        consistencyToken,
      })) as { consistent?: boolean };
      return consistent;
    }
    case 'compact':
    case 'wait':
      return runLocally(step);
  }
}

async function generateToken(client: RawClient, name: string): Promise<string> {
  const { consistencyToken } = (await client.unary('tables', 'GenerateConsistencyToken', {
    name,
  })) as { consistencyToken: string };
  return consistencyToken;
}

function rowSet([start, end]: readonly [Uint8Array, Uint8Array?]): object {
  const startKeyClosed = start.length > 0 ? start : undefined;
  return { rowRanges: [{ startKeyClosed, endKeyOpen: end }] };
}

/** The fields of DropRowRangeRequest for a target. */
export function dropTargetFields(target: DropTarget): object {
  if (target.kind === 'all') return { deleteAllDataFromTable: true };
  return { rowKeyPrefix: target.prefix };
}

/** Table.TimestampGranularity. */
export function granularityCode(granularity: Granularity | undefined): number | undefined {
  return granularity === 'micros' ? 2 : undefined;
}

/** A change of families as its published message. */
export function modification(change: FamilyChange): object {
  switch (change.kind) {
    case 'drop':
      return { id: change.family, drop: true };
    case 'create':
      return { id: change.family, create: family(change.schema) };
    case 'update':
      return {
        id: change.family,
        update: family({ gc: change.gc }),
        updateMask: { paths: ['gc_rule'] },
      };
  }
}

/** A mutation as its published message. */
export function mutation(one: Mutation): object {
  switch (one.kind) {
    case 'setCell':
      return {
        timestampOrigin: one.truncate === true ? 'CLIENT_AUTO_GENERATED' : undefined,
        setCell: {
          familyName: one.family,
          columnQualifier: one.qualifier,
          timestampMicros: `${one.timestamp}`,
          value: one.value,
        },
      };
    case 'addToCell':
      return {
        addToCell: {
          familyName: one.family,
          columnQualifier: { rawValue: one.qualifier },
          timestamp: { rawTimestampMicros: `${one.timestamp}` },
          input: addInput(one.input),
        },
      };
    case 'mergeToCell':
      return {
        mergeToCell: {
          familyName: one.family,
          columnQualifier: { rawValue: one.qualifier },
          timestamp: { rawTimestampMicros: `${one.timestamp}` },
          input: one.input === null ? {} : { rawValue: one.input },
        },
      };
    case 'deleteFromColumn':
      return {
        deleteFromColumn: {
          familyName: one.family,
          columnQualifier: one.qualifier,
          timeRange: range(one.start, one.end),
        },
      };
    case 'deleteFromFamily':
      return { deleteFromFamily: { familyName: one.family } };
    case 'deleteFromRow':
      return { deleteFromRow: {} };
  }
}

/** Cases also use inputs that the types of the store do not permit: text, or none. */
function addInput(input: unknown): object | undefined {
  if (input === undefined) return undefined;
  if (typeof input === 'bigint') return { intValue: `${input}` };
  return { stringValue: input };
}

function range(start: number | bigint = 0, end: number | bigint = 0): object {
  return { startTimestampMicros: `${start}`, endTimestampMicros: `${end}` };
}

/** A read-modify-write rule as its published message. */
export function rule(one: ReadModifyWriteRule): object {
  const column = { familyName: one.family, columnQualifier: one.qualifier };
  if (one.kind === 'increment') return { ...column, incrementAmount: `${one.amount}` };
  if (one.kind === 'append') return { ...column, appendValue: one.value };
  // Cases also use rules without an operation.
  return column;
}

/** A filter as its published message; empty for kinds that the API does not have. */
export function filter(one: Filter): object {
  switch (one.kind) {
    case 'chain':
      return { chain: { filters: one.filters.map(filter) } };
    case 'interleave':
      return { interleave: { filters: one.filters.map(filter) } };
    case 'condition':
      return {
        condition: {
          predicateFilter: filter(one.predicate),
          trueFilter: one.onTrue && filter(one.onTrue),
          falseFilter: one.onFalse && filter(one.onFalse),
        },
      };
    case 'sink':
      return { sink: true };
    case 'passAll':
      return { passAllFilter: true };
    case 'blockAll':
      return { blockAllFilter: true };
    case 'stripValue':
      return { stripValueTransformer: true };
    case 'label':
      return { applyLabelTransformer: one.label };
    case 'rowKeyRegex':
      return { rowKeyRegexFilter: one.pattern };
    case 'familyRegex':
      return { familyNameRegexFilter: one.pattern };
    // The API has no filter for several families; cases use only one.
    case 'families':
      return { familyNameRegexFilter: one.families[0] };
    case 'qualifierRegex':
      return { columnQualifierRegexFilter: one.pattern };
    case 'valueRegex':
      return { valueRegexFilter: one.pattern };
    case 'valueBitmask':
      return { valueBitmaskFilter: { mask: one.mask } };
    case 'cellsPerRow':
      return { cellsPerRowLimitFilter: one.count };
    case 'cellsPerRowOffset':
      return { cellsPerRowOffsetFilter: one.count };
    case 'cellsPerColumn':
      return { cellsPerColumnLimitFilter: one.count };
    case 'rowSample':
      return { rowSampleFilter: one.probability };
    case 'timestampRange':
      return { timestampRangeFilter: range(one.start, one.end) };
    case 'columnRange':
      return {
        columnRangeFilter: {
          familyName: one.family,
          ...bound('startQualifier', one.start?.qualifier, one.start?.inclusive),
          ...bound('endQualifier', one.end?.qualifier, one.end?.inclusive),
        },
      };
    case 'valueRange':
      return {
        valueRangeFilter: {
          ...bound('startValue', one.start?.value, one.start?.inclusive),
          ...bound('endValue', one.end?.value, one.end?.inclusive),
        },
      };
    default:
      return {};
  }
}

function bound(
  name: string,
  value: Uint8Array | undefined,
  inclusive: boolean | undefined,
): object {
  if (value === undefined) return {};
  return { [`${name}${inclusive === true ? 'Closed' : 'Open'}`]: value };
}

/** A family as its published message. */
export function family({ gc, aggregate }: FamilySchema): object {
  return {
    gcRule: gc && gcRule(gc),
    valueType: aggregate && { aggregateType: aggregateType(aggregate) },
  };
}

function aggregateType(aggregate: Aggregate): object {
  const inputType = { int64Type: { encoding: { bigEndianBytes: {} } } };
  switch (aggregate) {
    case 'sum':
      return { inputType, sum: {} };
    case 'min':
      return { inputType, min: {} };
    case 'max':
      return { inputType, max: {} };
    default:
      // Cases also use an aggregate that the types of the store do not permit.
      return { inputType, hllppUniqueCount: {} };
  }
}

function gcRule(gc: GcRule): object {
  switch (gc.kind) {
    case 'maxVersions':
      return { maxNumVersions: gc.versions };
    case 'maxAge':
      return { maxAge: { seconds: Math.floor(gc.micros / 1e6), nanos: (gc.micros % 1e6) * 1000 } };
    default:
      return { [gc.kind]: { rules: gc.rules.map(gcRule) } };
  }
}

interface FamilyMessage {
  gcRule?: { maxNumVersions?: number };
  valueType?: { aggregateType?: { sum?: object; min?: object; max?: object } };
}

function schemaOf(families: Record<string, FamilyMessage>): object {
  return Object.fromEntries(
    Object.entries(families).map(([name, message]) => [name, familyOf(message)]),
  );
}

/**
 * Cases read only rules of versions. Absent properties are left out, as in the expected results.
 */
function familyOf({ gcRule: { maxNumVersions } = {}, valueType }: FamilyMessage): FamilySchema {
  const schema: { gc?: GcRule; aggregate?: Aggregate } = {};
  if (maxNumVersions) schema.gc = { kind: 'maxVersions', versions: maxNumVersions };
  for (const aggregate of ['sum', 'min', 'max'] as const)
    if (valueType?.aggregateType?.[aggregate] !== undefined) schema.aggregate = aggregate;
  return schema;
}

interface RowMessage {
  key: Buffer;
  families: {
    name: string;
    columns: { qualifier?: Buffer; cells: { timestampMicros?: string; value?: Buffer }[] }[];
  }[];
}

/** The row of a ReadModifyWriteRowResponse. */
export function rowOf({ key, families }: RowMessage): Row {
  const none = Buffer.alloc(0);
  const cells = families.flatMap(({ name, columns }) =>
    columns.flatMap(({ qualifier = none, cells: versions }) =>
      versions.map(({ timestampMicros = '0', value = none }) => ({
        family: name,
        qualifier,
        timestamp: BigInt(timestampMicros),
        value,
      })),
    ),
  );
  return { key, cells };
}
