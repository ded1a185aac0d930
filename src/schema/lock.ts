/**
 * What `rowsmith.lock.json` holds: everything about bytes that was ever released. It is compared
 * with the entities as they are now, so that no change of a declaration misreads what is stored.
 */
import { printable } from '../bytes/index.js';
import type { FieldShape, FieldType, MessageShape } from '../cell/index.js';
import type { KeySpec } from '../key/index.js';
import { messagesOf, type ColumnModel, type EntityModel } from '../model/index.js';
import { segmentBytes } from './segment-bytes.js';

/** The version of the lock file that this program writes. */
export const lockVersion = 1;

/** The whole lock. Names are in byte order, so that the text is the same on every machine. */
export interface Lock {
  readonly version: typeof lockVersion;
  readonly tables: Readonly<Record<string, LockedTable>>;
  readonly messages: Readonly<Record<string, LockedMessage>>;
  /** Enums by full name. */
  readonly enums: Readonly<Record<string, LockedEnum>>;
}

/** A table: the kinds of its families, and the entities whose rows it holds. */
export interface LockedTable {
  /** `plain`, or the aggregate; by name. */
  readonly families: Readonly<Record<string, 'plain' | 'sum' | 'min' | 'max'>>;
  readonly entities: Readonly<Record<string, LockedEntity>>;
}

/** An entity. */
export interface LockedEntity {
  /** Set where no class declares it any more: its rows may still be there. */
  readonly removed?: true;
  readonly key: LockedKey;
  /** Family of the marker cell. */
  readonly marker?: string;
  /** By family and qualifier. */
  readonly columns: readonly LockedColumn[];
}

/** A row key: what decides its bytes. */
export interface LockedKey {
  /** `text`, `ordered`, or `delimited` and the character. */
  readonly format: string;
  readonly shards?: { readonly count: number; readonly by: readonly string[] };
  readonly parts: readonly LockedPart[];
}

/** A literal, or a segment with the options that change its bytes. */
export type LockedPart =
  | { readonly literal: string }
  | ({ readonly segment: string; readonly kind: string } & Readonly<Record<string, unknown>>);

/** A column. */
export interface LockedColumn {
  readonly family: string;
  /**
   * Printable ASCII, other bytes as `\xNN`; absent for a column map, which has the whole family.
   */
  readonly qualifier?: string;
  readonly property: string;
  /** What its cells hold: `double`, `message telemetry.Status`. */
  readonly type: string;
  /** Version of the values it writes, where it upgrades older ones. */
  readonly version?: number;
  /** Set where it is an earlier name, which the column only reads. */
  readonly earlier?: true;
  readonly removed?: true;
}

/** A message: its fields by number, and the numbers that were in use once. */
export interface LockedMessage {
  readonly fields: Readonly<Record<string, LockedField>>;
  /** Fields that were removed: neither number nor name may serve another. */
  readonly reserved?: Readonly<Record<string, LockedField>>;
}

/** A field. */
export interface LockedField {
  readonly name: string;
  /** In protobuf's terms: `int64`, `enum telemetry.Mode`, `message telemetry.Position`. */
  readonly type: string;
  readonly label?: 'repeated' | 'map';
  /** Kind of the keys of a map. */
  readonly key?: string;
  readonly oneof?: string;
}

/** An enum: numbers by member, and members that were there once. */
export interface LockedEnum {
  readonly values: Readonly<Record<string, number>>;
  readonly reserved?: Readonly<Record<string, number>>;
}

/** A lock of nothing. */
export const emptyLock: Lock = Object.freeze({
  version: lockVersion,
  tables: {},
  messages: {},
  enums: {},
});

/** The entities as they are now, as a lock. */
export function lockOf(models: readonly EntityModel[]): Lock {
  const tables: Record<
    string,
    {
      families: Record<string, 'plain' | 'sum' | 'min' | 'max'>;
      entities: Record<string, LockedEntity>;
    }
  > = {};
  const messages: Record<string, LockedMessage> = {};
  const enums: Record<string, LockedEnum> = {};
  for (const model of models) {
    const table = (tables[model.table.name] ??= { families: {}, entities: {} });
    for (const [family, { aggregate }] of model.table.families)
      table.families[family] = aggregate ?? 'plain';
    table.entities[model.name] = lockedEntity(model);
    for (const shape of messagesOf(model)) {
      messages[shape.name] = lockedMessage(shape);
      for (const { type } of shape.fields)
        if (type.kind === 'enum') enums[type.name] = { values: Object.fromEntries(type.values) };
    }
  }
  return { version: lockVersion, tables, messages, enums };
}

function lockedEntity({ key, marker, columns }: EntityModel): LockedEntity {
  return {
    key: lockedKey(key.spec),
    ...(marker === undefined ? {} : { marker: marker.family }),
    columns: columns.flatMap(lockedColumns),
  };
}

function lockedKey({ format, parts, shards }: KeySpec): LockedKey {
  return {
    format: typeof format === 'string' ? format : `delimited ${format.delimiter}`,
    ...(shards === undefined ? {} : { shards: { count: shards.count, by: [...shards.by] } }),
    parts: parts.map((part) =>
      part.kind === 'literal'
        ? { literal: part.text }
        : { segment: part.name, ...segmentBytes(part.type) },
    ),
  };
}

/** A column as the lock records it, and the earlier names that it reads. */
function lockedColumns(column: ColumnModel): LockedColumn[] {
  const { family, property } = column;
  const type = column.message === undefined ? column.codec.kind : `message ${column.message.name}`;
  if (column.kind === 'columnMap') return [{ family, property, type }];
  const own = { family, qualifier: printable(column.qualifier), property, type };
  if (column.kind !== 'column' && column.kind !== 'packed') return [own];
  const { alsoReads = [], version } = column;
  return [
    { ...own, ...(version === undefined ? {} : { version }) },
    ...alsoReads.map((name): LockedColumn => ({
      ...own,
      qualifier: printable(name),
      earlier: true,
    })),
  ];
}

function lockedMessage({ fields }: MessageShape): LockedMessage {
  return {
    fields: Object.fromEntries(fields.map((field) => [String(field.number), lockedField(field)])),
  };
}

/** A field as the lock records it. */
function lockedField({ name, type, label, mapKey, oneof }: FieldShape): LockedField {
  return {
    name,
    type: fieldTypeText(type),
    ...(label === 'singular' ? {} : { label }),
    ...(mapKey === undefined ? {} : { key: mapKey }),
    ...(oneof === undefined ? {} : { oneof }),
  };
}

function fieldTypeText(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'enum':
      return `enum ${type.name}`;
    case 'message':
      return `message ${type.shape().name}`;
  }
}
