/**
 * Filter -> RowFilter, the inverse of decode-filter.ts. The API has no message for families and
 * columns. They become column ranges, which name a family exactly (an unknown one is NOT_FOUND) and
 * evaluate no pattern per cell; several become an interleave that returns no cell twice.
 */
import { equalBytes, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import type { Filter } from '../../../data/store/index.js';
import { requestError } from '../request-error.js';
import {
  RowFilter,
  type ColumnRange,
  type RowFilterContent,
  type ValueRange,
} from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';
import { literalPattern } from './literal-pattern.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

/** The maximum int32; no row has more cells. */
const maxCount = 2 ** 31 - 1;

/** The encoded filter; INVALID_ARGUMENT if the API cannot express it. */
export function encodeFilter(filter: Filter): Uint8Array {
  try {
    return RowFilter.encode(filterMessage(filter));
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new RowsmithError(
      'INVALID_ARGUMENT',
      { property: 'filter', problem: cause.problem },
      { cause },
    );
  }
}

function filterMessage(filter: Filter): RowFilterContent {
  switch (filter.kind) {
    case 'chain':
      return compositeMessage('chain', filter.filters);
    case 'interleave':
      return compositeMessage('interleave', filter.filters);
    case 'sink':
      return { sink: true };
    case 'families':
      return anyOf([...new Set(filter.families)].map(familyMessage));
    case 'columns':
      return columnsMessage(filter.columns);
    case 'cellsPerColumn':
      return { cellsPerColumnLimitFilter: count(filter.count, 1) };
    case 'cellsPerRow':
      return { cellsPerRowLimitFilter: count(filter.count, 1) };
    case 'cellsPerRowOffset':
      return { cellsPerRowOffsetFilter: count(filter.count, 0) };
    case 'rowSample':
      return { rowSampleFilter: filter.probability };
    case 'rowKeyRegex':
      return { rowKeyRegexFilter: filter.pattern };
    case 'familyRegex':
      return { familyNameRegexFilter: filter.pattern };
    case 'qualifierRegex':
      return { columnQualifierRegexFilter: filter.pattern };
    case 'valueRegex':
      return { valueRegexFilter: filter.pattern };
    case 'valueBitmask':
      return { valueBitmaskFilter: { mask: filter.mask } };
    case 'valueEquals':
      return { valueRangeFilter: { startValueClosed: filter.value, endValueClosed: filter.value } };
    case 'stripValue':
      return { stripValueTransformer: true };
    case 'label':
      return { applyLabelTransformer: filter.label };
    case 'passAll':
      return { passAllFilter: true };
    case 'blockAll':
      return { blockAllFilter: true };
    case 'columnRange':
    case 'valueRange':
    case 'timestampRange':
      return rangeMessage(filter);
    case 'condition':
      return conditionMessage(filter);
    default:
      throw requestError(
        'filter',
        faults.unknownKind((filter as { readonly kind?: unknown }).kind),
      );
  }
}

function compositeMessage(
  kind: 'chain' | 'interleave',
  filters: readonly Filter[],
): RowFilterContent {
  if (filters.length === 0) throw requestError('filter', faults.missingFilters(kind));
  const messages = filters.map(filterMessage);
  // The API rejects a chain or an interleave of one.
  if (messages.length === 1) return messages[0];
  return { [kind]: { filters: messages } };
}

/** The union of the filters' cells; the filters must not overlap. */
function anyOf(filters: RowFilterContent[]): RowFilterContent {
  if (filters.length === 0) return { blockAllFilter: true };
  if (filters.length === 1) return filters[0];
  return { interleave: { filters } };
}

function familyMessage(family: string): RowFilterContent {
  // An invalid name would be read as a pattern.
  if (!/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,63}$/.test(family))
    throw new RowsmithError('FAMILY_NOT_FOUND', {
      family,
      ...faults.notAFamilyName,
    });
  return { columnRangeFilter: { familyName: family } };
}

function columnsMessage(columns: Columns): RowFilterContent {
  const byFamily = new Map<string, 'all' | Uint8Array[]>();
  for (const { family, qualifiers } of columns) {
    const merged = byFamily.get(family) ?? [];
    if (merged === 'all' || qualifiers === 'all') {
      byFamily.set(family, 'all');
      continue;
    }
    for (const qualifier of qualifiers)
      if (!merged.some((other) => equalBytes(other, qualifier))) merged.push(qualifier);
    byFamily.set(family, merged);
  }
  return anyOf(Array.from(byFamily, ([family, qualifiers]) => columnMessage(family, qualifiers)));
}

function columnMessage(family: string, qualifiers: 'all' | Uint8Array[]): RowFilterContent {
  const wholeFamily = familyMessage(family);
  if (qualifiers === 'all') return wholeFamily;
  if (qualifiers.length === 0)
    return { chain: { filters: [wholeFamily, { blockAllFilter: true }] } };
  if (qualifiers.length > 1) {
    const pattern = literalPattern(qualifiers);
    return { chain: { filters: [wholeFamily, { columnQualifierRegexFilter: pattern }] } };
  }
  const [qualifier] = qualifiers;
  return {
    columnRangeFilter: {
      familyName: family,
      startQualifierClosed: qualifier,
      endQualifierClosed: qualifier,
    },
  };
}

function count(value: number, min: number): number {
  if (Number.isInteger(value) && value >= min) return Math.min(value, maxCount);
  throw requestError('filter.count', faults.notAWholeNumber(min));
}

function rangeMessage(
  filter: Extract<Filter, { kind: 'columnRange' | 'valueRange' | 'timestampRange' }>,
): RowFilterContent {
  switch (filter.kind) {
    case 'columnRange':
      return { columnRangeFilter: columnRange(filter) };
    case 'valueRange':
      return { valueRangeFilter: valueRange(filter) };
    case 'timestampRange':
      return {
        timestampRangeFilter: {
          startTimestampMicros: micros(filter.start),
          endTimestampMicros: micros(filter.end),
        },
      };
  }
}

function columnRange({
  family,
  start,
  end,
}: Extract<Filter, { kind: 'columnRange' }>): ContentOf<typeof ColumnRange> {
  const range: ContentOf<typeof ColumnRange> = { familyName: family };
  if (start?.inclusive) range.startQualifierClosed = start.qualifier;
  else range.startQualifierOpen = start?.qualifier;
  if (end?.inclusive) range.endQualifierClosed = end.qualifier;
  else range.endQualifierOpen = end?.qualifier;
  return range;
}

function valueRange({
  start,
  end,
}: Extract<Filter, { kind: 'valueRange' }>): ContentOf<typeof ValueRange> {
  const range: ContentOf<typeof ValueRange> = {};
  if (start?.inclusive) range.startValueClosed = start.value;
  else range.startValueOpen = start?.value;
  if (end?.inclusive) range.endValueClosed = end.value;
  else range.endValueOpen = end?.value;
  return range;
}

function micros(value: number | bigint | undefined): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw requestError('filter', faults.unsafeTimestamp);
  return BigInt(value ?? 0);
}

function conditionMessage({
  predicate,
  onTrue,
  onFalse,
}: Extract<Filter, { kind: 'condition' }>): RowFilterContent {
  if (onTrue === undefined && onFalse === undefined)
    throw requestError('filter', faults.missingBranch);
  const condition: RowFilterContent['condition'] = { predicateFilter: filterMessage(predicate) };
  if (onTrue !== undefined) condition.trueFilter = filterMessage(onTrue);
  if (onFalse !== undefined) condition.falseFilter = filterMessage(onFalse);
  return { condition };
}

const faults = {
  unknownKind: (kind: unknown) => ({ problem: `unknown kind '${String(kind)}'` }),
  missingFilters: (kind: string) => ({ problem: `${kind} needs filters` }),
  notAFamilyName: { problem: 'it is not 1 to 64 characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*' },
  notAWholeNumber: (min: number) => ({ problem: `must be a whole number of at least ${min}` }),
  unsafeTimestamp: { problem: 'a timestamp must be a bigint or a safe integer' },
  missingBranch: { problem: 'a condition needs a branch' },
} satisfies FaultTexts;
