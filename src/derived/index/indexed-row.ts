/** A base row as its indexes see it: the cells on which entries depend. */
import { equalBytes, latin1Bytes, latin1Text } from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import {
  type ColumnModel,
  type EntityModel,
  entryColumns,
  type IndexModel,
  qualifiersOf,
} from '../../model/index.js';
import type { Cell, Filter, Micros, Mutation, RowMutation } from '../../store/index.js';
import type { Copied, EntryName, PlannedEntry, SeenRow } from '../protocol/step.js';
import type { CopiedValues } from '../source/copied-values.js';
import { sourceNames } from '../source/copied-values.js';

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
  /** The newest time of the cells that were read; undefined without any. */
  readonly time: bigint | undefined;
}

/** What a write leaves of a row. */
interface RowAfter {
  readonly exists: boolean;
  readonly cells: Map<string, Uint8Array>;
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
  readonly #copied: CopiedValues;

  constructor(model: EntityModel, copied: CopiedValues) {
    this.model = model;
    this.#copied = copied;
    this.families = familiesOf(model);
    this.filter = readFilter(model, this.families);
    const columns = watchedColumns(model);
    this.#watched = new Set(
      [...columns].flatMap((column) =>
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
    for (const { family, qualifier, value } of stored) {
      const id = columnId(family, qualifier);
      if (!cells.has(id)) cells.set(id, value);
    }
    const { family, qualifier } = entryColumns.version;
    const version = cells.get(columnId(family, qualifier));
    const own = stored.filter((cell) => this.families.includes(cell.family));
    const exists = own.length > 0;
    const time = own.reduce<bigint | undefined>(
      (newest, { timestamp }) => (newest === undefined || timestamp > newest ? timestamp : newest),
      undefined,
    );
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
      time,
    };
  }

  /**
   * The entries of a row after a write. Throws INVALID_KEY and INVALID_VALUE for values that cannot
   * be in an index.
   */
  after(
    key: Uint8Array,
    seen: IndexedRow,
    mutations: readonly Mutation[],
    copied: Copied = [],
  ): readonly IndexEntry[] {
    const { exists, cells } = rowAfter(seen, mutations);
    if (!exists) return [];
    for (const { to, value } of this.#copied.cells(copied)) {
      const [id, ...earlier] = qualifiersOf(to).map((each) => columnId(to.family, each));
      for (const each of earlier) cells.delete(each);
      if (value === undefined) cells.delete(id);
      else cells.set(id, value);
    }
    return this.#entries(key, cells, (error) => {
      throw error;
    });
  }

  /**
   * The names of the rows from which a row copies after a write. Throws INVALID_KEY for values that
   * are no key of such a row.
   */
  sources(key: Uint8Array, seen: IndexedRow, mutations: readonly Mutation[]): readonly string[] {
    const { copies = [], indexes } = this.model;
    const { exists, cells } = rowAfter(seen, mutations);
    const values: Record<string, unknown> = {};
    if (!exists || !this.#decodeKey(key, 0, key.length, values)) return [];
    for (const { index } of copies)
      for (const column of indexes[index].columns) values[column.property] = decoded(column, cells);
    return sourceNames(this.model, values);
  }

  /** The stored value of a column on which something depends. */
  valueOf({ cells }: IndexedRow, column: ColumnModel): Uint8Array | undefined {
    return valueOf(cells, column);
  }

  /** Whether a write changes values that other rows copy. */
  changesSource(seen: IndexedRow, mutations: readonly Mutation[]): boolean {
    const { cells } = rowAfter(seen, mutations);
    return this.model.copiedBy!.columns.some((column) => {
      const before = valueOf(seen.cells, column);
      const after = valueOf(cells, column);
      if (before === undefined || after === undefined) return before !== after;
      return !equalBytes(before, after);
    });
  }

  #entries(
    key: Uint8Array,
    cells: CellValues,
    onError: (error: unknown) => undefined,
  ): IndexEntry[] {
    const segments: Record<string, unknown> = {};
    if (!this.#decodeKey(key, 0, key.length, segments)) return [];
    return this.model.indexes.flatMap((index, at) => {
      try {
        return this.#entry(index, at, segments, cells) ?? [];
      } catch (error) {
        return onError(error) ?? [];
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

function rowAfter(seen: IndexedRow, mutations: readonly Mutation[]): RowAfter {
  const cells = new Map(seen.cells);
  let { exists } = seen;
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') {
      cells.clear();
      exists = false;
    } else if (mutation.kind === 'deleteFromFamily') {
      const prefix = `${mutation.family}:`;
      for (const id of cells.keys()) if (id.startsWith(prefix)) cells.delete(id);
    } else if (mutation.kind === 'deleteFromColumn') {
      // A write with a condition deletes the cells of all times: see newestWrite.
      if (mutation.start === undefined) cells.delete(columnId(mutation.family, mutation.qualifier));
    } else {
      exists = true;
      if (mutation.kind === 'setCell')
        cells.set(columnId(mutation.family, mutation.qualifier), mutation.value);
    }
  }
  return { exists, cells };
}

/** The time of the cells that a write copies: that of its own cells, or of those of the row. */
export function copyTime(seen: IndexedRow, mutations: readonly Mutation[]): Micros {
  const written = mutations.find((mutation) => mutation.kind === 'setCell');
  return written?.timestamp ?? seen.time ?? -1;
}

/** The columns on which entries, copies of this row, or its own copies depend. */
function watchedColumns({ indexes, copies = [], copiedBy }: EntityModel): ReadonlySet<ColumnModel> {
  return new Set([
    ...indexes.flatMap(({ columns }) => columns),
    ...copies.flatMap(({ columns }) => columns.map(({ to }) => to)),
    ...(copiedBy?.columns ?? []),
  ]);
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

function familiesOf(model: EntityModel): readonly string[] {
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  return [...model.table.families.keys()].filter((family) => families.has(family));
}

function readFilter(model: EntityModel, families: readonly string[]): Filter {
  const columns = watchedColumns(model);
  const { tokens, version } = entryColumns;
  const own: Filter = {
    kind: 'families',
    families: model.indexes.length > 0 ? [tokens, version.family] : [version.family],
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

/** Entries are written whole, and with one time: a request that is repeated changes nothing. */
const entryTimestamp = 0;

/** The mutation that writes an entry. `row` is the key of the base row. */
export function entryMutation(
  model: EntityModel,
  entry: IndexEntry,
  token: string,
  row: Uint8Array,
): RowMutation {
  const index = model.indexes[entry.index];
  const mutations: Mutation[] = [
    { kind: 'deleteFromRow' },
    setCell(entryColumns.token, latin1Bytes(token)),
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
): Mutation {
  return { kind: 'setCell', family, qualifier, timestamp: entryTimestamp, value };
}

/** The mutations that set the tokens of a row's entries, and leave no others. */
export function tokenMutations(
  model: EntityModel,
  tokens: readonly (EntryName & { readonly token: string })[],
): Mutation[] {
  if (model.indexes.length === 0) return [];
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
