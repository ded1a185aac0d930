/**
 * Keys with a hash shard: a merged read resumes in every shard after the key that the last row
 * would have there.
 */
import { compareBytes, compareSlices, rangeContains } from '../../../src/base/index.js';
import { buildKeyCodec, delimited } from '../../../src/data/key/index.js';
import type {
  KeyCodec,
  KeyFormat,
  KeyCondition,
  KeySpec,
  SegmentType,
} from '../../../src/data/key/index.js';
import fc from '../../support/fast-check.js';

const formats = {
  text: 'text',
  ordered: 'ordered',
  delimited: delimited('|'),
} as const satisfies Record<string, KeyFormat>;

function codecOf(format: KeyFormat, type: SegmentType, shards?: KeySpec['shards']): KeyCodec {
  const built = buildKeyCodec(
    {
      format,
      parts: [
        { kind: 'segment', name: 'a', type },
        { kind: 'segment', name: 'b', type },
      ],
      shards,
    },
    'Thing',
  );
  if ('faults' in built) throw new Error(JSON.stringify(built.faults));
  return built.codec;
}

const word = fc.constantFrom('', '\0', '\0\0', 'a', 'aa', 'b', '#', '9', '\u{1f600}');
const conditions: fc.Arbitrary<KeyCondition> = fc.oneof(
  fc.constant({ fixed: {} }),
  word.map((a) => ({ fixed: { a } })),
  fc.tuple(word, fc.boolean()).map(([value, inclusive]) => ({
    fixed: {},
    bound: { kind: 'between' as const, segment: 'a', from: { value, inclusive } },
  })),
  fc.tuple(word, fc.boolean()).map(([value, inclusive]) => ({
    fixed: {},
    bound: { kind: 'between' as const, segment: 'a', to: { value, inclusive } },
  })),
  fc.tuple(word, fc.constantFrom('', 'a')).map(([a, text]) => ({
    fixed: { a },
    bound: { kind: 'startsWith' as const, segment: 'b', text },
  })),
);

describe.each(['text', 'ordered', 'delimited'] as const)('%s', (name) => {
  test.each([2, 16, 101])(
    'in each of %i shards, the rows after a row are those that follow it in key order',
    (count) => {
      const trial = fc.record({
        rows: fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 12 }),
        condition: conditions,
        by: fc.constantFrom(['a'], ['b'], ['a', 'b']),
        nullable: fc.boolean(),
      });
      fc.assert(
        fc.property(trial, ({ rows, condition, by, nullable }) => {
          const codec = codecOf(
            formats[name],
            { kind: 'string', nullable: nullable && name !== 'delimited' },
            { count, by },
          );
          const keys = rows.map(([a, b]) => codec.encode({ a, b }));
          let lists: ReturnType<KeyCodec['ranges']>['perShard'];
          try {
            lists = codec.ranges(condition).perShard;
          } catch (error) {
            // Delimited strings sort by value only in the last segment.
            expect([name, (error as { code?: string }).code]).toEqual([
              'delimited',
              'INVALID_QUERY',
            ]);
            return;
          }
          for (const range of lists.flat()) {
            for (const row of keys) {
              const moved = codec.withShardOf(range, row);
              expect(moved).toHaveLength(row.length);
              const rowRest = codec.shardEnd(row, 0, row.length);
              for (const other of keys.filter((key) => rangeContains(range, key))) {
                const byKey = compareSlices(
                  other,
                  codec.shardEnd(other, 0, other.length),
                  other.length,
                  row,
                  rowRest,
                  row.length,
                );
                expect(Math.sign(compareBytes(other, moved))).toBe(Math.sign(byKey));
              }
            }
          }
        }),
        { numRuns: count > 100 ? 15 : 60 },
      );
    },
  );

  test('a row of the same shard keeps its key', () => {
    const codec = codecOf(formats[name], { kind: 'string' }, { count: 16, by: ['a'] });
    const key = codec.encode({ a: 'x', b: 'y' });
    const [[range]] = codec.ranges({ fixed: { a: 'x' } }).perShard;
    expect(codec.withShardOf(range, key)).toEqual(key);
    const moved = codec
      .ranges({ fixed: {} })
      .perShard.map(([first]) => Buffer.from(codec.withShardOf(first, key)));
    expect(moved.map((other) => other.toString('latin1', 0, 2))).toEqual(
      Array.from({ length: 16 }, (_, i) => String(i).padStart(2, '0')),
    );
    for (const other of moved) expect(other.subarray(2)).toEqual(Buffer.from(key.subarray(2)));
  });

  test('without shards the key is unchanged, wherever the range starts', () => {
    const codec = codecOf(formats[name], { kind: 'string' });
    const key = codec.encode({ a: 'x', b: 'y' });
    for (const start of [new Uint8Array(0), Uint8Array.of(0), key.subarray(0, 1), key])
      expect(codec.withShardOf({ start, end: undefined }, key)).toEqual(key);
    expect(codec.shardEnd(key, 0, key.length)).toBe(0);
    expect(codec.splitKeys()).toEqual([]);
  });
});
