/**
 * Divides conditions between the storage and the client. The storage's filters may let rows pass
 * that do not match, but never drop one that does: the client tests every row again, because
 * Bigtable does not evaluate a condition atomically with the read of the row (data.proto).
 */
import { isPoint, maxFilterBytes } from '../../../base/index.js';
import {
  type ColumnModel,
  type EntityModel,
  isConstantDefault,
  qualifiersOf,
} from '../../model/index.js';
import type { Filter } from '../../../data/store/index.js';
import { type Check, type Condition, conditionText } from './condition.js';
import { filterBytes } from './filter-size.js';
import { keyPattern } from './key-pattern.js';
import { compileChecks, type ValueMatcher } from './matcher.js';
import { segmentTest } from './segment-test.js';
import { scalarKindOf } from './subject.js';
import { rangesOfChecks, type ValueRanges } from './value-ranges.js';

type Values = Readonly<Record<string, unknown>>;

/** How the conditions of a query are tested. */
export interface WherePlan {
  /** Columns that are tested, in storage order. */
  readonly columns: readonly ColumnModel[];
  /** Conditions that the storage tests, as text. */
  readonly atServer: readonly string[];
  /** Conditions that only the client tests, as text. */
  readonly atClient: readonly string[];
  /** True if every row that matches has a cell in one of `columns`. */
  readonly needsCell: boolean;
  /** The filter of the storage, given the filter for the cells of rows that pass. */
  readonly filter: (cells: readonly Filter[], base: readonly Filter[]) => Filter;
  /** Whether a row with all tested properties matches. */
  readonly matches: (row: Values) => boolean;
}

/** Bytes of the filter for what is not a condition. */
const reservedBytes = 2048;
/** Conditions are nested, and filters at most 20 deep. */
const maxPredicates = 8;

/** What the storage can do for one condition. */
interface Decision {
  readonly condition: Condition;
  readonly matches: ValueMatcher;
  readonly column?: ColumnModel;
  /** Tests the whole row. */
  readonly predicate?: Filter;
  readonly keyPattern?: Filter;
  /** The condition needs a cell. */
  readonly needsCell: boolean;
}

/** Plans conditions. All of them must hold. */
export function planWhere(model: EntityModel, conditions: readonly Condition[]): WherePlan {
  const decisions = conditions.map((condition) => decide(model, condition));
  const served = serve(model, decisions);
  const tested = new Set(decisions.map(({ column }) => column));
  const text = (list: readonly Decision[]): string[] =>
    list.map(({ condition }) => conditionText(condition));
  const patterns = served.flatMap((decision) => decision.keyPattern ?? []);
  const predicates = served.flatMap((decision) => decision.predicate ?? []);
  const tests = decisions.map(({ condition, matches }) => [condition.property, matches] as const);
  return Object.freeze({
    columns: model.columns.filter((column) => tested.has(column)),
    atServer: text(served),
    atClient: text(decisions.filter((decision) => !served.includes(decision))),
    needsCell: decisions.some(({ needsCell }) => needsCell),
    filter: (cells: readonly Filter[], base: readonly Filter[]) =>
      nested(patterns, base, predicates, cells),
    matches: (row: Values) => tests.every(([property, matches]) => matches(row[property])),
  });
}

/** The decisions that the storage takes, within the limits of a filter. */
function serve(model: EntityModel, decisions: readonly Decision[]): readonly Decision[] {
  let bytes = reservedBytes;
  for (const family of model.table.families.keys()) bytes += family.length + 16;
  let predicates = 0;
  return decisions.filter(({ predicate, keyPattern: pattern }) => {
    const filter = predicate ?? pattern;
    if (filter === undefined) return false;
    const size = filterBytes(filter);
    if (bytes + size > maxFilterBytes) return false;
    if (predicate !== undefined && ++predicates > maxPredicates) return false;
    bytes += size;
    return true;
  });
}

/** No false branches: they are slow (data.proto), and a row that does not match is not needed. */
function nested(
  patterns: readonly Filter[],
  base: readonly Filter[],
  predicates: readonly Filter[],
  cells: readonly Filter[],
): Filter {
  if (predicates.length === 0) return { kind: 'chain', filters: [...patterns, ...base, ...cells] };
  let onTrue: Filter = {
    kind: 'chain',
    filters: cells.length === 0 ? [{ kind: 'passAll' }] : cells,
  };
  for (const predicate of predicates) onTrue = { kind: 'condition', predicate, onTrue };
  return { kind: 'chain', filters: [...patterns, ...base, onTrue] };
}

function decide(model: EntityModel, condition: Condition): Decision {
  const { property, checks } = condition;
  if (model.key.names.includes(property)) {
    const segment = segmentTest(model, property);
    const pattern = keyPattern(segment, checks);
    return { condition, matches: segment.compile(checks), keyPattern: pattern, needsCell: false };
  }
  const column = model.columns.find((each) => each.property === property)!;
  const matches = compileChecks(checks);
  if (matchesAbsentCell(column, matches)) return { condition, column, matches, needsCell: false };
  return { condition, column, matches, predicate: predicateOf(column, checks), needsCell: true };
}

/** Whether a row without a cell of the column may match: a filter cannot find such rows. */
function matchesAbsentCell(column: ColumnModel, matches: ValueMatcher): boolean {
  if (!('default' in column) || column.default === undefined) return matches(undefined);
  return !isConstantDefault(column.default) || matches(column.default());
}

/** Passes a cell if the row may match; undefined if bytes cannot decide. */
function predicateOf(column: ColumnModel, checks: readonly Check[]): Filter | undefined {
  // The bytes of counters in aggregate families are the storage's.
  if (column.kind === 'counter' && column.aggregate) return undefined;
  const qualifiers = qualifiersOf(column);
  const cells: Filter[] = [{ kind: 'columns', columns: [{ family: column.family, qualifiers }] }];
  if (checks.every(({ kind }) => kind === 'present')) return cells[0];
  const scalar = scalarKindOf(column);
  const ranges = scalar && rangesOfChecks(scalar, checks);
  if (ranges === undefined) return undefined;
  // A column with earlier qualifiers shows the cell of one of them.
  cells.push({ kind: 'cellsPerColumn', count: 1 }, valueFilter(ranges));
  return { kind: 'chain', filters: cells };
}

function valueFilter(ranges: ValueRanges): Filter {
  const filters = ranges.map(({ start, end }): Filter => {
    if (isPoint({ start, end })) return { kind: 'valueEquals', value: start };
    return {
      kind: 'valueRange',
      start: start.length === 0 ? undefined : { value: start, inclusive: true },
      end: end && { value: end, inclusive: false },
    };
  });
  if (filters.length === 0) return { kind: 'blockAll' };
  if (filters.length === 1) return filters[0];
  return { kind: 'interleave', filters };
}
