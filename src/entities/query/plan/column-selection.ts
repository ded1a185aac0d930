/** The columns that a query reads, and the filter that makes the storage return only them. */
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { Filter } from '../../../data/store/index.js';
import { columnFilter, type SelectedWhere } from './column-filter.js';
import type { QuerySpec, EntryForm } from '../query-spec.js';
import { planWhere } from '../where/where-plan.js';

/** The part of an entity that a query reads. */
export interface ColumnSelection {
  /** Columns with cells that become properties, in storage order. */
  readonly columns: readonly ColumnModel[];
  /** Families that are read, in byte order. */
  readonly families: readonly string[];
  /** True if results have all properties and so are entity instances; false for plain objects. */
  readonly whole: boolean;
  readonly filter: Filter;
  /** Column maps that are not returned as Maps; undefined if there are none. */
  readonly forms?: ReadonlyMap<string, Exclude<EntryForm, 'entries'>>;
  /** Set if stored versions of `@Versions` columns, or newer cells, are left out. */
  readonly partial?: 'versions' | 'asOf';
  /** Set if rows are tested. */
  readonly where?: SelectedWhere;
}

/**
 * The selections of queries for whole entities. Code is compiled per selection, so that such
 * queries should share one object: by their columns, which an entity has in common with its scopes.
 */
const wholeSelections = new WeakMap<EntityModel['columns'], ColumnSelection>();

/** The columns that a query reads, with the filter for them. */
export function columnSelectionOf(model: EntityModel, query: QuerySpec): ColumnSelection {
  const { select, keysOnly, versions, asOf, where } = query;
  if (select !== undefined || keysOnly || versions !== undefined || asOf !== undefined)
    return selectColumns(model, query);
  if (where !== undefined) return selectColumns(model, query);
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
  // A query for keys, or a count, returns the same rows as without keysOnly: rows with a cell in
  // the families of the selected columns.
  const families = familiesOf(model, selected);
  const columns = query.keysOnly ? [] : selected;
  const others = otherFamilies(model, query, families);
  const where = selectWhere(model, query, columns, families);
  return Object.freeze({
    columns,
    families,
    whole,
    filter: columnFilter(query, selected, { families, others }, where),
    forms: formsOf(query),
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

function formsOf({ entries = [], keysOnly }: QuerySpec): ColumnSelection['forms'] {
  if (keysOnly) return undefined;
  const forms = entries.flatMap(({ property, form }): [string, Exclude<EntryForm, 'entries'>][] =>
    form === 'entries' ? [] : [[property, form]],
  );
  if (forms.length === 0) return undefined;
  return new Map(forms);
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
