/** Bytes as lower-case hexadecimal, which preserves their order, unlike base64. */
import type { Field } from './field.js';
import { notAValue } from '../encoding/segment-value-error.js';
import { hexDigits, hexValues } from '../encoding/hex.js';
import { checkedBytes, rawDefaults } from './raw-field.js';

/** The field; `maxLength` is in bytes of the value. */
export function hexField(maxLength = Infinity): Field {
  return {
    ...rawDefaults,
    write(out, value) {
      const input = checkedBytes(value, maxLength);
      out.reserve(input.length * 2);
      for (let i = 0; i < input.length; i++) {
        out.bytes[out.at++] = hexDigits[input[i] >> 4];
        out.bytes[out.at++] = hexDigits[input[i] & 15];
      }
    },
    reader: () => (bytes, start, end) => {
      const length = (end - start) >> 1;
      if (2 * length !== end - start || length > maxLength) return notAValue;
      const value = new Uint8Array(length);
      let signs = 0;
      for (let i = 0; i < length; i++) {
        const byte = (hexValues[bytes[start + 2 * i]] << 4) | hexValues[bytes[start + 2 * i + 1]];
        signs |= byte;
        value[i] = byte;
      }
      if (signs < 0) return notAValue;
      return value;
    },
    maxLength: maxLength * 2,
    minByte: 0x30,
    immutable: false,
    sqlType: 'BYTES',
    encoding: 'lower-case hexadecimal',
  };
}
