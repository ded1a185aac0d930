/** The filter that makes the storage return only the cells that a query reads. */
import type { ColumnModel } from '../model/index.js';
import type { Filter } from '../store/index.js';
import type { EntrySlice } from './entries.js';
import type { QuerySpec } from './query-spec.js';

/**
 * The filter for the selected columns, which are in `families`. A cell of `others` alone also makes
 * a row a result.
 */
export function columnFilter(
  query: QuerySpec,
  selected: readonly ColumnModel[],
  families: readonly string[],
  others: readonly string[],
): Filter {
  const filters: Filter[] = [];
  const { entries = [], keysOnly } = query;
  if (entries.length === 0) filters.push({ kind: 'families', families });
  filters.push(...timeFilters(query));
  if (entries.length > 0) filters.push(...partsFilter(query, selected, entries));
  else if (!keysOnly && selected.length > 0) filters.push(...newestCells(query, selected));
  if (keysOnly || selected.length === 0) filters.push(...existence);
  const filter: Filter = { kind: 'chain', filters };
  if (keysOnly || selected.length === 0 || others.length === 0) return filter;
  const rest: Filter[] = [
    { kind: 'families', families: others },
    ...timeFilters(query),
    ...existence,
  ];
  return { kind: 'interleave', filters: [filter, { kind: 'chain', filters: rest }] };
}

/** One cell without its value, which shows that the row exists. */
const existence: readonly Filter[] = [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }];

function timeFilters({ asOf }: QuerySpec): Filter[] {
  if (asOf === undefined) return [];
  return [{ kind: 'timestampRange', end: BigInt(asOf.getTime() + 1) * 1000n }];
}

/** Limits the versions of columns, unless all are read. */
function newestCells(query: QuerySpec, columns: readonly ColumnModel[]): Filter[] {
  const count = maxVersionsOf(query, columns);
  if (count === undefined) return [];
  return [{ kind: 'cellsPerColumn', count }];
}

/** Maximum number of cells per column; undefined for all. */
function maxVersionsOf(query: QuerySpec, columns: readonly ColumnModel[]): number | undefined {
  if (columns.some((column) => column.kind === 'versions')) return query.versions;
  return 1;
}

/** One filter for each part of a map, and one for the columns that are read whole. */
function partsFilter(
  query: QuerySpec,
  selected: readonly ColumnModel[],
  slices: readonly EntrySlice[],
): Filter[] {
  const sliced = new Set(slices.map(({ property }) => property));
  const whole = selected.filter(({ property }) => !sliced.has(property));
  const parts: Filter[][] = [];
  if (whole.length > 0) {
    const families = [...new Set(whole.map(({ family }) => family))];
    parts.push([{ kind: 'families', families }, ...newestCells(query, whole)]);
  }
  for (const slice of slices) {
    const { family } = selected.find(({ property }) => property === slice.property)!;
    const part = sliceFilters(family, slice);
    if (part !== undefined) parts.push(part);
  }
  if (parts.length === 0) return [{ kind: 'blockAll' }];
  if (parts.length === 1) return parts[0];
  const filters = parts.map((part): Filter => {
    if (part.length === 1) return part[0];
    return { kind: 'chain', filters: part };
  });
  return [{ kind: 'interleave', filters }];
}

/** The cells of a part of a map; undefined if there are none. */
function sliceFilters(
  family: string,
  { range, offset, limit, form }: EntrySlice,
): Filter[] | undefined {
  if (range === undefined) return undefined;
  const filters: Filter[] = [
    { kind: 'columnRange', family, ...range },
    { kind: 'cellsPerColumn', count: 1 },
  ];
  if (offset !== undefined) filters.push({ kind: 'cellsPerRowOffset', count: offset });
  if (limit !== undefined) filters.push({ kind: 'cellsPerRow', count: limit });
  if (form === 'keys' || form === 'count') filters.push({ kind: 'stripValue' });
  return filters;
}
