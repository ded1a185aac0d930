/** Fields of identifiers and hexadecimal bytes: uuid, ulid, bytes. */
import type { Field } from './field.js';
import { notAValue, refuse } from './field.js';
import { fromHex } from '../bytes/bytes.js';
import { readHex } from './float-kind.js';
import { checkedBytes, rawDefaults } from './raw-field.js';

const hexDigits = '0123456789abcdef';
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^[0-9a-f]{32}$/i;
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ulidForm = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Bytes as lower-case hexadecimal, which keeps their order as base64 does not. */
export function hexField(maxLength = Infinity): Field {
  return {
    ...rawDefaults,
    write(out, value) {
      for (const byte of checkedBytes(value, maxLength)) out.ascii(hexDigits[byte >> 4] + hexDigits[byte & 15]);
    },
    reader: () => (bytes, start, end) => {
      const length = (end - start) / 2;
      if (!Number.isInteger(length) || length > maxLength) return notAValue;
      const own = new Uint8Array(length);
      for (let i = 0; i < length; i++) {
        if (!isHex(bytes[start + 2 * i]) || !isHex(bytes[start + 2 * i + 1])) return notAValue;
        own[i] = readHex(bytes, start + 2 * i, 2);
      }
      return own;
    },
    maxLength: maxLength * 2, leastByte: 0x30, immutable: false, sqlType: 'BYTES', encoding: 'lower-case hexadecimal',
  };
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);
}

function uuidText(value: unknown): string {
  if (typeof value !== 'string' || !uuidForm.test(value)) refuse('the value is not a UUID', 'pass 36 characters with dashes, or 32 without', value);
  const plain = value.toLowerCase().replaceAll('-', '');
  return dashed(plain);
}

function dashed(plain: string): string {
  return `${plain.slice(0, 8)}-${plain.slice(8, 12)}-${plain.slice(12, 16)}-${plain.slice(16, 20)}-${plain.slice(20)}`;
}

function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** UUID as lower-case text of 36 characters, or 32 without dashes. */
export function uuidTextField(dashes: boolean): Field {
  const width = dashes ? 36 : 32;
  return {
    ...rawDefaults,
    write: (out, value) => out.ascii(dashes ? uuidText(value) : uuidText(value).replaceAll('-', '')),
    reader: () => (bytes, start, end) => {
      if (end - start !== width) return notAValue;
      const text = asciiText(bytes, start, end);
      return uuidForm.test(text) && text === text.toLowerCase() ? (dashes ? text : dashed(text)) : notAValue;
    },
    minLength: width, maxLength: width, leastByte: dashes ? 0x2d : 0x30, prefixFree: true, punctuation: dashes ? '-' : '',
    encoding: `UUID, ${width} lower-case characters`,
  };
}

/** UUID as its 16 bytes. */
export const uuidBytesField: Field = {
  ...rawDefaults,
  write: (out, value) => out.append(fromHex(uuidText(value).replaceAll('-', '')) ?? new Uint8Array(16)),
  reader: () => (bytes, start, end) => {
    if (end - start !== 16) return notAValue;
    let text = '';
    for (let i = start; i < end; i++) text += hexDigits[bytes[i] >> 4] + hexDigits[bytes[i] & 15];
    return dashed(text);
  },
  minLength: 16, maxLength: 16, prefixFree: true, sqlType: 'BYTES', encoding: 'UUID, 16 bytes',
};

function ulidText(value: unknown): string {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  if (!ulidForm.test(text)) refuse('the value is not a ULID', 'pass 26 characters of Crockford base 32, the first at most 7', value);
  return text;
}

/** ULID as 26 upper-case characters. */
export const ulidTextField: Field = {
  ...rawDefaults,
  write: (out, value) => out.ascii(ulidText(value)),
  reader: () => (bytes, start, end) => {
    if (end - start !== 26) return notAValue;
    const text = asciiText(bytes, start, end);
    return ulidForm.test(text) ? text : notAValue;
  },
  minLength: 26, maxLength: 26, leastByte: 0x30, prefixFree: true, encoding: 'ULID, 26 upper-case characters',
};

/** ULID as its 16 bytes. */
export const ulidBytesField: Field = {
  ...rawDefaults,
  write(out, value) {
    let bits = 0n;
    for (const character of ulidText(value)) bits = (bits << 5n) | BigInt(crockford.indexOf(character));
    for (let shift = 120n; shift >= 0n; shift -= 8n) out.byte(Number((bits >> shift) & 0xffn));
  },
  reader: () => (bytes, start, end) => {
    if (end - start !== 16) return notAValue;
    let bits = 0n;
    for (let i = start; i < end; i++) bits = (bits << 8n) | BigInt(bytes[i]);
    let text = '';
    for (let shift = 125n; shift >= 0n; shift -= 5n) text += crockford[Number((bits >> shift) & 31n)];
    return text;
  },
  minLength: 16, maxLength: 16, prefixFree: true, sqlType: 'BYTES', encoding: 'ULID, 16 bytes',
};
