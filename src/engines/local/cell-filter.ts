/** Any filter over the cells of one row, for those that a projection cannot state. */
import { compareSlices } from '../../bytes/bytes.js';
import { RowsmithError } from '../../errors.js';
import type { Filter } from '../../store/filter.js';

/** One cell of the row that is being filtered; its bytes are stable until the next row. */
export interface FilterCell {
  readonly family: string;
  /** Bytes of the run that holds the cell. */
  readonly bytes: Uint8Array;
  readonly qualifierStart: number;
  readonly qualifierEnd: number;
  readonly timestampStart: number;
  readonly timestamp: () => bigint;
  readonly valueLength: number;
  /** Loads the value when it lies in a part. */
  readonly value: () => { readonly bytes: Uint8Array; readonly start: number };
  /** True when the filter emptied the value. */
  readonly stripped: boolean;
}

/** The cells of a row that a filter leaves, in order. */
export type CellFilter = (cells: readonly FilterCell[]) => readonly FilterCell[];

/** The filter as a function. */
export function compileFilter(filter: Filter): CellFilter {
  switch (filter.kind) {
    case 'chain': {
      const steps = filter.filters.map(compileFilter);
      return (cells) => steps.reduce((rest, step) => step(rest), cells);
    }
    case 'families': {
      const names = new Set(filter.families);
      return (cells) => cells.filter((cell) => names.has(cell.family));
    }
    case 'columns': return columns(filter);
    case 'cellsPerColumn': return perColumn(filter.count);
    case 'cellsPerRow': return (cells) => cells.slice(0, filter.count);
    case 'timestampRange': {
      const start = BigInt(filter.start ?? 0);
      // As in Bigtable's own messages, 0 is no bound.
      const end = BigInt(filter.end ?? 0);
      return (cells) => cells.filter((cell) => cell.timestamp() >= start && (end === 0n || cell.timestamp() < end));
    }
    case 'valueEquals': {
      const { value } = filter;
      return (cells) => cells.filter((cell) => cell.valueLength === value.length && holds(cell, value));
    }
    case 'stripValue': return (cells) => cells.map((cell) => ({ ...cell, valueLength: 0, stripped: true }));
    case 'condition': return condition(filter);
    case 'passAll': return (cells) => cells;
    case 'blockAll': return () => [];
    default:
      throw new RowsmithError('INVALID_ARGUMENT', { property: 'filter', problem: `unknown kind of filter '${String((filter as { kind: unknown }).kind)}'` });
  }
}

function columns(filter: Filter & { kind: 'columns' }): CellFilter {
  return (cells) => cells.filter((cell) => filter.columns.some(({ family, qualifiers }) => family === cell.family
    && (qualifiers === 'all' || qualifiers.some((qualifier) => compareSlices(qualifier, 0, qualifier.length, cell.bytes, cell.qualifierStart, cell.qualifierEnd) === 0))));
}

function perColumn(count: number): CellFilter {
  return (cells) => {
    let last: FilterCell | undefined;
    let seen = 0;
    return cells.filter((cell) => {
      const same = last !== undefined && last.family === cell.family
        && compareSlices(last.bytes, last.qualifierStart, last.qualifierEnd, cell.bytes, cell.qualifierStart, cell.qualifierEnd) === 0;
      seen = same ? seen + 1 : 1;
      last = cell;
      return seen <= count;
    });
  };
}

function condition({ predicate, onTrue, onFalse }: Filter & { kind: 'condition' }): CellFilter {
  const test = compileFilter(predicate);
  const yes = onTrue === undefined ? undefined : compileFilter(onTrue);
  const no = onFalse === undefined ? undefined : compileFilter(onFalse);
  return (cells) => {
    const branch = test(cells).length > 0 ? yes : no;
    return branch === undefined ? [] : branch(cells);
  };
}

function holds(cell: FilterCell, value: Uint8Array): boolean {
  if (cell.stripped) return value.length === 0;
  const { bytes, start } = cell.value();
  return compareSlices(bytes, start, start + cell.valueLength, value, 0, value.length) === 0;
}
