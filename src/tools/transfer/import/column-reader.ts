/** Converts the values of columns in a record to cells. */
import { isRecord, type FaultTexts } from '../../../base/index.js';
import {
  CodecError,
  DateMap,
  indexPath,
  within,
  wrongTypeError,
} from '../../../data/cell/index.js';
import type { SegmentKind } from '../../../data/key/index.js';
import { encodeQualifier, type MapColumn } from '../../../entities/mapping/index.js';
import type { ColumnModel } from '../../../entities/model/index.js';
import type { Micros, Mutation } from '../../../data/store/index.js';
import {
  cellTextForm,
  segmentTextForms,
  type TextForm,
  timestampForm,
} from '../../../data/text/index.js';

/** A record or a part of it. */
export type RecordValues = Record<string, unknown>;

/** Timestamps and older versions of a record. */
export interface RecordTimes {
  /** The timestamp of a property's cell, or of one `entry` of a column map. */
  readonly of: (property: string, entry?: string) => Micros;
  readonly older: RecordValues;
  /** Called with each older value of a column with a single value. */
  readonly onOlder?: (property: string, value: unknown) => void;
}

/**
 * Converts the value of one column: appends its cells to `out` and returns the property's value.
 */
export type ColumnReader = (input: unknown, times: RecordTimes, out: Mutation[]) => unknown;

/** The text form of segments and of the keys of maps. */
export function segmentForm(kind: SegmentKind, zone: string | undefined): TextForm {
  if (kind === 'timestamp' || kind === 'isoDate') return timestampForm(zone);
  return segmentTextForms[kind];
}

/** The own property of this name: a record may contain `__proto__`. */
export function own(record: RecordValues, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Whether it is exact microseconds as a number. */
export function isMicrosNumber(input: unknown): input is number {
  return typeof input === 'number' && Number.isSafeInteger(input) && input >= 0;
}

/** Whether it is microseconds as text. */
export function isMicrosText(input: unknown): input is string {
  return typeof input === 'string' && /^\d{1,19}$/.test(input);
}

/** Compiles the reader of one column; timestamps without a zone are in `zone`. */
export function columnReader(column: ColumnModel, zone: string | undefined): ColumnReader {
  const form = cellTextForm(column, zone);
  switch (column.kind) {
    case 'columnMap':
      return mapReader(column, form, segmentForm(column.qualifiers.type.kind, zone));
    case 'versions':
      return versionsReader(column, column.qualifier, form);
    case 'counter':
      if (column.aggregate) return aggregateReader(column, column.qualifier, form);
      return valueReader(column, column.qualifier, form);
    default:
      return valueReader(column, column.qualifier, form);
  }
}

function valueReader(column: ColumnModel, qualifier: Uint8Array, form: TextForm): ColumnReader {
  return (input, times, out) => {
    const value = form.parse(input);
    out.push(cellOf(column, qualifier, times.of(column.property), value));
    const older = own(times.older, column.property);
    for (const each of addOlder(column, qualifier, form, older, out))
      times.onOlder?.(column.property, each);
    return value;
  };
}

/** Replaces the stored sum instead of adding to it, so that a line imported twice counts once. */
function aggregateReader(
  { family }: ColumnModel,
  qualifier: Uint8Array,
  form: TextForm,
): ColumnReader {
  return (input, _times, out) => {
    const value = form.parse(input);
    replaceAggregate(family, qualifier, value as bigint, out);
    return value;
  };
}

function replaceAggregate(
  family: string,
  qualifier: Uint8Array,
  value: bigint,
  out: Mutation[],
): void {
  const input = new Uint8Array(8);
  new DataView(input.buffer).setBigInt64(0, value);
  // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
  out.push(
    { kind: 'deleteFromColumn', family, qualifier },
    { kind: 'mergeToCell', family, qualifier, timestamp: 0, input },
  );
}

function mapReader(column: MapColumn, form: TextForm, keyForm: TextForm): ColumnReader {
  return (input, times, out) => {
    if (!isRecord(input))
      throw wrongTypeError(
        'an object of entries',
        input,
        'write the map as { "qualifier": value }',
      );
    const map = emptyMap(column);
    const older = own(times.older, column.property);
    for (const [name, each] of Object.entries(input)) {
      try {
        const key = keyForm.parse(name);
        const qualifier = encodeQualifier(column, key);
        const value = form.parse(each);
        if (map.has(key)) throw new CodecError(faults.duplicateEntry);
        map.set(key, value);
        if (column.aggregate) {
          replaceAggregate(column.family, qualifier, value as bigint, out);
          continue;
        }
        out.push(cellOf(column, qualifier, times.of(column.property, name), value));
        if (isRecord(older)) addOlder(column, qualifier, form, own(older, name), out);
      } catch (fault) {
        throw within(fault, indexPath(name));
      }
    }
    return map;
  };
}

function emptyMap({ qualifiers }: MapColumn): Map<unknown, unknown> {
  if (qualifiers.type.kind === 'timestamp') return new DateMap<unknown>();
  return new Map();
}

function versionsReader(column: ColumnModel, qualifier: Uint8Array, form: TextForm): ColumnReader {
  return (input, _times, out) => {
    if (!Array.isArray(input))
      throw wrongTypeError(
        'a list of versions',
        input,
        'write [{ "at": "2026-11-20T09:30:00.000Z", "value": ... }]',
      );
    return (input as unknown[]).map((each, i) => {
      try {
        const version = parseVersion(each, form);
        const timestamp = BigInt(version.at.getTime()) * 1000n;
        out.push(cellOf(column, qualifier, timestamp, version.value));
        return version;
      } catch (fault) {
        throw within(fault, indexPath(i));
      }
    });
  };
}

function parseVersion(
  input: unknown,
  form: TextForm,
): { readonly at: Date; readonly value: unknown } {
  if (!isRecord(input) || input.value === undefined)
    throw new CodecError(faults.versionWithoutValue);
  const at = segmentTextForms.timestamp.parse(input.at) as Date;
  if (at.getTime() < 0) throw new CodecError(faults.versionOutOfRange);
  return { at, value: form.parse(input.value) };
}

function addOlder(
  column: ColumnModel,
  qualifier: Uint8Array,
  form: TextForm,
  older: unknown,
  out: Mutation[],
): unknown[] {
  if (older === undefined) return [];
  if (!Array.isArray(older) || !older.every(isOlderVersion))
    throw new CodecError(faults.wrongOlderVersions);
  return (older as [number | string, unknown][]).map(([at, text]) => {
    const timestamp = typeof at === 'string' ? BigInt(at) : at;
    const value = form.parse(text);
    out.push(cellOf(column, qualifier, timestamp, value));
    return value;
  });
}

function isOlderVersion(pair: unknown): boolean {
  return (
    Array.isArray(pair) && pair.length === 2 && (isMicrosNumber(pair[0]) || isMicrosText(pair[0]))
  );
}

function cellOf(
  { family, codec }: ColumnModel,
  qualifier: Uint8Array,
  timestamp: Micros,
  value: unknown,
): Mutation {
  return { kind: 'setCell', family, qualifier, timestamp, value: codec.encode(value) };
}

const faults = {
  duplicateEntry: { problem: 'the entry is given twice', fix: 'give it once' },
  versionWithoutValue: {
    problem: 'a version has no `value`',
    fix: 'write { "at": ..., "value": ... }',
  },
  versionOutOfRange: { problem: 'a version is before 1970', fix: 'give timestamps since 1970' },
  wrongOlderVersions: {
    problem: 'its older versions are not a list of [microseconds, value]',
    fix: 'leave @older out, or write it as export does',
  },
} satisfies FaultTexts;
