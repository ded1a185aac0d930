/** Literals and names of GoogleSQL. */

/** A name in backticks. */
export function sqlName(name: string): string {
  return `\`${name.replace(/[\\`]/g, (mark) => `\\${mark}`)}\``;
}

/** Text in quotes. */
export function sqlText(text: string): string {
  const escaped = text
    .replace(/[\\']/g, (mark) => `\\${mark}`)
    .replace(/[\u0000-\u001f\u007f]/g, (control) => `\\x${hexByte(control.charCodeAt(0))}`);
  return `'${escaped}'`;
}

/** Bytes in quotes; printable ASCII is not escaped. */
export function sqlBytes(bytes: Uint8Array): string {
  return `b'${Array.from(bytes, byteText).join('')}'`;
}

function byteText(byte: number): string {
  if (byte < 0x20 || byte >= 0x7f) return `\\x${hexByte(byte)}`;
  return String.fromCharCode(byte).replace(/[\\']/, '\\$&');
}

/** Two lower-case hex digits. */
export function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Bytes that are UTF-8 as text; undefined for other bytes. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString();
  if (Buffer.from(text).equals(bytes)) return text;
  return undefined;
}
