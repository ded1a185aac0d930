/** What the command takes for a time, for a message and for text, around the limits. */
import { buildKeyCodec, type KeyPart } from '../../src/data/key/index.js';
import { guessMessage } from '../../src/tools/pull/message-guess.js';
import { isPlausibleTimestamp } from '../../src/tools/pull/plausible-timestamp.js';
import { guessShards } from '../../src/tools/pull/shard-guess.js';
import { isoTime } from '../../src/tools/rows/index.js';
import { goQuoted } from '../../src/cli/commands/rows/output/raw-text.js';
import { checkTableSettings, settingsUpdate } from '../../src/cli/project/table-settings.js';

test('times of this century are plausible', () => {
  const [first, end] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];
  expect([first - 1, first, end - 1, end].map(isPlausibleTimestamp)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('no field has a number that protobuf reserves', () => {
  /** A message with the value 1 in a field. */
  const withField = (number: number): Uint8Array => {
    const bytes: number[] = [];
    let tag = number * 8;
    for (; tag > 0x7f; tag >>>= 7) bytes.push((tag & 0x7f) | 0x80);
    return Uint8Array.of(...bytes, tag, 1);
  };
  const isMessage = (number: number): boolean => guessMessage([withField(number)]) !== undefined;
  expect([1, 18_999, 19_000, 19_999, 20_000].map(isMessage)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
});

test('fields have a wire type of protobuf, and groups are none', () => {
  const tagOf = (wire: number): number => (1 << 3) | wire;
  // Enough content for each type; a length of 8.
  const isMessage = (wire: number): boolean =>
    guessMessage([Uint8Array.of(tagOf(wire), ...content[wire])]) !== undefined;
  const content = [
    [1],
    Array(8).fill(1),
    [1, 65],
    [tagOf(4)],
    [],
    Array(4).fill(1),
    [1],
    [1],
  ] as number[][];
  expect(content.map((_, wire) => isMessage(wire))).toEqual([
    ...[true, true, true, false, false, true, false, false],
  ]);
});

test('numbers below 2^31 have the bytes of 32-bit types', () => {
  const mayBe32Bits = (...varint: number[]): boolean =>
    JSON.stringify(guessMessage([Uint8Array.of(8, ...varint)])).includes('an int32');
  expect(mayBe32Bits(0xff, 0xff, 0xff, 0xff, 0x07)).toBe(true);
  expect(mayBe32Bits(0x80, 0x80, 0x80, 0x80, 0x08)).toBe(false);
});

test('no control character reaches the terminal', () => {
  for (const code of [0x00, 0x0b, 0x1b, 0x1f, 0x7f])
    expect(goQuoted(Uint8Array.of(code))).toMatch(/^"\\[\w\\]+"$/);
  expect(goQuoted(Uint8Array.of(0x1f, 0x20, 0x7e, 0x7f))).toBe(String.raw`"\x1f ~\x7f"`);
});

test('years of more than four digits have a sign', () => {
  const timeOf = (date: string): string => isoTime(BigInt(Date.parse(date)) * 1000n);
  for (const date of [
    '0000-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])
    expect(timeOf(date)).toBe(date);
});

test('false removes a setting of a table, and what is not named stays', () => {
  const day = 86_400e6;
  expect(settingsUpdate({})).toEqual({});
  expect(settingsUpdate({ changeStream: false, automatedBackup: false })).toEqual({
    changeStreamMicros: null,
    automatedBackup: null,
  });
  expect(settingsUpdate({ changeStream: '2d', automatedBackup: '9d' })).toEqual({
    changeStreamMicros: 2 * day,
    automatedBackup: { retentionMicros: 9 * day, frequencyMicros: day },
  });
  expect(settingsUpdate({ automatedBackup: true })).toMatchObject({
    automatedBackup: { retentionMicros: 3 * day },
  });
});

test.each([
  ['changeStream', ['1d', '24h', '7d', false], ['23h', '169h', '8d', true]],
  ['automatedBackup', ['3d', '90d', true, false], ['71h', '91d']],
  ['deletionProtection', [true, false], ['1d']],
])('values of the setting %s', (name, valid, invalid) => {
  const check = (value: unknown) => () =>
    checkTableSettings('rowsmith.config.ts', { t: { [name]: value } });
  for (const value of valid) expect(check(value)).not.toThrow();
  for (const value of invalid)
    expect(check(value)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error);
});

test.each([
  [1, ['s0']],
  [5, ['s0', 's1', 's2', 's3', 's4']],
  [6, undefined],
])('a hash of %d segments is found: %j', (count, by) => {
  const parts = Array.from({ length: count }, (_, n): KeyPart => {
    const type = { kind: 'string' } as const;
    return { kind: 'segment', name: `s${n}`, type };
  });
  const names = parts.map((_, n) => `s${n}`);
  const shards = { count: 7, by: names };
  const built = buildKeyCodec({ format: 'text', parts, shards }, 'Sharded');
  if ('faults' in built) throw new Error(built.faults.join());
  const keys = Array.from({ length: 60 }, (_, row) =>
    built.codec.encode(
      Object.fromEntries(names.map((name, n) => [name, `${name}-${row * n + row}`])),
    ),
  );
  const first = {
    ...{ kind: 'segment', name: 'shard', type: { kind: 'uint' } },
    values: keys.map((key) => Buffer.from(key).toString().split('#')[0]),
  };
  const rows = keys.map((key) => ({ key, cells: [] }));
  expect(guessShards(first as never, parts, 'text', rows)?.by).toEqual(by);
});
