/** Fields of ULIDs: 26 upper-case characters of Crockford's base 32, or 16 bytes. */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { ascii26 } from '../encoding/ascii.js';
import { valuesOf } from '../encoding/hex.js';
import { rawDefaults } from '../fields/raw-field.js';

const crockford = Uint8Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (character) =>
  character.charCodeAt(0),
);
/** Values of the upper-case characters, indexed by byte; -1 for every other byte. */
const values = valuesOf(crockford);

/** As values, with the letters in either case. */
const anyCaseValues = values.slice();
anyCaseValues.set(values.subarray(0x41, 0x5b), 0x61);

/** Scratch space: the base-32 values of the text being written, and the text being read. */
const digits = new Int8Array(26);
const text = new Uint8Array(26);

/** Fills `digits` from text in either case. */
function parseText(value: unknown): void {
  let signs = 0;
  if (typeof value === 'string' && value.length === 26) {
    for (let i = 0; i < 26; i++) {
      const code = value.charCodeAt(i);
      let digit = -1;
      if (code < 128) digit = anyCaseValues[code];
      signs |= digit;
      digits[i] = digit;
    }
    if (signs >= 0 && digits[0] <= 7) return;
  }
  rejectValue(faults.notAUlid, value);
}

/** ULID as 26 upper-case characters. */
export const ulidTextField: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    parseText(value);
    out.reserve(26);
    for (let i = 0; i < 26; i++) out.bytes[out.at + i] = crockford[digits[i]];
    out.at += 26;
  },
  reader: () => (bytes, start, end) => {
    if (end - start !== 26) return notAValue;
    let signs = 7 - values[bytes[start]];
    for (let i = start; i < end; i++) signs |= values[bytes[i]];
    if (signs < 0) return notAValue;
    return ascii26(bytes, start);
  },
  minLength: 26,
  maxLength: 26,
  minByte: 0x30,
  prefixFree: true,
  encoding: 'ULID, 26 upper-case characters',
};

/**
 * ULID as its 16 bytes: 26 characters of 5 bits without the top two bits of the first, which are
 * zero.
 */
export const ulidBytesField: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    parseText(value);
    out.reserve(16);
    let bits = 0;
    let count = -2;
    for (let i = 0; i < 26; i++) {
      bits = ((bits << 5) | digits[i]) & 0xfff;
      count += 5;
      if (count >= 8) {
        count -= 8;
        out.bytes[out.at++] = bits >> count;
      }
    }
  },
  reader: () => (bytes, start, end) => {
    if (end - start !== 16) return notAValue;
    let bits = 0;
    let count = 2;
    let at = 0;
    for (let i = start; i < end; i++) {
      bits = ((bits << 8) | bytes[i]) & 0xfff;
      for (count += 8; count >= 5;) {
        count -= 5;
        text[at++] = crockford[(bits >> count) & 31];
      }
    }
    return ascii26(text, 0);
  },
  minLength: 16,
  maxLength: 16,
  prefixFree: true,
  sqlType: 'BYTES',
  encoding: 'ULID, 16 bytes',
};

const faults = {
  notAUlid: {
    problem: 'the value is not a ULID',
    fix: 'pass 26 characters of Crockford base 32, the first at most 7',
  },
} satisfies FaultTexts;
