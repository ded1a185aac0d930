/**
 * Applies any filter to the cells of one row, for filters that a projection cannot express. The
 * filter has been validated (check-filter.ts).
 */
import { compareSlices } from '../../../../base/index.js';
import type { Filter, QualifierBound, ValueBound } from '../../../../data/store/index.js';
import { checkMadeCells, sortCells, type FilterCell, type FilterRow } from './filtered-cell.js';
import { hasQualifier, sortedQualifiers } from './qualifier-list.js';
import { compilePattern, type Pattern } from './regex.js';

/**
 * The evaluation of a filter on one row. Yields where it may be interrupted, at least once in
 * `maxSliceWork` units of work, and returns the matching cells in order.
 */
export type FilterRun = Generator<void, readonly FilterCell[], void>;

/** Begins the evaluation of a filter on the cells of a row. */
export type CellFilter = (cells: readonly FilterCell[], row: FilterRow) => FilterRun;

/** The result for all cells at once. */
type Step = (cells: readonly FilterCell[], row: FilterRow) => readonly FilterCell[];

/**
 * A compiled filter. A step may be applied to slices of the cells when it is `perCell`; `work`
 * estimates its work on one cell, by default 1 unit.
 */
type Node =
  | {
      readonly kind: 'step';
      readonly apply: Step;
      readonly perCell: boolean;
      readonly work?: CellWork | undefined;
    }
  | { readonly kind: 'tree'; readonly evaluate: CellFilter };

type CellWork = (cell: FilterCell) => number;

/** True when a cell matches a filter that does not depend on other cells. */
type CellTest = (cell: FilterCell) => boolean;

/** Units of work, of 20 to 100 ns each, after which a filter yields. */
const maxSliceWork = 4096;
/** Work of a regular expression on an empty text. */
const patternWork = 16;

/** Compiles a filter. `random` returns numbers in `0 <= n < 1`, for rowSample. */
export function compileFilter(filter: Filter, random: () => number): CellFilter {
  const node = compileNode(filter, random);
  return (cells, row) => evaluate(node, cells, row);
}

function compileNode(filter: Filter, random: () => number): Node {
  switch (filter.kind) {
    case 'chain':
      return chain(filter.filters.map((inner) => compileNode(inner, random)));
    case 'interleave':
      return interleave(filter.filters.map((inner) => compileNode(inner, random)));
    case 'condition':
      return condition(filter, random);
    case 'sink':
      return rowStep((cells, row) => {
        for (const cell of cells) row.sinkCells.push(cell);
        checkMadeCells(row.sinkCells, row);
        return [];
      });
    case 'cellsPerColumn':
      return rowStep(perColumn(filter.count));
    case 'cellsPerRow':
      return rowStep((cells) => cells.slice(0, filter.count));
    case 'cellsPerRowOffset':
      return rowStep((cells) => cells.slice(filter.count));
    case 'rowSample':
      return rowStep((cells) => (random() < filter.probability ? cells : []));
    case 'rowKeyRegex': {
      const pattern = compilePattern(filter.pattern);
      return patternNode(pattern, (_cell, { keyBytes, keyStart, keyEnd }) => ({
        bytes: keyBytes,
        start: keyStart,
        end: keyEnd,
        cached: 'row key',
      }));
    }
    case 'familyRegex':
      return familyPattern(compilePattern(filter.pattern));
    case 'qualifierRegex':
      return patternNode(
        compilePattern(filter.pattern),
        ({ bytes, qualifierStart: start, qualifierEnd: end }) => ({ bytes, start, end }),
      );
    case 'valueRegex':
      return patternNode(compilePattern(filter.pattern), (cell) => cell.value());
    case 'stripValue':
      return cellStep((cells) => cells.map((cell) => cell.stripped()));
    case 'label':
      return cellStep((cells) => cells.map((cell) => cell.labelled(filter.label)));
    case 'passAll':
      return rowStep((cells) => cells);
    case 'blockAll':
      return rowStep(() => []);
    default: {
      const test = compileTest(filter);
      return cellStep((cells) => cells.filter(test), testWork(filter));
    }
  }
}

function rowStep(apply: Step): Node {
  return { kind: 'step', apply, perCell: false };
}

function cellStep(apply: Step, work?: CellWork): Node {
  return { kind: 'step', apply, perCell: true, work };
}

const oneUnit: CellWork = () => 1;

function* evaluate(node: Node, cells: readonly FilterCell[], row: FilterRow): FilterRun {
  if (node.kind === 'tree') return yield* node.evaluate(cells, row);
  const { apply, perCell, work } = node;
  if (!perCell || (work === undefined && cells.length <= maxSliceWork)) {
    row.work += cells.length;
    const result = apply(cells, row);
    if (cells.length > 1 && row.work > maxSliceWork) yield;
    return result;
  }
  const workOf = work ?? oneUnit;
  const matches: FilterCell[] = [];
  for (let start = 0; start < cells.length;) {
    const before = row.work;
    let end = start;
    while (end < cells.length && row.work - before < maxSliceWork) row.work += workOf(cells[end++]);
    for (const cell of apply(cells.slice(start, end), row)) matches.push(cell);
    start = end;
    if (row.work > maxSliceWork) yield;
  }
  return matches;
}

/** The text that is matched. Texts with the same `cached` are matched once. */
interface Subject {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly cached?: string;
}

/** Tests the family of each cell. The results are kept for the rows after it. */
function familyPattern(pattern: Pattern): Node {
  const subjects = new Map<string, Subject>();
  const subjectOf = ({ family }: FilterCell): Subject => {
    let subject = subjects.get(family);
    if (subject === undefined) {
      subject = { bytes: Buffer.from(family), start: 0, end: family.length, cached: family };
      subjects.set(family, subject);
    }
    return subject;
  };
  return patternNode(pattern, subjectOf, new Map());
}

/**
 * Tests each cell with a pattern, in steps. `kept` holds results by `cached`; by default they are
 * the cells of one row.
 */
function patternNode(
  { matches, dfa }: Pattern,
  subjectOf: (cell: FilterCell, row: FilterRow) => Subject,
  kept?: Map<string, boolean>,
): Node {
  function* evaluatePattern(cells: readonly FilterCell[], row: FilterRow): FilterRun {
    const matching: FilterCell[] = [];
    const results = kept ?? new Map<string, boolean>();
    let yielded = row.work;
    for (const cell of cells) {
      const { bytes, start, end, cached } = subjectOf(cell, row);
      row.work += patternWork;
      let result = cached === undefined ? undefined : results.get(cached);
      if (result === undefined) {
        if (dfa === undefined) result = matches(bytes, start, end);
        else result = yield* dfa.steps(bytes, start, end, row);
        if (cached !== undefined) results.set(cached, result);
      }
      if (result) matching.push(cell);
      // A large value was loaded.
      row.work += cell.valueLength >>> 12;
      if (row.work - yielded <= maxSliceWork) continue;
      yielded = row.work;
      yield;
    }
    return matching;
  }
  return { kind: 'tree', evaluate: evaluatePattern };
}

/** The work of a test on one cell, where it depends on the cell. */
function testWork({ kind }: TestFilter): CellWork | undefined {
  switch (kind) {
    case 'valueEquals':
    case 'valueRange':
    case 'valueBitmask':
      // A large value is loaded for the comparison.
      return (cell) => 1 + (cell.valueLength >>> 8);
    default:
      return undefined;
  }
}

type TestKind =
  | 'families'
  | 'columns'
  | 'columnRange'
  | 'timestampRange'
  | 'valueEquals'
  | 'valueRange'
  | 'valueBitmask';
type TestFilter = Extract<Filter, { kind: TestKind }>;

function compileTest(filter: TestFilter): CellTest {
  switch (filter.kind) {
    case 'families': {
      const names = new Set(filter.families);
      return (cell) => names.has(cell.family);
    }
    case 'columns':
      return columnsTest(filter);
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
    case 'valueRange':
      return valueTest(isBetween(boundOf(filter.start), boundOf(filter.end)));
    case 'valueBitmask':
      return valueTest(
        (bytes, start) => filter.mask.every((bits, i) => (bytes[start + i] & bits) === bits),
        filter.mask.length,
      );
  }
}

function chain(steps: readonly Node[]): Node {
  function* evaluateChain(cells: readonly FilterCell[], row: FilterRow): FilterRun {
    let rest = cells;
    for (const step of steps) {
      if (rest.length === 0) return rest;
      rest = yield* evaluate(step, rest, row);
    }
    return rest;
  }
  return { kind: 'tree', evaluate: evaluateChain };
}

function interleave(branches: readonly Node[]): Node {
  function* evaluateInterleave(cells: readonly FilterCell[], row: FilterRow): FilterRun {
    const merged: FilterCell[] = [];
    for (const branch of branches) {
      for (const cell of yield* evaluate(branch, cells, row)) merged.push(cell);
      checkMadeCells(merged, row);
    }
    row.work += merged.length;
    return sortCells(merged);
  }
  return { kind: 'tree', evaluate: evaluateInterleave };
}

function condition(
  { predicate, onTrue, onFalse }: Filter & { kind: 'condition' },
  random: () => number,
): Node {
  const blockAll: Filter = { kind: 'blockAll' };
  const test = compileNode(predicate, random);
  const whenTrue = compileNode(onTrue ?? blockAll, random);
  const whenFalse = compileNode(onFalse ?? blockAll, random);
  function* evaluateCondition(cells: readonly FilterCell[], row: FilterRow): FilterRun {
    const matched = yield* evaluate(test, cells, row);
    return yield* evaluate(matched.length > 0 ? whenTrue : whenFalse, cells, row);
  }
  return { kind: 'tree', evaluate: evaluateCondition };
}

function perColumn(count: number): Step {
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
  const selected = columns.map(({ family, qualifiers }) => ({
    family,
    qualifiers: qualifiers === 'all' ? undefined : sortedQualifiers(qualifiers),
  }));
  return (cell) =>
    selected.some(({ family, qualifiers }) => {
      if (family !== cell.family) return false;
      if (qualifiers === undefined) return true;
      return hasQualifier(qualifiers, cell.bytes, cell.qualifierStart, cell.qualifierEnd);
    });
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
