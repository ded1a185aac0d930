/**
 * A record of a line -> the mutations of its row: cells with their timestamps, older versions too.
 * Nothing is written here.
 */
import { noBytes } from '../../bytes/index.js';
import { nearestName, valueText } from '../../base/index.js';
import { CellFault, indexed, within, isDate } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import { invalidValue, type Validators, qualifierOf } from '../../mapping/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { Mutation, RowMutation, Micros } from '../../store/index.js';
import { cellTextForm } from '../text/column-text-form.js';
import { extras, markerName, type RowRecord } from '../text/row-record.js';
import { segmentTextForms } from '../text/text-form.js';

type Values = Record<string, unknown>;

/** How records become rows. */
export interface ReaderOptions {
  /** Microseconds for cells whose record names none. */
  readonly now: () => number;
  /** Names in records that are no properties are passed over instead of refused. */
  readonly ignoreUnknown: boolean;
  /** Rules of class-validator, where the entity carries any. */
  readonly validators: Validators | undefined;
}

/** The row of a record, to which more may be added. */
export interface ReadRow extends RowMutation {
  readonly mutations: Mutation[];
}

/**
 * Reads a record. Throws, or rejects where rules have to be awaited, a RowsmithError that says
 * which property is wrong.
 */
export type RowReader = (record: RowRecord) => ReadRow | Promise<ReadRow>;

/** Timestamps and older versions of a record. */
interface Times {
  /** The timestamp of a cell of the property; `entry` names one of a column map. */
  readonly of: (property: string, entry?: string) => Micros;
  readonly older: Values;
}

interface ColumnReader {
  readonly property: string;
  /** Sets `values[property]` and adds the cells. */
  readonly read: (said: unknown, times: Times, values: Values, out: Mutation[]) => void;
}

/** Compiles the reader of an entity. */
export function rowReader(
  model: EntityModel,
  { now, ignoreUnknown, validators }: ReaderOptions,
): RowReader {
  const segments = new Map(
    model.segments.map(({ property, type }) => [
      property,
      { spelling: segmentTextForms[type.kind], absent: type.nullable === true ? null : undefined },
    ]),
  );
  const columns = new Map(model.columns.map((column) => [column.property, columnReader(column)]));

  function readKey(record: RowRecord): Values {
    const values: Values = {};
    for (const [property, { spelling, absent }] of segments) {
      const said = record[property];
      try {
        // CSV has no null: nothing between commas.
        values[property] = said === undefined || said === null ? absent : spelling.read(said);
      } catch (fault) {
        throw invalidValue(model, property, fault);
      }
    }
    return values;
  }

  function readColumns(record: RowRecord, values: Values, times: Times): Mutation[] {
    const mutations: Mutation[] = [];
    for (const property of Object.keys(record)) {
      const said = record[property];
      if (said === undefined || said === null || segments.has(property)) continue;
      const column = columns.get(property);
      if (column === undefined) {
        if (property !== extras.at && property !== extras.older && !ignoreUnknown)
          throw unknownProperty(model, property);
        continue;
      }
      try {
        column.read(said, times, values, mutations);
      } catch (fault) {
        throw invalidValue(model, property, fault);
      }
    }
    return mutations;
  }

  return (record) => {
    const values = readKey(record);
    const key = model.key.encode(values);
    const times = timesOf(model, record, now);
    const mutations = readColumns(record, values, times);
    if (model.marker !== undefined)
      mutations.push({
        kind: 'setCell',
        ...model.marker,
        timestamp: times.of(markerName),
        value: noBytes,
      });
    if (mutations.length === 0)
      throw new RowsmithError('EMPTY_ROW', {
        entity: model.name,
        problem: 'no column has a value',
        fix: 'give a column a value, or leave the line out',
      });
    const row = { key, mutations };
    if (validators === undefined) return row;
    const entity = Object.assign(
      new model.entityClass(),
      Object.fromEntries(model.columns.map(({ property }) => [property, undefined])),
      values,
    );
    return validators.whole(entity, () => Buffer.from(key).toString('latin1')).then(() => row);
  };
}

function unknownProperty(model: EntityModel, property: string): RowsmithError {
  const known = [...model.key.names, ...model.columns.map((column) => column.property)];
  const near = nearestName(property, known);
  return new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property,
    problem: `${model.name} has no property '${property}'`,
    fix:
      near === undefined
        ? `its properties are ${known.join(', ')}; or pass over what it does not have`
        : `did you mean '${near}'?`,
  });
}

/** The timestamps of a record: those it names, else the entity's own moment, else the clock. */
function timesOf(model: EntityModel, record: RowRecord, now: () => number): Times {
  const at = record[extras.at];
  const older = record[extras.older];
  if (older !== undefined && older !== null && !isRecord(older))
    throw timesFault(
      model,
      extras.older,
      older,
      'leave it out, or write { "property": [[microseconds, value]] }',
    );
  const single =
    at === undefined || at === null
      ? (momentOf(model, record) ?? now())
      : isRecord(at)
        ? undefined
        : micros(model, at);
  const named = isRecord(at) ? at : {};
  let otherwise: Micros | undefined = single;
  return {
    older: older ?? {},
    of(property, entry) {
      if (single !== undefined) return single;
      const mine = own(named, property);
      const said = entry === undefined || !isRecord(mine) ? mine : own(mine, entry);
      return said === undefined || said === null ? (otherwise ??= now()) : micros(model, said);
    },
  };
}

/** Names are data: `__proto__` may be one of them. */
function own(record: Values, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The moment that the entity names as the timestamp of its cells. */
function momentOf(model: EntityModel, record: RowRecord): Micros | undefined {
  if (model.cellTimestamp === undefined) return undefined;
  const said = record[model.cellTimestamp];
  const moment = typeof said === 'string' ? new Date(said) : undefined;
  if (isDate(moment) && moment.getTime() >= 0) return BigInt(moment.getTime()) * 1000n;
  throw timesFault(
    model,
    model.cellTimestamp,
    said,
    'it is the timestamp of the cells (cellTimestamp): write a moment since 1970',
  );
}

function micros(model: EntityModel, said: unknown): Micros {
  if (typeof said === 'number' && Number.isSafeInteger(said) && said >= 0) return said;
  if (typeof said === 'string' && /^\d{1,19}$/.test(said)) return BigInt(said);
  throw timesFault(model, extras.at, said, 'write whole microseconds since 1970');
}

function timesFault(
  model: EntityModel,
  property: string,
  said: unknown,
  fix: string,
): RowsmithError {
  return new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property,
    problem: `it is ${valueText(said)}`,
    fix,
  });
}

function columnReader(column: ColumnModel): ColumnReader {
  const { property, family, codec } = column;
  const spelling = cellTextForm(column);
  const cell = (qualifier: Uint8Array, timestamp: Micros, value: unknown): Mutation => ({
    kind: 'setCell',
    family,
    qualifier,
    timestamp,
    value: codec.encode(value),
  });
  const olderOf = (said: unknown, qualifier: Uint8Array, out: Mutation[]): void => {
    for (const [timestamp, value] of pairsOf(said))
      out.push(cell(qualifier, timestamp, spelling.read(value)));
  };
  switch (column.kind) {
    case 'columnMap':
      return {
        property,
        read: (said, times, values, out) => {
          values[property] = readMap(said, times, column, spelling.read, cell, olderOf, out);
        },
      };
    case 'versions':
      return {
        property,
        read: (said, _times, values, out) => {
          values[property] = readVersions(said, column.qualifier, spelling.read, cell, out);
        },
      };
    default: {
      const { qualifier } = column;
      if (column.kind === 'counter' && column.aggregate) {
        return {
          property,
          read: (said, _times, values, out) =>
            void out.push(
              ...aggregateCells(family, qualifier, (values[property] = spelling.read(said))),
            ),
        };
      }
      return {
        property,
        read(said, times, values, out) {
          const value = (values[property] = spelling.read(said));
          out.push(cell(qualifier, times.of(property), value));
          const older = own(times.older, property);
          if (older !== undefined) olderOf(older, qualifier, out);
        },
      };
    }
  }
}

/**
 * What was added up is put in place of what is there, so that a line that is imported twice counts
 * once.
 */
function aggregateCells(family: string, qualifier: Uint8Array, value: unknown): Mutation[] {
  const input = new Uint8Array(8);
  new DataView(input.buffer).setBigInt64(0, value as bigint);
  // Counters add up in the cell of one timestamp: 0, whatever the clock says.
  return [
    { kind: 'deleteFromColumn', family, qualifier },
    { kind: 'mergeToCell', family, qualifier, timestamp: 0, input },
  ];
}

type CellOf = (qualifier: Uint8Array, timestamp: Micros, value: unknown) => Mutation;

function readMap(
  said: unknown,
  times: Times,
  { property }: ColumnModel,
  read: (said: unknown) => unknown,
  cell: CellOf,
  olderOf: (said: unknown, qualifier: Uint8Array, out: Mutation[]) => void,
  out: Mutation[],
): Map<string, unknown> {
  if (!isRecord(said))
    throw new CellFault(
      `expected an object of entries, got ${valueText(said)}`,
      'write the map as { "qualifier": value }',
    );
  const map = new Map<string, unknown>();
  const older = own(times.older, property);
  for (const [name, each] of Object.entries(said)) {
    try {
      const qualifier = qualifierOf(name);
      const value = read(each);
      map.set(name, value);
      out.push(cell(qualifier, times.of(property, name), value));
      const versions = isRecord(older) ? own(older, name) : undefined;
      if (versions !== undefined) olderOf(versions, qualifier, out);
    } catch (fault) {
      throw within(fault, indexed(name));
    }
  }
  return map;
}

function readVersions(
  said: unknown,
  qualifier: Uint8Array,
  read: (said: unknown) => unknown,
  cell: CellOf,
  out: Mutation[],
): unknown[] {
  if (!Array.isArray(said))
    throw new CellFault(
      `expected a list of versions, got ${valueText(said)}`,
      'write [{ "at": "2026-11-20T09:30:00.000Z", "value": ... }]',
    );
  return (said as unknown[]).map((each, i) => {
    try {
      if (!isRecord(each) || each.value === undefined)
        throw new CellFault('a version has no `value`', 'write { "at": ..., "value": ... }');
      const at = segmentTextForms.timestamp.read(each.at) as Date;
      if (at.getTime() < 0)
        throw new CellFault('a version is before 1970', 'give moments since 1970');
      const value = read(each.value);
      out.push(cell(qualifier, BigInt(at.getTime()) * 1000n, value));
      return { at, value };
    } catch (fault) {
      throw within(fault, indexed(i));
    }
  });
}

function pairsOf(said: unknown): [Micros, unknown][] {
  const sound =
    Array.isArray(said) &&
    said.every(
      (pair) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        (typeof pair[0] === 'string'
          ? /^\d{1,19}$/.test(pair[0])
          : Number.isSafeInteger(pair[0]) && pair[0] >= 0),
    );
  if (!sound)
    throw new CellFault(
      'its older versions are no list of [microseconds, value]',
      'leave @older out, or write it as export does',
    );
  return (said as [number | string, unknown][]).map(([at, value]) => [
    typeof at === 'string' ? BigInt(at) : at,
    value,
  ]);
}
