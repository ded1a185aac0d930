/**
 * Converts records to row mutations: cells with their timestamps, including older versions. Writes
 * nothing.
 */
import {
  isDate,
  isRecord,
  nearestName,
  noBytes,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  expiringTime,
  invalidValueError,
  type ValueChecks,
} from '../../../entities/mapping/index.js';
import { type EntityModel, issuesError, qualifiersOf } from '../../../entities/model/index.js';
import type { Micros, Mutation, RowMutation } from '../../../data/store/index.js';
import { extras, markerField, type RowRecord } from '../text/row-record.js';
import { timestampForm } from '../../../data/text/index.js';
import { compileRowAge, type RowAge } from './row-age.js';
import {
  columnReader,
  isMicrosNumber,
  isMicrosText,
  own,
  type RecordTimes,
  segmentForm,
  type RecordValues,
} from './column-reader.js';

/** Options of `rowReader`. */
export interface ReaderOptions {
  /** Timestamp in microseconds of cells without one in their record. */
  readonly now: () => number;
  /** The property with the timestamp of cells without one; default: what the entity declares. */
  readonly cellTimes: string | undefined;
  /** Whether names that are not properties are ignored instead of rejected. */
  readonly ignoreUnknown: boolean;
  /** Offset of timestamps without a time zone; undefined rejects them. */
  readonly zone: string | undefined;
  /** What its values must be. */
  readonly checks: ValueChecks;
}

/** The row of a record. Mutations may be appended. */
export interface ReadRow extends RowMutation {
  readonly mutations: Mutation[];
  readonly age?: RowAge;
}

/**
 * Converts a record. Throws a RowsmithError that names the invalid property; if a check must be
 * awaited, returns a promise that rejects with it.
 */
export type RecordReader = (record: RowRecord) => ReadRow | Promise<ReadRow>;

/** Compiles the reader of an entity. */
export function rowReader(
  model: EntityModel,
  { now, cellTimes, ignoreUnknown, zone, checks }: ReaderOptions,
): RecordReader {
  const ageOf = compileRowAge(model, cellTimes);
  const replaced = replacedCells(model);
  const segments = new Set(model.segments.map(({ property }) => property));
  const readKey = keyReader(model, zone);
  const usualTime = timeReader(model, { now, cellTimes, zone });
  const columns = new Map(
    model.columns.map((column) => [column.property, columnReader(column, zone)]),
  );

  function readColumns(record: RowRecord, values: RecordValues, times: RecordTimes): Mutation[] {
    const mutations: Mutation[] = [];
    for (const property of Object.keys(record)) {
      const input = record[property];
      if (input === undefined || input === null || segments.has(property)) continue;
      const read = columns.get(property);
      if (read === undefined) {
        if (property !== extras.at && property !== extras.older && !ignoreUnknown)
          throw unknownProperty(model, property);
        continue;
      }
      try {
        values[property] = read(input, times, mutations);
      } catch (fault) {
        throw invalidValueError(model, property, fault);
      }
    }
    return mutations;
  }

  return (record) => {
    const values = readKey(record);
    const key = model.key.encode(values);
    const older: [property: string, value: unknown][] = [];
    const onOlder = (property: string, value: unknown): void => void older.push([property, value]);
    const times = { ...timesOf(model, record, () => usualTime(record)), onOlder };
    if (!ignoreUnknown)
      for (const property of Object.keys(times.older))
        if (!columns.has(property)) throw olderError(model, property);
    const mutations = readColumns(record, values, times);
    if (model.marker !== undefined) {
      const timestamp = times.of(markerField);
      mutations.push({ kind: 'setCell', ...model.marker, timestamp, value: noBytes });
    }
    if (mutations.length === 0)
      throw new RowsmithError('EMPTY_ROW', {
        entity: model.name,
        ...faults.emptyRow,
      });
    for (const each of older) checkOlder(model, checks, each);
    const hasTimes = (record[extras.at] ?? undefined) !== undefined;
    const age = ageOf(mutations, hasTimes ? undefined : values, now());
    // What is deleted comes first.
    const all = replaced.length === 0 ? mutations : [...replaced, ...mutations];
    const row = { key, mutations: all, age };
    const pending = checks.entity(values, {
      instance: () =>
        Object.assign(
          new model.entityClass(),
          Object.fromEntries(model.columns.map(({ property }) => [property, undefined])),
          values,
        ),
      keyText: () => Buffer.from(key).toString('latin1'),
    });
    return pending === undefined ? row : pending.then(() => row);
  };
}

/** Compiles the reader of the segments of a key. */
function keyReader(
  model: EntityModel,
  zone: string | undefined,
): (record: RowRecord) => RecordValues {
  const segments = model.segments.map(({ property, type }) => ({
    property,
    form: segmentForm(type.kind, zone),
    absent: type.nullable === true ? null : undefined,
  }));
  return (record) => {
    const values: RecordValues = {};
    for (const { property, form, absent } of segments) {
      const input = record[property];
      try {
        // CSV has no null: an absent value is the null of a nullable segment.
        values[property] = input === undefined || input === null ? absent : form.parse(input);
      } catch (fault) {
        throw invalidValueError(model, property, fault);
      }
    }
    return values;
  };
}

/** Compiles the reader of the timestamp of cells without one in their record. */
function timeReader(
  model: EntityModel,
  { now, cellTimes, zone }: Pick<ReaderOptions, 'now' | 'cellTimes' | 'zone'>,
): (record: RowRecord) => Micros {
  const { expiresAt, cellTimestamp } = model;
  const property = expiresAt?.property ?? cellTimes ?? cellTimestamp;
  if (property === undefined) return now;
  return (record) => {
    const date = timestampOf(model, property, record[property], zone);
    if (expiresAt !== undefined) return expiringTime(model, date);
    if (isDate(date) && date.getTime() >= 0) return BigInt(date.getTime()) * 1000n;
    throw new RowsmithError('INVALID_VALUE', {
      entity: model.name,
      property,
      ...faults.wrongCellTime(record[property]),
    });
  };
}

/** Reads of earlier versions return older values as they are. */
function checkOlder(
  model: EntityModel,
  checks: ValueChecks,
  [property, value]: [string, unknown],
): void {
  const issues = checks.declaredIssues({ [property]: value });
  if (issues === undefined) return;
  throw issuesError(
    model,
    issues.map((issue) => ({ ...issue, path: `${extras.older}.${issue.path}` })),
  );
}

function unknownProperty(model: EntityModel, property: string): RowsmithError {
  const known = [...model.key.names, ...model.columns.map((column) => column.property)];
  const nearest = nearestName(property, known);
  let fix = `its properties are ${known.join(', ')}; or ignore unknown names`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  return new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property,
    ...faults.unknownProperty(model.name, property, fix),
  });
}

function olderError({ name }: EntityModel, property: string): RowsmithError {
  const fault = faults.unknownOlder(name, property);
  return new RowsmithError('INVALID_VALUE', { entity: name, property: extras.older, ...fault });
}

/**
 * What a line deletes of a row that names the time of its end: a part of it would end at another
 * time. Other rows keep what the line does not name.
 */
function replacedCells({ expiresAt, columns, marker }: EntityModel): readonly Mutation[] {
  if (expiresAt === undefined) return [];
  const cells = columns.flatMap((column): Mutation[] => {
    const { family, kind } = column;
    if (kind === 'columnMap') return [{ kind: 'deleteFromFamily', family }];
    return qualifiersOf(column).map((qualifier) => ({
      kind: 'deleteFromColumn',
      family,
      qualifier,
    }));
  });
  return marker === undefined ? cells : [...cells, { kind: 'deleteFromColumn', ...marker }];
}

/** The timestamps of a record: the ones in the record, else `usual`. */
function timesOf(model: EntityModel, record: RowRecord, usual: () => Micros): RecordTimes {
  const older = olderVersions(model, record);
  const at = record[extras.at];
  if (at === undefined || at === null) {
    const timestamp = usual();
    return { older, of: () => timestamp };
  }
  if (!isRecord(at)) {
    const timestamp = micros(model, at);
    return { older, of: () => timestamp };
  }
  let fallback: Micros | undefined;
  return {
    older,
    of(property, entry) {
      let timestamp = own(at, property);
      if (entry !== undefined && isRecord(timestamp)) timestamp = own(timestamp, entry);
      if (timestamp !== undefined && timestamp !== null) return micros(model, timestamp);
      fallback ??= usual();
      return fallback;
    },
  };
}

function olderVersions(model: EntityModel, record: RowRecord): RecordValues {
  const older = record[extras.older] ?? {};
  if (isRecord(older)) return older;
  const fix = 'leave it out, or write { "property": [[microseconds, value]] }';
  throw timesError(model, extras.older, older, fix);
}

/** Undefined if the property is absent. Throws INVALID_VALUE for anything but a timestamp. */
function timestampOf(
  model: EntityModel,
  property: string,
  input: unknown,
  zone: string | undefined,
): unknown {
  if (input === undefined || input === null) return undefined;
  try {
    return timestampForm(zone).parse(input);
  } catch (fault) {
    throw invalidValueError(model, property, fault);
  }
}

function micros(model: EntityModel, input: unknown): Micros {
  if (isMicrosNumber(input)) return input;
  if (isMicrosText(input)) return BigInt(input);
  throw timesError(model, extras.at, input, 'write whole microseconds since 1970');
}

function timesError(
  model: EntityModel,
  property: string,
  input: unknown,
  fix: string,
): RowsmithError {
  return new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property,
    ...faults.wrongValue(input, fix),
  });
}

const faults = {
  emptyRow: {
    problem: 'no column has a value',
    fix: 'give a column a value, or leave the line out',
  },
  unknownProperty: (name: string, property: string, fix: string) => ({
    problem: `${name} has no property '${property}'`,
    fix,
  }),
  unknownOlder: (name: string, property: string) => ({
    problem: `it names '${property}', which is not a column of ${name}`,
    fix: 'name columns, or ignore unknown names',
  }),
  wrongCellTime: (input: unknown) => ({
    problem: `it is the time of the cells of the row, and it is ${valueText(input)}`,
    fix: 'write a timestamp since 1970',
  }),
  wrongValue: (input: unknown, fix: string) => ({ problem: `it is ${valueText(input)}`, fix }),
} satisfies FaultTexts;
