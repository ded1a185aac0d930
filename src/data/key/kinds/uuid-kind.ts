/** Fields of UUIDs: 36 or 32 lower-case characters, or 16 bytes. */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { ascii36 } from '../encoding/ascii.js';
import { anyCaseHexValues, hexDigits, hexValues } from '../encoding/hex.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { rawDefaults } from '../fields/raw-field.js';

const dash = 0x2d;
/** Index of each of the 32 digits in text without dashes, and in text with dashes. */
const plainPositions = Uint8Array.from({ length: 32 }, (_, i) => i);
const dashedPositions = plainPositions.map(
  (i) => i + [8, 12, 16, 20].filter((groupStart) => i >= groupStart).length,
);
/** ASCII codes of the high and of the low hex digit of each byte. */
const highDigits = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte >> 4]);
const lowDigits = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte & 15]);

function notAUuid(value: unknown): never {
  rejectValue(faults.notAUuid, value);
}

/** The positions of the digits in the value; checks its length and dashes. */
function digitPositions(value: string): Uint8Array {
  if (value.length === 32) return plainPositions;
  if (
    value.length !== 36 ||
    value.charCodeAt(8) !== dash ||
    value.charCodeAt(13) !== dash ||
    value.charCodeAt(18) !== dash ||
    value.charCodeAt(23) !== dash
  )
    notAUuid(value);
  return dashedPositions;
}

/** The value of a hex digit of either case; -1 for any other character. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code > 127) return -1;
  return anyCaseHexValues[code];
}

/** Writes the 32 digits of a UUID in lower case; `target` gives the position of each. */
function writeDigitsAt(out: KeyWriter, value: unknown, target: Uint8Array): void {
  if (typeof value !== 'string') notAUuid(value);
  const source = digitPositions(value);
  const { bytes, at } = out;
  let signs = 0;
  for (let i = 0; i < 32; i++) {
    const digit = digitAt(value, source[i]);
    signs |= digit;
    bytes[at + target[i]] = hexDigits[digit & 15];
  }
  if (signs < 0) notAUuid(value);
}

const dashedUuid: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    out.reserve(36);
    writeDigitsAt(out, value, dashedPositions);
    const { bytes, at } = out;
    bytes[at + 8] = bytes[at + 13] = bytes[at + 18] = bytes[at + 23] = dash;
    out.at += 36;
  },
  reader: () => readDashed,
  minLength: 36,
  maxLength: 36,
  minByte: dash,
  prefixFree: true,
  punctuation: '-',
  encoding: 'UUID, 36 lower-case characters',
};

const plainUuid: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    out.reserve(32);
    writeDigitsAt(out, value, plainPositions);
    out.at += 32;
  },
  reader: () => readPlain,
  minLength: 32,
  maxLength: 32,
  minByte: 0x30,
  prefixFree: true,
  encoding: 'UUID, 32 lower-case characters',
};

/** UUID as lower-case text of 36 characters, or 32 without dashes. */
export function uuidTextField(dashes: boolean): SegmentField {
  if (dashes) return dashedUuid;
  return plainUuid;
}

/**
 * 0 for digits, 1 for a dash, and for other bytes a number so low that a sum of 36 of them cannot
 * be 4 again.
 */
const dashCount = hexValues.map((value) => (value < 0 ? -128 : 0));
dashCount[dash] = 1;

function readDashed(b: Uint8Array, start: number, end: number): unknown {
  if (
    end - start !== 36 ||
    b[start + 8] !== dash ||
    b[start + 13] !== dash ||
    b[start + 18] !== dash ||
    b[start + 23] !== dash
  )
    return notAValue;
  let dashes = 0;
  for (let i = start; i < end; i += 4)
    dashes += dashCount[b[i]] + dashCount[b[i + 1]] + dashCount[b[i + 2]] + dashCount[b[i + 3]];
  if (dashes !== 4) return notAValue;
  return ascii36(b, start);
}

function readPlain(b: Uint8Array, i: number, end: number): unknown {
  if (end - i !== 32) return notAValue;
  let signs = 0;
  for (let at = i; at < end; at += 4)
    signs |= hexValues[b[at]] | hexValues[b[at + 1]] | hexValues[b[at + 2]] | hexValues[b[at + 3]];
  if (signs < 0) return notAValue;
  return String.fromCharCode(
    b[i],
    b[i + 1],
    b[i + 2],
    b[i + 3],
    b[i + 4],
    b[i + 5],
    b[i + 6],
    b[i + 7],
    dash,
    b[i + 8],
    b[i + 9],
    b[i + 10],
    b[i + 11],
    dash,
    b[i + 12],
    b[i + 13],
    b[i + 14],
    b[i + 15],
    dash,
    b[i + 16],
    b[i + 17],
    b[i + 18],
    b[i + 19],
    dash,
    b[i + 20],
    b[i + 21],
    b[i + 22],
    b[i + 23],
    b[i + 24],
    b[i + 25],
    b[i + 26],
    b[i + 27],
    b[i + 28],
    b[i + 29],
    b[i + 30],
    b[i + 31],
  );
}

/** The text of 16 bytes. See ascii.ts for why every character is an argument. */
function readBytes(b: Uint8Array, i: number, end: number): unknown {
  if (end - i !== 16) return notAValue;
  return String.fromCharCode(
    highDigits[b[i]],
    lowDigits[b[i]],
    highDigits[b[i + 1]],
    lowDigits[b[i + 1]],
    highDigits[b[i + 2]],
    lowDigits[b[i + 2]],
    highDigits[b[i + 3]],
    lowDigits[b[i + 3]],
    dash,
    highDigits[b[i + 4]],
    lowDigits[b[i + 4]],
    highDigits[b[i + 5]],
    lowDigits[b[i + 5]],
    dash,
    highDigits[b[i + 6]],
    lowDigits[b[i + 6]],
    highDigits[b[i + 7]],
    lowDigits[b[i + 7]],
    dash,
    highDigits[b[i + 8]],
    lowDigits[b[i + 8]],
    highDigits[b[i + 9]],
    lowDigits[b[i + 9]],
    dash,
    highDigits[b[i + 10]],
    lowDigits[b[i + 10]],
    highDigits[b[i + 11]],
    lowDigits[b[i + 11]],
    highDigits[b[i + 12]],
    lowDigits[b[i + 12]],
    highDigits[b[i + 13]],
    lowDigits[b[i + 13]],
    highDigits[b[i + 14]],
    lowDigits[b[i + 14]],
    highDigits[b[i + 15]],
    lowDigits[b[i + 15]],
  );
}

/** UUID as its 16 bytes. */
export const uuidBytesField: SegmentField = {
  ...rawDefaults,
  write(out: KeyWriter, value: unknown) {
    if (typeof value !== 'string') notAUuid(value);
    const source = digitPositions(value);
    out.reserve(16);
    const { bytes, at } = out;
    let signs = 0;
    for (let i = 0; i < 16; i++) {
      const high = digitAt(value, source[2 * i]);
      const low = digitAt(value, source[2 * i + 1]);
      signs |= high | low;
      bytes[at + i] = (high << 4) | low;
    }
    if (signs < 0) notAUuid(value);
    out.at += 16;
  },
  reader: () => readBytes,
  minLength: 16,
  maxLength: 16,
  prefixFree: true,
  sqlType: 'BYTES',
  encoding: 'UUID, 16 bytes',
};

const faults = {
  notAUuid: {
    problem: 'the value is not a UUID',
    fix: 'pass 36 characters with dashes, or 32 without',
  },
} satisfies FaultTexts;
