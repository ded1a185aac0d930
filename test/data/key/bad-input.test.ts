/** What is rejected: faulty declarations, values, conditions, and foreign keys. */
import { buildKeyCodec, delimited, patternsCollide } from '../../../src/data/key/index.js';
import type { KeyFormat, KeyPart, KeySpec, SegmentType } from '../../../src/data/key/index.js';
import { isPoint, toHex } from '../../../src/base/index.js';
import { seg, lit, codecOf, text } from './bad-specs.js';

function faultsOf(parts: readonly KeyPart[], rest: Partial<KeySpec> = {}): string[] {
  const built = buildKeyCodec({ format: 'text', parts, ...rest }, 'Thing');
  if (!('faults' in built)) return [];
  return built.faults.map(({ problem, fix }) => (fix === '' ? 'no fix' : problem));
}

describe('declarations', () => {
  test.each<[string, SegmentType, KeyFormat]>([
    ['unknown kind', { kind: 'colour' as 'string' }, 'text'],
    ['option of another kind', { kind: 'bool', width: 3 }, 'text'],
    ['width 0', { kind: 'uint', width: 0 }, 'text'],
    ['width too large', { kind: 'int', width: 17 }, 'text'],
    ['width too small', { kind: 'uint', width: 2, max: 100 }, 'text'],
    ['no scale', { kind: 'decimal' }, 'text'],
    ['no values', { kind: 'enum' }, 'text'],
    ['values twice', { kind: 'enum', values: ['A', 'A'] }, 'text'],
    ['string desc in text', { kind: 'string', order: 'desc' }, 'text'],
    ['uuid desc in delimited', { kind: 'uuid', order: 'desc' }, delimited('|')],
    ['domain desc', { kind: 'domain', order: 'desc' }, 'ordered'],
    ['nullable in delimited', { kind: 'string', nullable: true }, delimited('|')],
    ['iso date with its own character as delimiter', { kind: 'isoDate' }, delimited(':')],
    ['unit s in ordered', { kind: 'timestamp', unit: 's' }, 'ordered'],
    ['reverseFrom without desc', { kind: 'timestamp', reverseFrom: 'long' }, 'text'],
    ['floor 0', { kind: 'timestamp', floor: 0 }, 'text'],
    ['wrong order', { kind: 'int', order: 'down' as 'desc' }, 'text'],
  ])('%s', (_name, type, format) => expect(faultsOf([seg('a', type)], { format })).toHaveLength(1));

  test('a delimiter that values are written with names the kind', () => {
    expect(faultsOf([seg('a', { kind: 'uuid' })], { format: delimited('-') })).toEqual([
      'uuid values are written with the delimiter "-"',
    ]);
  });

  test.each<unknown>([
    2n ** 63n - 1n,
    Symbol('long'),
    () => 'long',
    Object.create(null),
    Object.assign([], { toJSON: () => [1n] }),
  ])('an option of any type is a fault and not a TypeError: %p', (value) => {
    for (const [kind, option, rest] of [
      ['micros', 'reverseFrom', { order: 'desc' }],
      ['timestamp', 'reverseFrom', { order: 'desc' }],
      ['timestamp', 'unit', {}],
      ['timestamp', 'floor', {}],
      ['uint', 'width', {}],
      ['uint', 'max', {}],
      ['decimal', 'scale', {}],
      ['string', 'maxLength', {}],
      ['string', 'lower', {}],
      ['enum', 'by', { values: ['A'] }],
      ['bool', 'order', {}],
    ] as const) {
      const faults = faultsOf([seg('a', { kind, ...rest, [option]: value })]);
      expect([option, faults.length > 0]).toEqual([option, true]);
    }
    expect(faultsOf([seg('a', { kind: value as never })])).toHaveLength(1);
    expect(faultsOf([seg('a', { kind: 'bool' })], { format: value as never })).toHaveLength(1);
    expect(
      faultsOf([seg('a', { kind: 'bool' })], { format: delimited(value as never) }),
    ).toHaveLength(1);
    expect(
      faultsOf([seg('a', { kind: 'bool' })], { shards: { count: value as never, by: ['a'] } }),
    ).toHaveLength(1);
  });

  test('a bigint option is named with its value', () => {
    const type = { kind: 'micros', order: 'desc', reverseFrom: (2n ** 63n - 1n) as never } as const;
    expect(faultsOf([seg('a', type)])).toEqual(["option 'reverseFrom' is 9223372036854775807n"]);
  });

  test('all faults of a key are reported together', () => {
    const faults = faultsOf(
      [lit(''), seg('a', { kind: 'uint', width: 0 }), seg('a', { kind: 'bool', scale: 1 })],
      { shards: { count: 1, by: ['b'] } },
    );
    expect(faults).toHaveLength(6);
  });
  test('literals, delimiters, shards and size', () => {
    expect(
      faultsOf([lit('a|b'), seg('a', { kind: 'int' })], { format: delimited('|') }),
    ).toHaveLength(1);
    expect(faultsOf([seg('a', { kind: 'uint' })], { format: delimited('ab') })).toHaveLength(1);
    expect(
      faultsOf([seg('a', { kind: 'uint' }), seg('b', { kind: 'uint' })], {
        shards: { count: 4, by: ['b', 'a'] },
      }),
    ).toHaveLength(1);
    expect(faultsOf([lit('x'.repeat(4090)), seg('a', { kind: 'uint' })])).toEqual([
      'the fixed parts alone take 4107 bytes and row keys have at most 4096',
    ]);
    expect(faultsOf([lit('x')])).toHaveLength(1);
  });
});

describe('values', () => {
  test.each<[SegmentType, unknown]>([
    [{ kind: 'string' }, undefined],
    [{ kind: 'string' }, null],
    [{ kind: 'string' }, '\ud800'],
    [{ kind: 'string' }, '\ud800x'],
    [{ kind: 'string' }, 7],
    [{ kind: 'string' }, 'a'.repeat(4097)],
    [{ kind: 'string', maxLength: 2 }, 'abc'],
    [{ kind: 'string' }, ''],
    [{ kind: 'int' }, NaN],
    [{ kind: 'int' }, 2 ** 53],
    [{ kind: 'int' }, 1.5],
    [{ kind: 'int', max: 10 }, 11],
    [{ kind: 'uint' }, -1],
    [{ kind: 'bigint' }, 10n ** 99n],
    [{ kind: 'bigint' }, 1],
    [{ kind: 'float' }, NaN],
    [{ kind: 'decimal', scale: 2 }, '1.234'],
    [{ kind: 'decimal', scale: 0 }, '1.0'],
    [{ kind: 'bool' }, 1],
    [{ kind: 'enum', values: ['A'] }, 'B'],
    [{ kind: 'timestamp' }, new Date(NaN)],
    [{ kind: 'timestamp' }, new Date(-1)],
    [{ kind: 'timestamp' }, 5],
    [{ kind: 'timestamp', unit: 's' }, new Date(1)],
    [{ kind: 'isoDate' }, new Date(253402300800000)],
    [{ kind: 'uuid' }, 'x'],
    [{ kind: 'ulid' }, '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    [{ kind: 'bytes' }, [1]],
    [{ kind: 'domain' }, '192.168.0.1'],
    [{ kind: 'domain' }, 'a..b'],
    [{ kind: 'domain' }, '::1'],
    [{ kind: 'domain' }, ''],
    [{ kind: 'reversedId' }, -1],
  ])('%j rejects %p', (type, value) => {
    const codec = codecOf([seg('v', type)]);
    expect(() => codec.encode({ v: value })).toThrow(
      expect.objectContaining({
        code: 'INVALID_KEY',
        details: expect.objectContaining({
          entity: 'Thing',
          problem: expect.any(String),
          fix: expect.any(String),
        }),
      }),
    );
  });
  test('the delimited format rejects a value that contains the delimiter', () => {
    const codec = codecOf([seg('v', { kind: 'string' })], { format: delimited('|') });
    expect(() => codec.encode({ v: 'a|b' })).toThrow(
      expect.objectContaining({ code: 'INVALID_KEY' }),
    );
  });
});

test.each([
  'a',
  'x#1#y',
  'k#1',
  'k#01#a',
  'k#+1#a',
  'k#1#',
  'k#1#a#b',
  'k#1#$2',
  'k#1#$2a',
  'k#1#$41',
  'k#1#a b',
  'k#1#\xff',
  'k#1#\xed\xa0\x80',
  'k#1#\xc0\xaf',
  'k#1#$',
  '',
  'k#1#$2g',
])('%j is a foreign key', (key) => {
  const codec = codecOf([
    lit('k'),
    seg('n', { kind: 'uint', width: 1 }),
    seg('s', { kind: 'enum', values: ['a', 'b'] }),
  ]);
  const strings = codecOf([
    lit('k'),
    seg('n', { kind: 'uint', width: 1 }),
    seg('s', { kind: 'string' }),
  ]);
  const bytes = Buffer.from(key, 'latin1');
  expect(codec.decoder()(bytes, 0, bytes.length, {})).toBe(false);
  expect(codec.decode(bytes)).toBeUndefined();
  expect(codec.foreignReason(bytes)).toMatch(/^(Part|The key) .*\.$/);
  if (key !== 'k#1#') expect(strings.decoder()(bytes, 0, bytes.length, {})).toBe(false);
});

test('a shard that is not the hash of its segments is foreign', () => {
  const codec = codecOf([seg('s', { kind: 'string' })], { shards: { count: 16, by: ['s'] } });
  const key = codec.encode({ s: 'sensor-001' });
  expect(text(key)).toBe('09#sensor-001');
  const other = Buffer.from('10#sensor-001');
  expect(codec.decoder()(other, 0, other.length, {})).toBe(false);
  expect(codec.foreignReason(other)).toContain('shard');
  expect(codec.splitKeys().map(text).slice(0, 2)).toEqual(['01#', '02#']);
  expect(codec.shardEnd(key, 0, key.length)).toBe(3);
});

describe('conditions', () => {
  const codec = codecOf(
    [
      lit('r'),
      seg('tenant', { kind: 'string' }),
      lit('o'),
      seg('at', { kind: 'timestamp', order: 'desc' }),
    ],
    { shards: { count: 3, by: ['tenant'] } },
  );
  test('a prefix includes the literals that follow it, in its one shard', () => {
    const { perShard } = codec.ranges({ fixed: { tenant: 'a' } });
    expect(
      perShard.map((list) =>
        list.map(({ start, end }) => [text(start)?.slice(1), text(end)?.slice(1)]),
      ),
    ).toEqual([[['#r#a#o#', '#r#a#o$']]]);
  });
  test('no fixed segment: the literals in every shard', () => {
    expect(codec.ranges({ fixed: {} }).perShard.map(([{ start }]) => text(start))).toEqual([
      '0#r#',
      '1#r#',
      '2#r#',
    ]);
  });
  test('all segments fixed: a point', () => {
    const values = { tenant: 'a', at: new Date(5) };
    const [[range]] = codec.ranges({ fixed: values }).perShard;
    expect(isPoint(range)).toBe(true);
    expect(toHex(range.start)).toBe(toHex(codec.encode(values)));
  });
  test('gaps, unknown segments and bounds on other segments are rejected', () => {
    const invalid = expect.objectContaining({ code: 'INVALID_QUERY' });
    expect(() => codec.ranges({ fixed: { at: new Date(0) } })).toThrow(invalid);
    expect(() => codec.ranges({ fixed: { colour: 1 } })).toThrow(invalid);
    expect(() => codec.ranges({ fixed: {}, bound: { kind: 'between', segment: 'at' } })).toThrow(
      invalid,
    );
    expect(() =>
      codec.ranges({
        fixed: { tenant: 'a' },
        bound: { kind: 'startsWith', segment: 'at', text: '1' },
      }),
    ).toThrow(invalid);
    const reversed = codecOf([seg('id', { kind: 'reversedId' })]);
    expect(() =>
      reversed.ranges({
        fixed: {},
        bound: { kind: 'between', segment: 'id', from: { value: 1, inclusive: true } },
      }),
    ).toThrow(invalid);
  });
});

test('enum segments without a common member are disjoint', () => {
  const names = (values: readonly string[], options: Partial<SegmentType> = {}): KeyPart =>
    seg('kind', { kind: 'enum', values, ...options });
  const id = seg('id', { kind: 'string' });
  const collide = (a: KeyPart, b: KeyPart, format: KeyFormat = 'text') =>
    patternsCollide(codecOf([a, id], { format }), codecOf([b, id], { format })) !== undefined;
  const desc = { order: 'desc' } as const;
  for (const format of ['text', 'ordered', delimited('|')] as const) {
    expect(collide(names(['A', 'B']), names(['C', 'D']), format)).toBe(false);
    expect(collide(names(['A', 'B']), names(['B', 'C']), format)).toBe(true);
    // Ordinals of both begin at 0.
    const ordinal = { by: 'ordinal' } as const;
    expect(collide(names(['A'], ordinal), names(['B'], ordinal), format)).toBe(true);
    expect(collide(names(['A']), seg('n', { kind: 'uint', width: 1 }), format)).toBe(false);
    expect(collide(names(['1']), seg('n', { kind: 'uint', width: 1 }), format)).toBe(
      format !== 'ordered',
    );
    expect(collide(names(['A']), seg('n', { kind: 'string' }), format)).toBe(true);
  }
  expect(collide(names(['A'], desc), names(['B'], desc), 'ordered')).toBe(false);
  expect(collide(names(['A'], desc), names(['A', 'B'], desc), 'ordered')).toBe(true);
  for (const format of ['text', 'ordered'] as const) {
    // Null is the same in both.
    const nullable = { nullable: true };
    expect(collide(names(['A'], nullable), names(['B'], nullable), format)).toBe(true);
    expect(collide(names(['A'], nullable), names(['B']), format)).toBe(false);
  }
  // With escape_nulls, NUL of the nullable segment is written as two of them.
  expect(collide(names(['\0'], { nullable: true }), names(['\0\0']), 'ordered')).toBe(true);
  expect(collide(names(['\0'], { nullable: true }), names(['\0']), 'ordered')).toBe(false);
});

test('decoded keys share no values', () => {
  const codec = codecOf([seg('at', { kind: 'timestamp' }), seg('n', { kind: 'uint', width: 2 })]);
  const key = codec.encode({ at: new Date(5), n: 1 });
  const first = codec.decode(key)!;
  (first.at as Date).setTime(9);
  expect(codec.decode(key)).toEqual({ at: new Date(5), n: 1 });
});
