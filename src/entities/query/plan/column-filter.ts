/** The filter that makes the storage return only the cells that a query reads. */
import { type ColumnModel, qualifiersOf } from '../../model/index.js';
import type { Filter } from '../../../data/store/index.js';
import type { QuerySpec, EntrySlice } from '../query-spec.js';
import type { WherePlan } from '../where/where-plan.js';

/** How the rows of a selection are tested. */
export interface SelectedWhere {
  readonly plan: WherePlan;
  /** Columns that are read, in storage order: columns of the results, and tested columns. */
  readonly columns: readonly ColumnModel[];
  /** A row without a cell in these families is no result. Undefined if no other cells are read. */
  readonly existsIn?: ReadonlySet<string>;
}

/** The families of the columns, and other families in which a cell makes a row a result, too. */
export interface ReadFamilies {
  readonly families: readonly string[];
  readonly others: readonly string[];
}

/** The filter for the selected columns of rows that may be tested. */
export function columnFilter(
  query: QuerySpec,
  selected: readonly ColumnModel[],
  read: ReadFamilies,
  where: SelectedWhere | undefined,
): Filter {
  if (where !== undefined) return whereFilter(query, selected, read, where);
  const { families, others } = read;
  const filters: Filter[] = [];
  const { entries = [], keysOnly } = query;
  if (entries.length === 0) filters.push({ kind: 'families', families });
  filters.push(...timeFilters(query));
  if (entries.length > 0) filters.push(...partsFilter(query, selected, []));
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

/** Tested columns are read, too: the predicate is not atomic with what is returned. */
function whereFilter(
  query: QuerySpec,
  selected: readonly ColumnModel[],
  read: ReadFamilies,
  where: SelectedWhere,
): Filter {
  const { entries = [], keysOnly } = query;
  let cells: readonly Filter[];
  if (entries.length > 0) cells = partsFilter(query, selected, where.plan.columns);
  else if (keysOnly || selected.length === 0) cells = keyCells(where);
  else cells = newestCells(query, selected);
  return where.plan.filter(cells, [cellsOf(read, where), ...timeFilters(query)]);
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
  tested: readonly ColumnModel[],
): Filter[] {
  const { entries: slices = [] } = query;
  const sliced = new Set(slices.map(({ property }) => property));
  const whole = selected.filter(({ property }) => !sliced.has(property));
  const families = [...new Set(whole.map(({ family }) => family))];
  const parts: Filter[][] = [];
  if (whole.length > 0) parts.push([{ kind: 'families', families }, ...newestCells(query, whole)]);
  const others = tested.filter(({ family }) => !families.includes(family));
  if (others.length > 0)
    parts.push([
      { kind: 'columns', columns: others.map(columnCells) },
      { kind: 'cellsPerColumn', count: 1 },
    ]);
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

/** The cells to read of rows when only the key is a result: the cells of tested columns. */
function keyCells({ plan, existsIn }: SelectedWhere): readonly Filter[] {
  if (plan.columns.length === 0) return existence;
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  if (!plan.needsCell || existsIn !== undefined) return [newest];
  // In a row that matches, one of them has a cell.
  return [{ kind: 'columns', columns: plan.columns.map(columnCells) }, newest];
}

/** The cells of the families, and of tested columns of other ones. */
function cellsOf({ families, others }: ReadFamilies, { plan }: SelectedWhere): Filter {
  // A row that matches may have no cell but in other families.
  if (others.length > 0 && !plan.needsCell)
    return { kind: 'families', families: [...families, ...others].sort() };
  const tested = plan.columns.filter(({ family }) => !families.includes(family));
  if (tested.length === 0) return { kind: 'families', families };
  return {
    kind: 'columns',
    columns: [
      ...families.map((family) => ({ family, qualifiers: 'all' as const })),
      ...tested.map(columnCells),
    ],
  };
}

function columnCells(column: ColumnModel): {
  readonly family: string;
  readonly qualifiers: readonly Uint8Array[];
} {
  return { family: column.family, qualifiers: qualifiersOf(column) };
}
