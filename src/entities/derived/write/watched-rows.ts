/** A base row as its indexes see it: the cells on which entries depend. */
import { entryFaults } from './entry-faults.js';
import { equalBytes, latin1Text, RowsmithError, type Values } from '../../../base/index.js';
import {
  type ColumnModel,
  type EntityModel,
  entryColumns,
  type IndexModel,
  qualifiersOf,
  rollupTokens,
} from '../../model/index.js';
import type { Cell, Filter, Micros, Mutation } from '../../../data/store/index.js';
import { coveredTime, entryTime } from '../index/entry-time.js';
import type { Copied, PlannedEntry, SeenRow } from '../protocol/step.js';
import { decodedCell } from '../row/decoded-cell.js';
import { familiesOf } from '../row/families.js';
import { Contributions, type RolledChange } from '../rollup/bucket/contributions.js';
import { decodeToken } from '../rollup/input/row-token.js';
import { copiedCells, sourceNames } from '../source/copied-values.js';
import {
  columnId,
  copyTime,
  type RowAfter,
  type RowBefore,
  rowAfter,
  type WrittenChange,
  newestValue,
} from '../row/row-after.js';
import { readFilter, watchedCells, wideFilter } from './watched-cells.js';

/** A covered cell, and its timestamp in the entry, in milliseconds. */
export interface CoveredCell {
  readonly value: Uint8Array;
  readonly time: number;
}

/** An entry with the cells that it covers, by position in the index's list. */
export interface IndexEntry extends PlannedEntry {
  readonly values: readonly (CoveredCell | undefined)[];
}

/** An entry that a row has, with the time that its entry should have at least. */
export interface StoredEntry extends IndexEntry {
  readonly token: string | undefined;
  readonly needed: number;
}

/** A base row that was read. */
export interface WatchedRow extends SeenRow, RowBefore {
  readonly entries: readonly StoredEntry[];
}

/** A write of a row, with the values in its copies. */
interface Written {
  readonly change: WrittenChange;
  readonly copied: Copied;
}

type TimedCells = Pick<RowAfter, 'cells' | 'times'>;
type RowCells = Pick<RowBefore, 'cells' | 'times'>;

/** A row with the values of its key. */
interface DecodedRow {
  readonly key: Uint8Array;
  readonly segments: Values;
  readonly row: RowCells;
}

const noChange: WrittenChange = { mutations: [] };

/** An index that a row cannot be in. */
export interface IndexFault {
  /** Position of the index in the entity's declaration. */
  readonly index: number;
  readonly error: unknown;
}

/** What follows from a write. */
export interface PlannedWrite {
  readonly entries: readonly IndexEntry[];
  readonly rolls: readonly RolledChange[];
}

/** The rows of an entity with indexes, or with values that other rows copy. */
export class WatchedRows {
  readonly model: EntityModel;
  /** The cells that are read before a write. */
  readonly filter: Filter;
  /** The same, and which columns have a cell. */
  readonly wideFilter: Filter;
  /** The families in which a cell makes a row exist. */
  readonly families: readonly string[];
  readonly #watched: ReadonlySet<string>;
  readonly #total: boolean;
  readonly #contributions: Contributions;
  readonly #decodeKey: ReturnType<EntityModel['key']['decoder']>;

  constructor(model: EntityModel) {
    this.model = model;
    this.families = familiesOf(model);
    this.#contributions = new Contributions(model);
    const watched = watchedCells(model, this.#contributions);
    this.wideFilter = wideFilter(model, this.families);
    // The last cell of a row may be in any column.
    const isTimed = model.indexes.some(({ total, expiry }) => total && expiry !== undefined);
    this.filter = isTimed ? this.wideFilter : readFilter(model, this.families, watched);
    this.#watched = new Set(
      watched.flatMap(({ family, qualifiers }) =>
        qualifiers.map((qualifier) => columnId(family, qualifier)),
      ),
    );
    this.#total = model.rollups.length > 0 || model.indexes.some(({ total }) => total);
    this.#decodeKey = model.key.decoder();
  }

  /** Whether the mutations leave all entries and copies as they are, whatever the row holds. */
  leavesEntries(mutations: readonly Mutation[]): boolean {
    // A write that makes a row makes its entries.
    if (this.#total) return false;
    return mutations.every((mutation) => {
      if (mutation.kind === 'deleteFromRow' || mutation.kind === 'deleteFromFamily') return false;
      return !this.isWatched(mutation.family, mutation.qualifier);
    });
  }

  /** Whether an entry or a copy depends on a column. */
  isWatched(family: string, qualifier: Uint8Array): boolean {
    return this.#watched.has(columnId(family, qualifier));
  }

  /** Whether each row of the entity has entries, or is counted. */
  get isTotal(): boolean {
    return this.#total;
  }

  /**
   * Whether it must be known which columns of a row have a cell: whether a deletion leaves any.
   */
  needsColumns(mutations: readonly Mutation[]): boolean {
    return (
      this.#total &&
      mutations.length > 0 &&
      mutations.every(({ kind }) => kind === 'deleteFromColumn' || kind === 'deleteFromFamily')
    );
  }

  /**
   * The row as it was read; without cells, as it is if there is none. `isWide` tells which filter
   * was used.
   */
  seen(key: Uint8Array, stored: readonly Cell[], isWide = false): WatchedRow {
    const columns = isWide ? new Set<string>() : undefined;
    const cells = new Map<string, Uint8Array>();
    const times = new Map<string, bigint>();
    for (const { family, qualifier, timestamp, value } of stored) {
      const id = columnId(family, qualifier);
      if (this.families.includes(family)) columns?.add(id);
      if (cells.has(id)) continue;
      cells.set(id, value);
      times.set(id, BigInt(timestamp));
    }
    const { family, qualifier } = entryColumns.version;
    const version = cells.get(columnId(family, qualifier));
    const exists = stored.some((cell) => this.families.includes(cell.family));
    const row = { cells, times };
    const entries = exists ? this.#entries(key, row, () => undefined) : [];
    return {
      version: version && latin1Text(version),
      exists,
      entries: entries.map((entry) => this.#stored(entry, row)),
      rolled: this.model.rollups.map(({ id }) =>
        decodeToken(cells.get(columnId(rollupTokens, Buffer.from(id)))),
      ),
      cells,
      times,
      columns,
    };
  }

  /** An entry, with what the row says of it. */
  #stored(entry: IndexEntry, { cells, times }: RowCells): StoredEntry {
    const { own, id } = this.model.indexes[entry.index];
    const column = columnId(own.tokens, Buffer.from(id));
    const token = cells.get(column);
    const time = Number((times.get(column) ?? 0n) / 1000n);
    return { ...entry, time, needed: entry.time, token: token && latin1Text(token) };
  }

  /**
   * The entries of a row after a write, with these values in its copies. Throws INVALID_KEY and
   * INVALID_VALUE for values that cannot be in an index.
   */
  after(
    key: Uint8Array,
    seen: WatchedRow,
    change: WrittenChange,
    copied: Copied = [],
  ): readonly IndexEntry[] {
    return this.#after(key, seen, { change, copied }, thrown);
  }

  /**
   * The entries of a row with these values in its copies: in the indexes at these positions, and
   * elsewhere the entries that the row has and the entries that the copies make. Throws as `after`
   * does, unless the row could not be in another index before either.
   */
  again(
    key: Uint8Array,
    seen: WatchedRow,
    copied: Copied,
    indexes: readonly number[],
  ): readonly IndexEntry[] {
    const hadFault = (at: number): boolean =>
      !indexes.includes(at) && this.faultsOf(key, seen).some(({ index }) => index === at);
    const entries = this.#after(key, seen, { change: noChange, copied }, ({ index, error }) => {
      if (!hadFault(index)) throw error;
    });
    return entries.filter(({ index }) => {
      if (indexes.includes(index)) return true;
      const had = seen.entries.find((each) => each.index === index);
      return had === undefined || had.token !== undefined;
    });
  }

  #after(
    key: Uint8Array,
    seen: WatchedRow,
    written: Written,
    onFault: (fault: IndexFault) => void,
  ): readonly IndexEntry[] {
    const row = this.#rowAfter(seen, written);
    return row.exists ? this.#entries(key, row, onFault) : [];
  }

  #rowAfter(seen: WatchedRow, { change, copied }: Written): RowAfter {
    const row = rowAfter(seen, change);
    if (row.exists) this.#copy(row, copied, copyTime(seen, change, this.families));
    return row;
  }

  #copy({ cells, times }: TimedCells, copied: Copied, time: Micros): void {
    for (const { to, value } of copiedCells(this.model, copied)) {
      const [id, ...earlier] = qualifiersOf(to).map((each) => columnId(to.family, each));
      for (const each of [id, ...earlier]) {
        cells.delete(each);
        times.delete(each);
      }
      if (value === undefined) continue;
      cells.set(id, value);
      times.set(id, BigInt(time));
    }
  }

  /**
   * The buckets of rollups that a write changes, with these values in its copies. Throws
   * INVALID_VALUE for values that a rollup cannot keep exactly.
   */
  rolls(
    key: Uint8Array,
    seen: WatchedRow,
    change: WrittenChange,
    copied: Copied,
  ): readonly RolledChange[] {
    const after = this.#rowAfter(seen, { change, copied });
    return this.#contributions.changes(key, seen, after, seen.rolled);
  }

  /** The entries and the changes of buckets of a row without copies. Throws as both do. */
  planned(key: Uint8Array, seen: WatchedRow, change: WrittenChange): PlannedWrite {
    const after = rowAfter(seen, change);
    return {
      entries: after.exists ? this.#entries(key, after, thrown) : [],
      rolls: this.#contributions.changes(key, seen, after, seen.rolled),
    };
  }

  /** Whether rollups depend on a column. */
  isRolled({ property }: ColumnModel): boolean {
    return this.#contributions.slots.some((slot) => slot.property === property);
  }

  /**
   * The names of the rows from which a row copies after a write. Throws INVALID_KEY for values that
   * are no key of such a row.
   */
  sources(key: Uint8Array, seen: WatchedRow, change: WrittenChange): readonly string[] {
    const { copies = [], indexes } = this.model;
    const { exists, cells } = rowAfter(seen, change);
    const values: Record<string, unknown> = {};
    if (!exists || !this.#decodeKey(key, 0, key.length, values)) return [];
    for (const { index } of copies)
      for (const column of indexes[index].columns)
        values[column.property] = decodedCell(this.model, key, column, cells);
    return sourceNames(this.model, values);
  }

  /** The stored value of a column on which something depends. */
  valueOf({ cells }: WatchedRow, column: ColumnModel): Uint8Array | undefined {
    return newestValue(cells, column);
  }

  /** Whether a write changes values that other rows copy. */
  changesSource(seen: WatchedRow, change: WrittenChange): boolean {
    const { cells } = rowAfter(seen, change);
    return this.model.copiedBy!.columns.some((column) => {
      const before = newestValue(seen.cells, column);
      const after = newestValue(cells, column);
      if (before === undefined || after === undefined) return before !== after;
      return !equalBytes(before, after);
    });
  }

  /** The indexes that a row cannot be in, because of its values. */
  faultsOf(key: Uint8Array, seen: WatchedRow): readonly IndexFault[] {
    const found: IndexFault[] = [];
    if (!seen.exists) return found;
    this.#entries(key, seen, (fault) => void found.push(fault));
    return found;
  }

  #entries(key: Uint8Array, row: RowCells, onFault: (fault: IndexFault) => void): IndexEntry[] {
    const segments: Record<string, unknown> = {};
    if (!this.#decodeKey(key, 0, key.length, segments)) return [];
    return this.model.indexes.flatMap((index, at) => {
      try {
        return this.#entry({ key, segments, row }, index, at) ?? [];
      } catch (error) {
        onFault({ index: at, error });
        return [];
      }
    });
  }

  #entry(
    { key, segments, row: { cells, times } }: DecodedRow,
    index: IndexModel,
    at: number,
  ): IndexEntry | undefined {
    const values: Record<string, unknown> = { ...segments };
    for (const column of index.columns)
      if (index.segments.includes(column.property))
        values[column.property] = decodedCell(this.model, key, column, cells);
    const entryKey = entryKeyOf(index, values);
    if (entryKey === undefined) return undefined;
    const time = entryTime(index, times);
    const covered = index.covered.map((property): CoveredCell | undefined => {
      const column = index.columns.find((each) => each.property === property)!;
      const { family } = column;
      const ids = qualifiersOf(column).map((each) => columnId(family, each));
      const id = ids.find((each) => cells.has(each));
      if (id === undefined) return undefined;
      const cell = times.get(id)!;
      return { value: cells.get(id)!, time: coveredTime(index, { family, cell }, time) };
    });
    return {
      index: at,
      key: latin1Text(entryKey),
      unique: index.unique,
      time,
      covered: JSON.stringify(covered.map((each) => each && [latin1Text(each.value), each.time])),
      values: covered,
    };
  }
}

/**
 * The key of a row's entry; undefined if a segment has no value. Throws INVALID_KEY with the name
 * of the index.
 */
export function entryKeyOf({ entry }: IndexModel, values: Values): Uint8Array | undefined {
  const given: Record<string, unknown> = {};
  for (const { property, type } of entry.segments) {
    const value = values[property] ?? null;
    if (value === null && type.nullable !== true) return undefined;
    given[property] = value;
  }
  try {
    return entry.key.encode(given);
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    const { problem, fix } = error.details;
    throw new RowsmithError(
      error.code,
      {
        ...error.details,
        entity: entry.name,
        ...entryFaults.unindexableValue(problem ?? 'the value cannot be indexed', fix),
      },
      { cause: error },
    );
  }
}

function thrown({ error }: IndexFault): never {
  throw error;
}
