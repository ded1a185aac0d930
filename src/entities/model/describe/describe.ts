/** A model as plain data and as human-readable text: what is stored where. */
import { maxRowKeyBytes, printable } from '../../../base/index.js';
import {
  type FieldShape,
  type FieldType,
  type MessageShape,
  hasStaticCodec,
} from '../../../data/cell/index.js';
import type { QualifierCodec } from '../../../data/key/index.js';
import { buildModel } from '../build/build.js';
import type { Constructor, ManagedRole } from '../declaration/declaration.js';
import { descriptionText } from './description-text.js';
import { gcRuleText } from '../gc-rule.js';
import { messagesOf } from '../messages-of.js';
import { columnRulesText } from './rules-text.js';
import type { ColumnModel, CopyModel, EntityModel, IndexModel, RollupModel } from '../model.js';
import type {
  EntityDescription,
  ColumnDescription,
  IndexDescription,
  RollupDescription,
  CopyDescription,
} from './description.js';

/** Describes what an entity class stores, and where. Throws INVALID_DECLARATION with all faults. */
export function describeEntity(entityClass: Constructor): EntityDescription {
  const model = buildModel(entityClass);
  const description = {
    entity: model.name,
    table: model.table.name,
    families: [...model.table.families].map(([name, { gc, aggregate }]) => ({
      name,
      gc: gc === undefined ? 'never' : gcRuleText(gc),
      aggregate,
    })),
    key: describeKey(model),
    columns: model.columns.map((column) => describeColumn(model, column)),
    messages: messagesOf(model).map(describeMessage),
    indexes: listOf(model.indexes, describeIndex),
    rollups: listOf(model.rollups, describeRollup),
    patterns: model.patterns,
    copies: (model.copies ?? []).flatMap(describeCopies),
    cellTimestamp: model.cellTimestamp,
    expiresAt: model.expiresAt?.property,
    marker: model.marker?.family,
    warnings: keyWarnings(model),
  };
  Object.defineProperty(description, 'toString', { value: () => descriptionText(description) });
  return Object.freeze(description);
}

function describeKey({ key }: EntityModel): EntityDescription['key'] {
  const { format, shards } = key.spec;
  let shardText: string | undefined;
  if (shards !== undefined) shardText = `${shards.count} by ${shards.by.join(', ')}`;
  return {
    format: typeof format === 'string' ? format : `delimited(${JSON.stringify(format.delimiter)})`,
    parts: key.describe(),
    shards: shardText,
    maxBytes: Number.isFinite(key.maxLength) ? key.maxLength : undefined,
  };
}

function describeColumn({ managed = {} }: EntityModel, column: ColumnModel): ColumnDescription {
  const roles = Object.entries(managed) as [ManagedRole, string][];
  return {
    property: column.property,
    kind: column.kind,
    family: column.family,
    qualifier: column.kind === 'columnMap' ? undefined : printable(column.qualifier),
    type: column.message === undefined ? column.codec.kind : `message ${column.message.name}`,
    keys: column.kind === 'columnMap' ? keysText(column.qualifiers) : undefined,
    role: roles.find(([, property]) => property === column.property)?.[0],
    rules: columnRulesText(column),
  };
}

function describeCopies({ source, by, columns }: CopyModel): CopyDescription[] {
  return columns.map(({ from, to }) => ({
    property: to.property,
    of: `${source.name}.${from.property}`,
    by: Object.fromEntries(by),
  }));
}

/** The kind and the encoding of a map's keys; undefined for text. */
function keysText({ type, encoding }: QualifierCodec): string | undefined {
  if (type.kind === 'string') return undefined;
  return `${type.kind}: ${encoding}`;
}

/** Undefined for an empty list. */
function listOf<T, D>(all: readonly T[], described: (each: T) => D): readonly D[] | undefined {
  return all.length === 0 ? undefined : all.map(described);
}

function describeIndex({
  name,
  id,
  unique,
  entry,
  segments,
  covered,
}: IndexModel): IndexDescription {
  return { name, id, unique, table: entry.table.name, segments, covered };
}

function describeRollup({ name, rows, by, width, results }: RollupModel): RollupDescription {
  return {
    name,
    table: rows.table.name,
    by,
    seconds: width / 1000,
    values: results.map((each) =>
      [each.name, each.kind, each.property].filter((text) => text !== undefined).join(' '),
    ),
  };
}

function describeMessage({ name, fields }: MessageShape): EntityDescription['messages'][number] {
  return {
    name,
    generated: hasStaticCodec(name) ? true : undefined,
    fields: fields.map((field) => ({
      number: field.number,
      name: field.name,
      type: fieldText(field),
      oneof: field.oneof,
    })),
  };
}

function fieldText({ type, label, mapKey }: FieldShape): string {
  const element = elementText(type);
  if (label === 'map') return `map<${mapKey}, ${element}>`;
  if (label === 'repeated') return `repeated ${element}`;
  return element;
}

function elementText(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'enum':
      return `enum ${type.name}`;
    case 'message':
      return type.shape().name;
  }
}

/** Warnings about keys that are allowed but may be too long when an entity is saved. */
export function keyWarnings({ key }: Pick<EntityModel, 'key'>): string[] {
  if (Number.isFinite(key.maxLength)) return [];
  return [
    `the key has no maximum size, and Bigtable allows ${maxRowKeyBytes} bytes: give strings and bytes a maxLength`,
  ];
}
