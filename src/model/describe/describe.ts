/**
 * A model as plain data and as calm text: what is stored where, for people, golden files and tools.
 */
import { maxRowKeyBytes } from '../../base/index.js';
import { printable } from '../../bytes/index.js';
import { type FieldShape, type MessageShape, hasStaticCodec } from '../../cell/index.js';
import { buildModel } from '../build/build.js';
import type { Constructor } from '../declaration/declaration.js';
import { descriptionText } from './description-text.js';
import { gcRuleText } from '../gc-rule.js';
import { messagesOf } from '../messages-of.js';
import type { ColumnModel, EntityModel, PatternModel } from '../model.js';

/** An entity as plain data. `toString()` prints it. */
export interface EntityDescription {
  readonly entity: string;
  readonly table: string;
  /** By name; `gc` is `never` without a rule. */
  readonly families: readonly {
    readonly name: string;
    readonly gc: string;
    readonly aggregate?: string;
  }[];
  readonly key: {
    /** `text`, `ordered` or `delimited('|')`. */
    readonly format: string;
    /** Each part with its encoding, in key order. */
    readonly parts: readonly string[];
    /** `16 by device`; absent without shards. */
    readonly shards?: string;
    /** Bytes of the longest key that declared limits allow; undefined where a segment has none. */
    readonly longest: number | undefined;
  };
  /** In the order of their cells. */
  readonly columns: readonly ColumnDescription[];
  /**
   * Messages in the cells, nested ones too; `generated` where a codec that `rowsmith generate`
   * printed is imported, and so is used.
   */
  readonly messages: readonly {
    readonly name: string;
    readonly generated?: true;
    readonly fields: readonly FieldDescription[];
  }[];
  /** Access patterns, in the order of their declaration. */
  readonly patterns: readonly PatternModel[];
  /** Property whose moment is the timestamp of the cells. */
  readonly cellTimestamp?: string;
  /** Family of the marker cell. */
  readonly marker?: string;
  /**
   * What is allowed but may go wrong: a key without a longest length, or one that can be longer
   * than Bigtable takes.
   */
  readonly warnings: readonly string[];
  /** The description as text, ending without a line break. */
  toString(): string;
}

/** One column. */
export interface ColumnDescription {
  readonly property: string;
  readonly kind: ColumnModel['kind'];
  readonly family: string;
  /** Printable; undefined for column maps. */
  readonly qualifier: string | undefined;
  /** `double`, `message telemetry.Status`. */
  readonly type: string;
}

/** One field of a message. */
export interface FieldDescription {
  readonly number: number;
  readonly name: string;
  /** In protobuf's terms: `repeated string`, `map<string, double>`. */
  readonly type: string;
  readonly oneof?: string;
}

/** What an entity class stores, and where. Throws INVALID_DECLARATION with every fault. */
export function describe(entityClass: Constructor): EntityDescription {
  const model = buildModel(entityClass);
  const description = {
    entity: model.name,
    table: model.table.name,
    families: [...model.table.families].map(([name, { gc, aggregate }]) => ({
      name,
      gc: gc === undefined ? 'never' : gcRuleText(gc),
      ...(aggregate === undefined ? {} : { aggregate }),
    })),
    key: describeKey(model),
    columns: model.columns.map(describeColumn),
    messages: messagesOf(model).map(describeMessage),
    patterns: model.patterns,
    ...(model.cellTimestamp === undefined ? {} : { cellTimestamp: model.cellTimestamp }),
    ...(model.marker === undefined ? {} : { marker: model.marker.family }),
    warnings: keyWarnings(model),
  };
  Object.defineProperty(description, 'toString', { value: () => descriptionText(description) });
  return Object.freeze(description);
}

function describeKey({ key }: EntityModel): EntityDescription['key'] {
  const { format, shards } = key.spec;
  return {
    format: typeof format === 'string' ? format : `delimited(${JSON.stringify(format.delimiter)})`,
    parts: key.describe(),
    ...(shards === undefined ? {} : { shards: `${shards.count} by ${shards.by.join(', ')}` }),
    longest: Number.isFinite(key.maxLength) ? key.maxLength : undefined,
  };
}

function describeColumn(column: ColumnModel): ColumnDescription {
  return {
    property: column.property,
    kind: column.kind,
    family: column.family,
    qualifier: column.kind === 'columnMap' ? undefined : printable(column.qualifier),
    type: column.message === undefined ? column.codec.kind : `message ${column.message.name}`,
  };
}

function describeMessage({ name, fields }: MessageShape): EntityDescription['messages'][number] {
  const generated = hasStaticCodec(name) ? { generated: true as const } : {};
  return {
    name,
    ...generated,
    fields: fields.map((field) => ({
      number: field.number,
      name: field.name,
      type: fieldText(field),
      ...(field.oneof === undefined ? {} : { oneof: field.oneof }),
    })),
  };
}

function fieldText({ type, label, mapKey }: FieldShape): string {
  const element =
    type.kind === 'scalar'
      ? type.scalar
      : type.kind === 'enum'
        ? `enum ${type.name}`
        : type.shape().name;
  if (label === 'map') return `map<${mapKey}, ${element}>`;
  return label === 'repeated' ? `repeated ${element}` : element;
}

/** What is allowed but may fail when an entity is saved. */
export function keyWarnings({ key }: Pick<EntityModel, 'key'>): string[] {
  if (Number.isFinite(key.maxLength)) return [];
  return [
    `the key has no longest length, and Bigtable takes ${maxRowKeyBytes} bytes: give strings and bytes a maxLength`,
  ];
}
