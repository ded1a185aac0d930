/** Sizes of cells and rows, and the rows and cells that garbage collection keeps. */
import { type ColumnModel, maxAgeOf } from '../../../entities/model/index.js';
import type { AgeRange } from '../population/kept-cells.js';
import { agesKept, cappedMean, keptCells } from '../population/kept-cells.js';
import type { Combination, Population } from '../population/population.js';
import type { ColumnSize, EntityLoad } from '../workload/entity-load.js';
import { qualifier } from '../workload/row-data.js';

/** Bytes of a cell's timestamp. */
const timestampBytes = 8;
const microsPerSecond = 1e6;

/** A column, with what its rule keeps. */
interface KeptColumn {
  readonly column: ColumnSize;
  readonly ages: readonly AgeRange[];
  /** Bytes of a cell without its value. */
  readonly overhead: number;
}

/** Cells and bytes of a number of rows. */
export interface CellCount {
  readonly cells: number;
  readonly bytes: number;
}

/** What rows of a workload hold. A cell counts as family, qualifier, timestamp and value. */
export class RowSizes {
  /** Seconds after which a row has no cell left; Infinity if it stays. */
  readonly retention: number;
  readonly #population: Population;
  readonly #columns: readonly KeptColumn[];

  constructor(population: Population) {
    this.#population = population;
    this.#columns = keptColumns(population.load);
    this.retention = retentionOf(population.load);
  }

  /** Bytes of a write and its cells, on average, without the key. */
  writtenBytes(): number {
    return this.#columns.reduce(
      (sum, { column, overhead }) =>
        sum + column.share * entriesOf(column) * (overhead + (column.from + column.to) / 2),
      0,
    );
  }

  /** Rows of a combination at a time, in seconds from now, that are no older than a time. */
  rows(
    combination: Pick<Combination, 'probability'>,
    at: number,
    oldest: number = this.retention,
  ): number {
    return this.#population.rowsOf(combination, -at, Math.min(oldest, this.#age(at)) - at);
  }

  /** Bytes of a row of a combination in which every column has values of the greatest size. */
  largest(combination: Pick<Combination, 'probability'>, at: number): number {
    const rows = Math.max(this.rows(combination, at), 1e-12);
    return this.#columns.reduce((sum, kept) => {
      const { column, overhead } = kept;
      const cells = this.#cellsOf(kept, combination.probability, at) / rows;
      return sum + Math.max(entriesOf(column), cells) * (overhead + column.to);
    }, 0);
  }

  /** Cells of all rows of a combination at a time, in seconds from now. */
  cells(combination: Pick<Combination, 'probability'>, at: number): CellCount {
    let [cells, bytes] = [0, 0];
    for (const kept of this.#columns) {
      const { column, overhead } = kept;
      const count = this.#cellsOf(kept, combination.probability, at);
      cells += count;
      bytes += count * (overhead + (column.from + column.to) / 2);
    }
    return { cells, bytes };
  }

  /** Age of the oldest write at a time. */
  #age(at: number): number {
    return this.#population.history + at;
  }

  #cellsOf({ column, ages }: KeptColumn, probability: number, at: number): number {
    const { load, rate } = this.#population;
    const share = probability * column.share;
    const perWrite = entriesOf(column);
    if (load.bucketMs === undefined && !load.sequential && column.entries !== 'grow')
      return perWrite * keptCells(ages, (micros) => rate.between(at - seconds(micros), at) * share);
    // What the rule keeps of a row depends on the row's age.
    let cells = 0;
    for (const { from, to, versions } of ages) {
      const [young, old] = [seconds(from), Math.min(seconds(to), this.#age(at))];
      if (versions === 0 || old <= young) continue;
      const writes = rate.between(at - old, at - young) * share;
      cells += perWrite * this.#keptOf(writes, old - young, column.entries, versions);
    }
    return cells;
  }

  /** Cells of rows that were written in so many seconds. */
  #keptOf(writes: number, span: number, entries: number | 'grow', versions: number): number {
    const { bucketMs, sequential } = this.#population.load;
    if (sequential || entries === 'grow') return writes;
    const buckets = Math.max(1, span / ((bucketMs ?? Infinity) / 1000));
    return buckets * cappedMean(writes / buckets, versions);
  }
}

function seconds(micros: number): number {
  return micros / microsPerSecond;
}

function entriesOf({ entries }: ColumnSize): number {
  return entries === 'grow' ? 1 : entries;
}

function keptColumns({ model, columns }: EntityLoad): readonly KeptColumn[] {
  const kept = columns.map((column): KeptColumn => {
    const { family } = column.column;
    const schema = model.table.families.get(family);
    const isSum = schema?.aggregate !== undefined;
    return {
      column,
      ages: isSum ? [{ from: 0, to: Infinity, versions: 1 }] : agesKept(schema?.gc),
      overhead: Buffer.byteLength(family) + qualifierBytes(column.column) + timestampBytes,
    };
  });
  return kept;
}

function qualifierBytes(column: ColumnModel): number {
  if (column.kind !== 'columnMap') return column.qualifier.length;
  return column.qualifiers.encode(qualifier(column, 0)).length;
}

/** Seconds that the last cell of a row is kept. */
function retentionOf({ model, columns }: EntityLoad): number {
  const written = columns.filter(({ share }) => share === 1);
  const counted = written.length > 0 ? written : columns;
  if (counted.length === 0) return Infinity;
  const ages = counted.map(({ column }) => maxAgeOf(model.table.families.get(column.family)?.gc));
  return Math.max(...ages) / microsPerSecond;
}
