/** Increments and appends: the steps of one ReadModifyWriteRow, and the values that it returns. */
import { equalBytes, type Values, type FaultTexts } from '../../../base/index.js';
import { DateMap, indexPath, within } from '../../../data/cell/index.js';
import {
  checkedAmount,
  checkProperties,
  columnNamed,
  damagedCellError,
  entryQualifier,
  invalidValueError,
  mapEntries,
  type MapColumn,
} from '../../mapping/index.js';
import { argumentError, type ColumnModel, type EntityModel } from '../../model/index.js';
import type { ReadModifyWriteRule, Row } from '../../../data/store/index.js';

type TextColumn = Extract<ColumnModel, { readonly kind: 'column' | 'packed' | 'columnMap' }>;

/** The change of one cell. */
export interface CellStep {
  readonly column: ColumnModel;
  /** The key of an entry of a column map. */
  readonly entry?: unknown;
  readonly rule: ReadModifyWriteRule;
}

/**
 * The steps of increments and appends by property; entries of column maps are given as Maps. Throws
 * INVALID_ARGUMENT and INVALID_VALUE.
 */
export function cellSteps(
  model: EntityModel,
  { increment = {}, append = {} }: { readonly increment?: unknown; readonly append?: unknown },
): CellStep[] {
  return [
    ...given(model, 'increment', increment).flatMap(([property, amount]) =>
      increments(model, property, amount),
    ),
    ...given(model, 'append', append).flatMap(([property, value]) =>
      appends(model, property, value),
    ),
  ];
}

/** The properties that have a value. */
function given(model: EntityModel, name: string, changes: unknown): [string, unknown][] {
  checkProperties(model, name, changes, [
    `\`${name}\` takes an object of columns`,
    `write { ${name}: { column: ... } }`,
  ]);
  return Object.entries(changes as Values).filter(([, value]) => value !== undefined);
}

function increments(model: EntityModel, property: string, amount: unknown): CellStep[] {
  const column = columnNamed(model, property, 'incremented');
  const { family } = column;
  if (column.kind === 'columnMap') return entryIncrements(model, column, amount);
  if (column.kind !== 'counter') throw argumentError(model, property, faults.notACounter(family));
  if (column.aggregate)
    throw argumentError(model, property, faults.aggregateCounter(family, property));
  const checked = checkedAmount(model, property, amount);
  const { qualifier } = column;
  return [{ column, rule: { kind: 'increment', family, qualifier, amount: checked } }];
}

function entryIncrements(model: EntityModel, column: MapColumn, amounts: unknown): CellStep[] {
  const { property, family } = column;
  if (column.codec.kind !== 'int64')
    throw argumentError(model, property, faults.notInt64Entries(column.codec.kind, family));
  if (column.aggregate)
    throw argumentError(model, property, faults.aggregateEntries(family, property));
  return mapEntries(model, property, amounts, '1n').map(([entry, each]) => {
    const qualifier = entryQualifier(model, column, entry);
    const amount = checkedAmount(model, property + indexPath(entry), each);
    return { column, entry, rule: { kind: 'increment', family, qualifier, amount } };
  });
}

function appends(model: EntityModel, property: string, value: unknown): CellStep[] {
  const column = columnNamed(model, property, 'appended to');
  if (property === model.managed?.revision)
    throw argumentError(model, property, faults.managedProperty);
  if (!isAppendable(column)) throw argumentError(model, property, faults.notAppendable);
  if (column.rules !== undefined) throw argumentError(model, property, faults.appendToRules);
  const { family } = column;
  if (column.kind === 'columnMap')
    return mapEntries(model, property, value, "'text'").map(([entry, each]) => {
      const qualifier = entryQualifier(model, column, entry);
      const addition = encoded(model, column, each, indexPath(entry));
      return { column, entry, rule: { kind: 'append', family, qualifier, value: addition } };
    });
  if (column.default !== undefined) throw argumentError(model, property, faults.appendToDefault);
  if (column.alsoReads !== undefined) throw argumentError(model, property, faults.twoQualifiers);
  const { qualifier } = column;
  const addition = encoded(model, column, value);
  return [{ column, rule: { kind: 'append', family, qualifier, value: addition } }];
}

/** A column with text or bytes as values or entries. */
function isAppendable(column: ColumnModel): column is TextColumn {
  if (column.kind !== 'column' && column.kind !== 'columnMap') return false;
  return column.codec.kind === 'string' || column.codec.kind === 'bytes';
}

function encoded(
  model: EntityModel,
  column: ColumnModel,
  value: unknown,
  path?: string,
): Uint8Array {
  try {
    return column.codec.encode(value);
  } catch (error) {
    const cause = path === undefined ? error : within(error, path);
    throw invalidValueError(model, column.property, cause);
  }
}

/** The new values by property, from the row that the request returned; entries as Maps. */
export function newValues(model: EntityModel, steps: readonly CellStep[], row: Row): Values {
  const values: Record<string, unknown> = {};
  for (const step of steps) {
    const { column, entry } = step;
    const value = newValue(model, step, row);
    if (entry === undefined) values[column.property] = value;
    else
      ((values[column.property] ??= emptyMap(column)) as Map<unknown, unknown>).set(entry, value);
  }
  return values;
}

function emptyMap(column: ColumnModel): Map<unknown, unknown> {
  const { kind } = (column as MapColumn).qualifiers.type;
  return kind === 'timestamp' ? new DateMap() : new Map();
}

function newValue(model: EntityModel, { column, rule }: CellStep, { key, cells }: Row): unknown {
  const { family, qualifier } = rule;
  const cell = cells.find(
    (each) => each.family === family && equalBytes(each.qualifier, qualifier),
  );
  if (cell === undefined) return undefined;
  try {
    return column.codec.decode(cell.value, 0, cell.value.length);
  } catch (error) {
    throw damagedCellError(model, column, key, qualifier, error);
  }
}

const faults = {
  appendToDefault: {
    problem: 'its default is not stored, and the text would be appended to nothing',
    fix: 'patch() the whole value, or leave the default out',
  },
  notACounter: (family: string) => ({
    problem: 'only a counter can be incremented',
    fix: `declare it with @Counter('${family}')`,
  }),
  aggregateCounter: (family: string, property: string) => ({
    problem: `the counter is in the aggregate family '${family}', which takes additions only`,
    fix: `call patch(key, {}, { add: { ${property}: amount } })`,
  }),
  notInt64Entries: (kind: string, family: string) => ({
    problem: `its entries are ${kind}, and only int64 can be incremented`,
    fix: `declare it with @ColumnMap('${family}', 'int64'), or patch() the entry`,
  }),
  aggregateEntries: (family: string, property: string) => ({
    problem: `its entries are in the aggregate family '${family}', which takes additions only`,
    fix: `call patch(key, {}, { add: { ${property}: amounts } })`,
  }),
  managedProperty: {
    problem: 'it is the revision of the row, which the library sets',
    fix: 'append to another column',
  },
  notAppendable: {
    problem: 'only a string or bytes column can be appended to',
    fix: 'patch() the whole value',
  },
  appendToRules: {
    problem: 'its values have rules, and storage appends without checking the result',
    fix: 'patch() the whole value',
  },
  twoQualifiers: {
    problem:
      'the value may be stored under an earlier qualifier, and storage cannot append across two',
    fix: 'patch() the whole value',
  },
} satisfies FaultTexts;
