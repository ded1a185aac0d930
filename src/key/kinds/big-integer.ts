/**
 * Integers of any size up to 99 digits: two digits of length, then the digits; a negative is `-`
 * and the nines' complement of both.
 */
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { rawDefaults } from './raw-field.js';

const limit = 10n ** 99n;

/** The field; descending writes -n, which is exact because the range is symmetric. */
export function bigIntegerField(descending: boolean): Field {
  return {
    ...rawDefaults,
    write(out, value) {
      if (typeof value !== 'bigint')
        rejectValue('the value is not a bigint', 'pass a bigint, such as 42n', value);
      if (value <= -limit || value >= limit)
        rejectValue('the value has more than 99 digits', 'pass a smaller number', value);
      const signed = descending ? -value : value;
      const digits = (signed < 0n ? -signed : signed).toString();
      const text = String(digits.length).padStart(2, '0') + digits;
      out.ascii(signed < 0n ? `-${complement(text)}` : text);
    },
    reader: () => (bytes, start, end) => {
      let text = '';
      for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
      const negative = text.startsWith('-');
      if (!/^[0-9]{3,101}$/.test(negative ? text.slice(1) : text)) return notAValue;
      const plain = negative ? complement(text.slice(1)) : text;
      const digits = plain.slice(2);
      if (
        Number(plain.slice(0, 2)) !== digits.length ||
        (digits.startsWith('0') && (negative || digits !== '0'))
      )
        return notAValue;
      return negative !== descending ? -BigInt(digits) : BigInt(digits);
    },
    minLength: 3,
    maxLength: 102,
    leastByte: 0x2d,
    descending,
    prefixFree: true,
    sqlType: 'BYTES',
    punctuation: '-',
    encoding: `two digits of length, digits, negatives as nines' complement behind '-'${descending ? ', of -n' : ''}`,
  };
}

function complement(digits: string): string {
  let text = '';
  for (let i = 0; i < digits.length; i++) text += String.fromCharCode(0x69 - digits.charCodeAt(i));
  return text;
}
