/** Bigtable's two encodings of INT64 and TIMESTAMP as layouts. */
import type { IntegerLayout } from './integer-field.js';
import { bitwiseNot } from '../encoding/digits.js';
import {
  int64Max,
  int64Min,
  readBigEndianInt64,
  readOrderedInt64,
  writeBigEndianInt64,
  writeOrderedInt64,
} from '../encoding/int64.js';

const int64 = { min: int64Min, max: int64Max, minByte: 0, prefixFree: true, punctuation: '' };

/** OrderedCodeBytes, for the ordered format; descending writes -1 - n. */
export function orderedInt64(descending: boolean): IntegerLayout {
  if (descending) return descendingInt64;
  return ascendingInt64;
}

const ascendingInt64: IntegerLayout = {
  ...int64,
  descending: false,
  minLength: 1,
  maxLength: 10,
  write: writeOrderedInt64,
  read: readOrderedInt64,
  encoding: 'int64 ordered code',
};

const descendingInt64: IntegerLayout = {
  ...ascendingInt64,
  descending: true,
  write: (out, integer) => writeOrderedInt64(out, bitwiseNot(integer)),
  read(bytes, start, end) {
    const inverted = readOrderedInt64(bytes, start, end);
    if (inverted === undefined) return undefined;
    return bitwiseNot(inverted);
  },
  encoding: 'int64 ordered code of -1 - n',
};

/** BigEndianBytes: 8 bytes, which sort by value only from zero up. */
export function bigEndianInt64(): IntegerLayout {
  return {
    ...int64,
    descending: false,
    minLength: 8,
    maxLength: 8,
    write: writeBigEndianInt64,
    read: readBigEndianInt64,
    encoding: 'int64, 8 bytes big-endian',
    noRanges: 'big-endian bytes sort negative numbers after positive ones',
  };
}
