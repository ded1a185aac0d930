/** Covers of ranges: prefixes and keys that are the range, and nothing else. */
import {
  compareBytes,
  coverOf,
  isEmptyRange,
  type KeyRange,
  prefixRange,
  rangeContains,
} from '../../../src/base/index.js';
import fc from '../../support/fast-check.js';

const letters = [0, 1, 2, 0xfe, 0xff];
const bytes = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((list) => Uint8Array.from(list));
const range = fc
  .tuple(bytes(3), bytes(3))
  .map(([start, end]): KeyRange => ({ start, end }))
  .filter((each) => !isEmptyRange(each));

test('the parts are the range, each key in one of them, in key order', () => {
  fc.assert(
    fc.property(range, fc.array(bytes(5), { maxLength: 50 }), (whole, keys) => {
      const parts = coverOf(whole, 10_000)!;
      for (const key of [...keys, whole.start, whole.end!]) {
        const holding = parts.filter((part) => rangeContains(part.range, key));
        const expected = rangeContains(whole, key) ? 1 : 0;
        // Without a call of expect() for each key, which would be most of the time.
        if (holding.length !== expected) expect(holding).toHaveLength(expected);
      }
      const starts = parts.map((part) => part.range.start);
      expect([...starts].sort(compareBytes)).toEqual(starts);
    }),
    { numRuns: 100 },
  );
});

test('the range of a prefix is one part', () => {
  const part = { kind: 'prefix', bytes: Buffer.from('acme#') };
  expect(coverOf(prefixRange(Buffer.from('acme#')), 1)).toMatchObject([part]);
});

test('ranges without an end, and with too many parts, have none', () => {
  expect(coverOf({ start: Buffer.from('a') }, 100)).toBeUndefined();
  const wide = { start: Buffer.from('a'), end: Buffer.from('f') };
  expect(coverOf(wide, 5)).toHaveLength(5);
  expect(coverOf(wide, 4)).toBeUndefined();
});
