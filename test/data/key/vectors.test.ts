import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runVectors } from '../../../scripts/vector-runner.js';

// The second file covers what the first one omits. It was computed by hand from the format's rules,
// and also uses the alternative names of types and options.
describe.each(['key-vectors.json', 'key-vectors-by-hand.json'])('%s', (name) => {
  const file = JSON.parse(readFileSync(join(__dirname, name), 'utf8')) as Record<string, unknown[]>;
  test.each(runVectors(file).map((result) => [result.section, result] as const))(
    'every entry of %s passes',
    (section, { passed, failures }) => {
      expect(failures).toEqual([]);
      expect(passed).toBe(file[section].length);
    },
  );
});

describe('the runner fails entries that it does not understand, instead of skipping them', () => {
  const failed = (section: string, entry: object): number =>
    runVectors({ [section]: [entry] })[0].failures.length;
  test('codec, type, section, bound', () => {
    expect(
      failed('vectors', { codec: 'gray', kind: 'segment', type: 'string', value: 'a', hex: '61' }),
    ).toBe(1);
    expect(
      failed('vectors', { codec: 'text', kind: 'segment', type: 'colour', value: 'a', hex: '61' }),
    ).toBe(1);
    expect(failed('songs', { id: 'x' })).toBe(1);
    expect(failed('must_refuse', { codec: 'text', type: 'colour', value: 'a' })).toBe(1);
  });
  test('invalid options', () => {
    const segment = (type: string, options: object): number =>
      failed('vectors', { codec: 'text', kind: 'segment', type, options, value: '1', hex: '31' });
    expect(segment('uint', { width: 1e9 })).toBe(1);
    expect(segment('epoch', { unit: 'constructor' })).toBe(1);
    expect(segment('epochReversed', { unit: 's', max: 'most' })).toBe(1);
    expect(segment('int', { width: 1, order: 'down' })).toBe(1);
    expect(segment('string', { delimiter: '' })).toBe(1);
    expect(
      failed('vectors', {
        codec: 'ordered',
        fields: [{ type: 'INT64', encoding: 'gray' }],
        value: [1],
        hex: '81',
      }),
    ).toBe(1);
    expect(
      failed('vectors', {
        codec: 'ordered',
        fields: [{ type: 'INT64', encoding: {} }],
        value: [1],
        hex: '81',
      }),
    ).toBe(1);
    expect(
      failed('vectors', {
        codec: 'text',
        kind: 'key',
        schema: [{ type: 'string' }],
        options: { shard: { of: [0], n: 1e9 } },
        value: ['a'],
        hex: '61',
      }),
    ).toBe(1);
    expect(
      failed('vectors', {
        codec: 'text',
        type: 'string',
        value: { repeat: 'a', times: 1e12 },
        hex: '61',
      }),
    ).toBe(1);
  });
  test.each([
    'vectors',
    'order_lists',
    'prefix_ranges',
    'next_prefix',
    'must_refuse',
    'counter_examples',
  ])('malformed entries of %s', (section) => {
    const entries = [
      null,
      5,
      'x',
      [],
      {},
      { id: {} },
      { codec: 'text' },
      { codec: 'text', keys: [] },
      { codec: 'text', keys: [null] },
      { codec: 'ordered', fields: [null], schema: [null], value: [1], prefix: [1] },
    ];
    const [{ passed, failures }] = runVectors({ [section]: entries });
    expect(passed).toBe(0);
    expect(failures).toHaveLength(entries.length);
    for (const { id, expected, got } of failures)
      expect([typeof id, typeof expected, typeof got]).toEqual(['string', 'string', 'string']);
  });
  test('a section that is not a list', () => {
    expect(runVectors({ vectors: 5 })[0].failures).toEqual([
      { id: 'vectors', expected: 'a list of entries', got: 'number' },
    ]);
  });
  test('wrong bytes and wrong order', () => {
    expect(
      failed('vectors', { codec: 'text', kind: 'segment', type: 'string', value: 'a', hex: '62' }),
    ).toBe(1);
    expect(
      failed('order_lists', {
        codec: 'text',
        keys: [
          { value: 'b', hex: '62' },
          { value: 'a', hex: '61' },
        ],
      }),
    ).toBe(1);
    expect(failed('must_refuse', { codec: 'text', type: 'string', value: 'fine' })).toBe(1);
  });
});

// Values that the shared file omits, computed by hand from the format's rules.
test.each([
  ['epoch', { unit: 's' }, '1423523569', '1423523569'],
  ['epoch', { unit: 'ns' }, '1423523569918000000', '1423523569918000000'],
  ['epochReversed', { unit: 'ns', max: 'nines' }, '1423523569918000000', '8576476430081999999'],
  ['epochReversed', { unit: 's', max: 'long' }, '1', '9223372036854775806'],
  ['bool', {}, true, '1'],
  ['literal', {}, 'a b', 'a$20b'],
  ['uuid', {}, '550E8400-E29B-41D4-A716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
  [
    'uuid',
    { dashes: false },
    '550E8400-E29B-41D4-A716-446655440000',
    '550e8400e29b41d4a716446655440000',
  ],
  ['domainReversed', {}, 'münchen.de', 'de.xn--mnchen-3ya'],
  ['bucket', { sizeMs: 3600000, format: 'hour' }, '-1', '1969123123'],
  ['bucket', { sizeMs: 86400000, format: 'day' }, '-1', '19691231'],
  ['int', { width: 5 }, '0', '00000'],
  ['bigint', {}, '-42', '-9757'],
  ['enumName', { values: ['NEW', 'CLOSED'] }, 'NEW', 'NEW'],
])('%s %j of %j', (type, options, value, text) => {
  const hex = Buffer.from(text).toString('hex');
  expect(
    runVectors({
      vectors: [{ id: type, codec: 'text', kind: 'segment', type, options, value, text, hex }],
    })[0].failures,
  ).toEqual([]);
});
