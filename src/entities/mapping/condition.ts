/** Translates the condition of a write into the predicate of Bigtable's CheckAndMutateRow. */
import { equalBytes, isMap, wrongObject, type FaultTexts } from '../../base/index.js';
import {
  argumentError,
  type ColumnModel,
  type EntityModel,
  invalidValueError,
  qualifiersOf,
} from '../model/index.js';
import { encodeQualifier, type MapColumn } from './qualifier.js';
import { columnWriter } from './write/column-writer.js';
import type { CheckAndMutate, Filter, Mutation, RowMutation } from '../../data/store/index.js';

/** A condition for a write. If both properties are given, both must hold. */
export interface RowCondition {
  /** The row must exist (true), or must not exist (false). */
  readonly exists?: boolean;
  /**
   * The values that columns must have, compared as stored bytes. Null requires that the column has
   * no cell; undefined is refused. Of a column map, a Map has the entries that are compared; of
   * versions, an array has all of them. The
   * default of a column also equals a column without a cell, since it is what is read.
   */
  readonly equals?: Readonly<Record<string, unknown>>;
}

/** A check that applies the mutations of a row only if a condition holds. */
export interface ConditionalWrite {
  readonly check: CheckAndMutate;
  /** The result of the predicate for which the mutations are applied. */
  readonly appliedWhen: boolean;
}

/** A column with at most one current value. */
type ComparableColumn = Exclude<ColumnModel, MapColumn>;

/** Cells by their places. */
interface Cells {
  readonly family: string;
  readonly qualifiers: readonly Uint8Array[];
}

/**
 * Compiles a condition for one row. Whatever the clocks of other writers, a write that met its
 * condition is the newest: the cells that would hide it are deleted with it. Throws
 * INVALID_ARGUMENT or INVALID_VALUE.
 */
export function conditionalWrite(
  model: EntityModel,
  condition: RowCondition,
  row: RowMutation,
): ConditionalWrite {
  checkCondition(model, condition);
  const { key } = row;
  const mutations = newestWrite(model, row.mutations);
  const present: Filter[] = [];
  const absent: Cells[] = [];
  for (const [property, value] of Object.entries(condition.equals ?? {})) {
    const column = comparableColumn(model, property);
    if (column.kind === 'columnMap') compareEntries(model, column, value, { present, absent });
    else if (column.kind === 'versions') compareVersions(model, column, value, { present, absent });
    else if (value === null) absent.push(cellsOf(column));
    else present.push(columnEquals(model, column, value));
  }
  if (condition.exists === false) {
    if (present.length > 0) throw argumentError(model, 'if', faults.valuesWithoutRow);
    return { check: { key, onFalse: mutations }, appliedWhen: false };
  }
  if (present.length === 0 && condition.exists !== true) {
    if (absent.length === 0) throw argumentError(model, 'if', faults.emptyCondition);
    // The condition also holds if the row does not exist, so the predicate is negated.
    return { check: { key, predicate: anyCell(absent), onFalse: mutations }, appliedWhen: false };
  }
  const predicate = allMatch([...present, noCell(absent)]);
  return { check: { key, predicate, onTrue: mutations }, appliedWhen: true };
}

/**
 * The mutations of a write that becomes the newest, whatever the clocks of other writers. Deletes
 * cells that are newer than the written ones, and lifts the time limit of deletions. Timestamps of
 * versions are values, and not the order of writes.
 */
export function newestWrite(
  { columns }: EntityModel,
  mutations: readonly Mutation[],
): readonly Mutation[] {
  const versions = columns.filter((column) => column.kind === 'versions');
  return mutations.flatMap((mutation): Mutation[] => {
    if (mutation.kind !== 'setCell' && mutation.kind !== 'deleteFromColumn') return [mutation];
    const { family, qualifier } = mutation;
    if (mutation.kind === 'deleteFromColumn') return [{ kind: mutation.kind, family, qualifier }];
    const isVersion = versions.some(
      (column) => column.family === family && equalBytes(column.qualifier, qualifier),
    );
    if (isVersion) return [mutation];
    return [{ kind: 'deleteFromColumn', family, qualifier, start: mutation.timestamp }, mutation];
  });
}

/**
 * Rejects what is no object, and unknown properties: ignoring a misspelled one would write without
 * the condition. Throws INVALID_ARGUMENT.
 */
export function checkCondition(model: EntityModel, condition: RowCondition): void {
  const wrong = wrongObject(condition);
  if (wrong !== undefined)
    throw argumentError(
      model,
      'if',
      faults.wrongCondition(
        wrong.given,
        wrong.fix ?? 'write { if: { exists: true } } or { if: { equals: { column: value } } }',
      ),
    );
  const unknown = Object.keys(condition).find((name) => name !== 'exists' && name !== 'equals');
  if (unknown !== undefined) throw argumentError(model, unknown, faults.unknownCondition(unknown));
  assertDefined(model, condition);
  const { exists, equals } = condition;
  if (exists !== undefined && typeof exists !== 'boolean')
    throw argumentError(model, 'exists', faults.wrongExists);
  const wrongEquals = equals === undefined ? undefined : wrongObject(equals);
  if (wrongEquals !== undefined)
    throw argumentError(
      model,
      'equals',
      faults.wrongEquals(
        wrongEquals.given,
        wrongEquals.fix ?? 'write { equals: { column: value } }',
      ),
    );
  assertDefined(model, equals ?? {}, 'null for absent');
}

/** Rejects undefined: an absent field of a request would become a condition, or widen one. */
function assertDefined(model: EntityModel, conditions: object, otherwise?: string): void {
  const found = Object.entries(conditions).find(([, value]) => value === undefined);
  if (found === undefined) return;
  const [property] = found;
  const instead = otherwise ?? (property === 'exists' ? 'true or false' : '{ column: value }');
  throw argumentError(model, property, faults.undefinedCondition(property, instead));
}

function comparableColumn(model: EntityModel, property: string): ColumnModel {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column === undefined)
    throw argumentError(
      model,
      property,
      faults.unknownColumn(model.columns.map((candidate) => candidate.property).join(', ')),
    );
  const isAggregate =
    (column.kind === 'counter' || column.kind === 'columnMap') && column.aggregate === true;
  if (isAggregate) throw argumentError(model, property, faults.notASingleValue);
  return column;
}

/** Compares the entries that a map has: null for an entry that must be absent. */
function compareEntries(
  model: EntityModel,
  column: MapColumn,
  entries: unknown,
  { present, absent }: { readonly present: Filter[]; readonly absent: Cells[] },
): void {
  const { property, family, codec } = column;
  if (!isMap(entries) || entries.size === 0)
    throw argumentError(model, property, faults.wrongEntries);
  try {
    for (const [key, value] of entries) {
      const qualifier = encodeQualifier(column, key);
      if (value === null) absent.push({ family, qualifiers: [qualifier] });
      else present.push(newestEquals(family, [qualifier], codec.encode(value)));
    }
  } catch (error) {
    throw invalidValueError(model, property, error);
  }
}

/** Compares all versions: none may be missing, and none may be stored besides. */
function compareVersions(
  model: EntityModel,
  column: ComparableColumn,
  versions: unknown,
  { present, absent }: { readonly present: Filter[]; readonly absent: Cells[] },
): void {
  const columns = [cellsOf(column)];
  const stored: Mutation[] = [];
  try {
    if (versions !== null) columnWriter(column).write(versions, 0n, false, stored);
  } catch (error) {
    throw invalidValueError(model, column.property, error);
  }
  if (stored.length === 0) absent.push(...columns);
  for (const cell of stored) {
    if (cell.kind !== 'setCell') continue;
    const { timestamp: start, value } = cell;
    const at: Filter = { kind: 'timestampRange', start, end: BigInt(start) + 1_000n };
    const filters: Filter[] = [{ kind: 'columns', columns }, at, { kind: 'valueEquals', value }];
    present.push({ kind: 'chain', filters });
  }
  if (stored.length > 0) present.push(noMoreCells(columns, stored.length));
}

/** Matches an existing row if columns have at most so many cells. */
function noMoreCells(columns: readonly Cells[], count: number): Filter {
  const filters: Filter[] = [
    { kind: 'columns', columns },
    { kind: 'cellsPerRowOffset', count },
  ];
  return {
    kind: 'condition',
    predicate: { kind: 'chain', filters },
    onFalse: { kind: 'passAll' },
  };
}

function cellsOf(column: ComparableColumn): Cells {
  return { family: column.family, qualifiers: qualifiersOf(column) };
}

function columnEquals(model: EntityModel, column: ComparableColumn, value: unknown): Filter {
  try {
    const bytes = column.codec.encode(value);
    const equal = newestEquals(column.family, qualifiersOf(column), bytes);
    if (!isDefault(column, bytes)) return equal;
    const cells = anyCell([cellsOf(column)]);
    return { kind: 'condition', predicate: cells, onTrue: equal, onFalse: { kind: 'passAll' } };
  } catch (error) {
    throw invalidValueError(model, column.property, error);
  }
}

/** Whether a column without a cell reads as this value. */
function isDefault(column: ComparableColumn, bytes: Uint8Array): boolean {
  if (!('default' in column) || column.default === undefined) return false;
  return equalBytes(column.codec.encode(column.default()), bytes);
}

/**
 * Matches if the newest cell of a column has the value. The current qualifier comes first; each
 * earlier one only counts if all qualifiers before it have no cells.
 */
function newestEquals(
  family: string,
  [qualifier, ...earlier]: readonly Uint8Array[],
  value: Uint8Array,
): Filter {
  const cells: Filter = { kind: 'columns', columns: [{ family, qualifiers: [qualifier] }] };
  const equal: Filter = {
    kind: 'chain',
    filters: [cells, { kind: 'cellsPerColumn', count: 1 }, { kind: 'valueEquals', value }],
  };
  if (earlier.length === 0) return equal;
  return {
    kind: 'condition',
    predicate: cells,
    onTrue: equal,
    onFalse: newestEquals(family, earlier, value),
  };
}

/**
 * Matches if each filter matches a cell. The halves are conditions of each other, so that many
 * filters are few levels deep: Bigtable takes 20.
 */
function allMatch(filters: readonly Filter[]): Filter {
  if (filters.length === 1) return filters[0];
  const middle = filters.length >> 1;
  return {
    kind: 'condition',
    predicate: allMatch(filters.slice(0, middle)),
    onTrue: allMatch(filters.slice(middle)),
  };
}

/** Matches if any of the cells exists. */
function anyCell(columns: readonly Cells[]): Filter {
  return { kind: 'columns', columns };
}

/** Matches an existing row if none of the columns has a cell. */
function noCell(columns: readonly Cells[]): Filter {
  if (columns.length === 0) return { kind: 'passAll' };
  return { kind: 'condition', predicate: anyCell(columns), onFalse: { kind: 'passAll' } };
}

const faults = {
  valuesWithoutRow: {
    problem: 'a row that does not exist cannot have values',
    fix: 'leave out `exists: false` or `equals`',
  },
  emptyCondition: { problem: 'the condition is empty', fix: 'give `exists` or `equals`' },
  wrongCondition: (given: string, fix: string) => ({
    problem: `the condition is ${given}, not an object`,
    fix,
  }),
  unknownCondition: (unknown: string) => ({
    problem: `there is no condition '${unknown}'`,
    fix: 'give `exists` or `equals`',
  }),
  wrongExists: { problem: '`exists` is not a boolean', fix: 'give true or false' },
  wrongEquals: (given: string, fix: string) => ({
    problem: `\`equals\` is ${given}, not an object of columns`,
    fix,
  }),
  undefinedCondition: (property: string, instead: string) => ({
    problem: `the condition '${property}' is undefined`,
    fix: `write ${instead}, or leave '${property}' out`,
  }),
  unknownColumn: (list: string) => ({
    problem: 'no column has this name',
    fix: `use one of ${list}`,
  }),
  notASingleValue: {
    problem: 'counters of aggregate families cannot be compared',
    fix: 'compare a @Column or a @Packed property',
  },
  wrongEntries: {
    problem: 'the entries of a column map are compared one by one',
    fix: 'give a Map of the entries to compare, with null for an entry that must be absent',
  },
} satisfies FaultTexts;
