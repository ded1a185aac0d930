import {
  compareBytes,
  type KeyRange,
  rangeContains,
  rangeFrom,
  rangesAfter,
  toHex,
  unionRanges,
} from '../../../src/base/index.js';
import fc from '../../support/fast-check.js';

const letters = [0, 1, 0xff];
const allKeys: readonly Uint8Array[] = [1, 2, 3].flatMap((length) =>
  Array.from({ length: letters.length ** length }, (_, n) =>
    Uint8Array.from(
      { length },
      (_, i) => letters[Math.floor(n / letters.length ** i) % letters.length],
    ),
  ),
);
const key = fc.constantFrom(...allKeys);
const ranges = fc
  .array(
    fc
      .tuple(key, fc.option(key, { nil: undefined }))
      .map(([start, end]): KeyRange => rangeFrom(start, end)),
    { maxLength: 4 },
  )
  .map(unionRanges);

test('the rest after a row contains the keys after it in reading order, each once', () => {
  fc.assert(
    fc.property(ranges, key, fc.boolean(), (given, last, reversed) => {
      const rest = rangesAfter(given, last, reversed);
      const expected = allKeys.filter(
        (each) =>
          given.some((range) => rangeContains(range, each)) &&
          (reversed ? compareBytes(each, last) < 0 : compareBytes(each, last) > 0),
      );
      expect(
        allKeys.filter((each) => rest.some((range) => rangeContains(range, each))).map(toHex),
      ).toEqual(expected.map(toHex));
      expect(unionRanges(rest)).toEqual(rest);
    }),
  );
});

test('no key comes before the empty key', () => {
  expect(rangesAfter([{ start: new Uint8Array(0) }], new Uint8Array(0), true)).toEqual([]);
});
