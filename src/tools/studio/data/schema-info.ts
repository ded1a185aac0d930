/** Declarations as forms need them. */
import type { BoundKind, CollectionForm, ColumnInfo, EntityInfo } from '../protocol/schema.js';
import type { KeyInfo, RulesInfo, SchemaInfo, SegmentInfo } from '../protocol/schema.js';
import type { JsonValue } from '../protocol/json.js';
import type { KeyPart } from '../../../data/key/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import {
  type ColumnModel,
  describeEntity,
  type EntityModel,
  gcRuleText,
  type SegmentModel,
  type ValueRules,
} from '../../../entities/model/index.js';
import { printable } from '../../../base/index.js';
import { fieldTests, segmentTests, testsOf } from './column-tests.js';

/** The declarations of all entities. */
export function schemaInfo(models: readonly EntityModel[]): SchemaInfo {
  return { entities: models.map(entityInfo), collections: collectionsOf(models) };
}

function entityInfo(model: EntityModel): EntityInfo {
  const description = describeEntity(model.entityClass);
  const { name, table, indexes, rollups, managed } = model;
  return {
    name,
    table: table.name,
    key: keyInfo(model),
    columns: model.columns.map((column) => columnInfo(model, column)),
    messages: description.messages.map((message) => ({
      name: message.name,
      fields: message.fields,
    })),
    families: [...table.families].map(([family, { gc, aggregate }]) => ({
      name: family,
      gc: gc === undefined ? 'never' : gcRuleText(gc),
      aggregate,
    })),
    patterns: model.patterns,
    indexes: indexes.map((index) => ({
      name: index.name,
      unique: index.unique,
      table: index.entry.table.name,
      key: keyInfo(index.entry),
      covered: index.covered,
    })),
    rollups: rollups.map((rollup) => ({
      name: rollup.name,
      table: rollup.rows.table.name,
      key: keyInfo(rollup.rows),
      seconds: rollup.width / 1000,
      values: rollup.results.map((each) =>
        [each.name, each.kind, each.property].filter((text) => text !== undefined).join(' '),
      ),
    })),
    copies: description.copies.map(({ property, of }) => ({ property, of })),
    view: model.view && { name: model.view.name, of: model.view.of.name },
    expiresAt: model.expiresAt?.property,
    revision: managed?.revision,
    text: description.toString(),
  };
}

/** The key of an entity, or of what is read instead. */
export function keyInfo({ key, segments }: EntityModel): KeyInfo {
  const { format, shards } = key.spec;
  return {
    format: typeof format === 'string' ? format : `delimited(${JSON.stringify(format.delimiter)})`,
    segments: segments.map(segmentInfo),
    parts: key.describe(),
    shards: shards && `${shards.count} by ${shards.by.join(', ')}`,
  };
}

function segmentInfo(segment: SegmentModel): SegmentInfo {
  const { property, type, rules, generate } = segment;
  return {
    name: property,
    kind: type.kind,
    order: type.order ?? 'asc',
    nullable: type.nullable ?? false,
    bounds: boundsOf(segment),
    tests: segmentTests(segment),
    values: type.values,
    floorMs: floorMsOf(type.floor),
    scale: type.scale,
    rules: rulesInfo(rules, (value) => segmentTextForms[type.kind].format(value) as JsonValue),
    generated: generate === undefined ? undefined : true,
  };
}

const unitsMs = { hour: 3_600_000, day: 86_400_000 } as const;

function floorMsOf(floor: SegmentModel['type']['floor']): number | undefined {
  return typeof floor === 'string' ? unitsMs[floor] : floor;
}

/** The bounds that a segment takes: `checkBound` of the key rejects others. */
function boundsOf({ type }: SegmentModel): readonly BoundKind[] {
  const ranges: readonly BoundKind[] = ['between', 'since', 'until'];
  switch (type.kind) {
    case 'reversedId':
      return [];
    case 'domain':
      return ['subdomains'];
    case 'string':
      return type.order === 'desc' ? ranges : [...ranges, 'startsWith'];
    default:
      return ranges;
  }
}

function rulesInfo(
  rules: ValueRules | undefined,
  format: (value: unknown) => JsonValue,
): RulesInfo | undefined {
  if (rules === undefined) return undefined;
  const { minLength, maxLength, pattern, min, max, oneOf } = rules;
  return {
    minLength,
    maxLength,
    pattern: pattern?.source,
    patternFlags: pattern?.flags,
    min: min === undefined ? undefined : format(min),
    max: max === undefined ? undefined : format(max),
    oneOf: oneOf?.map(format),
  };
}

/** A column of an entity. */
export function columnInfo(model: EntityModel, column: ColumnModel): ColumnInfo {
  const { property, family, kind, message } = column;
  const managed = managedRole(model, property);
  const isCopy = (model.copies ?? []).some(({ columns }) =>
    columns.some(({ to }) => to.property === property),
  );
  const isCounter = kind === 'counter' || (kind === 'columnMap' && column.aggregate);
  return {
    name: property,
    role: kind,
    kind: columnKind(column),
    message: message?.name,
    entryKind: kind === 'columnMap' ? column.qualifiers.type.kind : undefined,
    family,
    qualifier: kind === 'columnMap' ? undefined : printable(column.qualifier),
    required: 'required' in column && column.required === true,
    managed,
    editable: !isCounter && managed === undefined && !isCopy,
    comparable: isComparable(column),
    tests: testsOf(column, columnKind(column)),
    fields: fieldTests(column),
    rules: rulesInfo(column.rules, plainJson),
  };
}

/** The kind of the values of a column, of the entries of a map, or of each version. */
export function columnKind({ codec, message }: ColumnModel): string {
  if (message !== undefined) return 'message';
  // A codec of the user, with the name of its class.
  return codec.kind.startsWith('packed ') ? 'custom' : codec.kind;
}

/** Whether a condition of a write can compare the column. */
export function isComparable(column: ColumnModel): boolean {
  if (column.kind === 'columnMap' || column.kind === 'versions') return false;
  return !(column.kind === 'counter' && column.aggregate);
}

/** A segment as a column of results. */
export function segmentColumn(segment: SegmentModel): ColumnInfo {
  return {
    name: segment.property,
    role: 'key',
    kind: segment.type.kind,
    required: true,
    editable: false,
    comparable: false,
    tests: segmentTests(segment),
  };
}

function managedRole({ managed = {} }: EntityModel, property: string): ColumnInfo['managed'] {
  const found = Object.entries(managed).find(([, name]) => name === property);
  return found?.[0] as ColumnInfo['managed'];
}

function plainJson(value: unknown): JsonValue {
  return typeof value === 'bigint' ? String(value) : (value as JsonValue);
}

/** Entities of one table with keys that begin alike. */
function collectionsOf(models: readonly EntityModel[]): readonly CollectionForm[] {
  const groups = new Map<string, EntityModel[]>();
  for (const model of models) {
    const [first] = model.key.spec.parts;
    if (model.view !== undefined || first.kind !== 'segment') continue;
    const { format, shards } = model.key.spec;
    const id = JSON.stringify([model.table.name, format, shards ?? null, first]);
    groups.set(id, [...(groups.get(id) ?? []), model]);
  }
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => ({
      table: members[0].table.name,
      members: members.map(({ name }) => name),
      shared: sharedSegments(members),
    }));
}

function sharedSegments(members: readonly EntityModel[]): readonly SegmentInfo[] {
  const same = (parts: readonly (KeyPart | undefined)[]): boolean =>
    new Set(parts.map((part) => JSON.stringify(part ?? null))).size === 1;
  const [{ segments, key }] = members;
  let depth = 0;
  while (
    depth < key.spec.parts.length &&
    same(members.map((member) => member.key.spec.parts[depth]))
  )
    depth++;
  const names = key.spec.parts
    .slice(0, depth)
    .flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  return segments.filter(({ property }) => names.includes(property)).map(segmentInfo);
}
