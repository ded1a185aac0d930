/** Bytes as text, one character per byte: keys of Maps, and parts of plain data. */

/** The text of bytes. */
export function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** The bytes of a text that `latin1Text` returned. */
export function latin1Bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
