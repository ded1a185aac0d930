/** The columns that a query reads, and the filter that makes the storage return only them. */
import type { ColumnModel, EntityModel } from '../model/index.js';
import type { Filter } from '../store/index.js';
import type { QuerySpec } from './query-spec.js';

/** The part of an entity that a query reads. */
export interface ColumnSelection {
  /** Columns whose cells become properties, in storage order. */
  readonly columns: readonly ColumnModel[];
  /** Families that are read, in byte order. */
  readonly families: readonly string[];
  /** True if results have all properties and so are entity instances; false for plain objects. */
  readonly whole: boolean;
  readonly filter: Filter;
  /** Set if stored versions of `@Versions` columns, or newer cells, are left out. */
  readonly partial?: 'versions' | 'asOf';
}

/**
 * The selections of queries for whole entities. Code is compiled per selection, so that such
 * queries should share one object: by their columns, which an entity has in common with its scopes.
 */
const wholeSelections = new WeakMap<EntityModel['columns'], ColumnSelection>();

/** The columns that a query reads, with the filter for them. */
export function columnSelectionOf(model: EntityModel, query: QuerySpec): ColumnSelection {
  const { select, keysOnly, versions, asOf } = query;
  if (select !== undefined || keysOnly || versions !== undefined || asOf !== undefined)
    return selectColumns(model, query);
  let selection = wholeSelections.get(model.columns);
  if (selection === undefined) {
    selection = selectColumns(model, query);
    wholeSelections.set(model.columns, selection);
  }
  return selection;
}

function selectColumns(model: EntityModel, query: QuerySpec): ColumnSelection {
  const whole = query.select === undefined && !query.keysOnly;
  const selected = selectedColumns(model, query.select);
  // A query for keys, or a count, returns the same rows as without keysOnly: those with a cell in
  // the families of the selected columns.
  const families = familiesOf(model, selected);
  const columns = query.keysOnly ? [] : selected;
  return Object.freeze({
    columns,
    families,
    whole,
    filter: filterOf(query, columns, families, otherFamilies(model, query, families)),
    partial: partialOf(query, columns),
  });
}

function partialOf(
  { versions, asOf }: QuerySpec,
  columns: readonly ColumnModel[],
): ColumnSelection['partial'] {
  if (asOf !== undefined) return 'asOf';
  if (versions !== undefined && columns.some(({ kind }) => kind === 'versions')) return 'versions';
  return undefined;
}

function selectedColumns(
  model: EntityModel,
  select: readonly string[] | undefined,
): readonly ColumnModel[] {
  if (select === undefined) return model.columns;
  return model.columns.filter((column) => select.includes(column.property));
}

/**
 * The families of the columns. If only segments are selected, all families of the entity, because a
 * row exists if any of them has a cell.
 */
function familiesOf(model: EntityModel, selected: readonly ColumnModel[]): readonly string[] {
  const columns = selected.length === 0 ? model.columns : selected;
  const families = new Set(columns.map((column) => column.family));
  if (columns === model.columns && model.marker !== undefined) families.add(model.marker.family);
  return [...model.table.families.keys()].filter((family) => families.has(family));
}

/** The families in which a cell alone makes a row a result, if there are any. */
function otherFamilies(
  model: EntityModel,
  { everyRow }: QuerySpec,
  families: readonly string[],
): readonly string[] {
  if (everyRow !== true) return [];
  return familiesOf(model, model.columns).filter((family) => !families.includes(family));
}

function filterOf(
  query: QuerySpec,
  columns: readonly ColumnModel[],
  families: readonly string[],
  others: readonly string[],
): Filter {
  const time: Filter[] = [];
  if (query.asOf !== undefined)
    time.push({ kind: 'timestampRange', end: BigInt(query.asOf.getTime() + 1) * 1000n });
  const read: Filter[] = [{ kind: 'families', families }, ...time];
  const exists: Filter[] = [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }];
  if (columns.length === 0) return { kind: 'chain', filters: [...read, ...exists] };
  const count = maxVersionsOf(query, columns);
  if (count !== undefined) read.push({ kind: 'cellsPerColumn', count });
  const filter: Filter = { kind: 'chain', filters: read };
  if (others.length === 0) return filter;
  const rest: Filter[] = [{ kind: 'families', families: others }, ...time, ...exists];
  return { kind: 'interleave', filters: [filter, { kind: 'chain', filters: rest }] };
}

/** Maximum number of cells per column; undefined for all. */
function maxVersionsOf(query: QuerySpec, columns: readonly ColumnModel[]): number | undefined {
  if (columns.some((column) => column.kind === 'versions')) return query.versions;
  return 1;
}
