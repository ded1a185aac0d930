/**
 * Conversion of rows into entities, compiled once per projection. Cells and slots are both sorted
 * by family and qualifier, so they are merged in one pass that compares bytes in the cursor's
 * buffers; no objects are created for cells and no strings for qualifiers.
 */
import { compareBytes, compareSlices, noBytes } from '../../../base/index.js';
import { propertySetter } from '../../../data/key/index.js';
import {
  type ColumnModel,
  type EntityModel,
  plainRowJson,
  type Version,
} from '../../model/index.js';
import type { RowCursor } from '../../../data/store/index.js';
import { checkedCodec } from './checked-codec.js';
import { damagedCellErrorAt, incompleteRowError } from './cell-error.js';
import { markPartial, type PartialRead } from './partial-entities.js';
import { DateMap } from '../../../data/cell/index.js';
import { type MapColumn, qualifierReader } from '../qualifier.js';

/** The columns that a hydrator reads, from a projection of the query layer. */
export interface HydratedColumns {
  readonly columns: readonly ColumnModel[];
  /** True for instances of the entity class, false for plain objects. */
  readonly whole: boolean;
  /**
   * Column maps that are not returned as Maps: their keys as an array, their number, or a list of
   * `{ at, value }`.
   */
  readonly forms?: ReadonlyMap<string, 'keys' | 'count' | 'list'>;
  /** Set if the query leaves out stored versions or newer cells. */
  readonly partial?: PartialRead;
  /** Rows without a cell in these families do not exist; undefined if no other cells are read. */
  readonly existsIn?: ReadonlySet<string> | undefined;
  /** Counts the cells that were read for nothing. If it is set, rows are read to their end. */
  readonly dropped?: DroppedCells | undefined;
}

/** Cells of other families or columns, and older versions. */
export interface DroppedCells {
  count: number;
}

/** What a hydrator returns for a row of the entity that does not exist for the query. */
export const absentRow: object = Object.freeze({});

/**
 * Reads the cursor's current row. Returns undefined if the key does not belong to the entity, and
 * `absentRow` if the row does not exist for the query.
 * Throws DAMAGED_CELL. Caches a few recently read values; calls must not overlap.
 */
export type Hydrator = (cursor: RowCursor) => object | undefined;

type Target = Record<string, unknown>;

/** A qualifier of a column, and how its cells are read into the entity. */
interface Slot {
  readonly column: ColumnModel;
  readonly qualifier: Uint8Array;
  /** Reads the cursor's current cell into `target`. */
  readonly read: (target: Target, cursor: RowCursor) => void;
}

/** The slots of one family, sorted by qualifier. A column map reads all cells of its family. */
interface FamilySlots {
  readonly map: Slot | undefined;
  readonly slots: readonly Slot[];
  /** Once this slot index is reached, the rest of the row can be skipped; -1 if it cannot. */
  readonly final: number;
}

/** Throws if the row that was just read lacks a value because of a damaged cell. */
type RowCheck = (target: Target) => void;

const noSlots: FamilySlots = { map: undefined, slots: [], final: -1 };

/** Compiles the hydrator of a projection. */
export function compileHydrator(model: EntityModel, selected: HydratedColumns): Hydrator {
  const hydrate = compileColumns(model, selected);
  const finish = selected.whole
    ? partialMarker(selected.partial)
    : plainRowJson(model, selected.columns);
  const required = requiredOf(selected);
  if (finish === undefined && required.length === 0) return hydrate;
  return (cursor) => {
    const row = hydrate(cursor);
    if (row === undefined || row === absentRow) return row;
    for (const property of required)
      if ((row as Target)[property] === undefined)
        throw incompleteRowError(model, required, row as Target, cursor);
    finish?.(row as Target);
    return row;
  };
}

/** The required columns among the columns that are read as they are now. */
function requiredOf({ columns, partial }: HydratedColumns): readonly string[] {
  // As of an earlier time, a row may lack what garbage collection has removed since.
  if (partial === 'asOf') return [];
  return columns.flatMap((column) =>
    'required' in column && column.required === true ? [column.property] : [],
  );
}

function partialMarker(partial: PartialRead | undefined): ((entity: Target) => void) | undefined {
  if (partial === undefined) return undefined;
  return (entity) => markPartial(entity, partial);
}

function compileColumns(
  model: EntityModel,
  { columns, whole, forms, existsIn, dropped }: HydratedColumns,
): Hydrator {
  const decodeKey = model.key.decoder();
  const checks: RowCheck[] = [];
  const families = slotsByFamily(
    columns,
    (column) => slotsOf(model, column, checks),
    forms,
    dropped,
  );
  const setDefaults = defaultSetter(columns, forms);
  const create = whole ? entityMaker(model) : () => ({});
  let family: string | undefined;
  let familySlots = noSlots;
  let existsInFamily = existsIn === undefined;
  /** The slot that is reading a cell, to report an error. */
  let activeSlot: Slot | undefined;

  /** Returns whether the row exists. */
  function readCells(target: Target, cursor: RowCursor): boolean {
    let at = 0;
    let exists = false;
    while (cursor.nextCell()) {
      if (cursor.family !== family) {
        family = cursor.family;
        familySlots = families.get(family) ?? noSlots;
        existsInFamily = existsIn === undefined || existsIn.has(family);
        at = 0;
      }
      if (existsInFamily) exists = true;
      if (familySlots.map !== undefined) {
        activeSlot = familySlots.map;
        activeSlot.read(target, cursor);
      } else {
        at = readColumn(familySlots.slots, at, target, cursor);
        if (exists && at === familySlots.final && dropped === undefined) return true;
      }
    }
    return exists || existsIn === undefined;
  }

  /** Reads a cell if it belongs to one of the slots. Returns the slot for the next cell. */
  function readColumn(
    slots: readonly Slot[],
    from: number,
    target: Target,
    cursor: RowCursor,
  ): number {
    for (let at = from; at < slots.length; at++) {
      const slot = slots[at];
      const order = compareQualifiers(cursor, slot.qualifier);
      if (order < 0) {
        if (dropped !== undefined) dropped.count++;
        return at;
      }
      if (order > 0) continue;
      activeSlot = slot;
      slot.read(target, cursor);
      if (slot.column.kind === 'versions') return at;
      // Older cells of this column compare below the next slot, and are skipped.
      return at + 1;
    }
    if (dropped !== undefined) dropped.count++;
    return slots.length;
  }

  return (cursor) => {
    const target: Target = create();
    if (!decodeKey(cursor.keyBytes, cursor.keyStart, cursor.keyEnd, target)) return undefined;
    if (columns.length === 0 && existsIn === undefined) return target;
    setDefaults?.(target);
    try {
      if (!readCells(target, cursor)) return absentRow;
      for (const check of checks) check(target);
    } catch (error) {
      if (activeSlot === undefined) throw error;
      throw damagedCellErrorAt(model, activeSlot.column, cursor, error);
    }
    return target;
  };
}

/**
 * A function that creates instances to read into. What the class assigns to columns (`size = 1`) is
 * for new entities, and is reset to undefined: a read returns what is stored, and saving its result
 * must not add to it. Empty Maps and arrays are kept.
 */
function entityMaker({ entityClass, columns }: EntityModel): () => Target {
  const create = (): Target => new entityClass() as Target;
  const sample = create();
  const assigned = columns
    .map(({ property }) => property)
    .filter((property) => holdsValue(sample[property]));
  if (assigned.length === 0) return create;
  return () => {
    const target = create();
    for (const property of assigned) target[property] = undefined;
    return target;
  };
}

function holdsValue(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (value instanceof Map) return value.size > 0;
  return !Array.isArray(value) || value.length > 0;
}

/** Compares the cursor's qualifier with a slot's. The fast path is for equal ones. */
function compareQualifiers(
  { qualifierBytes, qualifierStart, qualifierEnd }: RowCursor,
  qualifier: Uint8Array,
): number {
  const { length } = qualifier;
  if (qualifierEnd - qualifierStart === length) {
    let i = 0;
    while (i < length && qualifierBytes[qualifierStart + i] === qualifier[i]) i++;
    if (i === length) return 0;
  }
  return compareSlices(qualifierBytes, qualifierStart, qualifierEnd, qualifier, 0, length);
}

function slotsByFamily(
  columns: readonly ColumnModel[],
  slotsOfColumn: (column: Exclude<ColumnModel, MapColumn>) => readonly Slot[],
  forms: HydratedColumns['forms'],
  dropped: DroppedCells | undefined,
): ReadonlyMap<string, FamilySlots> {
  const families = new Map<string, { map: Slot | undefined; slots: Slot[]; final: number }>();
  for (const column of columns) {
    const family = families.get(column.family) ?? { map: undefined, slots: [], final: -1 };
    families.set(column.family, family);
    if (column.kind === 'columnMap')
      family.map = { column, qualifier: noBytes, read: mapReader(column, forms, dropped) };
    else family.slots.push(...slotsOfColumn(column));
  }
  // Earlier qualifiers of a column can sort anywhere among the qualifiers of other columns.
  for (const { slots } of families.values())
    slots.sort((a, b) => compareBytes(a.qualifier, b.qualifier));
  // Families come in any order, so that with several of them one may follow.
  const [only, another] = families.values();
  if (only !== undefined && another === undefined && only.map === undefined)
    only.final = only.slots.length;
  return families;
}

function slotsOf(
  model: EntityModel,
  column: Exclude<ColumnModel, MapColumn>,
  checks: RowCheck[],
): Slot[] {
  const { qualifier } = column;
  if (column.kind === 'versions') return [{ column, qualifier, read: versionReader(column) }];
  if (column.kind === 'counter' || column.alsoReads === undefined)
    return [{ column, qualifier, read: valueReader(column) }];
  return slotsOfQualifiers(model, column, [qualifier, ...column.alsoReads], checks);
}

function valueReader(column: ColumnModel): Slot['read'] {
  const { property } = column;
  const codec = checkedCodec(column);
  const set = propertySetter(property);
  return (target, cursor) =>
    set(target, codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
}

/**
 * One slot per qualifier of a column, newest first. If a row has cells under several qualifiers,
 * the newest qualifier provides the value, and damage under earlier names does not matter.
 */
function slotsOfQualifiers(
  model: EntityModel,
  column: ColumnModel,
  qualifiers: readonly Uint8Array[],
  checks: RowCheck[],
): Slot[] {
  const set = propertySetter(column.property);
  const codec = checkedCodec(column);
  let filled: Target | undefined;
  let bestRank = 0;
  let damage: { readonly error: unknown } | undefined;
  checks.push((target) => {
    if (filled === target && damage !== undefined) throw damage.error;
  });
  return qualifiers.map((qualifier, rank) => ({
    column,
    qualifier,
    read: (target, cursor) => {
      if (filled === target && bestRank < rank) return;
      filled = target;
      bestRank = rank;
      damage = undefined;
      try {
        set(target, codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
      } catch (error) {
        damage = { error: damagedCellErrorAt(model, column, cursor, error) };
      }
    },
  }));
}

/** Sets the declared defaults before cells replace them; undefined if no column has a default. */
function defaultSetter(
  columns: readonly ColumnModel[],
  forms: HydratedColumns['forms'],
): ((target: Target) => void) | undefined {
  const defaults: { readonly property: string; readonly create: () => unknown }[] = [];
  for (const column of columns) {
    if ('default' in column && column.default !== undefined)
      defaults.push({ property: column.property, create: column.default });
  }
  for (const [property, form] of forms ?? [])
    defaults.push({ property, create: () => (form === 'count' ? 0 : []) });
  if (defaults.length === 0) return undefined;
  return (target) => {
    for (const { property, create } of defaults) target[property] = create();
  };
}

function versionReader({ property, codec }: ColumnModel): Slot['read'] {
  let filled: Target | undefined;
  let versions: Version<unknown>[] = [];
  return (target, cursor) => {
    const value = codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
    // Replaces the initial value that the class may have set.
    if (filled !== target) target[property] = versions = [];
    filled = target;
    versions.push({ at: new Date(Number(cursor.timestamp() / 1000n)), value });
  };
}

function mapReader(
  column: MapColumn,
  forms: HydratedColumns['forms'],
  dropped: DroppedCells | undefined,
): Slot['read'] {
  const { property } = column;
  switch (forms?.get(property)) {
    case 'count':
      return (target) => (target[property] = (target[property] as number) + 1);
    case 'keys': {
      const readKey = qualifierReader(column);
      return (target, { qualifierBytes, qualifierStart, qualifierEnd }) =>
        (target[property] as unknown[]).push(readKey(qualifierBytes, qualifierStart, qualifierEnd));
    }
    case 'list':
      return listReader(column);
    default:
      return mapEntryReader(column, dropped);
  }
}

function listReader(column: MapColumn): Slot['read'] {
  const { property, codec } = column;
  const readKey = qualifierReader(column);
  return (target, cursor) => {
    const at = readKey(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd);
    const value = codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
    (target[property] as unknown[]).push({ at, value });
  };
}

function mapEntryReader(column: MapColumn, dropped: DroppedCells | undefined): Slot['read'] {
  const { property, codec } = column;
  const create = mapMaker(column);
  const readKey = qualifierReader(column);
  let filled: Target | undefined;
  let map = create();
  return (target, cursor) => {
    if (filled !== target) target[property] = map = create();
    filled = target;
    const key = readKey(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd);
    // Cells come newest first; older versions of a qualifier are ignored.
    if (map.has(key)) {
      if (dropped !== undefined) dropped.count++;
    } else {
      map.set(key, codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
    }
  };
}

/** A function that creates the Maps of a column map. */
function mapMaker({ qualifiers }: MapColumn): () => Map<unknown, unknown> {
  if (qualifiers.type.kind === 'timestamp') return () => new DateMap<unknown>();
  return () => new Map();
}
