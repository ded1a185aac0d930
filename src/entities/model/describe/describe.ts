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
import type { Constructor } from '../declaration/declaration.js';
import type { ManagedRole } from '../declaration/columns/managed-columns.js';
import { descriptionText } from './description-text.js';
import { gcRuleText } from '../gc-rule.js';
import { messagesOf } from '../messages-of.js';
import type { ColumnModel, CopyModel, EntityModel, IndexModel, PatternModel } from '../model.js';
import type { RollupModel } from '../rollup-model.js';

/** An entity as plain data. `toString()` returns it as text. */
export interface EntityDescription {
  readonly entity: string;
  readonly table: string;
  /** Sorted by name; `gc` is `never` without a rule. */
  readonly families: readonly {
    readonly name: string;
    readonly gc: string;
    readonly aggregate?: string | undefined;
  }[];
  readonly key: {
    /** `text`, `ordered` or `delimited('|')`. */
    readonly format: string;
    /** The parts with their encodings, in key order. */
    readonly parts: readonly string[];
    /** `16 by device`; undefined without shards. */
    readonly shards?: string | undefined;
    /** Maximum size of a key in bytes; undefined if a segment has no declared limit. */
    readonly maxBytes: number | undefined;
  };
  /** In storage order. */
  readonly columns: readonly ColumnDescription[];
  /**
   * The messages in the cells, nested ones included; `generated` is true if a codec of `rowsmith
   * generate` is registered for the message.
   */
  readonly messages: readonly {
    readonly name: string;
    readonly generated?: true;
    readonly fields: readonly FieldDescription[];
  }[];
  /** In the order of declaration; absent without indexes. */
  readonly indexes?: readonly IndexDescription[] | undefined;
  /** The same for rollups. */
  readonly rollups?: readonly RollupDescription[] | undefined;
  /** In the order of declaration. */
  readonly patterns: readonly PatternModel[];
  /** In the order of declaration. */
  readonly copies: readonly CopyDescription[];
  /** The property that is the timestamp of the cells. */
  readonly cellTimestamp?: string;
  /** The family of the marker cell. */
  readonly marker?: string;
  /** What is allowed but may fail when an entity is saved: a key without a maximum size. */
  readonly warnings: readonly string[];
  /** The description as text, without a trailing line break. */
  toString(): string;
}

/** A column. */
export interface ColumnDescription {
  readonly property: string;
  readonly kind: ColumnModel['kind'];
  readonly family: string;
  /** As printable text; undefined for column maps. */
  readonly qualifier: string | undefined;
  /** `double`, `message telemetry.Status`. */
  readonly type: string;
  /** Column maps with keys other than text: their kind and encoding. */
  readonly keys?: string | undefined;
  /** Set if the library sets its values. */
  readonly role?: ManagedRole | undefined;
}

/** An index. */
export interface IndexDescription {
  readonly name: string;
  /** What its entries begin with. */
  readonly id: string;
  readonly unique: boolean;
  /** The table of the entries. */
  readonly table: string;
  /** The segments of the index, without the segments of the row key that follow. */
  readonly segments: readonly string[];
  /** The covered properties. */
  readonly covered: readonly string[];
}

/** A rollup. */
export interface RollupDescription {
  readonly name: string;
  /** The table of its rows. */
  readonly table: string;
  /** The segments of its key; the last is the time. */
  readonly by: readonly string[];
  /** The width of a bucket in seconds. */
  readonly seconds: number;
  /** `count`, `mean avg temperature`. */
  readonly values: readonly string[];
}

/** A column that holds a value of another entity's row. */
export interface CopyDescription {
  readonly property: string;
  /** The entity that has the value, and its property: `Author.name`. */
  readonly of: string;
  /** For each segment of that entity's key, the property of this one that has its value. */
  readonly by: Readonly<Record<string, string>>;
}

/** A field of a message. */
export interface FieldDescription {
  readonly number: number;
  readonly name: string;
  /** In protobuf syntax: `repeated string`, `map<string, double>`. */
  readonly type: string;
  readonly oneof?: string;
}

/** Describes what an entity class stores, and where. Throws INVALID_DECLARATION with all faults. */
export function describe(entityClass: Constructor): EntityDescription {
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
