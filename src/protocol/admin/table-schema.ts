/** Tables and changes of families: the admin API's messages <-> those of the store. */
import { noBytes } from '../../bytes/index.js';
import type { DropTarget, FamilyChange, FamilySchema, TableSchema } from '../../store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { gcRuleBytes, readGcRule } from './gc-rule.js';
import type { ContentOf } from '../messages/message-type.js';
import {
  GcRuleMessage,
  type ColumnFamily,
  type CreateTableRequest,
  type DropRowRangeRequest,
  type ModifyColumnFamiliesRequest,
  type Table,
} from '../messages/table-messages.js';
import { readValueType, storedType, valueType } from './value-type.js';

type TableContent = ContentOf<typeof Table>;
type FamilyContent = ContentOf<typeof ColumnFamily>;
type Modification = NonNullable<
  ContentOf<typeof ModifyColumnFamiliesRequest>['modifications']
>[number];

/** Table.TimestampGranularity; MICROS came in 2026. */
const granularity = { unspecified: 0, millis: 1, micros: 2 } as const;
/** Table.View. */
const view = {
  unspecified: 0,
  nameOnly: 1,
  schema: 2,
  replication: 3,
  full: 4,
  encryption: 5,
  stats: 6,
} as const;
/** Table.ClusterState.ReplicationState.READY. */
const ready = 4;

/** The table that a request asks for, under the engine's name. */
export function readTable(
  { table = {}, initialSplits = [] }: ContentOf<typeof CreateTableRequest>,
  name: string,
): TableSchema {
  checkFeatures(table);
  if (
    table.granularity !== undefined &&
    !Object.values<number>(granularity).includes(table.granularity)
  )
    throw requestError('granularity', 'The granularity is not one that this server knows.');
  const splitKeys = initialSplits.map(({ key }) => key ?? noBytes);
  return {
    name,
    families: new Map(
      [...(table.columnFamilies ?? [])].map(([id, family]) => [id, readFamily(family)]),
    ),
    ...(splitKeys.length === 0 ? {} : { splitKeys }),
    ...(table.granularity === granularity.micros ? { granularity: 'micros' } : {}),
    ...(table.deletionProtection === true ? { deletionProtection: true } : {}),
  };
}

/** Refuses features of tables that this server would have to ignore. */
export function checkFeatures({
  changeStreamConfig,
  automatedBackupPolicy,
  rowKeySchema,
}: TableContent): void {
  for (const [name, value] of Object.entries({
    changeStreamConfig,
    automatedBackupPolicy,
    rowKeySchema,
  })) {
    if (value !== undefined)
      throw unsupportedRequest(name, `${name} is not offered by this server.`);
  }
}

function readFamily({ gcRule, valueType: type }: FamilyContent): FamilySchema {
  const gc = readGcRule(gcRule);
  const aggregate = readValueType(type);
  return { ...(gc === undefined ? {} : { gc }), ...(aggregate === undefined ? {} : { aggregate }) };
}

/** The message of a table, under its full name. */
export function tableMessage(
  schema: TableSchema,
  name: string,
  wanted: number = view.schema,
): TableContent {
  if (wanted === view.nameOnly) return { name };
  const clusters = new Map([['local', { replicationState: ready }]]);
  const replication =
    wanted === view.replication || wanted === view.full || wanted === view.encryption;
  if (wanted === view.replication || wanted === view.encryption)
    return { name, clusterStates: clusters };
  return {
    name,
    ...(replication ? { clusterStates: clusters } : {}),
    columnFamilies: new Map(
      [...schema.families].map(([id, family]) => [id, familyMessage(family)]),
    ),
    granularity: schema.granularity === 'micros' ? granularity.micros : granularity.millis,
    ...(schema.deletionProtection === true ? { deletionProtection: true } : {}),
  };
}

function familyMessage({ gc, aggregate, otherType }: FamilySchema): FamilyContent {
  if (otherType !== undefined)
    throw unsupportedRequest('otherType', `A family that is ${otherType} cannot be created.`);
  return {
    // A family without a rule has an empty one: cbt and the Node client read through it.
    gcRule: gc === undefined ? GcRuleMessage.encode({}) : gcRuleBytes(gc),
    ...(aggregate === undefined ? {} : { valueType: valueType(aggregate) }),
  };
}

/** The changes of a request; `current` is the table as it is. */
export function readFamilyChanges(
  modifications: readonly Modification[] = [],
  current: TableSchema,
): FamilyChange[] {
  if (modifications.length === 0)
    throw requestError('modifications', 'At least one modification must be specified');
  return modifications.map((modification) => {
    const { id: family = '', create, update, drop } = modification;
    if (create !== undefined) return { kind: 'create', family, schema: readFamily(create) };
    if (update !== undefined)
      return readUpdate(family, update, modification.updateMask?.paths, current);
    if (drop === true) return { kind: 'drop', family };
    throw requestError(
      'modifications',
      drop === false
        ? 'drop must be true if set'
        : 'A modification must create, update or drop a family',
    );
  });
}

/** Without a mask the rule is replaced, and the type may not change (table.proto: immutable). */
function readUpdate(
  family: string,
  update: FamilyContent,
  paths: readonly string[] = [],
  current: TableSchema,
): FamilyChange {
  const unknown = paths.find(
    (path) => path !== 'gc_rule' && path !== 'value_type' && !path.startsWith('gc_rule.'),
  );
  if (unknown !== undefined)
    throw requestError('update_mask', `The mask names '${unknown}', which cannot be updated.`);
  const before = current.families.get(family);
  const namesType = paths.some((path) => path === 'value_type');
  if (
    (namesType || update.valueType !== undefined) &&
    before !== undefined &&
    readValueType(update.valueType) !== before.aggregate
  ) {
    throw requestError('value_type', 'The value type of a column family is immutable.');
  }
  const keepsRule = paths.length > 0 && paths.every((path) => path === 'value_type');
  return { kind: 'update', family, gc: keepsRule ? before?.gc : readGcRule(update.gcRule) };
}

/**
 * What a DropRowRange drops; undefined when it asks for nothing (`delete_all_data_from_table:
 * false`).
 */
export function readDropTarget({
  rowKeyPrefix,
  deleteAllDataFromTable,
}: ContentOf<typeof DropRowRangeRequest>): DropTarget | undefined {
  if (rowKeyPrefix !== undefined) {
    if (rowKeyPrefix.length === 0)
      throw requestError('row_key_prefix', 'Prefix cannot be zero length');
    return { kind: 'prefix', prefix: rowKeyPrefix };
  }
  if (deleteAllDataFromTable === undefined)
    throw requestError('target', 'A row key prefix or delete_all_data_from_table must be given');
  return deleteAllDataFromTable ? { kind: 'all' } : undefined;
}

/** The request for a table, in the instance `parent`. */
export function createTableRequest(
  { name, families, splitKeys = [], ...schema }: TableSchema,
  parent: string,
): ContentOf<typeof CreateTableRequest> {
  return {
    parent,
    tableId: name,
    table: {
      columnFamilies: new Map([...families].map(([id, family]) => [id, familyMessage(family)])),
      ...(schema.granularity === 'micros' ? { granularity: granularity.micros } : {}),
      ...(schema.deletionProtection === true ? { deletionProtection: true } : {}),
    },
    ...(splitKeys.length === 0 ? {} : { initialSplits: splitKeys.map((key) => ({ key })) }),
  };
}

/** The table of a message; its split keys are not in it. */
export function readTableSchema(
  { columnFamilies = new Map(), granularity: unit, deletionProtection }: TableContent,
  name: string,
): TableSchema {
  const families = [...columnFamilies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { gcRule, valueType: type }]): [string, FamilySchema] => {
      const gc = readGcRule(gcRule);
      return [id, { ...(gc === undefined ? {} : { gc }), ...storedType(type) }];
    });
  return {
    name,
    families: new Map(families),
    ...(unit === granularity.micros ? { granularity: 'micros' } : {}),
    ...(deletionProtection === true ? { deletionProtection } : {}),
  };
}

/** The messages of changes. */
export function changeMessages(changes: readonly FamilyChange[]): Modification[] {
  return changes.map((change) => {
    const { family: id } = change;
    switch (change.kind) {
      case 'create':
        return { id, create: familyMessage(change.schema) };
      case 'update':
        return {
          id,
          update: {
            gcRule: change.gc === undefined ? GcRuleMessage.encode({}) : gcRuleBytes(change.gc),
          },
          updateMask: { paths: ['gc_rule'] },
        };
      case 'drop':
        return { id, drop: true };
      default:
        throw requestError(
          'changes',
          `unknown kind '${String((change as { kind?: unknown }).kind)}'`,
        );
    }
  });
}
