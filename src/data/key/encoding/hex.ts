/** Hexadecimal digits as ASCII bytes. */

/** ASCII codes of the lower-case digits 0 to 15. */
export const hexDigits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** ASCII codes of the upper-case digits 0 to 15. */
export const upperHexDigits = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

/** Values of the lower-case digits, indexed by byte; -1 for every other byte. */
export const hexValues = valuesOf(hexDigits);

/** Values of the upper-case digits, indexed by byte; -1 for every other byte. */
export const upperHexValues = valuesOf(upperHexDigits);

/** Values of the digits of either case, indexed by byte; -1 for every other byte. */
export const anyCaseHexValues = hexValues.map((value, byte) =>
  Math.max(value, upperHexValues[byte]),
);

/** The index of each digit, by byte; -1 for every other byte. */
export function valuesOf(digits: Uint8Array): Int8Array {
  const values = new Int8Array(256).fill(-1);
  digits.forEach((byte, value) => {
    values[byte] = value;
  });
  return values;
}

/** Writes 32 bits as 8 lower-case digits. */
export function writeHex32(bytes: Uint8Array, at: number, bits: number): void {
  for (let i = 0; i < 8; i++) bytes[at + i] = hexDigits[(bits >>> (28 - 4 * i)) & 15];
}
