/** Tables and family changes: messages of the admin API <-> types of the store layer. */
import { noBytes, type FaultTexts } from '../../../base/index.js';
import type {
  DropTarget,
  FamilyChange,
  FamilySchema,
  GcRule,
  Granularity,
  TableSchema,
} from '../../../data/store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { encodeGcRule, decodeGcRule } from './gc-rule.js';
import type { ContentOf } from '../../../data/cell/index.js';
import {
  type ColumnFamily,
  type CreateTableRequest,
  type DropRowRangeRequest,
  type ModifyColumnFamiliesRequest,
  type TableMessage,
  type TypeContent,
} from '../messages/table-messages.js';
import { defaultEncryption } from '../messages/backup-messages.js';
import { decodeTableOptions, encodeTableOptions } from './table-options.js';
import type { TableSettings } from './table-settings.js';
import { decodeValueType, decodeStoredType, encodeValueType, isPlainType } from './value-type.js';

type TableContent = ContentOf<typeof TableMessage>;
type FamilyContent = ContentOf<typeof ColumnFamily>;
type Modification = NonNullable<
  ContentOf<typeof ModifyColumnFamiliesRequest>['modifications']
>[number];

/** Table.TimestampGranularity; MICROS was added in 2026. */
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

/** The table that a request creates; `name` is the engine's name of it. */
export function decodeCreateTable(
  { table = {}, initialSplits = [] }: ContentOf<typeof CreateTableRequest>,
  name: string,
): TableSchema {
  if (
    table.granularity !== undefined &&
    !Object.values<number>(granularity).includes(table.granularity)
  )
    throw requestError('granularity', faults.unknownGranularity);
  const families = [...(table.columnFamilies ?? [])];
  const splitKeys = initialSplits.map(({ key }) => key ?? noBytes);
  if (splitKeys.some((key) => key.length === 0))
    throw requestError('initial_splits', faults.emptySplitKey);
  return {
    name,
    families: new Map(families.map(([id, family]) => [id, decodeFamily(family)])),
    splitKeys: splitKeys.length === 0 ? undefined : splitKeys,
    granularity: decodeGranularity(table.granularity),
    deletionProtection: trueOrAbsent(table.deletionProtection),
  };
}

function decodeGranularity(value: number | undefined): Granularity | undefined {
  if (value === granularity.micros) return 'micros';
  return undefined;
}

function decodeFamily({ gcRule, valueType: type }: FamilyContent): FamilySchema {
  return { gc: decodeGcRule(gcRule), aggregate: decodeValueType(type) };
}

/** What a table's message contains besides its schema. */
export interface TableExtras {
  /** Table.View; default SCHEMA_VIEW. */
  readonly view?: number;
  /** Ids of the instance's clusters. */
  readonly clusterIds?: readonly string[];
  /** Types of families that engines do not keep. */
  readonly valueTypes?: KeptTypes;
  readonly settings?: TableSettings;
}

/** Value types of strings and bytes by family. */
export type KeptTypes = ReadonlyMap<string, TypeContent>;

/** Throws INVALID_ARGUMENT for a number that is not a Table.View. */
export function checkView(requested: number): void {
  if (!Object.values<number>(view).includes(requested))
    throw requestError('view', faults.unknownView(requested));
}

/** The message of a table under its full name, with the fields of the requested view. */
export function encodeTable(
  schema: TableSchema,
  name: string,
  {
    view: requested = view.schema,
    clusterIds = [],
    valueTypes = new Map(),
    settings,
  }: TableExtras = {},
): TableContent {
  checkView(requested);
  if (requested === view.nameOnly) return { name };
  const replication = { replicationState: ready };
  const encryption = { encryptionInfo: [{ encryptionType: defaultEncryption }] };
  const states = (state: object) => new Map(clusterIds.map((id) => [id, state]));
  if (requested === view.replication) return { name, clusterStates: states(replication) };
  if (requested === view.encryption) return { name, clusterStates: states(encryption) };
  const table = {
    name,
    columnFamilies: encodeFamilies(schema.families, valueTypes),
    granularity: encodeGranularity(schema) ?? granularity.millis,
    deletionProtection: trueOrAbsent(schema.deletionProtection),
    ...settings,
  };
  if (requested === view.full)
    return { ...table, clusterStates: states({ ...replication, ...encryption }) };
  return table;
}

/** Millisecond granularity is the default, and absent in requests. */
function encodeGranularity(schema: Pick<TableSchema, 'granularity'>): number | undefined {
  if (schema.granularity === 'micros') return granularity.micros;
  return undefined;
}

function encodeFamilies(
  families: TableSchema['families'],
  valueTypes: KeptTypes = new Map(),
): Map<string, FamilyContent> {
  return new Map(
    [...families].map(([id, family]) => {
      const encoded = encodeFamily(family);
      return [id, { ...encoded, valueType: encoded.valueType ?? valueTypes.get(id) }];
    }),
  );
}

/** The types of new families that engines do not keep. */
export function keptTypes(families: TableContent['columnFamilies']): KeptTypes {
  const kept = new Map<string, TypeContent>();
  for (const [id, { valueType }] of families ?? []) setKeptType(kept, id, valueType);
  return kept;
}

/** The types that engines do not keep after changes of families. */
export function changedTypes(
  current: KeptTypes,
  modifications: readonly Modification[],
): KeptTypes {
  const kept = new Map(current);
  for (const { id = '', create, update, drop, updateMask } of modifications) {
    if (drop === true) kept.delete(id);
    if (create !== undefined) setKeptType(kept, id, create.valueType);
    if (update !== undefined && updateMask?.paths?.includes('value_type') === true)
      setKeptType(kept, id, update.valueType);
  }
  return kept;
}

function setKeptType(kept: Map<string, TypeContent>, id: string, type?: TypeContent): void {
  if (type !== undefined && isPlainType(type)) kept.set(id, type);
  else kept.delete(id);
}

/** False is absent: the default of proto3 is not sent. */
function trueOrAbsent(value: boolean | undefined): true | undefined {
  if (value === true) return true;
  return undefined;
}

function encodeFamily({ gc, aggregate, otherType }: FamilySchema): FamilyContent {
  if (otherType !== undefined)
    throw unsupportedRequest('otherType', faults.unsupportedFamilyType(otherType));
  return {
    // An empty rule if there is none: cbt and the Node client expect the field.
    gcRule: encodeGcRule(gc),
    valueType: aggregate === undefined ? undefined : encodeValueType(aggregate),
  };
}

/** The changes of a request; `current` is the table before them. Each sees those before it. */
export function decodeFamilyChanges(
  modifications: readonly Modification[] = [],
  current: TableSchema,
): FamilyChange[] {
  if (modifications.length === 0) throw requestError('modifications', faults.missingModification);
  const families = new Map(current.families);
  return modifications.map((modification) => {
    const change = decodeFamilyChange(modification, families);
    const { family } = change;
    const before = families.get(family);
    if (change.kind === 'create') families.set(family, change.schema);
    else if (change.kind === 'drop') families.delete(family);
    else if (before !== undefined) families.set(family, { ...before, gc: change.gc });
    return change;
  });
}

function decodeFamilyChange(
  { id: family = '', create, update, drop, updateMask }: Modification,
  families: TableSchema['families'],
): FamilyChange {
  if (create !== undefined) return { kind: 'create', family, schema: decodeFamily(create) };
  if (update !== undefined)
    return decodeUpdate(family, update, updateMask?.paths, families.get(family));
  if (drop === true) return { kind: 'drop', family };
  if (drop === false) throw requestError('modifications', faults.dropNotTrue);
  throw requestError('modifications', faults.emptyModification);
}

/** Paths of a family that replace its rule, which is a oneof, and the kind of rule they name. */
const rulePaths = new Map<string, GcRule['kind'] | 'any'>([
  ['gc_rule', 'any'],
  ['gc_rule.max_num_versions', 'maxVersions'],
  ['gc_rule.max_age', 'maxAge'],
  ['gc_rule.intersection', 'intersection'],
  ['gc_rule.union', 'union'],
]);

/** Without a mask the rule is replaced. Aggregates are immutable (table.proto). */
function decodeUpdate(
  family: string,
  update: FamilyContent,
  paths: readonly string[] = [],
  before: FamilySchema | undefined,
): FamilyChange {
  const unknown = paths.find((path) => path !== 'value_type' && !rulePaths.has(path));
  if (unknown !== undefined) throw requestError('update_mask', faults.immutableMaskPath(unknown));
  const namesType = paths.some((path) => path === 'value_type');
  if (
    (namesType || update.valueType !== undefined) &&
    before !== undefined &&
    decodeValueType(update.valueType) !== before.aggregate
  ) {
    throw requestError('value_type', faults.aggregateTypeChange);
  }
  if (!namesType && update.valueType !== undefined && isPlainType(update.valueType)) {
    // Without a mask only the rule is updated (bigtable_table_admin.proto).
    throw requestError('update_mask', faults.maskWithoutValueType);
  }
  const keepsRule = paths.length > 0 && paths.every((path) => path === 'value_type');
  const gc = keepsRule ? before?.gc : decodeGcRule(update.gcRule);
  if (!keepsRule) checkRuleIsNamed(paths, gc ?? before?.gc);
  return { kind: 'update', family, gc };
}

/** The rule that is set, or without one the rule that is removed, is of a kind that is named. */
function checkRuleIsNamed(paths: readonly string[], rule: GcRule | undefined): void {
  if (paths.length === 0 || rule === undefined) return;
  const kinds = paths.map((path) => rulePaths.get(path));
  if (kinds.includes('any') || kinds.includes(rule.kind)) return;
  throw requestError('update_mask', faults.maskWithoutRuleKind);
}

/** What a DropRowRange drops; undefined for nothing (`delete_all_data_from_table: false`). */
export function decodeDropTarget({
  rowKeyPrefix,
  deleteAllDataFromTable,
}: ContentOf<typeof DropRowRangeRequest>): DropTarget | undefined {
  if (rowKeyPrefix !== undefined) {
    if (rowKeyPrefix.length === 0) throw requestError('row_key_prefix', faults.emptyPrefix);
    return { kind: 'prefix', prefix: rowKeyPrefix };
  }
  if (deleteAllDataFromTable === undefined) throw requestError('target', faults.missingTarget);
  if (!deleteAllDataFromTable) return undefined;
  return { kind: 'all' };
}

/** The request that creates a table in the instance `parent`. */
export function encodeCreateTable(
  { name, families, splitKeys = [], ...schema }: TableSchema,
  parent: string,
): ContentOf<typeof CreateTableRequest> {
  return {
    parent,
    tableId: name,
    table: {
      columnFamilies: encodeFamilies(families),
      granularity: encodeGranularity(schema),
      deletionProtection: trueOrAbsent(schema.deletionProtection),
      ...encodeTableOptions(schema),
    },
    initialSplits: splitKeys.map((key) => ({ key })),
  };
}

/** The table of a message, which does not include split keys. */
export function decodeTable(
  { columnFamilies = new Map(), granularity: unit, deletionProtection, ...rest }: TableContent,
  name: string,
): TableSchema {
  const families = [...columnFamilies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { gcRule, valueType: type }]): [string, FamilySchema] => [
      id,
      { gc: decodeGcRule(gcRule), ...decodeStoredType(type) },
    ]);
  return {
    name,
    families: new Map(families),
    granularity: decodeGranularity(unit),
    deletionProtection: trueOrAbsent(deletionProtection),
    ...decodeTableOptions(rest),
  };
}

/** The messages of family changes. */
export function encodeFamilyChanges(changes: readonly FamilyChange[]): Modification[] {
  return changes.map((change) => {
    const { family: id } = change;
    switch (change.kind) {
      case 'create':
        return { id, create: encodeFamily(change.schema) };
      case 'update':
        return {
          id,
          update: { gcRule: encodeGcRule(change.gc) },
          updateMask: { paths: ['gc_rule'] },
        };
      case 'drop':
        return { id, drop: true };
      default:
        throw requestError('changes', faults.unknownKind((change as { kind?: unknown }).kind));
    }
  });
}

const faults = {
  unknownGranularity: { problem: 'This server does not know the granularity.' },
  emptySplitKey: { problem: 'Split keys must be non-empty.' },
  unknownView: (requested: number) => ({ problem: `There is no view ${requested}.` }),
  unsupportedFamilyType: (otherType: string) => ({
    problem: `A family that is ${otherType} cannot be created.`,
  }),
  missingModification: { problem: 'At least one modification must be specified' },
  dropNotTrue: { problem: 'drop must be true if set' },
  emptyModification: { problem: 'A modification must create, update or drop a family' },
  immutableMaskPath: (unknown: string) => ({
    problem: `The mask names '${unknown}', which cannot be updated.`,
  }),
  // Bigtable's words, which Google's Go tests expect.
  aggregateTypeChange: {
    problem: "Immutable fields 'value_type.aggregate_type' cannot be updated",
  },
  maskWithoutValueType: { problem: 'The mask must name value_type to update it.' },
  maskWithoutRuleKind: { problem: 'The mask does not name the kind of rule that is changed.' },
  emptyPrefix: { problem: 'Prefix cannot be zero length' },
  missingTarget: { problem: 'A row key prefix or delete_all_data_from_table must be given' },
  unknownKind: (kind: unknown) => ({ problem: `unknown kind '${String(kind)}'` }),
} satisfies FaultTexts;
