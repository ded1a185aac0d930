/** Values in error messages. */
import { bytesText, literalText, valueText } from '../../src/base/index.js';

test.each<[value: unknown, text: string]>([
  ['', 'the string ""'],
  ['x'.repeat(40), `the string "${'x'.repeat(40)}"`],
  ['x'.repeat(41), `the string "${'x'.repeat(40)}..."`],
  [-0, 'the number -0'],
  [1.5, 'the number 1.5'],
  [-(2n ** 64n), 'the bigint -18446744073709551616n'],
  [false, 'false'],
  [undefined, 'undefined'],
  [null, 'null'],
  [Symbol('s'), 'a symbol'],
  [() => 1, 'a function'],
  [[], 'an array'],
  [{}, 'an object'],
  [Object.create(null), 'an object'],
  [{ constructor: undefined }, 'an object'],
  [new Date(NaN), 'an invalid Date'],
  [new Date(0), 'a Date'],
  [new Map(), 'a Map'],
  [new Error('x'), 'an Error'],
  [new Uint8Array(1), 'a Uint8Array'],
])('%p is %s', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test.each<[value: unknown, text: string]>([
  ['a"', String.raw`"a\""`],
  [1n, '1n'],
  [{ a: [1n] }, 'an object'],
  [undefined, 'undefined'],
])('%p is written as %s in code', (value, text) => {
  expect(literalText(value)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KiB'],
  [10 * 1024, '10 KiB'],
  [1000 * 1024, '1.0 MiB'],
  [2000 * 1024 ** 5, '2000 PiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
