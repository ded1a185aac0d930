/** What the command takes for a time, for a message and for text, around the limits. */
import { guessMessage } from '../../src/cli/commands/pull/message-guess.js';
import { isPlausibleTimestamp } from '../../src/cli/commands/pull/plausible-timestamp.js';
import { goQuoted } from '../../src/cli/commands/rows/output/raw-text.js';

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
