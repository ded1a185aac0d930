/** Keys of several entities in one table: which patterns collide. */
import { canStartWith, patternsCollide } from '../../../src/data/key/index.js';
import type { KeyCodec, KeyPart, KeySpec, SegmentType } from '../../../src/data/key/index.js';
import { type KeyRange, rangeContains, toHex } from '../../../src/base/index.js';
import fc from '../../support/fast-check.js';
import { seg, lit, codecOf } from './bad-specs.js';

test('property: keys of patterns that do not collide belong to one of them', () => {
  const member = fc.string({
    unit: fc.constantFrom('A', 'B', '~', '$', '\0', '|', '1'),
    minLength: 1,
    maxLength: 2,
  });
  const type = fc.record({
    kind: fc.constant('enum' as const),
    values: fc.uniqueArray(member, { minLength: 1, maxLength: 3 }),
    nullable: fc.boolean(),
    order: fc.constantFrom('asc' as const, 'desc' as const),
  });
  fc.assert(
    fc.property(
      type,
      type,
      fc.constantFrom('text' as const, 'ordered' as const),
      (a, b, format) => {
        const [codecA, codecB] = [a, b].map((each) => {
          const order = format === 'ordered' ? each.order : 'asc';
          return codecOf([seg('e', { ...each, order }), seg('id', { kind: 'uint', width: 2 })], {
            format,
          });
        });
        const keysOf = (codec: KeyCodec, { values, nullable }: typeof a) =>
          [...values, ...(nullable ? [null] : [])].map((e) => toHex(codec.encode({ e, id: 7 })));
        const keys = new Set(keysOf(codecA, a));
        const common = keysOf(codecB, b).filter((key) => keys.has(key));
        const collide = patternsCollide(codecA, codecB) !== undefined;
        if (common.length > 0) expect(collide).toBe(true);
        // Exact for enums in the same order.
        if (a.order === b.order && !a.nullable && !b.nullable)
          expect(collide).toBe(common.length > 0);
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 500) },
  );
});

test('patterns of two entities: disjoint where that can be proved', () => {
  const string: SegmentType = { kind: 'string' };
  const collide = (a: readonly KeyPart[], b: readonly KeyPart[], rest: Partial<KeySpec> = {}) =>
    patternsCollide(codecOf(a, rest), codecOf(b, rest)) !== undefined;
  expect(collide([lit('a'), seg('x', string)], [lit('b'), seg('x', string)])).toBe(false);
  expect(collide([seg('x', string)], [seg('x', string), seg('y', string)])).toBe(false);
  expect(
    collide([seg('x', string)], [seg('x', string), seg('y', string)], { format: 'ordered' }),
  ).toBe(true);
  expect(
    collide([seg('x', string)], [seg('x', string), seg('y', { kind: 'int' })], {
      format: 'ordered',
    }),
  ).toBe(false);
  expect(
    collide([lit('order'), seg('x', string)], [seg('n', { kind: 'uint' }), seg('x', string)]),
  ).toBe(false);
  expect(collide([lit('order'), seg('x', string)], [seg('n', string), seg('x', string)])).toBe(
    true,
  );
  expect(
    collide([seg('n', { kind: 'uint', width: 4 })], [seg('m', { kind: 'uint', width: 5 })]),
  ).toBe(false);
  expect(
    collide([seg('n', { kind: 'uint', width: 4 })], [seg('m', { kind: 'uint', width: 4 })]),
  ).toBe(true);
  expect(
    patternsCollide(
      codecOf([seg('n', string)]),
      codecOf([seg('n', string)], { format: 'ordered' }),
    ),
  ).toContain('formats');
});

test('property: a key within a prefix of another entity is one that can start with it', () => {
  const text = fc.string({ unit: fc.constantFrom('A', 'B', '#', '\0', '|'), maxLength: 3 });
  const part = fc.oneof(
    fc.constantFrom('A', 'B', 'A#').map((literal) => ({ literal, value: undefined })),
    text.map((value) => ({ literal: undefined, value })),
  );
  const shape = fc.array(part, { minLength: 1, maxLength: 4 });
  let met = 0;
  fc.assert(
    fc.property(
      shape,
      shape,
      fc.nat({ max: 4 }),
      fc.constantFrom('text' as const, 'ordered' as const),
      (a, b, segments, format) => {
        const build = (shape: typeof a) => {
          const parts = shape.map(({ literal, value }, i) =>
            value === undefined ? lit(literal) : seg(`s${i}`, { kind: 'string' }),
          );
          const values = Object.fromEntries(shape.map(({ value }, i) => [`s${i}`, value]));
          const names = Object.keys(values).filter((name) => values[name] !== undefined);
          return { parts, values, names };
        };
        const [ofA, ofB] = [build(a), build(b)];
        if (ofA.names.length === 0 || ofB.names.length === 0) return;
        const depth = Math.min(segments, ofA.names.length);
        const [codecA, codecB] = [ofA, ofB].map(({ parts }) => codecOf(parts, { format }));
        let key: Uint8Array;
        let ranges: readonly KeyRange[];
        try {
          key = codecB.encode(ofB.values);
          const fixed = Object.fromEntries(
            ofA.names.slice(0, depth).map((name) => [name, ofA.values[name]]),
          );
          ranges = codecA.rangesOfAny([{ fixed }]).perShard.flat();
        } catch {
          return;
        }
        if (!ranges.some((range) => rangeContains(range, key))) return;
        met++;
        expect(canStartWith(codecA, depth, codecB)).toBe(true);
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  );
  expect(met).toBeGreaterThan(50);
});
