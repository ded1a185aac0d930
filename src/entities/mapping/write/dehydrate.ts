/**
 * Conversion of entities into row mutations, compiled once per model. Codecs check all values
 * before anything is sent.
 */
import {
  equalBytes,
  noBytes,
  RowsmithError,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import {
  type ColumnModel,
  type EntityModel,
  invalidValueError,
  invalidValuesError,
  isConstantDefault,
  isInvalidValue,
} from '../../model/index.js';
import type { Micros, Mutation, RowMutation } from '../../../data/store/index.js';
import {
  counterAdditions,
  type RowCellChanges,
  cellValues,
  counterDeleters,
} from './cell-changes.js';
import {
  columnWriter,
  type ColumnWriter,
  expiringWriter,
  microsOf,
  millisecondsOf,
  revisionWriter,
} from './column-writer.js';
import { compileExpiredCheck } from '../expired-row.js';
import { expiringTime } from '../expiring-time.js';
import { countCells } from './large-values.js';

/**
 * The mutations of each kind of write. `now` is in microseconds, a multiple of 1,000. All methods
 * throw INVALID_KEY and INVALID_VALUE.
 */
export interface Dehydrator {
  /**
   * Replaces all mapped columns; those without a value are deleted. Throws EMPTY_ROW if there are
   * no values.
   */
  save(entity: Values, now: number): RowMutation;
  /**
   * Like save, for a row that does not exist: nothing is deleted. Throws INVALID_VALUE if every
   * cell has expired already.
   */
  insert(entity: Values, now: number): RowMutation;
  /**
   * Writes some columns, with the removals first and the additions last; there are no mutations if
   * nothing changes. `changes` have passed `checkCellChanges`. The values of `stamp` are set if the
   * changes do more than add.
   */
  change(key: Values, changes: RowCellChanges, now: number, stamp?: Values): RowMutation;
  /** Throws INVALID_VALUE, as `insert` does, if every cell of a row has expired already. */
  assertNotExpired(row: RowMutation, now: number): void;
}

/** Options of `compileDehydrator`. */
export interface DehydratorOptions {
  /** Whether rows with cells that have expired already are inserted; default false. */
  readonly allowExpired?: boolean;
}

/** Compiles the dehydrator of a model. */
export function compileDehydrator(
  model: EntityModel,
  { allowExpired = false }: DehydratorOptions = {},
): Dehydrator {
  const checkExpired = allowExpired ? undefined : compileExpiredCheck(model);
  const writers = model.columns
    .filter((column) => column.kind !== 'counter')
    .map((column) => writerOf(model, column));
  const counters = counterDeleters(model);
  // Like counters, the entries of an aggregate family are changed by increments alone.
  const rowWriters = writers.filter(({ column: c }) => c.kind !== 'columnMap' || !c.aggregate);

  const defaultTests = rowWriters.map(({ column }) => defaultTest(column));

  function wholeRow(entity: Values, now: number, replace: boolean): RowMutation {
    const key = model.key.encode(entity);
    const timestamp = timestampOf(model, entity, now);
    const mutations: Mutation[] = [];
    /** Values that an absent cell reads as. */
    let defaults: [ColumnWriter, unknown][] | undefined;
    for (let i = 0; i < rowWriters.length; i++) {
      const writer = rowWriters[i];
      const value = entity[writer.column.property];
      const isDefault = defaultTests[i]?.(value) === true;
      if (isDefault) (defaults ??= []).push([writer, value]);
      if (value !== undefined && value !== null && !isDefault) {
        writeColumn(model, writer, value, timestamp, replace, mutations);
        if (replace) writer.deleteEarlier(timestamp, mutations);
      } else if (replace) {
        writer.deleteAll(timestamp, mutations);
      }
    }
    let cells = countCells(model, mutations);
    if (model.marker !== undefined) pushMarker(model, timestamp, mutations);
    else if (cells === 0) {
      // A row has a cell. It is the only reason to store a default.
      for (const [writer, value] of defaults ?? [])
        writeColumn(model, writer, value, timestamp, replace, mutations);
      cells = countCells(model, mutations);
      if (cells === 0) throw emptyRowError(model);
    }
    return { key, mutations };
  }

  function changedRow(
    keyValues: Values,
    changes: RowCellChanges,
    now: number,
    stamp?: Values,
  ): RowMutation {
    const key = model.key.encode(keyValues);
    const mutations: Mutation[] = [];
    for (const property of changes.remove ?? []) counters.get(property)?.(mutations);
    const values = cellValues(changes);
    const time = (): Micros =>
      timestampOf(model, timestampSource(model, keyValues, values, stamp), now);
    const isSet = writers.some(({ column }) => values[column.property] !== undefined);
    if (isSet || (stamp !== undefined && mutations.length > 0)) {
      const timestamp = time();
      writeCells(model, writers, values, timestamp, mutations);
      // Changes without an effect, such as an empty Map, must not only set a revision.
      if (mutations.length > 0) writeCells(model, writers, stamp ?? {}, timestamp, mutations);
    }
    countCells(model, mutations);
    mutations.push(...counterAdditions(model, changes.add));
    // The row may be new.
    if (model.marker !== undefined && mutations.some(makesCell))
      pushMarker(model, time(), mutations);
    return { key, mutations };
  }

  return namingAll(model, rowWriters, {
    save: (entity, now) => wholeRow(entity, now, true),
    assertNotExpired: (row, now) => checkExpired?.(row, now),
    insert(entity, now) {
      const row = wholeRow(entity, now, false);
      checkExpired?.(row, now);
      return row;
    },
    change: changedRow,
  });
}

/** The same dehydrator with all values that cannot be stored in one error. */
function namingAll(
  model: EntityModel,
  writers: readonly ColumnWriter[],
  plain: Dehydrator,
): Dehydrator {
  return {
    assertNotExpired: (row, now) => plain.assertNotExpired(row, now),
    save(entity, now) {
      try {
        return plain.save(entity, now);
      } catch (error) {
        throw withAllFaults(model, writers, entity, error);
      }
    },
    insert(entity, now) {
      try {
        return plain.insert(entity, now);
      } catch (error) {
        throw withAllFaults(model, writers, entity, error);
      }
    },
    change(key, changes, now, stamp) {
      try {
        return plain.change(key, changes, now, stamp);
      } catch (error) {
        throw withAllFaults(model, writers, cellValues(changes), error);
      }
    },
  };
}

/** Whether a value is stored like the default of its column; undefined without a default. */
function defaultTest(column: ColumnModel): ((value: unknown) => boolean) | undefined {
  const { codec } = column;
  const create = 'default' in column ? column.default : undefined;
  if (create === undefined) return undefined;
  const stored = isConstantDefault(create) ? codec.encode(create()) : undefined;
  return (value) => {
    if (value === undefined || value === null) return false;
    try {
      return equalBytes(codec.encode(value), stored ?? codec.encode(create()));
    } catch (error) {
      // The write of the value throws it, with the name of the property.
      if (error instanceof CodecError) return false;
      throw error;
    }
  };
}

function writeColumn(
  model: EntityModel,
  writer: ColumnWriter,
  value: unknown,
  timestamp: Micros,
  replace: boolean,
  out: Mutation[],
): void {
  try {
    writer.write(value, timestamp, replace, out);
  } catch (error) {
    throw invalidValueError(model, writer.column.property, error);
  }
}

/** The error of a value that cannot be stored, with all other ones. */
function withAllFaults(
  model: EntityModel,
  writers: readonly ColumnWriter[],
  values: Values,
  error: unknown,
): unknown {
  if (!isInvalidValue(error)) return error;
  const errors = writers.flatMap((writer) => {
    try {
      const value = values[writer.column.property];
      if (value !== undefined && value !== null) writeColumn(model, writer, value, 0, false, []);
      return [];
    } catch (fault) {
      return isInvalidValue(fault) ? [fault] : [];
    }
  });
  return errors.length < 2 ? error : invalidValuesError(model, errors as [RowsmithError]);
}

/** Undefined is ignored, null deletes. */
function writeCells(
  model: EntityModel,
  writers: readonly ColumnWriter[],
  values: Values,
  timestamp: Micros,
  out: Mutation[],
): void {
  for (const writer of writers) {
    const value = values[writer.column.property];
    if (value === undefined) continue;
    if (value === null) {
      writer.deleteAll(timestamp, out);
      continue;
    }
    writeColumn(model, writer, value, timestamp, false, out);
    writer.deleteEarlier(timestamp, out);
  }
}

function pushMarker({ marker, expiresAt }: EntityModel, timestamp: Micros, out: Mutation[]): void {
  if (expiresAt !== undefined) out.push({ kind: 'deleteFromColumn', ...marker! });
  out.push({ kind: 'setCell', ...marker!, timestamp, value: noBytes });
}

function makesCell({ kind }: Mutation): boolean {
  return kind === 'setCell' || kind === 'addToCell';
}

function writerOf({ managed, expiresAt }: EntityModel, column: ColumnModel): ColumnWriter {
  if (expiresAt !== undefined) return expiringWriter(columnWriter(column));
  const isRevision = column.property === managed?.revision && column.kind === 'column';
  return isRevision ? revisionWriter(column) : columnWriter(column);
}

/** The values with the timestamp of a patch: the changes if they set it, else the row key's. */
function timestampSource(
  { cellTimestamp }: EntityModel,
  key: Values,
  ...changes: (Values | undefined)[]
): Values {
  if (cellTimestamp === undefined) return key;
  return changes.find((values) => values?.[cellTimestamp] !== undefined) ?? key;
}

/** The timestamp of an entity's cells in microseconds: what a property says, else `now`. */
function timestampOf(model: EntityModel, values: Values, now: number): Micros {
  if (model.expiresAt !== undefined) return expiringTime(model, values[model.expiresAt.property]);
  if (model.cellTimestamp === undefined) return now;
  const ms = millisecondsOf(values[model.cellTimestamp]);
  if (ms >= 0) return microsOf(ms);
  throw new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property: model.cellTimestamp,
    ...faults.wrongCellTimestamp(model.cellTimestamp),
  });
}

function emptyRowError(model: EntityModel): RowsmithError {
  return new RowsmithError('EMPTY_ROW', {
    entity: model.name,
    ...faults.emptyRow,
  });
}

const faults = {
  wrongCellTimestamp: (cellTimestamp: string) => ({
    problem:
      'the property gives the timestamp of the cells (cellTimestamp), and is not a valid Date since 1970',
    fix: `set ${cellTimestamp} to a Date`,
  }),
  emptyRow: {
    problem: 'no column has a value',
    fix: 'set a column, or declare the entity with `marker: true` so that an empty cell marks its rows',
  },
} satisfies FaultTexts;
