/**
 * Patterns that stand for exact bytes: filters of the API have no other way to say "exactly this".
 * RE2's syntax over bytes (github.com/google/re2, doc/syntax.txt).
 */

/** Characters that mean something else than themselves. */
const special = /[\\.+*?()|[\]{}^$]/;

/** The pattern that matches exactly one of the byte strings. */
export function literalPattern(alternatives: readonly Uint8Array[]): Uint8Array {
  const text = alternatives
    .map((bytes) =>
      quoted(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')),
    )
    .join('|');
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

/**
 * Letters, digits and bytes from 0x80 on stand for themselves; everything else is escaped, which
 * RE2 takes for any punctuation.
 */
function quoted(text: string): string {
  return text.replace(/[^A-Za-z0-9_\x80-\xff]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x21 || code === 0x7f
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\${character}`;
  });
}

/**
 * The byte strings that alone match the pattern, when it is such an alternation; undefined for any
 * other.
 */
export function literalAlternatives(pattern: Uint8Array): Uint8Array[] | undefined {
  const text = Buffer.from(pattern.buffer, pattern.byteOffset, pattern.length).toString('latin1');
  const alternatives: Uint8Array[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '|') {
      alternatives.push(latin1(literal));
      literal = '';
    } else if (text[at] === '\\') {
      const hex = /^x([0-9a-fA-F]{2})/.exec(text.slice(at + 1, at + 4));
      if (hex === null && !/[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) return undefined;
      literal += hex === null ? text[at + 1] : String.fromCharCode(parseInt(hex[1], 16));
      at += hex === null ? 1 : 3;
    } else if (special.test(text[at])) return undefined;
    else literal += text[at];
  }
  return [...alternatives, latin1(literal)];
}

function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
