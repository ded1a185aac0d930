/** Which columns a question reads, and the filter that makes storage send just them. Pure. */
import type { ColumnModel, EntityModel } from '../model/index.js';
import type { Filter } from '../store/index.js';
import type { QuerySpec } from './query-spec.js';

/** The part of an entity a question reads. */
export interface Projection {
  /** Columns whose cells become properties, in storage order. */
  readonly columns: readonly ColumnModel[];
  /** Families that are read, in byte order. */
  readonly families: readonly string[];
  /**
   * True when results carry every property and so are instances of the entity class; false for
   * plain objects.
   */
  readonly whole: boolean;
  readonly filter: Filter;
}

/** The columns of a question and the filter for them. */
export function projectionOf(model: EntityModel, question: QuerySpec): Projection {
  const { select, keysOnly, versions, asOf } = question;
  if (select !== undefined || keysOnly || versions !== undefined || asOf !== undefined)
    return project(model, question);
  let projection = ofEverything.get(model);
  if (projection === undefined) ofEverything.set(model, (projection = project(model, question)));
  return projection;
}

/**
 * What most questions read: the same object each time, so that what is compiled for it is found
 * again.
 */
const ofEverything = new WeakMap<EntityModel, Projection>();

function project(model: EntityModel, question: QuerySpec): Projection {
  const whole = question.select === undefined && !question.keysOnly;
  const selected = selectedColumns(model, question.select);
  // Keys only, or the count, of a selection are those of the same rows: the ones that hold
  // something in its families.
  const families = familiesOf(model, selected);
  const columns = question.keysOnly ? [] : selected;
  return Object.freeze({ columns, families, whole, filter: filterOf(question, columns, families) });
}

function selectedColumns(
  model: EntityModel,
  select: readonly string[] | undefined,
): readonly ColumnModel[] {
  return select === undefined
    ? model.columns
    : model.columns.filter((column) => select.includes(column.property));
}

/**
 * Without any column wanted (only segments selected), every family of the entity: a row is there
 * when any of them holds a cell.
 */
function familiesOf(model: EntityModel, columns: readonly ColumnModel[]): readonly string[] {
  const whole = columns.length === 0 || columns === model.columns;
  const wanted = new Set(
    (columns.length === 0 ? model.columns : columns).map((column) => column.family),
  );
  if (whole && model.marker !== undefined) wanted.add(model.marker.family);
  return [...model.table.families.keys()].filter((family) => wanted.has(family));
}

function filterOf(
  question: QuerySpec,
  columns: readonly ColumnModel[],
  families: readonly string[],
): Filter {
  const filters: Filter[] = [{ kind: 'families', families }];
  if (question.asOf !== undefined)
    filters.push({ kind: 'timestampRange', end: BigInt(question.asOf.getTime() + 1) * 1000n });
  if (columns.length === 0) {
    filters.push({ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' });
  } else {
    const versions = columns.some((column) => column.kind === 'versions') ? question.versions : 1;
    if (versions !== undefined) filters.push({ kind: 'cellsPerColumn', count: versions });
  }
  return { kind: 'chain', filters };
}
