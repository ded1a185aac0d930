/**
 * Entity -> row mutation, compiled once per model. Values are checked by their codecs before
 * anything is sent.
 */
import { noBytes } from '../bytes/index.js';
import { nearestName } from '../base/index.js';
import { type CellCodec, CellFault, indexed, within, isDate, isMap } from '../cell/index.js';
import { RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel, Version } from '../model/index.js';
import type { Mutation, RowMutation, Micros } from '../store/index.js';
import { invalidValue } from './cell-error.js';
import { qualifierOf } from './qualifier.js';

type Values = Readonly<Record<string, unknown>>;

/** The three ways an entity becomes mutations. Times are microseconds, multiples of 1,000. */
export interface Dehydrator {
  /**
   * Makes the mapped columns equal to the entity: what is absent is deleted. Throws INVALID_KEY,
   * INVALID_VALUE, EMPTY_ROW.
   */
  save(entity: Values, now: number): RowMutation;
  /** As save, for a row that is known not to exist: nothing is deleted. */
  insert(entity: Values, now: number): RowMutation;
  /**
   * Writes what `changes` gives: undefined is ignored, null deletes. Undefined when nothing is left
   * to write.
   */
  patch(key: Values, changes: Values, now: number): RowMutation | undefined;
}

/**
 * Adds to `out` what one column's value means. `full` replaces what is stored, else it is added to.
 */
type ColumnWriter = (value: unknown, timestamp: Micros, full: boolean, out: Mutation[]) => void;

interface Writer {
  readonly column: ColumnModel;
  readonly write: ColumnWriter;
  readonly erase: readonly Mutation[];
  /**
   * Deletes what the column had under earlier names: whatever is written, they must not be read any
   * more.
   */
  readonly forget: readonly Mutation[];
}

/** Compiles the dehydrator of a model. */
export function compileDehydrator(model: EntityModel): Dehydrator {
  const writers = model.columns
    .filter((column) => column.kind !== 'counter')
    .map((column) => writerOf(column));

  function rowOf(entity: Values, now: number, eraseAbsent: boolean): RowMutation {
    const key = model.key.encode(entity);
    const timestamp = timestampOf(model, entity, now);
    const mutations: Mutation[] = [];
    let cells = 0;
    for (const writer of writers) {
      const value = entity[writer.column.property];
      const before = mutations.length;
      if (value !== undefined && value !== null) {
        put(writer, value, timestamp, eraseAbsent, mutations);
        if (eraseAbsent) mutations.push(...writer.forget);
      } else if (eraseAbsent) mutations.push(...writer.erase);
      for (let i = before; i < mutations.length; i++) if (mutations[i].kind === 'setCell') cells++;
    }
    if (model.marker !== undefined)
      mutations.push({ kind: 'setCell', ...model.marker, timestamp, value: noBytes });
    else if (cells === 0) throw emptyRow(model);
    return { key, mutations };
  }

  function put(
    writer: Writer,
    value: unknown,
    timestamp: Micros,
    full: boolean,
    out: Mutation[],
  ): void {
    try {
      writer.write(value, timestamp, full, out);
    } catch (error) {
      throw invalidValue(model, writer.column.property, error);
    }
  }

  return {
    save: (entity, now) => rowOf(entity, now, true),
    insert: (entity, now) => rowOf(entity, now, false),
    patch(keyValues, changes, now) {
      const key = model.key.encode(keyValues);
      for (const property of Object.keys(changes))
        if (changes[property] !== undefined) checkPatched(model, property);
      const mutations: Mutation[] = [];
      const given = writers.filter(({ column }) => changes[column.property] !== undefined);
      if (given.length === 0) return undefined;
      const timestamp = timestampOf(
        model,
        changes[model.cellTimestamp ?? ''] === undefined ? keyValues : changes,
        now,
      );
      for (const writer of given) {
        const value = changes[writer.column.property];
        if (value === null) {
          mutations.push(...writer.erase);
          continue;
        }
        put(writer, value, timestamp, false, mutations);
        mutations.push(...writer.forget);
      }
      return mutations.length === 0 ? undefined : { key, mutations };
    },
  };
}

function writerOf(column: ColumnModel): Writer {
  const { family } = column;
  switch (column.kind) {
    case 'columnMap':
      return {
        column,
        write: mapWriter(column),
        erase: [{ kind: 'deleteFromFamily', family }],
        forget: [],
      };
    case 'versions':
      return {
        column,
        write: versionsWriter(column, column.qualifier),
        erase: [{ kind: 'deleteFromColumn', family, qualifier: column.qualifier }],
        forget: [],
      };
    default: {
      const forget = (column.kind === 'counter' ? [] : (column.alsoReads ?? [])).map(
        (qualifier): Mutation => ({ kind: 'deleteFromColumn', family, qualifier }),
      );
      return {
        column,
        write: valueWriter(column, column.qualifier),
        erase: [{ kind: 'deleteFromColumn', family, qualifier: column.qualifier }, ...forget],
        forget,
      };
    }
  }
}

function valueWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): ColumnWriter {
  return (value, timestamp, _full, out) => {
    out.push({ kind: 'setCell', family, qualifier, timestamp, value: codec.encode(value) });
  };
}

function versionsWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): ColumnWriter {
  return (value, _timestamp, full, out) => {
    if (!Array.isArray(value)) throw notOfForm('an array of { at, value }');
    if (full) out.push({ kind: 'deleteFromColumn', family, qualifier });
    const moments = new Set<number>();
    for (const [i, version] of (value as readonly Version<unknown>[]).entries()) {
      const at = isDate(version?.at) ? version.at.getTime() : NaN;
      if (!(at >= 0))
        throw within(notOfForm('a version with a valid Date since 1970 as `at`'), indexed(i));
      // A column has one cell at a moment: the second would replace the first.
      if (moments.has(at))
        throw within(
          new CellFault(
            `there are two versions at ${version.at.toISOString()}`,
            'give each version a moment of its own',
          ),
          indexed(i),
        );
      moments.add(at);
      out.push({
        kind: 'setCell',
        family,
        qualifier,
        timestamp: microsOf(at),
        value: encodeAt(codec, version.value, `${indexed(i)}.value`),
      });
    }
  };
}

function mapWriter({ family, codec }: ColumnModel): ColumnWriter {
  return (value, timestamp, full, out) => {
    if (!isMap(value)) throw notOfForm('a Map from qualifier to value');
    if (full) out.push({ kind: 'deleteFromFamily', family });
    for (const [key, entry] of value) {
      const qualifier = qualifierOf(key);
      if (entry !== undefined && entry !== null)
        out.push({
          kind: 'setCell',
          family,
          qualifier,
          timestamp,
          value: encodeAt(codec, entry, indexed(key)),
        });
      else if (!full) out.push({ kind: 'deleteFromColumn', family, qualifier });
    }
  };
}

function notOfForm(form: string): CellFault {
  return new CellFault(`the value is not ${form}`, `give ${form}`);
}

function encodeAt(codec: CellCodec, value: unknown, place: string): Uint8Array {
  try {
    return codec.encode(value);
  } catch (fault) {
    throw within(fault, place);
  }
}

/** Microseconds of milliseconds. From the year 2255 on they are no safe integers. */
function microsOf(ms: number): bigint {
  return BigInt(ms) * 1000n;
}

/** Microseconds of the cells of an entity: its `cellTimestamp` property, else the clock. */
function timestampOf(model: EntityModel, values: Values, now: number): Micros {
  if (model.cellTimestamp === undefined) return now;
  const moment = values[model.cellTimestamp];
  if (isDate(moment) && moment.getTime() >= 0) return microsOf(moment.getTime());
  throw new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property: model.cellTimestamp,
    problem: 'it is the timestamp of the cells (cellTimestamp) and not a valid Date since 1970',
    fix: `set ${model.cellTimestamp} to a Date`,
  });
}

function emptyRow(model: EntityModel): RowsmithError {
  return new RowsmithError('EMPTY_ROW', {
    entity: model.name,
    problem: 'no column has a value',
    fix: 'set a column, or declare the entity with `marker: true` so that an empty cell marks its rows',
  });
}

function checkPatched(model: EntityModel, property: string): void {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column !== undefined && column.kind !== 'counter') return;
  if (column !== undefined) {
    throw new RowsmithError('INVALID_ARGUMENT', {
      entity: model.name,
      property,
      problem: 'a counter is changed by increments only',
      fix: `call increment(key, '${property}', amount)`,
    });
  }
  if (model.segments.some((segment) => segment.property === property)) {
    throw new RowsmithError('INVALID_ARGUMENT', {
      entity: model.name,
      property,
      problem: 'a segment of the row key cannot be patched',
      fix: 'save the entity under its new key and delete the old one',
    });
  }
  const nearest = nearestName(
    property,
    model.columns.map((candidate) => candidate.property),
  );
  throw new RowsmithError('INVALID_ARGUMENT', {
    entity: model.name,
    property,
    problem: 'no column has this name',
    fix:
      nearest === undefined
        ? `use one of ${model.columns.map((candidate) => candidate.property).join(', ')}`
        : `did you mean '${nearest}'?`,
  });
}
