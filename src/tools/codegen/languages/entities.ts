/** The entities of a project as data, with the rows of their indexes and rollups. */
import {
  type EntityModel,
  gcRuleText,
  isConstantDefault,
  maxAgeOf,
  type RollupModel,
  rowsProperty,
} from '../../../entities/model/index.js';
import { allMessages, nameInPackage } from '../../../entities/proto/index.js';
import type { MessageShape } from '../../../data/cell/index.js';
import type { GeneratorInput } from '../output-file.js';
import { messagesOfModels, protoFiles } from '../proto/proto-files.js';
import type { ColumnData, EntityData, RollupValueData, RowKind, ValueData } from './entity-data.js';
import { keyData, ruleData, segmentData } from './key-data.js';
import { unwritableReasons } from './unwritable.js';

type Column = EntityModel['columns'][number];

type MessageData = Extract<ValueData, { readonly kind: 'message' }>;

/** Where the class of a message is, by its full name. */
type MessageHomes = ReadonlyMap<string, Omit<MessageData, 'hasTimes'>>;

/** Every entity, each followed by its indexes and rollups. */
export function entityDataOf({ models, lockVersion }: GeneratorInput): readonly EntityData[] {
  const homes = messageHomes(models);
  return models.flatMap((model) => {
    const version = lockVersion?.(model) ?? 'unknown';
    const data = (rows: EntityModel, row: RowKind): EntityData =>
      entityData(rows, row, version, homes);
    return [
      data(model, { kind: 'entity' }),
      ...model.indexes.map(({ entry, unique }) =>
        data(entry, { kind: 'index', of: model.name, unique }),
      ),
      ...model.rollups.map((rollup) => data(rollup.rows, rollupKind(model, rollup))),
    ];
  });
}

function messageHomes(models: readonly EntityModel[]): MessageHomes {
  const files = protoFiles(messagesOfModels(models));
  return new Map(
    files.flatMap((file) =>
      allMessages(file.messages).map(({ name }) => [
        name,
        {
          kind: 'message' as const,
          message: nameInPackage(name, file.package),
          file: file.path.replace(/\.proto$/, ''),
          package: file.package,
        },
      ]),
    ),
  );
}

function entityData(
  model: EntityModel,
  row: RowKind,
  lockVersion: string,
  homes: MessageHomes,
): EntityData {
  const { name, table, marker, cellTimestamp, expiresAt } = model;
  const isEntity = row.kind === 'entity';
  return {
    name,
    row,
    table: table.name,
    lockVersion,
    key: keyData(model),
    columns: model.columns.map((column) => columnData(column, homes)),
    marker,
    cellTime: cellTimestamp,
    expiry: expiresAt && { property: expiresAt.property, ageMicros: expiresAt.age },
    maxAges: isEntity ? maxAges(model) : [],
    existsBy: row.kind === 'index' ? marker : rollupExistence(row, model),
    unwritable: isEntity ? unwritableReasons(model) : [`Rowsmith writes the rows of ${name}`],
  };
}

function rollupExistence(row: RowKind, { columns }: EntityModel): EntityData['existsBy'] {
  const rows = columns.find(({ property }) => property === rowsProperty);
  if (row.kind !== 'rollup' || rows?.kind !== 'counter') return undefined;
  return { family: rows.family, qualifier: rows.qualifier };
}

function maxAges({ table }: EntityModel): EntityData['maxAges'] {
  return [...table.families].flatMap(([family, { gc }]) => {
    const micros = maxAgeOf(gc);
    return gc === undefined || micros === Infinity
      ? []
      : [{ family, micros, rule: gcRuleText(gc) }];
  });
}

function columnData(column: Column, homes: MessageHomes): ColumnData {
  const { property, family, rules } = column;
  const create = 'default' in column ? column.default : undefined;
  return {
    property,
    kind: columnKind(column),
    family,
    qualifier: 'qualifier' in column ? column.qualifier : new Uint8Array(),
    alsoReads: ('alsoReads' in column ? column.alsoReads : undefined) ?? [],
    value: valueData(column, homes),
    qualifiers:
      column.kind === 'columnMap'
        ? segmentData(property, column.qualifiers.type, 'text', undefined)
        : undefined,
    aggregate: 'aggregate' in column && column.aggregate,
    required: 'required' in column && column.required === true,
    default: create && isConstantDefault(create) ? (create() as ColumnData['default']) : undefined,
    rules: rules && ruleData(rules),
    version: versionData(column),
  };
}

function versionData(column: Column): ColumnData['version'] {
  if (!('version' in column) || column.version === undefined) return undefined;
  const field = column.message!.fields.find(({ name }) => name === column.versionField)!;
  return { current: column.version, field: field.name, number: field.number };
}

function columnKind({ kind }: Column): ColumnData['kind'] {
  if (kind === 'packed') return 'column';
  return kind === 'columnMap' ? 'map' : kind;
}

function valueData({ codec, message }: Column, homes: MessageHomes): ValueData {
  if (message !== undefined) {
    const home = homes.get(message.name);
    return home === undefined ? { kind: 'custom' } : { ...home, hasTimes: hasTimes(message) };
  }
  if (codec.kind.startsWith('packed ')) return { kind: 'custom' };
  return { kind: 'scalar', scalar: codec.kind };
}

function hasTimes(message: MessageShape, seen = new Set<MessageShape>()): boolean {
  if (seen.has(message)) return false;
  seen.add(message);
  return message.fields.some(({ type }) =>
    type.kind === 'message'
      ? hasTimes(type.shape(), seen)
      : type.kind === 'scalar' && type.scalar === 'timestamp',
  );
}

function rollupKind(model: EntityModel, { results }: RollupModel): RowKind {
  return {
    kind: 'rollup',
    of: model.name,
    values: results.map((result): RollupValueData => {
      const { name, kind, property, decimals = 0 } = result;
      const base = { name, kind, decimals };
      if (property === undefined)
        return { ...base, number: 'whole', cell: rowsProperty, count: undefined };
      if (kind === 'count' || kind === 'first' || kind === 'last') {
        const number = kind === 'count' ? 'whole' : 'stored';
        return { ...base, number, cell: `${kind}:${property}`, count: undefined };
      }
      const stored = kind === 'avg' ? 'sum' : kind;
      return {
        ...base,
        number: kind === 'avg' ? 'fraction' : numberOf(model, property),
        cell: `${stored}:${property}/${decimals}`,
        count: kind === 'avg' ? `count:${property}` : undefined,
      };
    }),
  };
}

/** What the numbers of a property are. */
function numberOf(model: EntityModel, property: string): RollupValueData['number'] {
  const segment = model.segments.find((each) => each.property === property)?.type.kind;
  const column = model.columns.find((each) => each.property === property)?.codec.kind;
  switch (segment ?? column) {
    case 'string':
    case 'decimal':
      return 'decimal';
    case 'timestamp':
    case 'isoDate':
      return 'time';
    case 'double':
      return 'fraction';
    case 'float':
      return segment === undefined ? 'single' : 'fraction';
    default:
      return 'whole';
  }
}
