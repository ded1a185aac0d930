import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compareBytes,
  equalBytes,
  everyKey,
  fromHex,
  intersectRanges,
  isEmptyRange,
  isPoint,
  type KeyRange,
  nextKey,
  nextPrefix,
  pointRange,
  prefixRange,
  rangeContains,
  rangeFrom,
  toHex,
  unionRanges,
} from '../../../src/base/index.js';
import fc from '../../support/fast-check.js';

const letters = [0, 1, 0xff];

/** All byte strings of up to three bytes over a small alphabet. */
const allKeys: readonly Uint8Array[] = [0, 1, 2, 3].flatMap((length) =>
  Array.from({ length: letters.length ** length }, (_, n) =>
    Uint8Array.from(
      { length },
      (_, i) => letters[Math.floor(n / letters.length ** i) % letters.length],
    ),
  ),
);
const key = fc.constantFrom(...allKeys);
const range: fc.Arbitrary<KeyRange> = fc
  .tuple(key, fc.option(fc.constantFrom(...allKeys.slice(1)), { nil: undefined }))
  .map(([start, end]) => rangeFrom(start, end));

function keysIn(...ranges: readonly KeyRange[]): string[] {
  return allKeys
    .filter((each) =>
      ranges.some(
        ({ start, end }) =>
          Buffer.compare(start, each) <= 0 && (end === undefined || Buffer.compare(each, end) < 0),
      ),
    )
    .map(toHex);
}

describe('nextPrefix', () => {
  const vectors = JSON.parse(
    readFileSync(join(__dirname, '../../data/key/key-vectors.json'), 'utf8'),
  ) as { next_prefix: { prefix_hex: string; end_hex: string | null }[] };

  test.each(vectors.next_prefix)('of $prefix_hex is $end_hex', ({ prefix_hex, end_hex }) => {
    const next = nextPrefix(fromHex(prefix_hex) as Uint8Array);
    expect(next === undefined ? null : toHex(next)).toBe(end_hex);
  });

  test('bounds exactly the keys with the prefix', () => {
    fc.assert(
      fc.property(key, (prefix) => {
        expect(keysIn(prefixRange(prefix))).toEqual(
          allKeys.filter((each) => equalBytes(each.subarray(0, prefix.length), prefix)).map(toHex),
        );
      }),
    );
  });

  test('does not modify its argument, not even a Buffer', () => {
    const prefix = Buffer.from('acme');
    expect(nextPrefix(prefix)).toEqual(Uint8Array.from(Buffer.from('acmf')));
    expect(prefix.toString()).toBe('acme');
  });
});

describe('ranges', () => {
  test('rangeContains agrees with comparing the bounds', () => {
    fc.assert(
      fc.property(range, (each) =>
        expect(allKeys.filter((inside) => rangeContains(each, inside)).map(toHex)).toEqual(
          keysIn(each),
        ),
      ),
    );
  });

  test('a point range contains one key, and isPoint recognizes it', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const point = pointRange(one);
        expect(isPoint(point)).toBe(true);
        expect(rangeContains(point, other)).toBe(equalBytes(one, other));
        expect(compareBytes(nextKey(one), other) <= 0).toBe(compareBytes(one, other) < 0);
      }),
    );
    expect(isPoint(everyKey)).toBe(false);
    expect(isPoint(prefixRange(Uint8Array.of(1)))).toBe(false);
    expect(isPoint({ start: Uint8Array.of(1), end: Uint8Array.of(1, 1) })).toBe(false);
    expect(isPoint({ start: Uint8Array.of(1), end: Uint8Array.of(2, 0) })).toBe(false);
  });

  test('an intersection contains the keys of both ranges, and is undefined only if empty', () => {
    fc.assert(
      fc.property(range, range, (a, b) => {
        const common = intersectRanges(a, b);
        expect(common === undefined ? [] : keysIn(common)).toEqual(
          keysIn(a).filter((each) => keysIn(b).includes(each)),
        );
        if (common !== undefined) expect(isEmptyRange(common)).toBe(false);
        expect(intersectRanges(b, a)).toEqual(common);
        expect(intersectRanges(a, everyKey)).toEqual(isEmptyRange(a) ? undefined : a);
      }),
    );
  });

  test('a union contains the keys of all ranges, and is sorted, disjoint and merged', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), (ranges) => {
        const before = ranges.map(({ start, end }) => [toHex(start), end && toHex(end)]);
        const union = unionRanges(ranges);
        expect(keysIn(...union)).toEqual(keysIn(...ranges));
        expect(union.some(isEmptyRange)).toBe(false);
        for (let i = 1; i < union.length; i++)
          expect(compareBytes(union[i - 1].end as Uint8Array, union[i].start)).toBeLessThan(0);
        expect(unionRanges(union)).toEqual(union);
        expect(unionRanges([...ranges].reverse())).toEqual(union);
        expect(ranges.map(({ start, end }) => [toHex(start), end && toHex(end)])).toEqual(before);
      }),
    );
  });
});
