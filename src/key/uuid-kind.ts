/** Fields of UUIDs: 36 or 32 lower-case characters, or 16 bytes. */
import type { Field } from './field.js';
import { notAValue, refuse } from './field.js';
import { ascii36 } from './ascii.js';
import { anyCaseHexValues, hexDigits, hexValues } from './hex.js';
import type { KeyWriter } from './key-writer.js';
import { rawDefaults } from './raw-field.js';

const dash = 0x2d;
/** Where each of the 32 digits stands in the form with dashes. */
const places = Uint8Array.from({ length: 32 }, (_, i) => i + (i >= 8 ? 1 : 0) + (i >= 12 ? 1 : 0) + (i >= 16 ? 1 : 0) + (i >= 20 ? 1 : 0));
/** The text being put together; its dashes stay. */
const scratch = new Uint8Array(36).fill(dash);

function wrong(value: unknown): never {
  refuse('the value is not a UUID', 'pass 36 characters with dashes, or 32 without', value);
}

/** The text, after its length and its dashes were looked at. */
function checked(value: unknown): string {
  if (typeof value !== 'string' || (value.length !== 36 && value.length !== 32)) wrong(value);
  if (value.length === 36 && !(value.charCodeAt(8) === dash && value.charCodeAt(13) === dash && value.charCodeAt(18) === dash && value.charCodeAt(23) === dash)) wrong(value);
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
    minLength: width, maxLength: width, leastByte: dashes ? dash : 0x30, prefixFree: true, punctuation: dashes ? '-' : '',
    encoding: `UUID, ${width} lower-case characters`,
  };
}

/** Digits 0, a dash 1, anything else so far below that no sum of 36 comes back to 4. */
const dashCount = Int8Array.from(hexValues, (value, byte) => (value >= 0 ? 0 : byte === dash ? 1 : -128));

function readDashed(b: Uint8Array, start: number, end: number): unknown {
  if (end - start !== 36 || b[start + 8] !== dash || b[start + 13] !== dash || b[start + 18] !== dash || b[start + 23] !== dash) return notAValue;
  let dashes = 0;
  for (let i = start; i < end; i += 4) dashes += dashCount[b[i]] + dashCount[b[i + 1]] + dashCount[b[i + 2]] + dashCount[b[i + 3]];
  return dashes === 4 ? ascii36(b, start) : notAValue;
}

function readPlain(bytes: Uint8Array, start: number, end: number): unknown {
  if (end - start !== 32) return notAValue;
  let signs = 0;
  for (let i = 0; i < 32; i++) {
    const byte = bytes[start + i];
    signs |= hexValues[byte];
    scratch[places[i]] = byte;
  }
  return signs < 0 ? notAValue : ascii36(scratch, 0);
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
  reader: () => (bytes, start, end) => {
    if (end - start !== 16) return notAValue;
    for (let i = 0; i < 16; i++) {
      const byte = bytes[start + i];
      scratch[places[2 * i]] = hexDigits[byte >> 4];
      scratch[places[2 * i + 1]] = hexDigits[byte & 15];
    }
    return ascii36(scratch, 0);
  },
  minLength: 16, maxLength: 16, prefixFree: true, sqlType: 'BYTES', encoding: 'UUID, 16 bytes',
};
