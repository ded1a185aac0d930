/** A base row as its indexes see it: the cells on which entries depend. */
import { equalBytes, latin1Text } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import {
  type ColumnModel,
  type EntityModel,
  entryColumns,
  type IndexModel,
  qualifiersOf,
  rollupTokens,
} from '../../model/index.js';
import type { Cell, Filter, Mutation } from '../../store/index.js';
import type { Copied, EntryName, PlannedEntry, SeenRow } from '../protocol/step.js';
import { familiesOf } from '../row/families.js';
import { Contributions, type RolledChange } from '../rollup/contributions.js';
import { decodeToken } from '../rollup/row-token.js';
import { copiedCells, sourceNames } from '../source/copied-values.js';
import {
  type CellValues,
  columnId,
  type RowAfter,
  type RowBefore,
  rowAfter,
  type RowChange,
  valueOf,
} from '../row/row-after.js';
import { readFilter, watchedCells, wideFilter } from './watched-cells.js';

type Values = Readonly<Record<string, unknown>>;

/** An entry with the cells that it covers, by position in the index's list. */
export interface IndexEntry extends PlannedEntry {
  readonly values: readonly (Uint8Array | undefined)[];
}

/** A base row that was read. */
export interface WatchedRow extends SeenRow, RowBefore {
  readonly entries: readonly (IndexEntry & { readonly token: string | undefined })[];
}

/** An index that a row cannot be in. */
export interface IndexFault {
  /** Position of the index in the entity's declaration. */
  readonly index: number;
  readonly error: unknown;
}

/** The rows of an entity with indexes, or with values that others copy. */
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
    this.filter = readFilter(model, this.families, watched);
    this.wideFilter = wideFilter(model, this.families);
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
    const tokenOf = ({ index }: EntryName): string | undefined => {
      const token = cells.get(
        columnId(entryColumns.tokens, Buffer.from(this.model.indexes[index].id)),
      );
      return token && latin1Text(token);
    };
    const entries = exists ? this.#entries(key, cells, () => undefined) : [];
    return {
      version: version && latin1Text(version),
      exists,
      entries: entries.map((entry) => ({ ...entry, token: tokenOf(entry) })),
      rolled: this.model.rollups.map(({ id }) =>
        decodeToken(cells.get(columnId(rollupTokens, Buffer.from(id)))),
      ),
      cells,
      times,
      columns,
    };
  }

  /**
   * The entries of a row after a write, with these values in its copies. Throws INVALID_KEY and
   * INVALID_VALUE for values that cannot be in an index.
   */
  after(
    key: Uint8Array,
    seen: WatchedRow,
    change: RowChange,
    copied: Copied = [],
  ): readonly IndexEntry[] {
    return this.#after(key, rowAfter(seen, change), copied, ({ error }) => {
      throw error;
    });
  }

  /**
   * The entries of a row with these values in its copies: those of the indexes at these positions,
   * those that it has, and those that the copies make. Throws as `after` does, unless the row could
   * not be in another index before either.
   */
  again(
    key: Uint8Array,
    seen: WatchedRow,
    copied: Copied,
    indexes: readonly number[],
  ): readonly IndexEntry[] {
    const row = { exists: seen.exists, cells: new Map(seen.cells) };
    const hadFault = (at: number): boolean =>
      !indexes.includes(at) && this.faultsOf(key, seen).some(({ index }) => index === at);
    const entries = this.#after(key, row, copied, ({ index, error }) => {
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
    { exists, cells }: RowAfter,
    copied: Copied,
    onFault: (fault: IndexFault) => void,
  ): readonly IndexEntry[] {
    if (!exists) return [];
    this.#copy(cells, copied);
    return this.#entries(key, cells, onFault);
  }

  #copy(cells: Map<string, Uint8Array>, copied: Copied): void {
    for (const { to, value } of copiedCells(this.model, copied)) {
      const [id, ...earlier] = qualifiersOf(to).map((each) => columnId(to.family, each));
      for (const each of earlier) cells.delete(each);
      if (value === undefined) cells.delete(id);
      else cells.set(id, value);
    }
  }

  /**
   * The buckets of rollups that a write changes, with these values in its copies. Throws
   * INVALID_VALUE for values that a rollup cannot keep exactly.
   */
  rolls(
    key: Uint8Array,
    seen: WatchedRow,
    change: RowChange,
    copied: Copied,
  ): readonly RolledChange[] {
    const after = rowAfter(seen, change);
    if (after.exists) this.#copy(after.cells, copied);
    return this.#contributions.changes(key, seen, after, seen.rolled);
  }

  /** Whether rollups depend on a column. */
  isRolled({ property }: ColumnModel): boolean {
    return this.#contributions.slots.some((slot) => slot.property === property);
  }

  /**
   * The names of the rows from which a row copies after a write. Throws INVALID_KEY for values that
   * are no key of such a row.
   */
  sources(key: Uint8Array, seen: WatchedRow, change: RowChange): readonly string[] {
    const { copies = [], indexes } = this.model;
    const { exists, cells } = rowAfter(seen, change);
    const values: Record<string, unknown> = {};
    if (!exists || !this.#decodeKey(key, 0, key.length, values)) return [];
    for (const { index } of copies)
      for (const column of indexes[index].columns) values[column.property] = decoded(column, cells);
    return sourceNames(this.model, values);
  }

  /** The stored value of a column on which something depends. */
  valueOf({ cells }: WatchedRow, column: ColumnModel): Uint8Array | undefined {
    return valueOf(cells, column);
  }

  /** Whether a write changes values that other rows copy. */
  changesSource(seen: WatchedRow, change: RowChange): boolean {
    const { cells } = rowAfter(seen, change);
    return this.model.copiedBy!.columns.some((column) => {
      const before = valueOf(seen.cells, column);
      const after = valueOf(cells, column);
      if (before === undefined || after === undefined) return before !== after;
      return !equalBytes(before, after);
    });
  }

  /** The indexes that a row cannot be in, because of its values. */
  faultsOf(key: Uint8Array, seen: WatchedRow): readonly IndexFault[] {
    const faults: IndexFault[] = [];
    if (!seen.exists) return faults;
    this.#entries(key, seen.cells, (fault) => void faults.push(fault));
    return faults;
  }

  #entries(key: Uint8Array, cells: CellValues, onFault: (fault: IndexFault) => void): IndexEntry[] {
    const segments: Record<string, unknown> = {};
    if (!this.#decodeKey(key, 0, key.length, segments)) return [];
    return this.model.indexes.flatMap((index, at) => {
      try {
        return this.#entry(index, at, segments, cells) ?? [];
      } catch (error) {
        onFault({ index: at, error });
        return [];
      }
    });
  }

  #entry(
    index: IndexModel,
    at: number,
    segments: Values,
    cells: CellValues,
  ): IndexEntry | undefined {
    const values: Record<string, unknown> = { ...segments };
    for (const column of index.columns) values[column.property] = decoded(column, cells);
    const entryKey = entryKeyOf(index, values);
    if (entryKey === undefined) return undefined;
    const covered = index.covered.map((property) =>
      valueOf(
        cells,
        index.columns.find((column) => column.property === property)!,
      ),
    );
    return {
      index: at,
      key: latin1Text(entryKey),
      unique: index.unique,
      covered: JSON.stringify(covered.map((value) => value && latin1Text(value))),
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
        problem: problem ?? 'the value cannot be indexed',
        fix,
      },
      { cause: error },
    );
  }
}

function decoded(column: ColumnModel, cells: CellValues): unknown {
  const value = valueOf(cells, column);
  if (value !== undefined) return column.codec.decode(value, 0, value.length);
  if ('default' in column && column.default !== undefined) return column.default();
  return undefined;
}
