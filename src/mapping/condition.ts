/** The condition of a write -> the predicate of Bigtable's check-and-mutate. */
import { RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel } from '../model/index.js';
import type { Filter, CheckAndMutate, RowMutation } from '../store/index.js';
import { invalidValue } from './cell-error.js';

/** When a write may happen. Both may be given: both must hold. */
export interface Condition {
  /** The row exists (true), or does not (false). */
  readonly exists?: boolean;
  /**
   * Columns hold exactly these values; null stands for a column without a cell. Compared as stored
   * bytes.
   */
  readonly equals?: Readonly<Record<string, unknown>>;
}

/**
 * The check that applies the row's mutations when the condition holds, and whether the predicate
 * matching means that it holds.
 */
export interface ConditionalWrite {
  readonly check: CheckAndMutate;
  /** The predicate's answer for which the mutations are applied. */
  readonly appliedWhen: boolean;
}

/** Compiles a condition for one row. Throws INVALID_ARGUMENT or INVALID_VALUE. */
export function conditionalWrite(
  model: EntityModel,
  condition: Condition,
  { key, mutations }: RowMutation,
): ConditionalWrite {
  checkForm(model, condition);
  const present: Filter[] = [];
  const absent: ColumnModel[] = [];
  for (const [property, value] of Object.entries(condition.equals ?? {})) {
    if (value === undefined)
      throw refusal(
        model,
        property,
        'undefined says nothing about a column',
        'give a value, or null for a column without a cell',
      );
    const column = comparableColumn(model, property);
    if (value === null) absent.push(column);
    else present.push(equalTo(model, column, value));
  }
  if (condition.exists === false) {
    if (present.length > 0)
      throw refusal(
        model,
        undefined,
        'a row that does not exist cannot hold values',
        'leave out `exists: false` or `equals`',
      );
    return { check: { key, onFalse: mutations }, appliedWhen: false };
  }
  if (present.length === 0 && condition.exists !== true) {
    // Only absences: they hold for a row that does not exist as well, so the predicate looks for
    // what must not be there.
    if (absent.length === 0)
      throw refusal(model, undefined, 'the condition is empty', 'give `exists` or `equals`');
    return { check: { key, predicate: cellsOf(absent), onFalse: mutations }, appliedWhen: false };
  }
  let predicate: Filter =
    absent.length === 0
      ? { kind: 'passAll' }
      : { kind: 'condition', predicate: cellsOf(absent), onFalse: { kind: 'passAll' } };
  for (const filter of present)
    predicate = { kind: 'condition', predicate: filter, onTrue: predicate };
  return { check: { key, predicate, onTrue: mutations }, appliedWhen: true };
}

/**
 * A misspelt name would leave a part of the condition out, and the write would happen where it must
 * not.
 */
function checkForm(model: EntityModel, condition: Condition): void {
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
  if (!isObject(condition))
    throw refusal(model, undefined, 'the condition is not an object', 'give `exists` or `equals`');
  const unknown = Object.keys(condition).find((name) => name !== 'exists' && name !== 'equals');
  if (unknown !== undefined)
    throw refusal(
      model,
      unknown,
      `there is no condition '${unknown}'`,
      'give `exists` or `equals`',
    );
  const { exists, equals } = condition;
  if (exists !== undefined && typeof exists !== 'boolean')
    throw refusal(model, 'exists', '`exists` is not a boolean', 'give true or false');
  if (equals !== undefined && !isObject(equals))
    throw refusal(
      model,
      'equals',
      '`equals` is not an object of columns',
      'write { equals: { column: value } }',
    );
}

function comparableColumn(
  model: EntityModel,
  property: string,
): ColumnModel & { readonly qualifier: Uint8Array } {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column === undefined)
    throw refusal(
      model,
      property,
      'no column has this name',
      `use one of ${model.columns.map((candidate) => candidate.property).join(', ')}`,
    );
  if (
    column.kind === 'columnMap' ||
    column.kind === 'versions' ||
    (column.kind === 'counter' && column.aggregate)
  ) {
    throw refusal(
      model,
      property,
      'only a column with one value can be compared',
      'compare a @Column or a @Packed property',
    );
  }
  return column;
}

function equalTo(
  model: EntityModel,
  column: ColumnModel & { readonly qualifier: Uint8Array },
  value: unknown,
): Filter {
  try {
    return newestEquals(column.family, namesOf(column), column.codec.encode(value));
  } catch (error) {
    throw invalidValue(model, column.property, error);
  }
}

/**
 * Whether the newest cell of the first of these columns that has any holds the value: earlier names
 * count while the later are absent.
 */
function newestEquals(
  family: string,
  [name, ...earlier]: readonly Uint8Array[],
  value: Uint8Array,
): Filter {
  const cells: Filter = { kind: 'columns', columns: [{ family, qualifiers: [name] }] };
  const equal: Filter = {
    kind: 'chain',
    filters: [cells, { kind: 'cellsPerColumn', count: 1 }, { kind: 'valueEquals', value }],
  };
  return earlier.length === 0
    ? equal
    : {
        kind: 'condition',
        predicate: cells,
        onTrue: equal,
        onFalse: newestEquals(family, earlier, value),
      };
}

function namesOf(column: ColumnModel & { readonly qualifier: Uint8Array }): readonly Uint8Array[] {
  return column.kind === 'column' || column.kind === 'packed'
    ? [column.qualifier, ...(column.alsoReads ?? [])]
    : [column.qualifier];
}

function cellsOf(columns: readonly ColumnModel[]): Filter {
  return {
    kind: 'columns',
    columns: columns.map((column) => ({
      family: column.family,
      qualifiers: column.kind === 'columnMap' ? 'all' : namesOf(column),
    })),
  };
}

function refusal(
  model: EntityModel,
  property: string | undefined,
  problem: string,
  fix: string,
): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    entity: model.name,
    property: property ?? 'if',
    problem,
    fix,
  });
}
