/**
 * Any filter over the cells of one row, for those that a projection cannot state. The filter has
 * been checked (filter-check.ts).
 */
import { compareSlices } from '../../../bytes/index.js';
import type { Filter, QualifierBound, ValueBound } from '../../../store/index.js';
import { inOrder, type FilterCell, type FilterRow } from './filtered-cell.js';
import { compilePattern } from './regex.js';

/** The cells of a row that a filter leaves, in order. */
export type CellFilter = (cells: readonly FilterCell[], row: FilterRow) => readonly FilterCell[];

/** Whether a filter leaves a cell, whatever other cells there are. */
type CellTest = (cell: FilterCell) => boolean;

/** The filter as a function; `random` is what rowSample draws from, `0 <= random < 1`. */
export function compileFilter(filter: Filter, random: () => number): CellFilter {
  switch (filter.kind) {
    case 'chain':
      return chain(filter.filters.map((inner) => compileFilter(inner, random)));
    case 'interleave':
      return interleave(filter.filters.map((inner) => compileFilter(inner, random)));
    case 'condition':
      return condition(filter, random);
    case 'sink':
      return (cells, row) => {
        for (const cell of cells) row.sunk.push(cell);
        return [];
      };
    case 'cellsPerColumn':
      return perColumn(filter.count);
    case 'cellsPerRow':
      return (cells) => cells.slice(0, filter.count);
    case 'cellsPerRowOffset':
      return (cells) => cells.slice(filter.count);
    case 'rowSample':
      return (cells) => (random() < filter.probability ? cells : []);
    case 'rowKeyRegex': {
      const matches = compilePattern(filter.pattern);
      return (cells, { keyBytes, keyStart, keyEnd }) =>
        matches(keyBytes, keyStart, keyEnd) ? cells : [];
    }
    case 'stripValue':
      return (cells) => cells.map((cell) => cell.stripped());
    case 'label':
      return (cells) => cells.map((cell) => cell.labelled(filter.label));
    case 'passAll':
      return (cells) => cells;
    case 'blockAll':
      return () => [];
    default: {
      const test = compileTest(filter);
      return (cells) => cells.filter(test);
    }
  }
}

type TestKind =
  | 'families'
  | 'columns'
  | 'familyRegex'
  | 'qualifierRegex'
  | 'columnRange'
  | 'timestampRange'
  | 'valueEquals'
  | 'valueRegex'
  | 'valueRange'
  | 'valueBitmask';
type TestFilter = Extract<Filter, { kind: TestKind }>;

function compileTest(filter: TestFilter): CellTest {
  switch (filter.kind) {
    case 'families': {
      const names = new Set(filter.families);
      return (cell) => names.has(cell.family);
    }
    case 'familyRegex': {
      const matches = compilePattern(filter.pattern);
      return remembered((family) => matches(Buffer.from(family), 0, family.length));
    }
    case 'columns':
      return ofColumns(filter);
    case 'qualifierRegex': {
      const matches = compilePattern(filter.pattern);
      return (cell) => matches(cell.bytes, cell.qualifierStart, cell.qualifierEnd);
    }
    case 'columnRange': {
      const inside = between(bound(filter.start), bound(filter.end));
      return (cell) =>
        cell.family === filter.family && inside(cell.bytes, cell.qualifierStart, cell.qualifierEnd);
    }
    case 'timestampRange': {
      const start = BigInt(filter.start ?? 0);
      // As in Bigtable's own messages, 0 is no bound.
      const end = BigInt(filter.end ?? 0);
      return (cell) => cell.timestamp() >= start && (end === 0n || cell.timestamp() < end);
    }
    case 'valueEquals':
      return ofValue(
        (bytes, start, end) =>
          compareSlices(bytes, start, end, filter.value, 0, filter.value.length) === 0,
        filter.value.length,
      );
    case 'valueRegex':
      return ofValue(compilePattern(filter.pattern));
    case 'valueRange':
      return ofValue(between(bound(filter.start), bound(filter.end)));
    case 'valueBitmask':
      return ofValue(
        (bytes, start) => filter.mask.every((bits, at) => (bytes[start + at] & bits) === bits),
        filter.mask.length,
      );
  }
}

function chain(steps: readonly CellFilter[]): CellFilter {
  return (cells, row) => {
    let rest = cells;
    for (const step of steps) {
      if (rest.length === 0) return rest;
      rest = step(rest, row);
    }
    return rest;
  };
}

function interleave(branches: readonly CellFilter[]): CellFilter {
  return (cells, row) => inOrder(branches.flatMap((branch) => branch(cells, row)));
}

function condition(
  { predicate, onTrue, onFalse }: Filter & { kind: 'condition' },
  random: () => number,
): CellFilter {
  const test = compileFilter(predicate, random);
  const yes = onTrue === undefined ? undefined : compileFilter(onTrue, random);
  const no = onFalse === undefined ? undefined : compileFilter(onFalse, random);
  return (cells, row) => {
    const branch = test(cells, row).length > 0 ? yes : no;
    return branch === undefined ? [] : branch(cells, row);
  };
}

function perColumn(count: number): CellFilter {
  return (cells) => {
    let last: FilterCell | undefined;
    let seen = 0;
    return cells.filter((cell) => {
      const same =
        last !== undefined &&
        last.family === cell.family &&
        compareSlices(
          last.bytes,
          last.qualifierStart,
          last.qualifierEnd,
          cell.bytes,
          cell.qualifierStart,
          cell.qualifierEnd,
        ) === 0;
      seen = same ? seen + 1 : 1;
      last = cell;
      return seen <= count;
    });
  };
}

function ofColumns({ columns }: Filter & { kind: 'columns' }): CellTest {
  return (cell) =>
    columns.some(
      ({ family, qualifiers }) =>
        family === cell.family &&
        (qualifiers === 'all' ||
          qualifiers.some(
            (qualifier) =>
              compareSlices(
                qualifier,
                0,
                qualifier.length,
                cell.bytes,
                cell.qualifierStart,
                cell.qualifierEnd,
              ) === 0,
          )),
    );
}

type SliceTest = (bytes: Uint8Array, start: number, end: number) => boolean;

/** Tests the value; one of another length than `length` is not even read. */
function ofValue(test: SliceTest, length?: number): CellTest {
  return (cell) => {
    if (length !== undefined && cell.valueLength !== length) return false;
    const { bytes, start, end } = cell.value();
    return test(bytes, start, end);
  };
}

/** A test of the family's name, asked once for each name. */
function remembered(test: (family: string) => boolean): CellTest {
  const answers = new Map<string, boolean>();
  return ({ family }) => {
    let answer = answers.get(family);
    if (answer === undefined) answers.set(family, (answer = test(family)));
    return answer;
  };
}

interface Bound {
  readonly bytes: Uint8Array;
  readonly inclusive: boolean;
}

function bound(given: QualifierBound | ValueBound | undefined): Bound | undefined {
  if (given === undefined) return undefined;
  return {
    bytes: 'qualifier' in given ? given.qualifier : given.value,
    inclusive: given.inclusive,
  };
}

function between(low: Bound | undefined, high: Bound | undefined): SliceTest {
  return (bytes, start, end) => {
    if (low !== undefined) {
      const order = compareSlices(bytes, start, end, low.bytes, 0, low.bytes.length);
      if (order < 0 || (order === 0 && !low.inclusive)) return false;
    }
    if (high === undefined) return true;
    const order = compareSlices(bytes, start, end, high.bytes, 0, high.bytes.length);
    return order < 0 || (order === 0 && high.inclusive);
  };
}
