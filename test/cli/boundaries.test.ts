/** What the command takes for a time, for a message and for text, around the limits. */
import { guessMessage } from '../../src/tools/pull/message-guess.js';
import { isPlausibleTimestamp } from '../../src/tools/pull/plausible-timestamp.js';
import { goQuoted } from '../../src/cli/commands/rows/output/raw-text.js';
import { isoTime } from '../../src/tools/rows/index.js';
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
