/** Changes of some cells of a row, and their checks: everything is checked before it is sent. */
import { maxInt64, minInt64, nearestName, valueText } from '../base/index.js';
import { invalidArgument, type RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel } from '../model/index.js';
import type { Mutation } from '../store/index.js';

type Values = Readonly<Record<string, unknown>>;

/** Changes that one MutateRow request can hold. */
export interface CellChanges {
  /** Values by property: undefined is ignored, null deletes. */
  readonly set?: Values;
  /** Properties whose cells are deleted. */
  readonly remove?: readonly string[];
  /** Amounts by property, for counters of aggregate families. */
  readonly add?: Values;
}

/** The values to write: `set`, and null for each removed property. */
export function cellValues({ set = {}, remove = [] }: CellChanges): Values {
  if (remove.length === 0) return set;
  return { ...set, ...Object.fromEntries(remove.map((property) => [property, null])) };
}

/** Rejects changes that name no column, or the same column twice. */
export function checkCellChanges(model: EntityModel, { set, remove, add }: CellChanges): void {
  checkObject(model, 'set', set);
  checkObject(model, 'add', add);
  checkRemoved(model, remove);
  for (const [property, value] of Object.entries(set ?? {})) {
    if (value === undefined) continue;
    checkSettable(model, property);
    if (remove?.includes(property) !== true) continue;
    throw changeError(
      model,
      property,
      'it is both set and removed',
      'leave it out of `set` or of `remove`',
    );
  }
}

function checkObject(model: EntityModel, property: string, value: unknown): void {
  if (value === undefined || (typeof value === 'object' && value !== null)) return;
  throw changeError(
    model,
    property,
    `\`${property}\` is ${valueText(value)}, not an object of columns`,
    `write { ${property}: { column: value } }`,
  );
}

function checkRemoved(model: EntityModel, remove: unknown): void {
  if (remove === undefined) return;
  if (!Array.isArray(remove))
    throw changeError(
      model,
      'remove',
      `\`remove\` is ${valueText(remove)}, not an array of names`,
      "write { remove: ['column'] }",
    );
  for (const property of remove as readonly unknown[]) columnOf(model, property, 'removed');
}

/** Throws INVALID_ARGUMENT unless the property is a column whose value can be written. */
function checkSettable(model: EntityModel, property: string): void {
  const column = columnOf(model, property, 'patched');
  if (column.kind !== 'counter') return;
  let fix = `call increment(key, '${property}', amount)`;
  if (column.aggregate) fix += `, or mutate(key, { add: { ${property}: amount } })`;
  throw changeError(model, property, 'a counter can only be changed by increments', fix);
}

/** The column of a property. Throws INVALID_ARGUMENT for a segment and for an unknown name. */
function columnOf(model: EntityModel, property: unknown, change: string): ColumnModel {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column !== undefined) return column;
  if (typeof property !== 'string')
    throw changeError(
      model,
      'remove',
      `${valueText(property)} is not the name of a column`,
      'name columns of the entity',
    );
  if (model.segments.some((segment) => segment.property === property))
    throw changeError(
      model,
      property,
      `a segment of the row key cannot be ${change}`,
      'save the entity under its new key and delete the old one',
    );
  const columns = model.columns.map((candidate) => candidate.property);
  const nearest = nearestName(property, columns);
  let fix = `use one of ${columns.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw changeError(model, property, 'no column has this name', fix);
}

/** The addition to a counter of an aggregate family. Throws INVALID_ARGUMENT. */
export function additionOf(model: EntityModel, property: string, amount: unknown): Mutation {
  const { family, qualifier } = aggregateColumn(model, property);
  const input = checkedAmount(model, property, amount);
  // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
  return { kind: 'addToCell', family, qualifier, timestamp: 0, input };
}

/** Throws INVALID_ARGUMENT unless the property is a counter of an aggregate family. */
function aggregateColumn(
  model: EntityModel,
  property: string,
): Extract<ColumnModel, { readonly kind: 'counter' }> {
  const column = columnOf(model, property, 'added to');
  if (column.kind !== 'counter')
    throw changeError(
      model,
      property,
      'only a counter of an aggregate family can be added to',
      'declare it with @Counter in a family of sum(), min() or max()',
    );
  if (column.aggregate) return column;
  throw changeError(
    model,
    property,
    `the counter is in the plain family '${column.family}'`,
    `call increment(key, { ${property}: amount }), or declare the family with sum()`,
  );
}

/** The amount of an increment or addition: an int64. */
export function checkedAmount(model: EntityModel, property: string, amount: unknown): bigint {
  if (typeof amount === 'bigint' && amount >= minInt64 && amount <= maxInt64) return amount;
  throw changeError(model, property, 'the amount is not an int64 bigint', 'write 1n, -5n, ...');
}

/**
 * Deletions of counters, by property. All cells are deleted: their times are the storage's, so that
 * those of the writer say nothing about the order.
 */
export function counterDeleters(
  model: EntityModel,
): ReadonlyMap<string, (out: Mutation[]) => void> {
  const deleters = new Map<string, (out: Mutation[]) => void>();
  for (const column of model.columns) {
    if (column.kind !== 'counter') continue;
    const { family, qualifier } = column;
    const mutation = Object.freeze({ kind: 'deleteFromColumn', family, qualifier } as const);
    deleters.set(column.property, (out) => void out.push(mutation));
  }
  return deleters;
}

function changeError(
  { name }: EntityModel,
  property: string,
  problem: string,
  fix: string,
): RowsmithError {
  return invalidArgument(property, problem, fix, { entity: name });
}
