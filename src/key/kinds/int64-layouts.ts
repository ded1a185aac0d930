/** Bigtable's two encodings of INT64 and TIMESTAMP as layouts. */
import type { IntegerLayout } from './integer-field.js';
import { beforeZero } from '../encoding/digits.js';
import {
  int64Max,
  int64Min,
  readBigEndianInt64,
  readOrderedInt64,
  writeBigEndianInt64,
  writeOrderedInt64,
} from '../encoding/int64.js';

/** OrderedCodeBytes, the ordered format's; descending writes -1 - n. */
export function orderedInt64(descending: boolean): IntegerLayout {
  return {
    min: int64Min,
    max: int64Max,
    descending,
    minLength: 1,
    maxLength: 10,
    leastByte: 0,
    prefixFree: true,
    punctuation: '',
    write: (out, integer) => writeOrderedInt64(out, descending ? beforeZero(integer) : integer),
    read(bytes, start, end) {
      const integer = readOrderedInt64(bytes, start, end);
      return descending && integer !== undefined ? beforeZero(integer) : integer;
    },
    encoding: `int64 ordered code${descending ? ' of -1 - n' : ''}`,
  };
}

/** BigEndianBytes: 8 bytes; sorts by value only from zero up. */
export function bigEndianInt64(): IntegerLayout {
  return {
    min: int64Min,
    max: int64Max,
    descending: false,
    minLength: 8,
    maxLength: 8,
    leastByte: 0,
    prefixFree: true,
    punctuation: '',
    write: writeBigEndianInt64,
    read: readBigEndianInt64,
    encoding: 'int64, 8 bytes big-endian',
    noRanges: 'big-endian bytes sort negative numbers after positive ones',
  };
}
