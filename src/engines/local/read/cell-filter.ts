/**
 * Applies any filter to the cells of one row, for filters that a projection cannot express. The
 * filter has been validated (check-filter.ts).
 */
import { compareSlices } from '../../../bytes/index.js';
import type { Filter, QualifierBound, ValueBound } from '../../../store/index.js';
import { sortCells, type FilterCell, type FilterRow } from './filtered-cell.js';
import { compilePattern } from './regex.js';

/** Returns the cells of a row that match the filter, in order. */
export type CellFilter = (cells: readonly FilterCell[], row: FilterRow) => readonly FilterCell[];

/** True when a cell matches a filter that does not depend on other cells. */
type CellTest = (cell: FilterCell) => boolean;

/** Compiles a filter. `random` returns numbers in `0 <= n < 1`, for rowSample. */
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
        for (const cell of cells) row.sinkCells.push(cell);
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
      return familyTest((family) => matches(Buffer.from(family), 0, family.length));
    }
    case 'columns':
      return columnsTest(filter);
    case 'qualifierRegex': {
      const matches = compilePattern(filter.pattern);
      return (cell) => matches(cell.bytes, cell.qualifierStart, cell.qualifierEnd);
    }
    case 'columnRange': {
      const inRange = isBetween(boundOf(filter.start), boundOf(filter.end));
      return (cell) =>
        cell.family === filter.family &&
        inRange(cell.bytes, cell.qualifierStart, cell.qualifierEnd);
    }
    case 'timestampRange': {
      const start = BigInt(filter.start ?? 0);
      // As in Bigtable's messages, an end of 0 is no bound.
      const end = BigInt(filter.end ?? 0);
      return (cell) => cell.timestamp() >= start && (end === 0n || cell.timestamp() < end);
    }
    case 'valueEquals':
      return valueTest(
        (bytes, start, end) =>
          compareSlices(bytes, start, end, filter.value, 0, filter.value.length) === 0,
        filter.value.length,
      );
    case 'valueRegex':
      return valueTest(compilePattern(filter.pattern));
    case 'valueRange':
      return valueTest(isBetween(boundOf(filter.start), boundOf(filter.end)));
    case 'valueBitmask':
      return valueTest(
        (bytes, start) => filter.mask.every((bits, i) => (bytes[start + i] & bits) === bits),
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
  return (cells, row) => sortCells(branches.flatMap((branch) => branch(cells, row)));
}

function condition(
  { predicate, onTrue, onFalse }: Filter & { kind: 'condition' },
  random: () => number,
): CellFilter {
  const blockAll: Filter = { kind: 'blockAll' };
  const test = compileFilter(predicate, random);
  const whenTrue = compileFilter(onTrue ?? blockAll, random);
  const whenFalse = compileFilter(onFalse ?? blockAll, random);
  return (cells, row) => {
    const branch = test(cells, row).length > 0 ? whenTrue : whenFalse;
    return branch(cells, row);
  };
}

function perColumn(count: number): CellFilter {
  return (cells) => {
    let last: FilterCell | undefined;
    let versions = 0;
    return cells.filter((cell) => {
      if (last === undefined || !isSameColumn(last, cell)) versions = 0;
      versions++;
      last = cell;
      return versions <= count;
    });
  };
}

function isSameColumn(a: FilterCell, b: FilterCell): boolean {
  if (a.family !== b.family) return false;
  const order = compareSlices(
    a.bytes,
    a.qualifierStart,
    a.qualifierEnd,
    b.bytes,
    b.qualifierStart,
    b.qualifierEnd,
  );
  return order === 0;
}

function columnsTest({ columns }: Filter & { kind: 'columns' }): CellTest {
  return (cell) =>
    columns.some(({ family, qualifiers }) => {
      if (family !== cell.family) return false;
      return qualifiers === 'all' || qualifiers.some((qualifier) => hasQualifier(cell, qualifier));
    });
}

function hasQualifier({ bytes, qualifierStart, qualifierEnd }: FilterCell, qualifier: Uint8Array) {
  return compareSlices(qualifier, 0, qualifier.length, bytes, qualifierStart, qualifierEnd) === 0;
}

type SliceTest = (bytes: Uint8Array, start: number, end: number) => boolean;

/** A test of the value. With `length`, values of other lengths do not match and are not read. */
function valueTest(test: SliceTest, length?: number): CellTest {
  return (cell) => {
    if (length !== undefined && cell.valueLength !== length) return false;
    const { bytes, start, end } = cell.value();
    return test(bytes, start, end);
  };
}

/** A test of the family name, whose result is cached by name. */
function familyTest(test: (family: string) => boolean): CellTest {
  const results = new Map<string, boolean>();
  return ({ family }) => {
    let result = results.get(family);
    if (result === undefined) {
      result = test(family);
      results.set(family, result);
    }
    return result;
  };
}

interface Bound {
  readonly bytes: Uint8Array;
  readonly inclusive: boolean;
}

function boundOf(bound: QualifierBound | ValueBound | undefined): Bound | undefined {
  if (bound === undefined) return undefined;
  const bytes = 'qualifier' in bound ? bound.qualifier : bound.value;
  return { bytes, inclusive: bound.inclusive };
}

function isBetween(low: Bound | undefined, high: Bound | undefined): SliceTest {
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
