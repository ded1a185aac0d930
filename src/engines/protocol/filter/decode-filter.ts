/**
 * RowFilter -> Filter. This module rejects malformed messages: false flags, missing fields, unknown
 * fields, and filters that are too large or too deep. Values (patterns, labels, counts, ranges) are
 * checked by the engine.
 */
import {
  equalBytes,
  maxFilterBytes,
  maxFilterDepth,
  noBytes,
  type FaultTexts,
} from '../../../base/index.js';
import { unknownFields } from '../../../data/cell/index.js';
import type { Filter, QualifierBound, ValueBound } from '../../../data/store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import {
  RowFilter,
  type ColumnRange,
  type RowFilterContent,
  type TimestampRange,
  type ValueRange,
} from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';
import { literalAlternatives } from './literal-pattern.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

const passAll: Filter = { kind: 'passAll' };

/** The filter of an encoded RowFilter. */
export function decodeFilter(encoded: Uint8Array): Filter {
  if (encoded.length > maxFilterBytes)
    throw requestError('filter', faults.filterTooLong(encoded.length));
  return filterOf(RowFilter.decode(encoded), 1);
}

function filterOf(message: RowFilterContent, level: number): Filter {
  if (level > maxFilterDepth) throw requestError('filter', faults.filterTooDeep);
  if (unknownFields in message) throw unsupportedRequest('filter', faults.unknownFields);
  return (
    compositeFilter(message, level) ??
    flagFilter(message) ??
    patternFilter(message) ??
    countFilter(message) ??
    rangeFilter(message) ??
    passAll
  );
}

function compositeFilter(
  { chain, interleave, condition }: RowFilterContent,
  level: number,
): Filter | undefined {
  if (chain !== undefined) return chainFilter(children('Chain', chain.filters, level));
  if (interleave !== undefined)
    return interleaveFilter(children('Interleave', interleave.filters, level));
  if (condition === undefined) return undefined;
  const { predicateFilter, trueFilter, falseFilter } = condition;
  if (predicateFilter === undefined) throw requestError('filter', faults.missingPredicate);
  if (trueFilter === undefined && falseFilter === undefined)
    throw requestError('filter', faults.missingBranch);
  return {
    kind: 'condition',
    predicate: filterOf(predicateFilter, level + 1),
    onTrue: branchOf(trueFilter, level + 1),
    onFalse: branchOf(falseFilter, level + 1),
  };
}

function branchOf(message: RowFilterContent | undefined, level: number): Filter | undefined {
  if (message === undefined) return undefined;
  return filterOf(message, level);
}

/**
 * A chain of a family and exact qualifiers is how the API selects columns. As `columns`, an engine
 * can skip the rest.
 */
function chainFilter(filters: readonly Filter[]): Filter {
  const [first, second] = filters;
  if (
    filters.length === 2 &&
    first.kind === 'families' &&
    first.families.length === 1 &&
    second.kind === 'qualifierRegex'
  ) {
    const qualifiers = literalAlternatives(second.pattern);
    if (qualifiers !== undefined)
      return { kind: 'columns', columns: [{ family: first.families[0], qualifiers }] };
  }
  return { kind: 'chain', filters };
}

/**
 * An interleave of distinct families, or of columns in distinct families, returns no cell twice, so
 * it is equivalent to one selection of columns.
 */
function interleaveFilter(filters: readonly Filter[]): Filter {
  const columns: Columns[number][] = [];
  for (const filter of filters) {
    if (filter.kind === 'families')
      columns.push(...filter.families.map((family) => ({ family, qualifiers: 'all' as const })));
    else if (filter.kind === 'columns') columns.push(...filter.columns);
    else return { kind: 'interleave', filters };
  }
  if (new Set(columns.map(({ family }) => family)).size < columns.length)
    return { kind: 'interleave', filters };
  if (columns.every(({ qualifiers }) => qualifiers === 'all'))
    return { kind: 'families', families: columns.map(({ family }) => family) };
  return { kind: 'columns', columns };
}

function children(
  parent: string,
  filters: readonly RowFilterContent[] = [],
  level: number,
): Filter[] {
  if (filters.length < 2) throw requestError('filter', faults.tooFewFilters(parent));
  return filters.map((filter) => filterOf(filter, level + 1));
}

function flagFilter({
  sink,
  passAllFilter,
  blockAllFilter,
  stripValueTransformer,
}: RowFilterContent): Filter | undefined {
  if (sink !== undefined) return flag(sink, 'sink', { kind: 'sink' });
  if (passAllFilter !== undefined) return flag(passAllFilter, 'pass_all_filter', passAll);
  if (blockAllFilter !== undefined)
    return flag(blockAllFilter, 'block_all_filter', { kind: 'blockAll' });
  if (stripValueTransformer !== undefined)
    return flag(stripValueTransformer, 'strip_value_transformer', { kind: 'stripValue' });
  return undefined;
}

function flag(value: boolean, name: string, filter: Filter): Filter {
  if (!value) throw requestError('filter', faults.notTrue(name));
  return filter;
}

function patternFilter(message: RowFilterContent): Filter | undefined {
  const { rowKeyRegexFilter, familyNameRegexFilter, columnQualifierRegexFilter, valueRegexFilter } =
    message;
  if (rowKeyRegexFilter !== undefined) return { kind: 'rowKeyRegex', pattern: rowKeyRegexFilter };
  if (familyNameRegexFilter !== undefined) return familyFilter(familyNameRegexFilter);
  if (columnQualifierRegexFilter !== undefined)
    return { kind: 'qualifierRegex', pattern: columnQualifierRegexFilter };
  if (valueRegexFilter !== undefined) return { kind: 'valueRegex', pattern: valueRegexFilter };
  return undefined;
}

/**
 * A pattern without metacharacters selects that family by name: production returns NOT_FOUND if it
 * does not exist (java-bigtable#32), and the engine can skip other families. An unescaped `.` is a
 * metacharacter.
 */
function familyFilter(pattern: string): Filter {
  const isLiteral = /^(?:[-_a-zA-Z0-9]|\\[-_.])+$/.test(pattern);
  if (isLiteral) return { kind: 'families', families: [pattern.replaceAll('\\', '')] };
  return { kind: 'familyRegex', pattern };
}

function countFilter(message: RowFilterContent): Filter | undefined {
  const {
    cellsPerRowOffsetFilter,
    cellsPerRowLimitFilter,
    cellsPerColumnLimitFilter,
    rowSampleFilter,
    applyLabelTransformer,
    valueBitmaskFilter,
  } = message;
  if (cellsPerRowOffsetFilter !== undefined)
    return { kind: 'cellsPerRowOffset', count: cellsPerRowOffsetFilter };
  if (cellsPerRowLimitFilter !== undefined)
    return { kind: 'cellsPerRow', count: cellsPerRowLimitFilter };
  if (cellsPerColumnLimitFilter !== undefined)
    return { kind: 'cellsPerColumn', count: cellsPerColumnLimitFilter };
  if (rowSampleFilter !== undefined) return { kind: 'rowSample', probability: rowSampleFilter };
  if (applyLabelTransformer !== undefined) return { kind: 'label', label: applyLabelTransformer };
  if (valueBitmaskFilter !== undefined)
    return { kind: 'valueBitmask', mask: valueBitmaskFilter.mask ?? noBytes };
  return undefined;
}

function rangeFilter({
  columnRangeFilter,
  timestampRangeFilter,
  valueRangeFilter,
}: RowFilterContent): Filter | undefined {
  if (columnRangeFilter !== undefined) return columnRange(columnRangeFilter);
  if (timestampRangeFilter !== undefined) return timestampRange(timestampRangeFilter);
  if (valueRangeFilter !== undefined) return valueRange(valueRangeFilter);
  return undefined;
}

/**
 * A whole family or a single column becomes a selection of columns: an engine can skip the rest.
 */
function columnRange(message: ContentOf<typeof ColumnRange>): Filter {
  const { familyName: family = '' } = message;
  if (family === '') throw requestError('filter', faults.missingFamilyName);
  const start = qualifierBound(message.startQualifierClosed, message.startQualifierOpen);
  const end = qualifierBound(message.endQualifierClosed, message.endQualifierOpen);
  if (start === undefined && end === undefined) return { kind: 'families', families: [family] };
  if (start?.inclusive && end?.inclusive && equalBytes(start.qualifier, end.qualifier))
    return { kind: 'columns', columns: [{ family, qualifiers: [start.qualifier] }] };
  return { kind: 'columnRange', family, start, end };
}

function timestampRange({
  startTimestampMicros: start = 0n,
  endTimestampMicros,
}: ContentOf<typeof TimestampRange>): Filter {
  // 0 means no end.
  const end = endTimestampMicros === 0n ? undefined : endTimestampMicros;
  return { kind: 'timestampRange', start, end };
}

function valueRange(message: ContentOf<typeof ValueRange>): Filter {
  const start = valueBound(message.startValueClosed, message.startValueOpen);
  const end = valueBound(message.endValueClosed, message.endValueOpen);
  if (start?.inclusive && end?.inclusive && equalBytes(start.value, end.value))
    return { kind: 'valueEquals', value: start.value };
  return { kind: 'valueRange', start, end };
}

function qualifierBound(
  closed: Uint8Array | undefined,
  open: Uint8Array | undefined,
): QualifierBound | undefined {
  if (closed !== undefined) return { qualifier: closed, inclusive: true };
  if (open !== undefined) return { qualifier: open, inclusive: false };
  return undefined;
}

function valueBound(
  closed: Uint8Array | undefined,
  open: Uint8Array | undefined,
): ValueBound | undefined {
  if (closed !== undefined) return { value: closed, inclusive: true };
  if (open !== undefined) return { value: open, inclusive: false };
  return undefined;
}

const faults = {
  filterTooLong: (length: number) => ({
    problem: `The serialized filter has ${length} bytes, the limit is ${maxFilterBytes}.`,
  }),
  filterTooDeep: { problem: `Filters are nested deeper than ${maxFilterDepth} levels.` },
  unknownFields: { problem: 'The filter has fields that this server does not know.' },
  missingPredicate: { problem: 'Condition filters must have a predicate filter.' },
  missingBranch: { problem: 'Condition filters must have a true or a false filter.' },
  tooFewFilters: (parent: string) => ({
    problem: `${parent} must contain at least two RowFilters.`,
  }),
  notTrue: (name: string) => ({ problem: `${name} must be true if set.` }),
  missingFamilyName: { problem: 'column_range_filter needs a family_name.' },
} satisfies FaultTexts;
