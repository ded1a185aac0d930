import {
  compareBytes,
  type KeyRange,
  rangeFrom,
  rangeHolds,
  rangesAfter,
  toHex,
  unionRanges,
} from '../../src/bytes/index.js';
import fc from '../support/fast-check.js';

const letters = [0, 1, 0xff];
const world: readonly Uint8Array[] = [1, 2, 3].flatMap((length) =>
  Array.from({ length: letters.length ** length }, (_, n) =>
    Uint8Array.from(
      { length },
      (_, place) => letters[Math.floor(n / letters.length ** place) % letters.length],
    ),
  ),
);
const key = fc.constantFrom(...world);
const ranges = fc
  .array(
    fc
      .tuple(key, fc.option(key, { nil: undefined }))
      .map(([start, end]): KeyRange => rangeFrom(start, end)),
    { maxLength: 4 },
  )
  .map(unionRanges);

test('what is left after a row is what comes after it in reading order, each key once', () => {
  fc.assert(
    fc.property(ranges, key, fc.boolean(), (given, last, reversed) => {
      const rest = rangesAfter(given, last, reversed);
      const expected = world.filter(
        (each) =>
          given.some((range) => rangeHolds(range, each)) &&
          (reversed ? compareBytes(each, last) < 0 : compareBytes(each, last) > 0),
      );
      expect(
        world.filter((each) => rest.some((range) => rangeHolds(range, each))).map(toHex),
      ).toEqual(expected.map(toHex));
      expect(unionRanges(rest)).toEqual(rest);
    }),
  );
});

test('nothing comes before the first key there can be', () => {
  expect(rangesAfter([{ start: new Uint8Array(0) }], new Uint8Array(0), true)).toEqual([]);
});
