/**
 * A filter in the kinds that the API has messages for (data.proto, RowFilter), written apart from
 * src/protocol/filter/encode-filter.ts: families and columns are ranges of columns, one value is a range
 * of values, and what stands alone in a chain or an interleave is itself.
 */
import type { Filter } from '../../src/store/index.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

/** The filter as a client of the API says it. */
export function apiFilter(filter: Filter): Filter {
  switch (filter.kind) {
    case 'chain':
    case 'interleave':
      return filter.filters.length === 1
        ? apiFilter(filter.filters[0])
        : { ...filter, filters: filter.filters.map(apiFilter) };
    case 'condition': {
      const { predicate, onTrue, onFalse } = filter;
      return {
        kind: 'condition',
        predicate: apiFilter(predicate),
        ...(onTrue === undefined ? {} : { onTrue: apiFilter(onTrue) }),
        ...(onFalse === undefined ? {} : { onFalse: apiFilter(onFalse) }),
      };
    }
    case 'families':
      return anyOf(
        [...new Set(filter.families)].map((family) => ({ kind: 'columnRange', family })),
      );
    case 'columns':
      return anyOf(
        [...new Set(filter.columns.map(({ family }) => family))].map((family) =>
          inFamily(family, filter.columns),
        ),
      );
    case 'valueEquals':
      return {
        kind: 'valueRange',
        start: { value: filter.value, inclusive: true },
        end: { value: filter.value, inclusive: true },
      };
    default:
      return filter;
  }
}

const anyOf = (filters: readonly Filter[]): Filter =>
  filters.length === 0
    ? { kind: 'blockAll' }
    : filters.length === 1
      ? filters[0]
      : { kind: 'interleave', filters };

function inFamily(family: string, columns: Columns): Filter {
  const wanted = columns
    .filter((column) => column.family === family)
    .map(({ qualifiers }) => qualifiers);
  const qualifiers: Uint8Array[] = [];
  for (const some of wanted) {
    if (some === 'all') return { kind: 'columnRange', family };
    qualifiers.push(...some);
  }
  const pattern = qualifiers
    .map((one) => [...one].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''))
    .join('|');
  return {
    kind: 'chain',
    filters: [
      { kind: 'columnRange', family },
      qualifiers.length === 0
        ? { kind: 'blockAll' }
        : { kind: 'qualifierRegex', pattern: new Uint8Array(Buffer.from(pattern)) },
    ],
  };
}
