/**
 * What protobuf message wrote these bytes: field numbers and wire types are in the bytes, names and
 * exact kinds are not.
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
} from '../../../cell/index.js';
import { isPlausibleMoment } from './moment.js';
import { isPrintable } from './segment-guess.js';

/** A probable field. */
export interface FieldGuess {
  readonly number: number;
  /** `double`, or the message inside. */
  readonly type: string | MessageGuess;
  readonly repeated: boolean;
  /** Values that hold it. */
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

/** Deepest message in a message that is looked into. */
const deepest = 8;

/**
 * The probable message of these values; undefined unless every one of them is made of fields that
 * go together.
 */
export function guessMessage(values: readonly Uint8Array[], depth = 0): MessageGuess | undefined {
  if (depth > deepest) return undefined;
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
    // A field has one wire type, except that lists of numbers may be packed or not.
    if (all.some(({ wire }) => wire !== all[0].wire)) return undefined;
    fields.push({ number, repeated, count, ...guessField(all, depth) });
  }
  return { fields };
}

/** The top-level fields of a value, by number; undefined when the bytes are no message. */
function fieldsOf(value: Uint8Array): Map<number, Occurrence[]> | undefined {
  const fields = new Map<number, Occurrence[]>();
  try {
    for (let at = 0; at < value.length;) {
      const tag = readTag(value, at, value.length);
      const [number, wire, start] = [tag >>> 3, tag & 7, cursor.at];
      // Groups are older than proto3: bytes that would begin one are something else.
      if (
        number === 0 ||
        (number >= 19_000 && number < 20_000) ||
        wire === 3 ||
        wire === 4 ||
        wire > 5
      )
        return undefined;
      at = skip(value, start, value.length, tag, 0);
      const from = wire === 2 ? (readEnd(value, start, value.length), cursor.at) : start;
      const there = fields.get(number);
      if (there === undefined) fields.set(number, [{ wire, bytes: value.subarray(from, at) }]);
      else there.push({ wire, bytes: value.subarray(from, at) });
    }
  } catch {
    return undefined;
  }
  return fields;
}

type Kind = Pick<FieldGuess, 'type' | 'note'>;

function guessField(all: readonly Occurrence[], depth: number): Kind {
  const bytes = all.map((each) => each.bytes);
  switch (all[0].wire) {
    case 0:
      return guessVarint(bytes.map((each) => readUint64(each, 0, each.length)));
    case 1:
      return bytes.every((each) => isPlausibleReal(readDouble(each, 0, 8))) &&
        bytes.some((each) => readFixed64(each, 0, 8) !== 0n)
        ? { type: 'double' }
        : { type: 'fixed64', note: 'or sfixed64' };
    case 5:
      return bytes.every((each) => isPlausibleReal(readFloat(each, 0, 4)))
        ? { type: 'float' }
        : { type: 'fixed32', note: 'or sfixed32' };
    default:
      return guessBytes(bytes, depth);
  }
}

function guessVarint(numbers: readonly bigint[]): Kind {
  // Small numbers below zero take ten bytes as int64; as uint64 they are beyond 2^63.
  if (numbers.every((number) => number <= 1n))
    return { type: 'int64', note: 'only 0 and 1 in the sample: perhaps bool or an enum' };
  return numbers.every((number) => number < 1n << 31n)
    ? { type: 'int64', note: 'an int32, uint32 or an enum has the same bytes' }
    : { type: 'int64' };
}

function guessBytes(all: readonly Uint8Array[], depth: number): Kind {
  const filled = all.filter((each) => each.length > 0);
  if (filled.every((each) => isText(each))) return { type: 'string' };
  const message = guessMessage(filled, depth + 1);
  if (message === undefined) return { type: 'bytes', note: 'or a packed list of numbers' };
  return isTimestamp(message, filled) ? { type: 'timestamp' } : { type: message };
}

/** UTF-8 without control characters but line breaks and tabs. */
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

/** google.protobuf.Timestamp: seconds of this century, and nanoseconds. */
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
      isPlausibleMoment(Number(readUint64(seconds.bytes, 0, seconds.bytes.length)) * 1000)
    );
  });
}

/**
 * A number that somebody measured: neither tiny nor huge, as the bytes of something else would be.
 */
export function isPlausibleReal(value: number): boolean {
  return value === 0 || (Math.abs(value) > 1e-12 && Math.abs(value) < 1e15);
}
