/**
 * Translates a filter to the kinds for which the API has messages (data.proto, RowFilter),
 * independently of src/engines/protocol/filter/encode-filter.ts: families and columns become column ranges,
 * a single value becomes a value range, and a chain or interleave of one becomes its subfilter.
 */
import type { Filter } from '../../src/data/store/index.js';

type Columns = Extract<Filter, { kind: 'columns' }>['columns'];

/** The equivalent filter of the API. */
export function apiFilter(filter: Filter): Filter {
  switch (filter.kind) {
    case 'chain':
    case 'interleave':
      if (filter.filters.length === 1) return apiFilter(filter.filters[0]);
      return { ...filter, filters: filter.filters.map(apiFilter) };
    case 'condition': {
      const { predicate, onTrue, onFalse } = filter;
      return {
        kind: 'condition',
        predicate: apiFilter(predicate),
        onTrue: onTrue && apiFilter(onTrue),
        onFalse: onFalse && apiFilter(onFalse),
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

function anyOf(filters: readonly Filter[]): Filter {
  if (filters.length === 0) return { kind: 'blockAll' };
  if (filters.length === 1) return filters[0];
  return { kind: 'interleave', filters };
}

function inFamily(family: string, columns: Columns): Filter {
  const qualifiers: Uint8Array[] = [];
  for (const column of columns) {
    if (column.family !== family) continue;
    if (column.qualifiers === 'all') return { kind: 'columnRange', family };
    qualifiers.push(...column.qualifiers);
  }
  const pattern = qualifiers
    .map((qualifier) =>
      [...qualifier].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    )
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
