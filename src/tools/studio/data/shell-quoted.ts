/** Bytes as a word of bash. */

/** Quotes bytes so that bash passes them on as they are. */
export function shellQuoted(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^[\w#@%+=:,./-]+$/.test(text) && !text.startsWith('#')) return text;
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const inner = Array.from(text, (character) => {
    if (character === '\\' || character === "'") return `\\${character}`;
    if (/[\x20-\x7e]/.test(character)) return character;
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `$'${inner.join('')}'`;
}
