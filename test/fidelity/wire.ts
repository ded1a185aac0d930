/**
 * The steps of fidelity cases as calls of the Bigtable API, in Google's published messages: for our
 * server and for any other.
 */
/* eslint max-len: off -- a message is a line */
import type {
  FamilySchema,
  Filter,
  GcRule,
  Mutation,
  ReadModifyWriteRule,
  Row,
} from '../../src/store/index.js';
import type { RawClient } from '../server/raw-client.js';
import { shown, type Answer, type Step } from './step.js';

/** The status a server answers where an engine has a code (google.rpc.Code). */
const codes: Readonly<Record<string, number>> = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  LIMIT_EXCEEDED: 3,
  TABLE_NOT_FOUND: 5,
  FAMILY_NOT_FOUND: 5,
  TABLE_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  UNSUPPORTED: 12,
};

/** An expected answer with its codes as numbers. */
export function onTheWire(answer: Answer, step: Step): unknown {
  if (typeof answer === 'string') return codes[answer];
  return step.op === 'mutateRows' && Array.isArray(answer)
    ? answer.map((code: string) => codes[code])
    : answer;
}

/**
 * Runs a step as a client; what the server refuses is its status. `compact` and `wait` are not
 * calls of the API.
 */
export async function runOnTheWire(
  client: RawClient,
  instance: string,
  step: Step,
  local: (step: Step) => Promise<Answer>,
): Promise<unknown> {
  try {
    return await call(client, instance, step, local);
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
  local: (step: Step) => Promise<Answer>,
): Promise<unknown> {
  const name = `${instance}/tables/t`;
  const data = { tableName: name };
  switch (step.op) {
    case 'mutateRow':
      await client.ask('data', 'MutateRow', {
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
      const request = {
        ...data,
        rowKey: step.key,
        ...(step.predicate ? { predicateFilter: filter(step.predicate) } : {}),
        trueMutations: (step.onTrue ?? []).map(mutation),
        falseMutations: (step.onFalse ?? []).map(mutation),
      };
      return (
        ((await client.ask('data', 'CheckAndMutateRow', request)) as { predicateMatched?: boolean })
          .predicateMatched ?? false
      );
    }
    case 'modify':
      return shown([
        rowOf(
          (
            (await client.ask('data', 'ReadModifyWriteRow', {
              ...data,
              rowKey: step.key,
              rules: step.rules.map(rule),
            })) as { row: RowMessage }
          ).row,
        ),
      ]);
    case 'read': {
      const { limit = 0, reversed = false, range } = step;
      const [start, end] = range ?? [];
      const rows =
        range === undefined
          ? {}
          : {
              rows: {
                rowRanges: [
                  {
                    ...(start!.length > 0 ? { startKeyClosed: start } : {}),
                    ...(end === undefined ? {} : { endKeyOpen: end }),
                  },
                ],
              },
            };
      return shown(
        await client.rows({
          ...data,
          ...rows,
          rowsLimit: limit,
          reversed,
          ...(step.filter ? { filter: filter(step.filter) } : {}),
        }),
      );
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
      await client.ask('tables', 'DropRowRange', {
        name,
        ...(step.target.kind === 'all'
          ? { deleteAllDataFromTable: true }
          : { rowKeyPrefix: step.target.prefix }),
      });
      return undefined;
    case 'createTable': {
      const { name: tableId, families, granularity } = step.schema;
      const columnFamilies = Object.fromEntries(
        [...families].map(([id, schema]) => [id, family(schema)]),
      );
      await client.ask('tables', 'CreateTable', {
        parent: instance,
        tableId,
        table: { columnFamilies, ...(granularity === 'micros' ? { granularity: 2 } : {}) },
      });
      return undefined;
    }
    case 'deleteTable':
      await client.ask('tables', 'DeleteTable', { name: `${instance}/tables/${step.table}` });
      return undefined;
    case 'updateTable':
      await client.ask('tables', 'UpdateTable', {
        table: { name, deletionProtection: step.deletionProtection },
        updateMask: { paths: ['deletion_protection'] },
      });
      return undefined;
    case 'families': {
      const modifications = step.changes.map((change) => {
        if (change.kind === 'drop') return { id: change.family, drop: true };
        return change.kind === 'create'
          ? { id: change.family, create: family(change.schema) }
          : {
              id: change.family,
              update: family({ gc: change.gc }),
              updateMask: { paths: ['gc_rule'] },
            };
      });
      await client.ask('tables', 'ModifyColumnFamilies', { name, modifications });
      return undefined;
    }
    case 'schema':
      return schemaOf(
        (
          (await client.ask('tables', 'GetTable', { name })) as {
            columnFamilies: Record<string, FamilyMessage>;
          }
        ).columnFamilies,
      );
    case 'token': {
      const consistencyToken =
        step.bogus ??
        (
          (await client.ask('tables', 'GenerateConsistencyToken', { name })) as {
            consistencyToken: string;
          }
        ).consistencyToken;
      return (
        (
          (await client.ask('tables', 'CheckConsistency', { name, consistencyToken })) as {
            consistent?: boolean;
          }
        ).consistent ?? false
      );
    }
    case 'compact':
    case 'wait':
      return local(step);
  }
}

/** A mutation as its published message. */
export function mutation(one: Mutation): object {
  switch (one.kind) {
    case 'setCell':
      return {
        setCell: {
          familyName: one.family,
          columnQualifier: one.qualifier,
          timestampMicros: `${one.timestamp}`,
          value: one.value,
        },
      };
    case 'addToCell': {
      const input =
        typeof one.input === 'bigint'
          ? { input: { intValue: `${one.input}` } }
          : one.input === undefined
            ? {}
            : { input: { stringValue: one.input } };
      return {
        addToCell: {
          familyName: one.family,
          columnQualifier: { rawValue: one.qualifier },
          timestamp: { rawTimestampMicros: `${one.timestamp}` },
          ...input,
        },
      };
    }
    case 'mergeToCell':
      return {
        mergeToCell: {
          familyName: one.family,
          columnQualifier: { rawValue: one.qualifier },
          timestamp: { rawTimestampMicros: `${one.timestamp}` },
          input: { rawValue: one.input },
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

function range(start: number | bigint = 0, end: number | bigint = 0): object {
  return { startTimestampMicros: `${start}`, endTimestampMicros: `${end}` };
}

/** A read-modify-write rule as its published message. */
export function rule(one: ReadModifyWriteRule): object {
  const column = { familyName: one.family, columnQualifier: one.qualifier };
  return one.kind === 'increment'
    ? { ...column, incrementAmount: `${one.amount}` }
    : one.kind === 'append'
      ? { ...column, appendValue: one.value }
      : column;
}

/** A filter as its published message; kinds the API does not have are empty. */
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
          ...(one.onTrue ? { trueFilter: filter(one.onTrue) } : {}),
          ...(one.onFalse ? { falseFilter: filter(one.onFalse) } : {}),
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
    // The API has no filter of several families; the cases name one.
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
  return value === undefined ? {} : { [`${name}${inclusive === true ? 'Closed' : 'Open'}`]: value };
}

/** A family as its published message. */
export function family({ gc, aggregate }: FamilySchema): object {
  const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
  const kind =
    aggregate === undefined
      ? undefined
      : ({ sum: { sum: {} }, min: { min: {} }, max: { max: {} } }[aggregate] ?? {
          hllppUniqueCount: {},
        });
  return {
    ...(gc === undefined ? {} : { gcRule: gcRule(gc) }),
    ...(kind === undefined ? {} : { valueType: { aggregateType: { inputType: int64, ...kind } } }),
  };
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
    Object.entries(families).map(([name, { gcRule: gc, valueType }]) => {
      const aggregate = (['sum', 'min', 'max'] as const).find(
        (kind) => valueType?.aggregateType?.[kind] !== undefined,
      );
      return [
        name,
        {
          ...(gc?.maxNumVersions
            ? { gc: { kind: 'maxVersions', versions: gc.maxNumVersions } }
            : {}),
          ...(aggregate ? { aggregate } : {}),
        },
      ];
    }),
  );
}

interface RowMessage {
  key: Buffer;
  families: {
    name: string;
    columns: { qualifier?: Buffer; cells: { timestampMicros?: string; value?: Buffer }[] }[];
  }[];
}

/** The row of a read-modify-write's answer. */
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
