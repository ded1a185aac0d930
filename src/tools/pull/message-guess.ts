/**
 * Guesses a protobuf message from encoded values. The bytes contain field numbers and wire types,
 * but no names and no exact types.
 */
import {
  cursor,
  readDouble,
  readEnd,
  readFixed64,
  readFloat,
  readTag,
  readUint64,
  skip,
} from '../../data/cell/index.js';
import { isPlausibleTimestamp } from './plausible-timestamp.js';
import { isPrintable } from './segment-guess.js';

/** A probable field. */
export interface FieldGuess {
  readonly number: number;
  /** `double`, or the nested message. */
  readonly type: string | MessageGuess;
  readonly repeated: boolean;
  /** Values that contain the field. */
  readonly count: number;
  readonly note?: string;
}

/** A probable message. */
export interface MessageGuess {
  readonly fields: readonly FieldGuess[];
}

interface Occurrence {
  readonly wire: number;
  readonly bytes: Uint8Array;
}

/** Levels of nested messages that are examined. */
const maxDepth = 8;

/**
 * The probable message of these values; undefined unless every value consists of fields, with one
 * wire type for each number.
 */
export function guessMessage(values: readonly Uint8Array[], depth = 0): MessageGuess | undefined {
  if (depth > maxDepth) return undefined;
  const byNumber = new Map<
    number,
    { readonly all: Occurrence[]; values: number; repeated: boolean }
  >();
  for (const value of values) {
    const fields = fieldsOf(value);
    if (fields === undefined) return undefined;
    for (const [number, occurrences] of fields) {
      const field = byNumber.get(number) ?? { all: [], values: 0, repeated: false };
      field.all.push(...occurrences);
      field.values++;
      field.repeated ||= occurrences.length > 1;
      byNumber.set(number, field);
    }
  }
  if (byNumber.size === 0) return undefined;
  const fields: FieldGuess[] = [];
  for (const [number, { all, values: count, repeated }] of [...byNumber].sort(
    ([a], [b]) => a - b,
  )) {
    // Lists of numbers may be both packed and unpacked in one sample; they are not recognized.
    if (all.some(({ wire }) => wire !== all[0].wire)) return undefined;
    fields.push({ number, repeated, count, ...guessField(all, depth) });
  }
  return { fields };
}

/** The top-level fields of a value, by number; undefined if the bytes are not a message. */
function fieldsOf(value: Uint8Array): Map<number, Occurrence[]> | undefined {
  const fields = new Map<number, Occurrence[]>();
  try {
    for (let at = 0; at < value.length;) {
      const tag = readTag(value, at, value.length);
      const [number, wire, start] = [tag >>> 3, tag & 7, cursor.at];
      if (!isPlausibleTag(number, wire)) return undefined;
      at = skip(value, start, value.length, tag, 0);
      const occurrence = { wire, bytes: value.subarray(contentStart(value, wire, start), at) };
      const present = fields.get(number);
      if (present === undefined) fields.set(number, [occurrence]);
      else present.push(occurrence);
    }
  } catch {
    return undefined;
  }
  return fields;
}

function isPlausibleTag(number: number, wire: number): boolean {
  const reserved = number >= 19_000 && number < 20_000;
  // Groups (3, 4) are not used since proto3: such bytes are probably something else.
  return number > 0 && !reserved && wire !== 3 && wire !== 4 && wire <= 5;
}

/** Where the content of a field begins: after the length of a length-delimited one. */
function contentStart(value: Uint8Array, wire: number, start: number): number {
  if (wire !== 2) return start;
  readEnd(value, start, value.length);
  return cursor.at;
}

type FieldType = Pick<FieldGuess, 'type' | 'note'>;

function guessField(all: readonly Occurrence[], depth: number): FieldType {
  const bytes = all.map((each) => each.bytes);
  switch (all[0].wire) {
    case 0:
      return guessVarint(bytes.map((each) => readUint64(each, 0, each.length)));
    case 1:
      if (
        bytes.every((each) => isPlausibleFloat(readDouble(each, 0, 8))) &&
        bytes.some((each) => readFixed64(each, 0, 8) !== 0n)
      )
        return { type: 'double' };
      return { type: 'fixed64', note: 'or sfixed64' };
    case 5:
      if (bytes.every((each) => isPlausibleFloat(readFloat(each, 0, 4)))) return { type: 'float' };
      return { type: 'fixed32', note: 'or sfixed32' };
    default:
      return guessBytes(bytes, depth);
  }
}

function guessVarint(numbers: readonly bigint[]): FieldType {
  if (numbers.every((number) => number <= 1n))
    return { type: 'int64', note: 'only 0 and 1 in the sample: perhaps bool or an enum' };
  if (numbers.every((number) => number < 1n << 31n))
    return { type: 'int64', note: 'an int32, uint32 or an enum has the same bytes' };
  return { type: 'int64' };
}

function guessBytes(all: readonly Uint8Array[], depth: number): FieldType {
  const filled = all.filter((each) => each.length > 0);
  if (filled.every((each) => isText(each))) return { type: 'string' };
  const message = guessMessage(filled, depth + 1);
  if (message === undefined) return { type: 'bytes', note: 'or a packed list of numbers' };
  if (isTimestamp(message, filled)) return { type: 'timestamp' };
  return { type: message };
}

/** Whether the bytes are UTF-8 without control characters other than line breaks and tabs. */
export function isText(bytes: Uint8Array): boolean {
  try {
    return isPrintable(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
        .decode(bytes)
        .replaceAll(/[\t\r\n]/g, ''),
    );
  } catch {
    return false;
  }
}

/** Whether the values are google.protobuf.Timestamp: seconds in this century, and nanoseconds. */
function isTimestamp({ fields }: MessageGuess, values: readonly Uint8Array[]): boolean {
  if (
    !fields.every(
      ({ number, type, repeated }) =>
        (number === 1 || number === 2) && type === 'int64' && !repeated,
    )
  )
    return false;
  return values.every((value) => {
    const [seconds] = fieldsOf(value)?.get(1) ?? [];
    return (
      seconds !== undefined &&
      isPlausibleTimestamp(Number(readUint64(seconds.bytes, 0, seconds.bytes.length)) * 1000)
    );
  });
}

/**
 * Whether a number may be a measurement: other bytes decode mostly to tiny or huge numbers.
 */
export function isPlausibleFloat(value: number): boolean {
  return value === 0 || (Math.abs(value) > 1e-12 && Math.abs(value) < 1e15);
}
