/** Byte strings and ranges of row keys. */
export {
  compareBytes,
  compareSlices,
  concatBytes,
  copyBytes,
  equalBytes,
  fromHex,
  noBytes,
  printable,
  toHex,
} from './bytes.js';
export type { KeyRange } from './key-range.js';
export {
  everyKey,
  intersectRanges,
  isEmptyRange,
  isPoint,
  nextKey,
  nextPrefix,
  pointRange,
  prefixRange,
  rangeFrom,
  rangeContains,
  rangesAfter,
  unionRanges,
} from './key-range.js';
export { coverOf, type CoverPart } from './range-cover.js';
export { latin1Bytes, latin1Text } from './latin1.js';
