/**
 * Conversion of entities into row mutations, compiled once per model. Codecs check all values
 * before anything is sent.
 */
import { nearestName } from '../base/index.js';
import { noBytes } from '../bytes/index.js';
import { CodecError, indexPath, isDate, within } from '../cell/index.js';
import { invalidArgument, RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel, Version } from '../model/index.js';
import type { Micros, Mutation, RowMutation } from '../store/index.js';
import { invalidValueError } from './cell-error.js';
import { compileExpiredCheck } from './expired-row.js';
import { mapWriter } from './map-writer.js';
import { encodeAt, nextMillisecond, type WriteValue, wrongFormError } from './write-value.js';

type Values = Readonly<Record<string, unknown>>;

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
   * Writes the properties of `changes`: undefined is ignored, null deletes. Returns undefined if
   * there is nothing to write.
   */
  patch(key: Values, changes: Values, now: number): RowMutation | undefined;
  /** Throws INVALID_VALUE, as `insert` does, if every cell of a row has expired already. */
  assertNotExpired(row: RowMutation, now: number): void;
}

/**
 * Appends deletions to `out`. They leave cells that are newer than the write, as its values do:
 * otherwise a write that arrives late would delete some columns and lose in the others.
 */
type DeleteColumn = (timestamp: Micros, out: Mutation[]) => void;

interface ColumnWriter {
  readonly column: ColumnModel;
  readonly write: WriteValue;
  /** Appends the deletion of the column, including its earlier qualifiers, up to a timestamp. */
  readonly deleteAll: DeleteColumn;
  /** Appends the deletion of the earlier qualifiers, which would be read instead of a new value. */
  readonly deleteEarlier: DeleteColumn;
}

/** Options of `compileDehydrator`. */
export interface DehydratorOptions {
  /** Whether rows are inserted whose cells have expired already; default false. */
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
    .map((column) => columnWriter(column));
  // Like counters, the entries of an aggregate family are changed by increments alone.
  const rowWriters = writers.filter(
    ({ column }) => !(column.kind === 'columnMap' && column.aggregate),
  );

  function wholeRow(entity: Values, now: number, replace: boolean): RowMutation {
    const key = model.key.encode(entity);
    const timestamp = timestampOf(model, entity, now);
    const mutations: Mutation[] = [];
    let cells = 0;
    for (const writer of rowWriters) {
      const value = entity[writer.column.property];
      const before = mutations.length;
      if (value !== undefined && value !== null) {
        writeColumn(writer, value, timestamp, replace, mutations);
        if (replace) writer.deleteEarlier(timestamp, mutations);
      } else if (replace) {
        writer.deleteAll(timestamp, mutations);
      }
      for (let i = before; i < mutations.length; i++) if (mutations[i].kind === 'setCell') cells++;
    }
    if (model.marker !== undefined)
      mutations.push({ kind: 'setCell', ...model.marker, timestamp, value: noBytes });
    else if (cells === 0) throw emptyRowError(model);
    return { key, mutations };
  }

  function writeColumn(
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

  return {
    save: (entity, now) => wholeRow(entity, now, true),
    assertNotExpired: (row, now) => checkExpired?.(row, now),
    insert(entity, now) {
      const row = wholeRow(entity, now, false);
      checkExpired?.(row, now);
      return row;
    },
    patch(keyValues, changes, now) {
      const key = model.key.encode(keyValues);
      for (const property of Object.keys(changes))
        if (changes[property] !== undefined) checkPatchable(model, property);
      const mutations: Mutation[] = [];
      const changed = writers.filter(({ column }) => changes[column.property] !== undefined);
      if (changed.length === 0) return undefined;
      const timestamp = timestampOf(model, timestampSource(model, keyValues, changes), now);
      for (const writer of changed) {
        const value = changes[writer.column.property];
        if (value === null) {
          writer.deleteAll(timestamp, mutations);
          continue;
        }
        writeColumn(writer, value, timestamp, false, mutations);
        writer.deleteEarlier(timestamp, mutations);
      }
      // A Map without entries changes nothing.
      if (mutations.length === 0) return undefined;
      return { key, mutations };
    },
  };
}

function columnWriter(column: ColumnModel): ColumnWriter {
  const { family } = column;
  switch (column.kind) {
    case 'columnMap':
      return {
        column,
        write: mapWriter(column),
        // Bigtable deletes families whole.
        deleteAll: (_timestamp, out) => void out.push({ kind: 'deleteFromFamily', family }),
        deleteEarlier: () => undefined,
      };
    case 'versions': {
      const { qualifier } = column;
      return {
        column,
        write: versionsWriter(column, qualifier),
        // The timestamps of versions are values, so all of them are replaced.
        deleteAll: (_timestamp, out) =>
          void out.push({ kind: 'deleteFromColumn', family, qualifier }),
        deleteEarlier: () => undefined,
      };
    }
    default: {
      const earlier = earlierQualifiers(column);
      return {
        column,
        write: valueWriter(column, column.qualifier),
        deleteAll: columnDeleter(family, [column.qualifier, ...earlier]),
        deleteEarlier: columnDeleter(family, earlier),
      };
    }
  }
}

function columnDeleter(family: string, qualifiers: readonly Uint8Array[]): DeleteColumn {
  return (timestamp, out) => {
    for (const qualifier of qualifiers)
      out.push({ kind: 'deleteFromColumn', family, qualifier, end: nextMillisecond(timestamp) });
  };
}

function earlierQualifiers(column: ColumnModel): readonly Uint8Array[] {
  if (column.kind !== 'column' && column.kind !== 'packed') return [];
  return column.alsoReads ?? [];
}

function valueWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): WriteValue {
  return (value, timestamp, _replace, out) => {
    out.push({ kind: 'setCell', family, qualifier, timestamp, value: codec.encode(value) });
  };
}

function versionsWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): WriteValue {
  return (value, _timestamp, replace, out) => {
    if (!Array.isArray(value)) throw wrongFormError('an array of { at, value }');
    if (replace) out.push({ kind: 'deleteFromColumn', family, qualifier });
    const times = new Set<number>();
    for (const [i, version] of (value as readonly Version<unknown>[]).entries()) {
      const ms = millisecondsOf(version?.at);
      if (!(ms >= 0))
        throw within(
          wrongFormError('a version with a valid Date since 1970 as `at`'),
          indexPath(i),
        );
      // A column has one cell per timestamp: the second version would replace the first.
      if (times.has(ms))
        throw within(
          new CodecError(
            `there are two versions at ${version.at.toISOString()}`,
            'give each version a different timestamp',
          ),
          indexPath(i),
        );
      times.add(ms);
      out.push({
        kind: 'setCell',
        family,
        qualifier,
        timestamp: microsOf(ms),
        value: encodeAt(codec, version.value, `${indexPath(i)}.value`),
      });
    }
  };
}

/** Milliseconds since 1970 of a Date; NaN for anything else. */
function millisecondsOf(value: unknown): number {
  if (!isDate(value)) return NaN;
  return value.getTime();
}

/** Milliseconds to microseconds; a bigint, because from 2255 on they exceed safe integers. */
function microsOf(ms: number): bigint {
  return BigInt(ms) * 1000n;
}

/** The values with the timestamp of a patch: the changes if they set it, else the row key's. */
function timestampSource({ cellTimestamp }: EntityModel, key: Values, changes: Values): Values {
  if (cellTimestamp !== undefined && changes[cellTimestamp] !== undefined) return changes;
  return key;
}

/** The timestamp of an entity's cells in microseconds: its `cellTimestamp` property, else `now`. */
function timestampOf(model: EntityModel, values: Values, now: number): Micros {
  if (model.cellTimestamp === undefined) return now;
  const ms = millisecondsOf(values[model.cellTimestamp]);
  if (ms >= 0) return microsOf(ms);
  throw new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property: model.cellTimestamp,
    problem:
      'the property is the timestamp of the cells (cellTimestamp) and not a valid Date since 1970',
    fix: `set ${model.cellTimestamp} to a Date`,
  });
}

function emptyRowError(model: EntityModel): RowsmithError {
  return new RowsmithError('EMPTY_ROW', {
    entity: model.name,
    problem: 'no column has a value',
    fix: 'set a column, or declare the entity with `marker: true` so that an empty cell marks its rows',
  });
}

function checkPatchable(model: EntityModel, property: string): void {
  const entity = model.name;
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column?.kind === 'counter') {
    throw invalidArgument(
      property,
      'a counter can only be changed by increments',
      `call increment(key, '${property}', amount)`,
      { entity },
    );
  }
  if (column !== undefined) return;
  if (model.segments.some((segment) => segment.property === property)) {
    throw invalidArgument(
      property,
      'a segment of the row key cannot be patched',
      'save the entity under its new key and delete the old one',
      { entity },
    );
  }
  const columns = model.columns.map((candidate) => candidate.property);
  throw invalidArgument(property, 'no column has this name', columnNameFix(property, columns), {
    entity,
  });
}

function columnNameFix(name: string, columns: readonly string[]): string {
  const nearest = nearestName(name, columns);
  if (nearest !== undefined) return `did you mean '${nearest}'?`;
  return `use one of ${columns.join(', ')}`;
}
