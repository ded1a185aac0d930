/** Migrations with a map function: whole entities are converted instead of cells. */
import { invalidArgument, noBytes, type Values, type FaultTexts } from '../../../base/index.js';
import {
  compileDehydrator,
  compileHydrator,
  type Dehydrator,
  type Hydrator,
  invalidValueError,
} from '../../../entities/mapping/index.js';
import {
  type ColumnModel,
  type EntityModel,
  isEntityOf,
  isOwnFamily,
} from '../../../entities/model/index.js';
import type { Mutation, Row, RowCursor } from '../../../data/store/index.js';
import type { Migration } from './migration.js';
import {
  aggregateOf,
  compareCells,
  declaresCell,
  isInPlace,
  type MovedCell,
  type MovedRow,
} from './moved-row.js';

/** Moves rows with a map function. All new cells get the newest timestamp of the old row. */
export class MappedRows {
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
    // Rows are moved whatever their age, as cells are when they are copied.
    this.#dehydrate = compileDehydrator(to, { allowExpired: true });
    this.#counters = to.columns.filter((column) => column.kind === 'counter');
  }

  /** Returns undefined if the row has no cell of the old entity. */
  move(row: Row): MovedRow | undefined {
    const old = this.#hydrate(cursorOf(row));
    if (old === undefined) return undefined;
    const taken = row.cells.filter((cell) => declaresCell(this.#from, cell));
    if (taken.length === 0) return undefined;
    const others = row.cells.filter((cell) => !taken.includes(cell) && !isOwnFamily(cell.family));
    const entity = this.#map(old) as Values | undefined;
    if (entity === undefined)
      return { source: row, to: undefined, cells: [], taken, undeclared: others.length };
    this.#assertInstance(entity);
    let newest = 0n;
    for (const { timestamp } of taken) if (timestamp > newest) newest = timestamp;
    const { key, cells } = this.#cellsOf(entity, newest);
    cells.push(...this.#counterCells(entity, newest));
    // In place, a cell that only the new class declares is not left behind.
    const inPlace = isInPlace(this.#from, this.#to, row.key, key);
    const left = others.filter((cell) => !inPlace || !declaresCell(this.#to, cell));
    return {
      source: row,
      to: key,
      cells: cells.sort(compareCells),
      taken,
      undeclared: left.length,
    };
  }

  #assertInstance(entity: Values): void {
    if (isEntityOf(this.#to, entity)) return;
    const { name } = this.#to;
    throw invalidArgument('map', faults.wrongResult(name), { entity: name });
  }

  /** The key and the cells that an insert writes: all but counters. */
  #cellsOf(
    entity: Values,
    newest: bigint,
  ): { readonly key: Uint8Array; readonly cells: MovedCell[] } {
    if (this.#hasOnlyCounters(entity)) return { key: this.#to.key.encode(entity), cells: [] };
    const { key, mutations } = this.#dehydrate.insert(entity, Number(newest));
    return { key, cells: mutations.flatMap(cellOf) };
  }

  /** Such a row would be rejected with EMPTY_ROW by an insert, which does not write counters. */
  #hasOnlyCounters(entity: Values): boolean {
    if (this.#to.marker !== undefined) return false;
    const present = this.#to.columns.filter(({ property }) => hasValue(entity, property));
    return present.length > 0 && present.every(({ kind }) => kind === 'counter');
  }

  #counterCells(entity: Values, newest: bigint): MovedCell[] {
    return this.#counters
      .filter(({ property }) => hasValue(entity, property))
      .map((column) => {
        const { family, qualifier, property, codec } = column;
        const aggregate = aggregateOf(this.#to, column);
        const timestamp = aggregate === undefined ? newest : 0n;
        try {
          const value = codec.encode(entity[property]);
          return { family, qualifier, timestamp, value, aggregate };
        } catch (fault) {
          throw invalidValueError(this.#to, property, fault);
        }
      });
  }
}

function hasValue(entity: Values, property: string): boolean {
  return entity[property] !== undefined && entity[property] !== null;
}

function cellOf(mutation: Mutation): MovedCell[] {
  if (mutation.kind !== 'setCell') return [];
  const { family, qualifier, value } = mutation;
  const timestamp = BigInt(mutation.timestamp);
  return [{ family, qualifier, timestamp, value, aggregate: undefined }];
}

/** A cursor over one row, for the hydrator. */
function cursorOf({ key, cells }: Row): RowCursor {
  let index = -1;
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
    timestamp: () => cells[index].timestamp,
    nextCell() {
      if (++index >= cells.length) return false;
      const { family, qualifier, value } = cells[index];
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

const faults = {
  wrongResult: (name: string) => ({
    problem: `the map function did not return an instance of ${name}`,
    fix: `return Object.assign(new ${name}(), { ... }), or undefined to leave the row out`,
  }),
} satisfies FaultTexts;
