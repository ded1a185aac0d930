/** Bytes as text and back. */

/** The bytes of base64; undefined if it is none. */
export function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Bytes outside printable ASCII as `\xNN`, as the shell prints keys. */
export const printableBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('');

/** The bytes of text with `\xNN` in it. */
export function bytesOfPrintable(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const parts = text.split(/(\\x[0-9a-fA-F]{2})/);
  const bytes = parts.flatMap((part) =>
    /^\\x[0-9a-fA-F]{2}$/.test(part) ? [parseInt(part.slice(2), 16)] : [...encoder.encode(part)],
  );
  return Uint8Array.from(bytes);
}

/** Orders bytes as the storage does. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return one[i] - other[i];
  return one.length - other.length;
}
