/** Hexadecimal digits to and from bytes. */

/** ASCII of the lower-case digits 0 to 15. */
export const hexDigits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** Value of each lower-case digit by its byte; -1 for every other byte. */
export const hexValues = new Int8Array(256).fill(-1);
hexDigits.forEach((byte, value) => (hexValues[byte] = value));

/** As hexValues, upper case too. */
export const anyCaseHexValues = hexValues.slice();
'ABCDEF'.split('').forEach((digit, i) => (anyCaseHexValues[digit.charCodeAt(0)] = 10 + i));

/** Writes 32 bits as 8 digits. */
export function writeHex32(bytes: Uint8Array, at: number, bits: number): void {
  for (let i = 0; i < 8; i++) bytes[at + i] = hexDigits[(bits >>> (28 - 4 * i)) & 15];
}
