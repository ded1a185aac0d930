/**
 * The content of `rowsmith.lock.json`: everything that was ever released and determines stored
 * bytes. It is compared with the current entities, so that no change of a declaration misreads
 * stored data.
 */
import { printable } from '../../../base/index.js';
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import type { KeyPart, KeySpec } from '../../../data/key/index.js';
import {
  messagesOf,
  type ColumnModel,
  type CopyModel,
  type EntityModel,
  type IndexModel,
  type RollupModel,
} from '../../../entities/model/index.js';
import type { Aggregate } from '../../../data/store/index.js';
import { segmentBytes } from './segment-bytes.js';

/** The version of the lock file format that this program writes. */
export const lockVersion = 1;

/** A lock. */
export interface Lock {
  readonly version: typeof lockVersion;
  readonly tables: Readonly<Record<string, LockedTable>>;
  readonly messages: Readonly<Record<string, LockedMessage>>;
  /** Enums by full name. */
  readonly enums: Readonly<Record<string, LockedEnum>>;
}

/** The kind of a family: `plain`, or its aggregate. */
export type FamilyKind = 'plain' | Aggregate;

/** A table: the kinds of its families, and its entities. */
export interface LockedTable {
  /** `plain` or the aggregate, by family name. */
  readonly families: Readonly<Record<string, FamilyKind>>;
  readonly entities: Readonly<Record<string, LockedEntity>>;
}

/** An entity. */
export interface LockedEntity {
  /** Set if no class declares it; its rows may still exist. */
  readonly removed?: true;
  readonly key: LockedKey;
  /** The family of the marker cell. */
  readonly marker?: string;
  /** Sorted by family and qualifier in the lock file. */
  readonly columns: readonly LockedColumn[];
  /** By name; absent without indexes. */
  readonly indexes?: Readonly<Record<string, LockedIndex>>;
  /** The same for rollups. */
  readonly rollups?: Readonly<Record<string, LockedRollup>>;
  /** By property; absent without copies. */
  readonly copies?: Readonly<Record<string, LockedCopy>>;
}

/** A rollup: what determines its rows. */
export interface LockedRollup {
  /** The table of its rows. */
  readonly table: string;
  /** The segments of its key; the last is the time. */
  readonly parts: readonly LockedPart[];
  /** The seconds to which the time is floored. */
  readonly seconds: number;
  /** Families and qualifiers, sorted: `_sum:temperature.2`. */
  readonly cells: readonly string[];
  /** Set if it is no longer declared; its rows may still exist. */
  readonly removed?: true;
}

/** A column that holds a value of another entity's row. */
export interface LockedCopy {
  /** The entity that has the value, and its property. */
  readonly entity: string;
  readonly property: string;
  /** For each segment of its key, the property of this entity that has its value. */
  readonly by: Readonly<Record<string, string>>;
}

/** An index: what determines its entries. */
export interface LockedIndex {
  /** The id, which its entries begin with. */
  readonly id: string;
  /** The table of the entries. */
  readonly table: string;
  readonly unique?: true;
  /** The segments of an entry's key, without the segments of the row key that follow. */
  readonly parts: readonly LockedPart[];
  /** The covered properties. */
  readonly covered?: readonly string[];
  /** Set if it is no longer declared; its entries may still exist. */
  readonly removed?: true;
}

/** What determines the bytes of a row key. */
export interface LockedKey {
  /** `text`, `ordered`, or `delimited` with the delimiter, such as `delimited |`. */
  readonly format: string;
  readonly shards?: { readonly count: number; readonly by: readonly string[] } | undefined;
  readonly parts: readonly LockedPart[];
}

/** A literal, or a segment with the options that determine its bytes. */
export type LockedPart =
  | { readonly literal: string }
  | ({ readonly segment: string; readonly kind: string } & Readonly<Record<string, unknown>>);

/** A column. */
export interface LockedColumn {
  readonly family: string;
  /** Printable ASCII, other bytes as `\xNN`; undefined for column maps. */
  readonly qualifier?: string;
  readonly property: string;
  /** The type of its cells: `double`, `message telemetry.Status`. */
  readonly type: string;
  /** Column maps: the kind of qualifiers, with the options that determine bytes; absent: text. */
  readonly qualifiers?: LockedQualifiers;
  /** The version of the values it writes, if it upgrades older ones. */
  readonly version?: number;
  /** Set for an earlier qualifier, which the column only reads. */
  readonly earlier?: true;
  readonly removed?: true;
}

/** The qualifiers of a column map. */
export type LockedQualifiers = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** A message: its fields by number, and removed fields. */
export interface LockedMessage {
  readonly fields: Readonly<Record<string, LockedField>>;
  /** Removed fields by number: neither their numbers nor their names may be reused. */
  readonly reserved?: Readonly<Record<string, LockedField>>;
}

/** A field. */
export interface LockedField {
  readonly name: string;
  /** `int64`, `enum telemetry.Mode`, `message telemetry.Position`. */
  readonly type: string;
  readonly label?: 'repeated' | 'map';
  /** The key type of a map. */
  readonly key?: string;
  readonly oneof?: string;
}

/** An enum: its numbers by member, and removed members. */
export interface LockedEnum {
  readonly values: Readonly<Record<string, number>>;
  readonly reserved?: Readonly<Record<string, number>>;
}

/**
 * An object with these entries and without a prototype: a lookup of a name such as `constructor`
 * finds only entries. All names in a lock are the user's.
 */
export function entriesByName<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, Object.fromEntries(entries));
}

/** A lock without entries. */
export const emptyLock: Lock = Object.freeze({
  version: lockVersion,
  tables: entriesByName<never>(),
  messages: entriesByName<never>(),
  enums: entriesByName<never>(),
});

/** A table that is being filled. */
export interface MutableTable {
  families: Record<string, FamilyKind>;
  entities: Record<string, LockedEntity>;
}
/** Tables by name that are being filled. */
export type MutableTables = Record<string, MutableTable>;

/** The current entities as a lock. */
export function lockOf(models: readonly EntityModel[]): Lock {
  const tables: MutableTables = entriesByName();
  const messages = entriesByName<LockedMessage>();
  const enums = entriesByName<LockedEnum>();
  for (const model of models) {
    const table = (tables[model.table.name] ??= {
      families: entriesByName(),
      entities: entriesByName(),
    });
    for (const [family, { aggregate }] of model.table.families)
      table.families[family] = aggregate ?? 'plain';
    table.entities[model.name] = lockedEntity(model);
    for (const shape of messagesOf(model)) {
      messages[shape.name] = lockedMessage(shape);
      for (const { type } of shape.fields)
        if (type.kind === 'enum') enums[type.name] = { values: entriesByName(type.values) };
    }
  }
  return { version: lockVersion, tables, messages, enums };
}

function lockedEntity(model: EntityModel): LockedEntity {
  const { key, marker, columns, indexes, rollups, copies } = model;
  return {
    key: lockedKey(key.spec),
    marker: marker?.family,
    columns: columns.flatMap(lockedColumns),
    indexes: byNameOf(indexes, lockedIndex),
    rollups: byNameOf(rollups, lockedRollup),
    copies: copies && entriesByName(copies.flatMap(lockedCopies)),
  };
}

function byNameOf<T extends { readonly name: string }, L>(
  all: readonly T[],
  locked: (each: T) => L,
): Readonly<Record<string, L>> | undefined {
  if (all.length === 0) return undefined;
  return entriesByName(all.map((each) => [each.name, locked(each)]));
}

function lockedRollup({ rows, width, cells }: RollupModel): LockedRollup {
  return {
    table: rows.table.name,
    parts: rows.segments.map(({ property, type }) => ({
      segment: property,
      ...segmentBytes(type),
    })),
    seconds: width / 1000,
    cells: cells.map(({ family, qualifier }) => `${family}:${printable(qualifier)}`).sort(),
  };
}

function lockedCopies({ source, by, columns }: CopyModel): [string, LockedCopy][] {
  return columns.map(({ from, to }) => [
    to.property,
    { entity: source.name, property: from.property, by: entriesByName(by) },
  ]);
}

function lockedIndex({ id, unique, segments, covered, entry }: IndexModel): LockedIndex {
  const own = entry.segments.slice(0, segments.length);
  return {
    id,
    table: entry.table.name,
    unique: unique ? true : undefined,
    parts: own.map(({ property, type }) => ({ segment: property, ...segmentBytes(type) })),
    covered: covered.length === 0 ? undefined : covered,
  };
}

function lockedKey({ format, parts, shards }: KeySpec): LockedKey {
  return {
    format: typeof format === 'string' ? format : `delimited ${format.delimiter}`,
    shards,
    parts: parts.map(lockedPart),
  };
}

function lockedPart(part: KeyPart): LockedPart {
  if (part.kind === 'literal') return { literal: part.text };
  return { segment: part.name, ...segmentBytes(part.type) };
}

/** The column, and its earlier qualifiers. */
function lockedColumns(column: ColumnModel): LockedColumn[] {
  const { family, property } = column;
  const type = column.message === undefined ? column.codec.kind : `message ${column.message.name}`;
  if (column.kind === 'columnMap') {
    const map = { family, property, type };
    if (column.qualifiers.type.kind === 'string') return [map];
    return [{ ...map, qualifiers: segmentBytes(column.qualifiers.type) }];
  }
  const own = { family, qualifier: printable(column.qualifier), property, type };
  if (column.kind !== 'column' && column.kind !== 'packed') return [own];
  const { alsoReads = [], version } = column;
  return [
    { ...own, version },
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

function lockedField({ name, type, label, mapKey, oneof }: FieldShape): LockedField {
  return {
    name,
    type: fieldTypeText(type),
    label: label === 'singular' ? undefined : label,
    key: mapKey,
    oneof,
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
