/**
 * Row -> entity, compiled once for a projection. Cells arrive sorted by family and qualifier, and
 * so are the slots: one walk over both, comparing bytes where they lie; no cell becomes an object
 * and no qualifier a string.
 */
import { compareBytes, compareSlices, noBytes } from '../bytes/index.js';
import { propertySetter } from '../key/index.js';
import type { ColumnModel, EntityModel, Version } from '../model/index.js';
import type { RowCursor } from '../store/index.js';
import { damagedCellAt } from './cell-error.js';
import { textOf } from './qualifier.js';

/** What a hydrator needs of a projection (query room). */
export interface HydratedColumns {
  readonly columns: readonly ColumnModel[];
  /** True for instances of the entity class, false for plain objects. */
  readonly whole: boolean;
}

/**
 * Reads the row the cursor stands on. Undefined when the key is not the entity's. Throws
 * DAMAGED_CELL. Keeps small caches of what it read last; readers that take turns may share it.
 */
export type Hydrator = (cursor: RowCursor) => object | undefined;

type Target = Record<string, unknown>;

/** A column and how one of its cells goes into the entity. */
interface Slot {
  readonly column: ColumnModel;
  readonly qualifier: Uint8Array;
  /** Takes the cell the cursor stands on. */
  readonly take: (target: Target, cursor: RowCursor) => void;
}

/** The slots of one family: a column map takes every cell, else by qualifier. */
interface FamilySlots {
  readonly map: Slot | undefined;
  readonly slots: readonly Slot[];
  /** The slot behind which no cell of the row is wanted any more; -1 where that is none. */
  readonly final: number;
}

const noSlots: FamilySlots = { map: undefined, slots: [], final: -1 };

/** Compiles the hydrator of a projection. */
export function compileHydrator(model: EntityModel, { columns, whole }: HydratedColumns): Hydrator {
  const decodeKey = model.key.decoder();
  const families = slotsByFamily(columns);
  const setDefaults = defaultSetter(columns);
  const EntityClass = model.entityClass;
  let family: string | undefined;
  let current = noSlots;
  /** The slot that takes a cell, for the error when it cannot. */
  let taking: Slot | undefined;

  function takeCells(target: Target, cursor: RowCursor): void {
    let at = 0;
    while (cursor.nextCell()) {
      if (cursor.family !== family) {
        family = cursor.family;
        current = families.get(family) ?? noSlots;
        at = 0;
      }
      if (current.map !== undefined) (taking = current.map).take(target, cursor);
      else if ((at = takeColumn(current.slots, at, target, cursor)) === current.final) return;
    }
  }

  function takeColumn(
    slots: readonly Slot[],
    from: number,
    target: Target,
    cursor: RowCursor,
  ): number {
    for (let at = from; at < slots.length; at++) {
      const slot = slots[at];
      const order = compareQualifiers(cursor, slot.qualifier);
      if (order < 0) return at;
      if (order > 0) continue;
      taking = slot;
      slot.take(target, cursor);
      // Older cells of a single-valued column then compare below the next slot and are passed over.
      return slot.column.kind === 'versions' ? at : at + 1;
    }
    return slots.length;
  }

  return (cursor) => {
    const target: Target = whole ? (new EntityClass() as Target) : {};
    if (!decodeKey(cursor.keyBytes, cursor.keyStart, cursor.keyEnd, target)) return undefined;
    if (columns.length === 0) return target;
    setDefaults?.(target);
    try {
      takeCells(target, cursor);
    } catch (error) {
      throw taking === undefined ? error : damagedCellAt(model, taking.column, cursor, error);
    }
    return target;
  };
}

/**
 * The order of the cursor's qualifier and a slot's; mostly they are the same, which needs no order.
 */
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

function slotsByFamily(columns: readonly ColumnModel[]): ReadonlyMap<string, FamilySlots> {
  const families = new Map<string, { map: Slot | undefined; slots: Slot[]; final: number }>();
  for (const column of columns) {
    const slots = families.get(column.family) ?? { map: undefined, slots: [], final: -1 };
    families.set(column.family, slots);
    if (column.kind === 'columnMap')
      slots.map = { column, qualifier: noBytes, take: takeMapEntry(column) };
    else if (column.kind === 'versions')
      slots.slots.push({ column, qualifier: column.qualifier, take: takeVersion(column) });
    else if (column.kind === 'counter' || column.alsoReads === undefined)
      slots.slots.push({ column, qualifier: column.qualifier, take: takeValue(column) });
    else slots.slots.push(...slotsOfNames(column, [column.qualifier, ...column.alsoReads]));
  }
  // Earlier names stand anywhere among the others.
  for (const { slots } of families.values())
    slots.sort((a, b) => compareBytes(a.qualifier, b.qualifier));
  const last = columns.at(-1);
  const lastFamily = last === undefined ? undefined : families.get(last.family);
  if (lastFamily !== undefined && lastFamily.map === undefined)
    lastFamily.final = lastFamily.slots.length;
  return families;
}

function takeValue({ property, codec }: ColumnModel): Slot['take'] {
  const set = propertySetter(property);
  return (target, cursor) =>
    set(target, codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
}

/**
 * A slot for each name of a column, the newest first: of the names that a row has, the newest gives
 * the value.
 */
function slotsOfNames(column: ColumnModel, names: readonly Uint8Array[]): Slot[] {
  const set = propertySetter(column.property);
  let filled: Target | undefined;
  let best = 0;
  return names.map((qualifier, rank) => ({
    column,
    qualifier,
    take: (target, cursor) => {
      if (filled === target && best < rank) return;
      set(target, column.codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
      filled = target;
      best = rank;
    },
  }));
}

/**
 * Sets what absent values are read as, before cells replace it; undefined where no column has a
 * default.
 */
function defaultSetter(columns: readonly ColumnModel[]): ((target: Target) => void) | undefined {
  const defaults = columns.flatMap((column) =>
    'default' in column && column.default !== undefined
      ? [{ property: column.property, make: column.default }]
      : [],
  );
  if (defaults.length === 0) return undefined;
  return (target) => {
    for (const { property, make } of defaults) target[property] = make();
  };
}

function takeVersion({ property, codec }: ColumnModel): Slot['take'] {
  let filled: Target | undefined;
  let versions: Version<unknown>[] = [];
  return (target, cursor) => {
    const value = codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
    // What the class puts there by default is replaced, not added to.
    if (filled !== target) target[property] = versions = [];
    filled = target;
    versions.push({ at: new Date(Number(cursor.timestamp() / 1000n)), value });
  };
}

function takeMapEntry({ property, codec }: ColumnModel): Slot['take'] {
  let filled: Target | undefined;
  let map = new Map<string, unknown>();
  return (target, cursor) => {
    if (filled !== target) target[property] = map = new Map();
    filled = target;
    const key = textOf(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd);
    // Newest cell first: older versions of the same qualifier do not replace it.
    if (!map.has(key))
      map.set(key, codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
  };
}
