/**
 * One row of the old declaration -> what the new one stores for it. Pure: the same row gives the
 * same cells, so a row may be moved again.
 */
import { compareBytes, equalBytes, noBytes } from '../../bytes/index.js';
import { CellFault } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import { patternsCollide } from '../../key/index.js';
import {
  compileDehydrator,
  compileHydrator,
  damagedCell,
  type Dehydrator,
  type Hydrator,
  invalidValue,
} from '../../mapping/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { Aggregate, Cell, Mutation, Row, RowCursor } from '../../store/index.js';
import { cellReads, lockOf, MessageEvolution } from '../../schema/index.js';
import type { Migration } from './migration.js';

/** A cell where it goes to. */
export interface MovedCell {
  readonly family: string;
  readonly qualifier: Uint8Array;
  readonly timestamp: bigint;
  readonly value: Uint8Array;
  /** Set for cells of aggregate families, which are merged and not set. */
  readonly aggregate: Aggregate | undefined;
}

/** What a row becomes. */
export interface MovedRow {
  /** The old row. */
  readonly source: Row;
  /** Its new key; undefined where the migration leaves the row out. */
  readonly to: Uint8Array | undefined;
  readonly cells: readonly MovedCell[];
  /** Cells of the old row that the old class declares, and that the new row stands for. */
  readonly taken: readonly Cell[];
  /**
   * Cells of the old row that neither class declares, or that are dropped on purpose: they stay
   * behind.
   */
  readonly undeclared: number;
}

/** Moves rows of one migration. */
export interface RowMover {
  readonly from: EntityModel;
  readonly to: EntityModel;
  /**
   * Undefined for a row that is not of the old entity, or holds nothing of it (any more). Throws
   * DAMAGED_CELL, INVALID_VALUE, INVALID_KEY.
   */
  move(row: Row): MovedRow | undefined;
}

/** Compiles a migration. Throws INVALID_DECLARATION for one that would lose or mix rows. */
export function rowMover(
  from: EntityModel,
  to: EntityModel,
  { map, drop = [] }: Migration,
): RowMover {
  checkKeys(from, to);
  const columns = map === undefined ? columnPairs(from, to, drop) : undefined;
  const decodeKey = from.key.decoder();
  const mapped = map === undefined ? undefined : new MappedRows(from, to, map);
  return {
    from,
    to,
    move(row) {
      const values: Record<string, unknown> = {};
      if (!decodeKey(row.key, 0, row.key.length, values)) return undefined;
      if (mapped !== undefined) return mapped.move(row);
      return copyRowCells(from, to, row, values, columns!);
    },
  };
}

/** In one table, a new row must never pass for an old one that is still to be moved. */
function checkKeys(from: EntityModel, to: EntityModel): void {
  if (from.table.name !== to.table.name) return;
  const bare = ({ key: { spec } }: EntityModel): string =>
    JSON.stringify({
      format: spec.format,
      parts: spec.parts.map((part) => (part.kind === 'literal' ? part : { ...part, name: '' })),
    });
  // Same parts: a key that both read is the same row, and shards are told apart by their hash.
  if (bare(from) === bare(to)) return;
  const collision = patternsCollide(from.key, to.key);
  if (collision === undefined) return;
  throw new RowsmithError('INVALID_DECLARATION', {
    entity: to.name,
    property: 'key',
    problem: `in table '${to.table.name}' a key of ${to.name} can be one of ${from.name}: ${collision}`,
    fix: 'start the new key with a literal of its own, or give the new entity another table',
  });
}

interface ColumnPair {
  readonly from: ColumnModel;
  /** Undefined for one that is dropped. */
  readonly to: ColumnModel | undefined;
}

function columnPairs(
  from: EntityModel,
  to: EntityModel,
  drop: readonly string[],
): readonly ColumnPair[] {
  const messages = new MessageEvolution(lockOf([from]), lockOf([to]));
  return from.columns.map((column) => {
    const found = to.columns.find(({ property }) => property === column.property);
    if (found === undefined && !drop.includes(column.property)) {
      throw new RowsmithError('INVALID_DECLARATION', {
        entity: to.name,
        property: column.property,
        problem: `${from.name} has the column '${column.property}', and ${to.name} has none of this name`,
        fix: `give ${to.name} the column, name it in drop: ['${column.property}'], or write a map function`,
      });
    }
    const mixed =
      found !== undefined &&
      (isAggregate(found) !== isAggregate(column) ||
        (found.kind === 'columnMap') !== (column.kind === 'columnMap') ||
        !cellReads(typeOf(column), typeOf(found), messages));
    if (mixed) {
      const problem = `'${column.property}' was a ${column.kind} of ${typeOf(column)}, and as a ${found.kind} of ${typeOf(found)} its cells would be misread`;
      throw new RowsmithError('INVALID_DECLARATION', {
        entity: to.name,
        property: column.property,
        problem,
        fix: 'write a map function that gives the new value',
      });
    }
    return { from: column, to: drop.includes(column.property) ? undefined : found };
  });
}

/** The type of a column's cells as the lock spells it. */
function typeOf({ codec, message }: ColumnModel): string {
  return message === undefined ? codec.kind : `message ${message.name}`;
}

function isAggregate(column: ColumnModel): boolean {
  return column.kind === 'counter' && column.aggregate;
}

function aggregateOf({ table }: EntityModel, column: ColumnModel): Aggregate | undefined {
  return isAggregate(column) ? table.families.get(column.family)?.aggregate : undefined;
}

function namesOf(column: ColumnModel): readonly Uint8Array[] {
  if (column.kind === 'columnMap') return [];
  return column.kind === 'column' || column.kind === 'packed'
    ? [column.qualifier, ...(column.alsoReads ?? [])]
    : [column.qualifier];
}

function copyRowCells(
  from: EntityModel,
  to: EntityModel,
  row: Row,
  values: Record<string, unknown>,
  pairs: readonly ColumnPair[],
): MovedRow | undefined {
  const cells: MovedCell[] = [];
  const taken: Cell[] = [];
  const newKey = to.key.encode(values);
  let undeclared = 0;
  let newest = 0n;
  const found = new Map<ColumnPair, { rank: number; cells: Cell[] }>();
  for (const cell of row.cells) {
    if (isMarker(from, cell)) {
      newest = cell.timestamp > newest ? cell.timestamp : newest;
      taken.push(cell);
      continue;
    }
    const pair = pairs.find(
      (each) =>
        each.from.family === cell.family &&
        (each.from.kind === 'columnMap' ||
          namesOf(each.from).some((name) => equalBytes(name, cell.qualifier))),
    );
    if (pair?.to === undefined) {
      if (pair !== undefined || !isInPlace(from, to, row.key, newKey) || !declares(to, cell))
        undeclared++;
      continue;
    }
    taken.push(cell);
    newest = cell.timestamp > newest ? cell.timestamp : newest;
    // Under several names the newest name counts, as in reading.
    const rank =
      pair.from.kind === 'columnMap'
        ? 0
        : namesOf(pair.from).findIndex((name) => equalBytes(name, cell.qualifier));
    const known = found.get(pair);
    if (known === undefined || rank < known.rank) found.set(pair, { rank, cells: [cell] });
    else if (known.rank === rank) known.cells.push(cell);
  }
  for (const [pair, { cells: taken }] of found)
    for (const cell of taken) cells.push(movedCell(from, to, row.key, pair, cell));
  if (to.marker !== undefined)
    cells.push({ ...to.marker, timestamp: newest, value: noBytes, aggregate: undefined });
  return taken.length === 0
    ? undefined
    : { source: row, to: newKey, cells: sorted(cells), taken, undeclared };
}

/** Whether the new row is the old one, in other columns. */
export function isInPlace(
  from: EntityModel,
  to: EntityModel,
  oldKey: Uint8Array,
  newKey: Uint8Array,
): boolean {
  return from.table.name === to.table.name && equalBytes(oldKey, newKey);
}

/** Whether a cell is one of the entity's. */
function declares(model: EntityModel, cell: Cell): boolean {
  return (
    isMarker(model, cell) ||
    model.columns.some(
      (column) =>
        column.family === cell.family &&
        (column.kind === 'columnMap' ||
          namesOf(column).some((name) => equalBytes(name, cell.qualifier))),
    )
  );
}

function isMarker({ marker }: EntityModel, { family, qualifier, value }: Cell): boolean {
  return (
    marker !== undefined &&
    marker.family === family &&
    equalBytes(marker.qualifier, qualifier) &&
    value.length === 0
  );
}

/**
 * The bytes stay as they are, unknown fields and all; that the new column reads them is made sure
 * of here.
 */
function movedCell(
  from: EntityModel,
  target: EntityModel,
  key: Uint8Array,
  { from: was, to }: ColumnPair,
  { qualifier, timestamp, value }: Cell,
): MovedCell {
  const column = to!;
  try {
    column.codec.decode(value, 0, value.length);
  } catch (fault) {
    throw fault instanceof CellFault ? damagedCell(from, was, key, qualifier, fault) : fault;
  }
  return {
    family: column.family,
    qualifier: column.kind === 'columnMap' ? qualifier : column.qualifier,
    timestamp,
    value,
    aggregate: aggregateOf(target, column),
  };
}

function sorted(cells: MovedCell[]): MovedCell[] {
  return cells.sort((a, b) =>
    a.family === b.family
      ? compareBytes(a.qualifier, b.qualifier) || Number(b.timestamp - a.timestamp)
      : a.family < b.family
        ? -1
        : 1,
  );
}

/**
 * Rows of a migration with a map function: whole entities, whose cells get the newest timestamp of
 * the old row.
 */
class MappedRows {
  readonly #from: EntityModel;
  readonly #to: EntityModel;
  readonly #map: NonNullable<Migration['map']>;
  readonly #hydrate: Hydrator;
  readonly #dehydrate: Dehydrator;
  readonly #counters: readonly (ColumnModel & { readonly qualifier: Uint8Array })[];

  constructor(from: EntityModel, to: EntityModel, map: NonNullable<Migration['map']>) {
    this.#from = from;
    this.#to = to;
    this.#map = map;
    this.#hydrate = compileHydrator(from, { columns: from.columns, whole: true });
    this.#dehydrate = compileDehydrator(to);
    this.#counters = to.columns.filter((column) => column.kind === 'counter');
  }

  move(row: Row): MovedRow | undefined {
    const old = this.#hydrate(cursorOf(row));
    if (old === undefined) return undefined;
    const taken = row.cells.filter((cell) => declares(this.#from, cell));
    if (taken.length === 0) return undefined;
    const made = this.#map(old) as Readonly<Record<string, unknown>> | undefined;
    if (made === undefined)
      return {
        source: row,
        to: undefined,
        cells: [],
        taken,
        undeclared: row.cells.length - taken.length,
      };
    if (!(made instanceof this.#to.entityClass)) {
      throw new RowsmithError('INVALID_ARGUMENT', {
        entity: this.#to.name,
        property: 'map',
        problem: `the map function gave no instance of ${this.#to.name}`,
        fix: `return Object.assign(new ${this.#to.name}(), { ... }), or undefined to leave the row out`,
      });
    }
    const newest = taken.reduce(
      (latest, { timestamp }) => (timestamp > latest ? timestamp : latest),
      0n,
    );
    const { key, cells } = this.#cellsOf(made, newest);
    const inPlace = isInPlace(this.#from, this.#to, row.key, key);
    const undeclared = row.cells.filter(
      (cell) => !taken.includes(cell) && !(inPlace && declares(this.#to, cell)),
    ).length;
    return {
      source: row,
      to: key,
      cells: sorted([...cells, ...this.#counterCells(made, newest)]),
      taken,
      undeclared,
    };
  }

  #cellsOf(
    made: Readonly<Record<string, unknown>>,
    newest: bigint,
  ): { readonly key: Uint8Array; readonly cells: readonly MovedCell[] } {
    const hasCounter = this.#counters.some(
      ({ property }) => made[property] !== undefined && made[property] !== null,
    );
    const hasOther = this.#to.columns.some(
      ({ kind, property }) =>
        kind !== 'counter' && made[property] !== undefined && made[property] !== null,
    );
    // A row of counters alone is nothing that an insert writes.
    if (hasCounter && !hasOther && this.#to.marker === undefined)
      return { key: this.#to.key.encode(made), cells: [] };
    const { key, mutations } = this.#dehydrate.insert(made, Number(newest));
    const cells = mutations.flatMap((mutation): MovedCell[] =>
      mutation.kind === 'setCell'
        ? [
            {
              family: mutation.family,
              qualifier: mutation.qualifier,
              timestamp: BigInt(mutation.timestamp),
              value: mutation.value,
              aggregate: undefined,
            },
          ]
        : [],
    );
    return { key, cells };
  }

  #counterCells(made: Readonly<Record<string, unknown>>, newest: bigint): MovedCell[] {
    return this.#counters.flatMap((column): MovedCell[] => {
      const value = made[column.property];
      if (value === undefined || value === null) return [];
      try {
        const aggregate = aggregateOf(this.#to, column);
        return [
          {
            family: column.family,
            qualifier: column.qualifier,
            timestamp: aggregate !== undefined ? 0n : newest,
            value: column.codec.encode(value),
            aggregate,
          },
        ];
      } catch (fault) {
        throw invalidValue(this.#to, column.property, fault);
      }
    });
  }
}

/** A row as a cursor, for the hydrator. */
function cursorOf({ key, cells }: Row): RowCursor {
  let at = -1;
  const cursor: RowCursor = {
    nextRow: () => false,
    keyBytes: key,
    keyStart: 0,
    keyEnd: key.length,
    family: '',
    qualifierBytes: noBytes,
    qualifierStart: 0,
    qualifierEnd: 0,
    valueBytes: noBytes,
    valueStart: 0,
    valueEnd: 0,
    labels: [],
    timestamp: () => cells[at].timestamp,
    nextCell() {
      if (++at >= cells.length) return false;
      const { family, qualifier, value } = cells[at];
      Object.assign(cursor, {
        family,
        qualifierBytes: qualifier,
        qualifierEnd: qualifier.length,
        valueBytes: value,
        valueEnd: value.length,
      });
      return true;
    },
  };
  return cursor;
}

/** The mutations that bring a row to its new place; none for one that is there already. */
export function moveMutations({ cells }: MovedRow): Mutation[] {
  return cells.flatMap(({ family, qualifier, timestamp, value, aggregate }): Mutation[] => {
    if (aggregate === undefined) return [{ kind: 'setCell', family, qualifier, timestamp, value }];
    const merge: Mutation = { kind: 'mergeToCell', family, qualifier, timestamp, input: value };
    // A sum is put in place of what is there, so that a row that is moved again counts once; the
    // least and the greatest of two are the same as often as they are merged.
    return aggregate === 'sum'
      ? [
          { kind: 'deleteFromColumn', family, qualifier, start: timestamp, end: timestamp + 1000n },
          merge,
        ]
      : [merge];
  });
}
