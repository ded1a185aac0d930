/**
 * Filter -> RowFilter, the way back of row-filter.ts. Kinds that the API has no message for are
 * said with those it has: families and columns by ranges of columns, which name a family exactly
 * (an unknown one is NOT_FOUND) and cost no pattern for each cell; several of them as an interleave
 * that gives no cell twice.
 */
import { equalBytes } from '../../bytes/index.js';
import { CellFault } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import type { Filter } from '../../store/index.js';
import { requestError } from '../request-error.js';
import { RowFilter, type RowFilterContent } from '../messages/data-messages.js';
import { literalPattern } from './literal-pattern.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

/** Counts are int32; no row has more cells. */
const mostCells = 2 ** 31 - 1;

/** The bytes of the filter's message; INVALID_ARGUMENT for what no message can say. */
export function encodeFilter(filter: Filter): Uint8Array {
  try {
    return RowFilter.encode(filterMessage(filter));
  } catch (cause) {
    if (!(cause instanceof CellFault)) throw cause;
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
      return together('chain', filter.filters);
    case 'interleave':
      return together('interleave', filter.filters);
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
        `The filter is of an unknown kind: ${String((filter as { readonly kind?: unknown }).kind)}`,
      );
  }
}

function together(kind: 'chain' | 'interleave', filters: readonly Filter[]): RowFilterContent {
  if (filters.length === 0) throw requestError('filter', `${kind} needs filters`);
  const messages = filters.map(filterMessage);
  // The API refuses a chain or an interleave of one.
  return messages.length === 1 ? messages[0] : { [kind]: { filters: messages } };
}

/** The cells that any of the filters gives; they must not overlap. */
function anyOf(filters: RowFilterContent[]): RowFilterContent {
  if (filters.length === 0) return { blockAllFilter: true };
  return filters.length === 1 ? filters[0] : { interleave: { filters } };
}

function familyMessage(family: string): RowFilterContent {
  // A name that no family can have would be read as a pattern.
  if (!/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,63}$/.test(family))
    throw new RowsmithError('FAMILY_NOT_FOUND', {
      family,
      problem: 'no family can have this name',
    });
  return { columnRangeFilter: { familyName: family } };
}

function columnsMessage(columns: Columns): RowFilterContent {
  const wanted = new Map<string, 'all' | Uint8Array[]>();
  for (const { family, qualifiers } of columns) {
    const before = wanted.get(family) ?? [];
    if (before === 'all' || qualifiers === 'all') wanted.set(family, 'all');
    else
      wanted.set(family, [
        ...before,
        ...qualifiers.filter(
          (one, at) =>
            ![...before, ...qualifiers.slice(0, at)].some((other) => equalBytes(one, other)),
        ),
      ]);
  }
  return anyOf(
    [...wanted].map(([family, qualifiers]) => {
      const whole = familyMessage(family);
      if (qualifiers === 'all') return whole;
      const [first] = qualifiers;
      if (qualifiers.length === 1)
        return {
          columnRangeFilter: {
            familyName: family,
            startQualifierClosed: first,
            endQualifierClosed: first,
          },
        };
      return {
        chain: {
          filters: [
            whole,
            qualifiers.length === 0
              ? { blockAllFilter: true }
              : { columnQualifierRegexFilter: literalPattern(qualifiers) },
          ],
        },
      };
    }),
  );
}

function count(value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return Math.min(value, mostCells);
  throw requestError('filter.count', `must be a whole number of at least ${least}`);
}

function rangeMessage(
  filter: Extract<Filter, { kind: 'columnRange' | 'valueRange' | 'timestampRange' }>,
): RowFilterContent {
  if (filter.kind === 'columnRange') {
    const { family, start, end } = filter;
    return {
      columnRangeFilter: {
        familyName: family,
        ...(start === undefined
          ? {}
          : start.inclusive
            ? { startQualifierClosed: start.qualifier }
            : { startQualifierOpen: start.qualifier }),
        ...(end === undefined
          ? {}
          : end.inclusive
            ? { endQualifierClosed: end.qualifier }
            : { endQualifierOpen: end.qualifier }),
      },
    };
  }
  if (filter.kind === 'valueRange') {
    const { start, end } = filter;
    return {
      valueRangeFilter: {
        ...(start === undefined
          ? {}
          : start.inclusive
            ? { startValueClosed: start.value }
            : { startValueOpen: start.value }),
        ...(end === undefined
          ? {}
          : end.inclusive
            ? { endValueClosed: end.value }
            : { endValueOpen: end.value }),
      },
    };
  }
  return {
    timestampRangeFilter: {
      startTimestampMicros: micros(filter.start),
      endTimestampMicros: micros(filter.end),
    },
  };
}

function micros(value: number | bigint | undefined): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw requestError('filter', 'timestamps are bigints or safe integers');
  return BigInt(value ?? 0);
}

function conditionMessage({
  predicate,
  onTrue,
  onFalse,
}: Extract<Filter, { kind: 'condition' }>): RowFilterContent {
  if (onTrue === undefined && onFalse === undefined)
    throw requestError('filter', 'a condition needs a branch');
  return {
    condition: {
      predicateFilter: filterMessage(predicate),
      ...(onTrue === undefined ? {} : { trueFilter: filterMessage(onTrue) }),
      ...(onFalse === undefined ? {} : { falseFilter: filterMessage(onFalse) }),
    },
  };
}
