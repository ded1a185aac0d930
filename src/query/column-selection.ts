/** The columns that a query reads, and the filter that makes the storage return only them. */
import { type ColumnModel, type EntityModel, qualifiersOf } from '../model/index.js';
import type { Filter } from '../store/index.js';
import type { QuerySpec } from './query-spec.js';
import { planWhere, type WherePlan } from './where/where-plan.js';

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
  /** Set if rows are tested. */
  readonly where?: SelectedWhere;
}

/** How the rows of a selection are tested. */
export interface SelectedWhere {
  readonly plan: WherePlan;
  /** Columns that are read, in storage order: those of the results, and those that are tested. */
  readonly columns: readonly ColumnModel[];
  /** A row without a cell in these families is no result. Undefined if no other cells are read. */
  readonly existsIn?: ReadonlySet<string>;
}

/**
 * The selections of queries for whole entities. Code is compiled per selection, so that such
 * queries should share one object.
 */
const wholeSelections = new WeakMap<EntityModel, ColumnSelection>();

/** The columns that a query reads, with the filter for them. */
export function columnSelectionOf(model: EntityModel, query: QuerySpec): ColumnSelection {
  const { select, keysOnly, versions, asOf, where } = query;
  if (select !== undefined || keysOnly || versions !== undefined || asOf !== undefined)
    return selectColumns(model, query);
  if (where !== undefined) return selectColumns(model, query);
  let selection = wholeSelections.get(model);
  if (selection === undefined) {
    selection = selectColumns(model, query);
    wholeSelections.set(model, selection);
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
  const others = otherFamilies(model, query, families);
  const where = selectWhere(model, query, columns, families);
  return Object.freeze({
    columns,
    families,
    whole,
    filter: filterOf(query, columns, { families, others }, where),
    partial: partialOf(query, columns),
    where,
  });
}

function selectWhere(
  model: EntityModel,
  { where, everyRow }: QuerySpec,
  columns: readonly ColumnModel[],
  families: readonly string[],
): SelectedWhere | undefined {
  if (where === undefined) return undefined;
  const plan = planWhere(model, where);
  const isOther = plan.columns.some(({ family }) => !families.includes(family));
  return Object.freeze({
    plan,
    columns: model.columns.filter(
      (column) => columns.includes(column) || plan.columns.includes(column),
    ),
    existsIn: isOther && everyRow !== true ? new Set(families) : undefined,
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

/** The families of the columns, and those in which a cell makes a row a result, too. */
interface ReadFamilies {
  readonly families: readonly string[];
  readonly others: readonly string[];
}

/** Passes one cell of a row, without its value. */
const oneCell: readonly Filter[] = [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }];

function filterOf(
  query: QuerySpec,
  columns: readonly ColumnModel[],
  read: ReadFamilies,
  where: SelectedWhere | undefined,
): Filter {
  const time: Filter[] = [];
  if (query.asOf !== undefined)
    time.push({ kind: 'timestampRange', end: BigInt(query.asOf.getTime() + 1) * 1000n });
  const count = maxVersionsOf(query, columns);
  const newest: Filter[] = count === undefined ? [] : [{ kind: 'cellsPerColumn', count }];
  if (where !== undefined) {
    const cells = columns.length > 0 ? newest : keyCells(where);
    return where.plan.filter(cells, [cellsOf(read, where), ...time]);
  }
  const { families, others } = read;
  const base: Filter[] = [{ kind: 'families', families }, ...time];
  if (columns.length === 0) return { kind: 'chain', filters: [...base, ...oneCell] };
  const filter: Filter = { kind: 'chain', filters: [...base, ...newest] };
  if (others.length === 0) return filter;
  const rest: Filter[] = [{ kind: 'families', families: others }, ...time, ...oneCell];
  return { kind: 'interleave', filters: [filter, { kind: 'chain', filters: rest }] };
}

/** The cells of rows of which only the key is a result: those of tested columns. */
function keyCells({ plan, existsIn }: SelectedWhere): readonly Filter[] {
  if (plan.columns.length === 0) return oneCell;
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

/** Maximum number of cells per column; undefined for all. */
function maxVersionsOf(query: QuerySpec, columns: readonly ColumnModel[]): number | undefined {
  if (columns.some((column) => column.kind === 'versions')) return query.versions;
  return 1;
}
