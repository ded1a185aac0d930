/** Bytes as lower-case hexadecimal, which keeps their order as base64 does not. */
import type { Field } from './field.js';
import { notAValue } from '../encoding/segment-value-error.js';
import { hexDigits, hexValues } from '../encoding/hex.js';
import { checkedBytes, rawDefaults } from './raw-field.js';

/** The field; `maxLength` in bytes of the value. */
export function hexField(maxLength = Infinity): Field {
  return {
    ...rawDefaults,
    write(out, value) {
      const given = checkedBytes(value, maxLength);
      out.reserve(given.length * 2);
      for (let i = 0; i < given.length; i++) {
        out.bytes[out.at++] = hexDigits[given[i] >> 4];
        out.bytes[out.at++] = hexDigits[given[i] & 15];
      }
    },
    reader: () => (bytes, start, end) => {
      const length = (end - start) >> 1;
      if (2 * length !== end - start || length > maxLength) return notAValue;
      const own = new Uint8Array(length);
      let signs = 0;
      for (let i = 0; i < length; i++) {
        const byte = (hexValues[bytes[start + 2 * i]] << 4) | hexValues[bytes[start + 2 * i + 1]];
        signs |= byte;
        own[i] = byte;
      }
      return signs < 0 ? notAValue : own;
    },
    maxLength: maxLength * 2,
    leastByte: 0x30,
    immutable: false,
    sqlType: 'BYTES',
    encoding: 'lower-case hexadecimal',
  };
}
