/**
 * Patterns that match exact bytes: the API's qualifier filter takes only patterns. RE2 syntax over
 * bytes (github.com/google/re2, doc/syntax.txt).
 */

const metacharacter = /[\\.+*?()|[\]{}^$]/;

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
 * Escapes everything but letters, digits, `_` and bytes from 0x80 on; RE2 accepts a backslash
 * before any punctuation.
 */
function quoted(text: string): string {
  return text.replace(/[^A-Za-z0-9_\x80-\xff]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x21 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
    return `\\${character}`;
  });
}

/** The byte strings that a pattern matches if it is an alternation of literals; else undefined. */
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
      if (hex !== null) {
        literal += String.fromCharCode(parseInt(hex[1], 16));
        at += 3;
        continue;
      }
      const escaped = text[at + 1] ?? '';
      if (!/[!-/:-@[-`{-~]/.test(escaped)) return undefined;
      literal += escaped;
      at++;
    } else if (metacharacter.test(text[at])) return undefined;
    else literal += text[at];
  }
  return [...alternatives, latin1(literal)];
}

function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
