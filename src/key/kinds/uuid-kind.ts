/** Fields of UUIDs: 36 or 32 lower-case characters, or 16 bytes. */
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { ascii36 } from '../encoding/ascii.js';
import { anyCaseHexValues, hexDigits, hexValues } from '../encoding/hex.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { rawDefaults } from './raw-field.js';

const dash = 0x2d;
/** Where each of the 32 digits stands in the form with dashes. */
const places = Uint8Array.from(
  { length: 32 },
  (_, i) => i + (i >= 8 ? 1 : 0) + (i >= 12 ? 1 : 0) + (i >= 16 ? 1 : 0) + (i >= 20 ? 1 : 0),
);
/** ASCII of the upper and of the lower half of each byte. */
const upper = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte >> 4]);
const lower = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte & 15]);

function wrong(value: unknown): never {
  rejectValue('the value is not a UUID', 'pass 36 characters with dashes, or 32 without', value);
}

/** The text, after its length and its dashes were looked at. */
function checked(value: unknown): string {
  if (typeof value !== 'string' || (value.length !== 36 && value.length !== 32)) wrong(value);
  if (
    value.length === 36 &&
    !(
      value.charCodeAt(8) === dash &&
      value.charCodeAt(13) === dash &&
      value.charCodeAt(18) === dash &&
      value.charCodeAt(23) === dash
    )
  )
    wrong(value);
  return value;
}

/** Digit `i` of a checked text; negative when it is none. */
function digitAt(text: string, i: number): number {
  const code = text.charCodeAt(text.length === 36 ? places[i] : i);
  return code < 128 ? anyCaseHexValues[code] : -1;
}

/** UUID as lower-case text of 36 characters, or 32 without dashes. */
export function uuidTextField(dashes: boolean): Field {
  const width = dashes ? 36 : 32;
  return {
    ...rawDefaults,
    write(out, value) {
      const text = checked(value);
      out.reserve(width);
      const { bytes, at } = out;
      if (dashes) bytes[at + 8] = bytes[at + 13] = bytes[at + 18] = bytes[at + 23] = dash;
      let signs = 0;
      for (let i = 0; i < 32; i++) {
        const digit = digitAt(text, i);
        signs |= digit;
        bytes[at + (dashes ? places[i] : i)] = hexDigits[digit & 15];
      }
      if (signs < 0) wrong(value);
      out.at += width;
    },
    reader: () => (dashes ? readDashed : readPlain),
    minLength: width,
    maxLength: width,
    leastByte: dashes ? dash : 0x30,
    prefixFree: true,
    punctuation: dashes ? '-' : '',
    encoding: `UUID, ${width} lower-case characters`,
  };
}

/** Digits 0, a dash 1, anything else so far below that no sum of 36 comes back to 4. */
const dashCount = Int8Array.from(hexValues, (value, byte) =>
  value >= 0 ? 0 : byte === dash ? 1 : -128,
);

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
  return dashes === 4 ? ascii36(b, start) : notAValue;
}

function readPlain(b: Uint8Array, i: number, end: number): unknown {
  if (end - i !== 32) return notAValue;
  let signs = 0;
  for (let at = i; at < end; at += 4)
    signs |= hexValues[b[at]] | hexValues[b[at + 1]] | hexValues[b[at + 2]] | hexValues[b[at + 3]];
  return signs < 0
    ? notAValue
    : String.fromCharCode(
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

/** The text of 16 bytes; see ascii.ts for why every character is spelled out. */
function readBytes(b: Uint8Array, i: number, end: number): unknown {
  return end - i !== 16
    ? notAValue
    : String.fromCharCode(
        upper[b[i]],
        lower[b[i]],
        upper[b[i + 1]],
        lower[b[i + 1]],
        upper[b[i + 2]],
        lower[b[i + 2]],
        upper[b[i + 3]],
        lower[b[i + 3]],
        dash,
        upper[b[i + 4]],
        lower[b[i + 4]],
        upper[b[i + 5]],
        lower[b[i + 5]],
        dash,
        upper[b[i + 6]],
        lower[b[i + 6]],
        upper[b[i + 7]],
        lower[b[i + 7]],
        dash,
        upper[b[i + 8]],
        lower[b[i + 8]],
        upper[b[i + 9]],
        lower[b[i + 9]],
        dash,
        upper[b[i + 10]],
        lower[b[i + 10]],
        upper[b[i + 11]],
        lower[b[i + 11]],
        upper[b[i + 12]],
        lower[b[i + 12]],
        upper[b[i + 13]],
        lower[b[i + 13]],
        upper[b[i + 14]],
        lower[b[i + 14]],
        upper[b[i + 15]],
        lower[b[i + 15]],
      );
}

/** UUID as its 16 bytes. */
export const uuidBytesField: Field = {
  ...rawDefaults,
  write(out: KeyWriter, value: unknown) {
    const text = checked(value);
    out.reserve(16);
    const { bytes, at } = out;
    let signs = 0;
    for (let i = 0; i < 16; i++) {
      const high = digitAt(text, 2 * i);
      const low = digitAt(text, 2 * i + 1);
      signs |= high | low;
      bytes[at + i] = (high << 4) | low;
    }
    if (signs < 0) wrong(value);
    out.at += 16;
  },
  reader: () => readBytes,
  minLength: 16,
  maxLength: 16,
  prefixFree: true,
  sqlType: 'BYTES',
  encoding: 'UUID, 16 bytes',
};
