/** The first and the last of what keys can hold, and the first that they cannot. */
import {
  buildKeyCodec,
  buildQualifierCodec,
  patternsCollide,
} from '../../../src/data/key/index.js';
import type { KeyFormat, KeySpec, SegmentType } from '../../../src/data/key/index.js';
import { codecOf, lit, seg } from './bad-specs.js';

const faultsOf = (spec: KeySpec): number => {
  const built = buildKeyCodec(spec, 'Thing');
  return 'faults' in built ? built.faults.length : 0;
};
/** The value of a key with one segment; undefined if the bytes are no such key. */
function decoded(type: SegmentType, text: string, format: KeyFormat = 'text'): unknown {
  const codec = codecOf([seg('a', type)], { format });
  const bytes = Buffer.from(text);
  const target: Record<string, unknown> = {};
  return codec.decoder()(bytes, 0, bytes.length, target) ? target.a : undefined;
}

test.each<KeyFormat>(['text', 'ordered'])('%s: a key has up to 4,096 bytes', (format) => {
  const codec = codecOf([seg('a', { kind: 'string' }), seg('n', { kind: 'uint' })], { format });
  const room = 4_097 - codec.encode({ a: 'x', n: 1 }).length;
  const longest = { a: 'x'.repeat(room), n: 1 };
  const key = codec.encode(longest);
  expect(key).toHaveLength(4_096);
  const target = {};
  codec.decoder()(key, 0, key.length, target);
  expect(target).toEqual(longest);
  expect(codec.ranges({ fixed: longest }).perShard.flat()).toHaveLength(1);
  const longer = { a: 'x'.repeat(room + 1), n: 1 };
  expect(() => codec.encode(longer)).toThrow(expect.objectContaining({ code: 'INVALID_KEY' }));
  expect(() => codec.ranges({ fixed: longer })).toThrow();
});

test('2 to 1,000 shards', () => {
  const withShards = (count: number): number =>
    faultsOf({
      format: 'text',
      parts: [seg('a', { kind: 'string' })],
      shards: { count, by: ['a'] },
    });
  expect([1, 2, 1_000, 1_001].map(withShards)).toEqual([1, 0, 0, 1]);
});

test('100 members of an enum by their numbers', () => {
  const withMembers = (count: number): number =>
    faultsOf({
      format: 'text',
      parts: [
        seg('a', {
          kind: 'enum',
          values: Array.from({ length: count }, (_, i) => `v${i}`),
          by: 'ordinal',
        }),
      ],
    });
  expect([100, 101].map(withMembers)).toEqual([0, 1]);
});

test.each(['\x7f', '\x80', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\u{10000}'])(
  'text %j is UTF-8',
  (text) => {
    const codec = codecOf([seg('a', { kind: 'string' }), lit('z')]);
    const key = codec.encode({ a: text });
    expect(Buffer.from(key).toString()).toBe(`${text}#z`);
    expect(decoded({ kind: 'string' }, text)).toBe(text);
  },
);

test.each<[SegmentType, string, boolean]>([
  [{ kind: 'isoDate', precision: 'ms' }, '2026-02-28T23:59:59.999Z', true],
  [{ kind: 'isoDate', precision: 'ms' }, '2026-02-28T24:00:00.000Z', false],
  [{ kind: 'isoDate', precision: 'ms' }, '2026-02-28T23:60:00.000Z', false],
  [{ kind: 'isoDate', precision: 'day' }, '2026-02-28', true],
  [{ kind: 'isoDate', precision: 'day' }, '2026-02-29', false],
  [{ kind: 'timestamp', floor: 'hour' }, '2026022823', true],
  [{ kind: 'timestamp', floor: 'hour' }, '2026022824', false],
  // The bits of a NaN.
  [{ kind: 'float' }, '0000000000000001', false],
  [{ kind: 'float' }, 'ffffffffffffffff', false],
  [{ kind: 'ulid' }, '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', true],
  [{ kind: 'ulid' }, '80000000000000000000000000', false],
])('%j: %s is a value: %p', (type, text, isValue) => {
  expect(decoded(type, text) !== undefined).toBe(isValue);
});

test('a qualifier has up to 16 KiB', () => {
  const built = buildQualifierCodec({ kind: 'string' });
  if ('faults' in built) throw new Error('faults');
  expect(built.codec.encode('x'.repeat(16 * 1024))).toHaveLength(16 * 1024);
  expect(() => built.codec.encode('x'.repeat(16 * 1024 + 1))).toThrow();
});

test('a segment that may be empty can end a key before the other key ends', () => {
  const specOf = (...names: readonly string[]) =>
    codecOf(
      names.map((name) => seg(name, { kind: 'string' })),
      { format: 'ordered' },
    );
  expect(patternsCollide(specOf('a'), specOf('a', 'b'))).toMatch(/1 parts/);
  const whole = codecOf([seg('a', { kind: 'string' }), seg('n', { kind: 'int' })], {
    format: 'ordered',
  });
  expect(patternsCollide(specOf('a'), whole)).toBeUndefined();
});
