/**
 * RowFilter -> Filter. Refused here is what the message's form cannot mean (false flags, missing
 * fields, size, depth, fields this version does not know); what depends on values (patterns,
 * labels, counts, ranges) is refused by the engine.
 */
import { maxFilterBytes, maxFilterDepth } from '../../base/index.js';
import { equalBytes, noBytes } from '../../bytes/index.js';
import { unknownFields } from '../../cell/index.js';
import type { Filter } from '../../store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { RowFilter, type RowFilterContent } from '../messages/data-messages.js';
import { literalAlternatives } from './literal-pattern.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

const passAll: Filter = { kind: 'passAll' };

/** The filter of an encoded RowFilter. */
export function decodeFilter(encoded: Uint8Array): Filter {
  if (encoded.length > maxFilterBytes)
    throw requestError(
      'filter',
      `The serialized filter has ${encoded.length} bytes, the limit is ${maxFilterBytes}.`,
    );
  return filterOf(RowFilter.decode(encoded), 1);
}

function filterOf(message: RowFilterContent, level: number): Filter {
  if (level > maxFilterDepth)
    throw requestError('filter', `Filters are nested deeper than ${maxFilterDepth} levels.`);
  if (unknownFields in message)
    throw unsupportedRequest('filter', 'The filter has fields that this server does not know.');
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
  if (predicateFilter === undefined)
    throw requestError('filter', 'Condition filters must have a predicate filter.');
  if (trueFilter === undefined && falseFilter === undefined)
    throw requestError('filter', 'Condition filters must have a true or a false filter.');
  return {
    kind: 'condition',
    predicate: filterOf(predicateFilter, level + 1),
    ...(trueFilter === undefined ? {} : { onTrue: filterOf(trueFilter, level + 1) }),
    ...(falseFilter === undefined ? {} : { onFalse: filterOf(falseFilter, level + 1) }),
  };
}

/**
 * A family and then exact qualifiers is how the API names columns: as such an engine steps over the
 * others.
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
 * An interleave of different families, or of columns in them, gives no cell twice: it is one choice
 * of columns.
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
  return columns.every(({ qualifiers }) => qualifiers === 'all')
    ? { kind: 'families', families: columns.map(({ family }) => family) }
    : { kind: 'columns', columns };
}

function children(
  what: string,
  filters: readonly RowFilterContent[] = [],
  level: number,
): Filter[] {
  if (filters.length < 2)
    throw requestError('filter', `${what} must contain at least two RowFilters.`);
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
  return stripValueTransformer === undefined
    ? undefined
    : flag(stripValueTransformer, 'strip_value_transformer', { kind: 'stripValue' });
}

function flag(value: boolean, name: string, filter: Filter): Filter {
  if (!value) throw requestError('filter', `${name} must be true if set.`);
  return filter;
}

function patternFilter(message: RowFilterContent): Filter | undefined {
  const { rowKeyRegexFilter, familyNameRegexFilter, columnQualifierRegexFilter, valueRegexFilter } =
    message;
  if (rowKeyRegexFilter !== undefined) return { kind: 'rowKeyRegex', pattern: rowKeyRegexFilter };
  if (familyNameRegexFilter !== undefined) return familyFilter(familyNameRegexFilter);
  if (columnQualifierRegexFilter !== undefined)
    return { kind: 'qualifierRegex', pattern: columnQualifierRegexFilter };
  return valueRegexFilter === undefined
    ? undefined
    : { kind: 'valueRegex', pattern: valueRegexFilter };
}

/**
 * A pattern that is a plain name asks for that family: production answers NOT_FOUND when there is
 * none (java-bigtable#32), and the engine steps over the others. `.` is a pattern only where it
 * stands unescaped.
 */
function familyFilter(pattern: string): Filter {
  const literal = /^(?:[-_a-zA-Z0-9]|\\[-_.])+$/.test(pattern);
  return literal
    ? { kind: 'families', families: [pattern.replaceAll('\\', '')] }
    : { kind: 'familyRegex', pattern };
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
  return valueBitmaskFilter === undefined
    ? undefined
    : { kind: 'valueBitmask', mask: valueBitmaskFilter.mask ?? noBytes };
}

/**
 * A range that is a whole family or one column is a choice of columns: as such an engine steps over
 * the others.
 */
function rangeFilter({
  columnRangeFilter,
  timestampRangeFilter,
  valueRangeFilter,
}: RowFilterContent): Filter | undefined {
  if (columnRangeFilter !== undefined) {
    const {
      familyName = '',
      startQualifierClosed,
      startQualifierOpen,
      endQualifierClosed,
      endQualifierOpen,
    } = columnRangeFilter;
    if (familyName === '') throw requestError('filter', 'column_range_filter needs a family_name.');
    const start = bound(startQualifierClosed, startQualifierOpen);
    const end = bound(endQualifierClosed, endQualifierOpen);
    if (start === undefined && end === undefined)
      return { kind: 'families', families: [familyName] };
    if (
      startQualifierClosed !== undefined &&
      endQualifierClosed !== undefined &&
      equalBytes(startQualifierClosed, endQualifierClosed)
    ) {
      return {
        kind: 'columns',
        columns: [{ family: familyName, qualifiers: [startQualifierClosed] }],
      };
    }
    return {
      kind: 'columnRange',
      family: familyName,
      ...(start === undefined
        ? {}
        : { start: { qualifier: start.bytes, inclusive: start.inclusive } }),
      ...(end === undefined ? {} : { end: { qualifier: end.bytes, inclusive: end.inclusive } }),
    };
  }
  if (timestampRangeFilter !== undefined) {
    const { startTimestampMicros: start = 0n, endTimestampMicros: end = 0n } = timestampRangeFilter;
    return { kind: 'timestampRange', start, ...(end === 0n ? {} : { end }) };
  }
  if (valueRangeFilter === undefined) return undefined;
  const start = bound(valueRangeFilter.startValueClosed, valueRangeFilter.startValueOpen);
  const end = bound(valueRangeFilter.endValueClosed, valueRangeFilter.endValueOpen);
  if (start?.inclusive === true && end?.inclusive === true && equalBytes(start.bytes, end.bytes))
    return { kind: 'valueEquals', value: start.bytes };
  return {
    kind: 'valueRange',
    ...(start === undefined ? {} : { start: { value: start.bytes, inclusive: start.inclusive } }),
    ...(end === undefined ? {} : { end: { value: end.bytes, inclusive: end.inclusive } }),
  };
}

function bound(
  closed: Uint8Array | undefined,
  open: Uint8Array | undefined,
): { readonly bytes: Uint8Array; readonly inclusive: boolean } | undefined {
  if (closed !== undefined) return { bytes: closed, inclusive: true };
  return open === undefined ? undefined : { bytes: open, inclusive: false };
}
