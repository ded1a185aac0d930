/** A base row as its indexes see it: the cells on which entries depend. */
import { latin1Bytes, latin1Text } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import {
  type ColumnModel,
  type EntityModel,
  entryColumns,
  type IndexModel,
  qualifiersOf,
} from '../../model/index.js';
import type { Cell, Filter, Micros, Mutation, RowMutation } from '../../store/index.js';
import type { EntryName, PlannedEntry, SeenRow } from '../protocol/step.js';

type Values = Readonly<Record<string, unknown>>;
/** The newest value of each column, by family and qualifier. */
type CellValues = ReadonlyMap<string, Uint8Array>;

/** An entry with the cells that it covers, by position in the index's list. */
export interface IndexEntry extends PlannedEntry {
  readonly values: readonly (Uint8Array | undefined)[];
}

/** A base row that was read. */
export interface IndexedRow extends SeenRow {
  readonly entries: readonly (IndexEntry & { readonly token: string | undefined })[];
  readonly cells: CellValues;
  /** The timestamp of the newest cell of each column. */
  readonly times: ReadonlyMap<string, bigint>;
}

/**
 * Whether a stored cell is at least `by` newer than a time. Times that the storage gives, and none,
 * are newer than all.
 */
function isNewer(stored: bigint | undefined, time: Micros | undefined, by = 0n): boolean {
  if (stored === undefined || time === undefined || time < 0) return false;
  return stored >= BigInt(time) + by;
}

/** An index that a row cannot be in. */
export interface IndexFault {
  /** Position of the index in the entity's declaration. */
  readonly index: number;
  readonly error: unknown;
}

function columnId(family: string, qualifier: Uint8Array): string {
  return `${family}:${latin1Text(qualifier)}`;
}

/** The newest cell of the first qualifier that has one. */
function valueOf(cells: CellValues, column: ColumnModel): Uint8Array | undefined {
  for (const qualifier of qualifiersOf(column)) {
    const value = cells.get(columnId(column.family, qualifier));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The rows of an entity with indexes. */
export class IndexedRows {
  readonly model: EntityModel;
  /** The cells that are read before a write. */
  readonly filter: Filter;
  /** The families in which a cell makes a row exist. */
  readonly families: readonly string[];
  readonly #watched: ReadonlySet<string>;
  readonly #total: boolean;
  readonly #decodeKey: ReturnType<EntityModel['key']['decoder']>;

  constructor(model: EntityModel) {
    this.model = model;
    this.families = familiesOf(model);
    this.filter = readFilter(model, this.families);
    const columns = model.indexes.flatMap((index) => index.columns);
    this.#watched = new Set(
      columns.flatMap((column) =>
        qualifiersOf(column).map((qualifier) => columnId(column.family, qualifier)),
      ),
    );
    this.#total = model.indexes.some(({ total }) => total);
    this.#decodeKey = model.key.decoder();
  }

  /** Whether the mutations of a row leave all of its entries as they are, whatever it holds. */
  leavesEntries(mutations: readonly Mutation[]): boolean {
    // A write that makes a row makes its entries.
    if (this.#total) return false;
    return mutations.every((mutation) => {
      if (mutation.kind === 'deleteFromRow' || mutation.kind === 'deleteFromFamily') return false;
      return !this.isWatched(mutation.family, mutation.qualifier);
    });
  }

  /** Whether an entry depends on a column. */
  isWatched(family: string, qualifier: Uint8Array): boolean {
    return this.#watched.has(columnId(family, qualifier));
  }

  /** Whether each row of the entity has entries. */
  get isTotal(): boolean {
    return this.#total;
  }

  /** The row as it was read; without cells, as it is if there is none. */
  seen(key: Uint8Array, stored: readonly Cell[]): IndexedRow {
    const cells = new Map<string, Uint8Array>();
    const times = new Map<string, bigint>();
    for (const { family, qualifier, timestamp, value } of stored) {
      const id = columnId(family, qualifier);
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
      cells,
      times,
    };
  }

  /**
   * The entries of a row after a write. Throws INVALID_KEY and INVALID_VALUE for values that cannot
   * be in an index. The write is the newest, unless `keepsTimes`: then each column has the cell
   * with the newest timestamp.
   */
  after(
    key: Uint8Array,
    seen: IndexedRow,
    mutations: readonly Mutation[],
    keepsTimes = false,
  ): readonly IndexEntry[] {
    const cells = new Map(seen.cells);
    const times = keepsTimes ? new Map(seen.times) : undefined;
    let exists = seen.exists;
    for (const mutation of mutations) {
      if (mutation.kind === 'deleteFromRow') {
        cells.clear();
        times?.clear();
        exists = false;
      } else if (mutation.kind === 'deleteFromFamily') {
        const prefix = `${mutation.family}:`;
        for (const id of cells.keys()) if (id.startsWith(prefix)) cells.delete(id);
      } else if (mutation.kind === 'deleteFromColumn') {
        // A write with a condition deletes the cells of all times: see newestWrite.
        const id = columnId(mutation.family, mutation.qualifier);
        if (mutation.start === undefined && !isNewer(times?.get(id), mutation.end))
          cells.delete(id);
      } else {
        exists = true;
        if (mutation.kind !== 'setCell') continue;
        const id = columnId(mutation.family, mutation.qualifier);
        if (isNewer(times?.get(id), mutation.timestamp, 1n)) continue;
        cells.set(id, mutation.value);
        times?.set(id, BigInt(mutation.timestamp));
      }
    }
    if (!exists) return [];
    return this.#entries(key, cells, (error) => {
      throw error;
    });
  }

  /** The indexes that a row cannot be in, because of its values. */
  faultsOf(key: Uint8Array, seen: IndexedRow): readonly IndexFault[] {
    const faults: IndexFault[] = [];
    if (!seen.exists) return faults;
    this.#entries(key, seen.cells, (error, index) => void faults.push({ index, error }));
    return faults;
  }

  #entries(
    key: Uint8Array,
    cells: CellValues,
    onError: (error: unknown, index: number) => undefined,
  ): IndexEntry[] {
    const segments: Record<string, unknown> = {};
    if (!this.#decodeKey(key, 0, key.length, segments)) return [];
    return this.model.indexes.flatMap((index, at) => {
      try {
        return this.#entry(index, at, segments, cells) ?? [];
      } catch (error) {
        return onError(error, at) ?? [];
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

/** The families in which a cell makes a row of the entity exist. */
export function familiesOf(model: EntityModel): readonly string[] {
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  return [...model.table.families.keys()].filter((family) => families.has(family));
}

function readFilter(model: EntityModel, families: readonly string[]): Filter {
  const columns = new Set(model.indexes.flatMap((index) => index.columns));
  const own: Filter = {
    kind: 'families',
    families: [entryColumns.tokens, entryColumns.version.family],
  };
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  const exists: Filter = {
    kind: 'chain',
    filters: [
      { kind: 'families', families },
      { kind: 'cellsPerRow', count: 1 },
    ],
  };
  const filters = [{ kind: 'chain', filters: [own, newest] } as const, exists];
  if (columns.size > 0) {
    const watched: Filter = {
      kind: 'columns',
      columns: Array.from(columns, (column) => ({
        family: column.family,
        qualifiers: qualifiersOf(column),
      })),
    };
    filters.unshift({ kind: 'chain', filters: [watched, newest] });
  }
  return { kind: 'interleave', filters };
}

/** The time of all cells of ours but tokens of entries: it means nothing. */
const entryTimestamp = 0;

/**
 * The mutation that writes an entry. `row` is the key of the base row. The token has the time of
 * the storage's clock, so that no client repeats the request: a copy that arrives late would bring
 * back a token that a repair has read.
 */
export function entryMutation(
  model: EntityModel,
  entry: IndexEntry,
  token: string,
  row: Uint8Array,
): RowMutation {
  const index = model.indexes[entry.index];
  const mutations: Mutation[] = [
    { kind: 'deleteFromRow' },
    { ...setCell(entryColumns.token, latin1Bytes(token)), timestamp: -1 },
  ];
  if (index.unique) mutations.push(setCell(entryColumns.holder, row));
  index.covered.forEach((property, i) => {
    const value = entry.values[i];
    const column = { family: entryColumns.covered, qualifier: Buffer.from(property) };
    if (value !== undefined) mutations.push(setCell(column, value));
  });
  return { key: latin1Bytes(entry.key), mutations };
}

function setCell(
  { family, qualifier }: { readonly family: string; readonly qualifier: Uint8Array },
  value: Uint8Array,
): Extract<Mutation, { kind: 'setCell' }> {
  return { kind: 'setCell', family, qualifier, timestamp: entryTimestamp, value };
}

/** The mutations that set the tokens of a row's entries, and leave no others. */
export function tokenMutations(
  model: EntityModel,
  tokens: readonly (EntryName & { readonly token: string })[],
): Mutation[] {
  const family = entryColumns.tokens;
  return [
    { kind: 'deleteFromFamily', family },
    ...tokens.map(({ index, token }) => {
      const qualifier = Buffer.from(model.indexes[index].id);
      return setCell({ family, qualifier }, latin1Bytes(token));
    }),
  ];
}

/** The mutations that set the version of a row, by the clock of the storage. */
export function versionMutations(version: string): Mutation[] {
  const { family, qualifier } = entryColumns.version;
  return [
    { kind: 'deleteFromColumn', family, qualifier },
    { kind: 'setCell', family, qualifier, timestamp: -1, value: latin1Bytes(version) },
  ];
}
