/** The checksum of stored pairs: the test vectors of FORMAT.md, and the changes that it detects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pairChecksum } from '../../../src/engines/local/kv/checksum.js';
import { utf8 } from '../conformance.js';
import fc from '../../support/fast-check.js';

/** A direct implementation of the specification. */
function specified(key: Uint8Array, value: Uint8Array): number {
  const rot = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
  const sum = (bytes: Uint8Array, s: number): number => {
    let [a, b, c, d] = [s ^ bytes.length, 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d];
    const view = new DataView(bytes.slice().buffer);
    let at = 0;
    for (; at + 16 <= bytes.length; at += 16) {
      a = Math.imul(rot(a, 15) ^ view.getInt32(at, true), 0x9e3779b1);
      b = Math.imul(rot(b, 15) ^ view.getInt32(at + 4, true), 0x85ebca77);
      c = Math.imul(rot(c, 15) ^ view.getInt32(at + 8, true), 0xc2b2ae3d);
      d = Math.imul(rot(d, 15) ^ view.getInt32(at + 12, true), 0x27d4eb2f);
    }
    for (; at < bytes.length; at++) a = Math.imul(rot(a, 5) ^ bytes[at], 0x9e3779b1);
    b = Math.imul(rot(a, 15) ^ b, 0x85ebca77);
    c = Math.imul(rot(b, 15) ^ c, 0xc2b2ae3d);
    d = Math.imul(rot(c, 15) ^ d, 0x27d4eb2f);
    return d ^ (d >>> 15);
  };
  return sum(value, sum(key, 0));
}

const checksum = (key: Uint8Array, value: Uint8Array): number =>
  pairChecksum(key, 0, key.length, value, 0, value.length);
const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

test('the test vectors of the specification', () => {
  const specification = readFileSync(
    join(__dirname, '../../../src/engines/local/FORMAT.md'),
    'utf8',
  );
  const vectors = [
    ...specification.matchAll(/^\| `([0-9a-f]*)` \| `([0-9a-f]*)` \| `([0-9a-f]{8})` \|$/gm),
  ];
  expect(vectors.length).toBeGreaterThan(3);
  for (const [, key, value, sum] of vectors) {
    const found = Buffer.alloc(4);
    found.writeInt32LE(checksum(Buffer.from(key, 'hex'), Buffer.from(value, 'hex')));
    expect(found.toString('hex')).toBe(sum);
  }
});

test('equal to the specification at any offset', () => {
  fc.assert(
    fc.property(bytes(60), bytes(100), fc.nat(9), fc.nat(9), (key, value, before, after) => {
      const placed = (of: Uint8Array): Uint8Array =>
        Uint8Array.of(...new Uint8Array(before), ...of, ...new Uint8Array(after));
      expect(
        pairChecksum(
          placed(key),
          before,
          before + key.length,
          placed(value),
          before,
          before + value.length,
        ),
      ).toBe(specified(key, value));
      const shifted = new Uint8Array(placed(value).buffer, before, value.length);
      expect(checksum(key, shifted)).toBe(specified(key, value));
    }),
  );
});

test('any change within a word is detected, in keys and in values', () => {
  const key = utf8('\0\0\0\x01tenant#device#2024');
  const value = Uint8Array.from({ length: 1003 }, (_, at) => at * 7);
  const whole = checksum(key, value);
  const undetected: number[] = [];
  for (const which of [key, value]) {
    for (let bit = 0; bit < which.length * 8; bit++) {
      const changed = which.slice();
      changed[bit >> 3] ^= 1 << (bit & 7);
      if ((which === key ? checksum(changed, value) : checksum(key, changed)) === whole)
        undetected.push(bit);
    }
  }
  expect(undetected).toEqual([]);
  expect(checksum(key, value.subarray(0, 1002))).not.toBe(whole);
  expect(checksum(key, Uint8Array.of(...value, 0))).not.toBe(whole);
});
