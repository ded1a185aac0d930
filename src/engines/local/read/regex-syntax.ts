/**
 * What of RE2's syntax is read here, on latin1 images of the bytes: patterns that are plain text,
 * and `\C`, which re2js lacks.
 */

/** Characters that mean something else than themselves (github.com/google/re2, doc/syntax.txt). */
const special = /[\\.+*?()|[\]{}^$]/;

/**
 * The text that alone matches the pattern, when it is one: characters, escaped punctuation, `\xHH`.
 */
export function plainText(pattern: string): string | undefined {
  if (!special.test(pattern)) return pattern;
  let text = '';
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] !== '\\') {
      if (special.test(pattern[at])) return undefined;
      text += pattern[at];
      continue;
    }
    const hex = /^x([0-9a-fA-F]{2})/.exec(pattern.slice(at + 1, at + 4));
    if (hex !== null) text += String.fromCharCode(parseInt(hex[1], 16));
    else if (/[!-/:-@[-`{-~]/.test(pattern[at + 1] ?? '')) text += pattern[at + 1];
    else return undefined;
    at += hex === null ? 1 : 3;
  }
  return text;
}

/**
 * The pattern with `\C` (any byte) said so that re2js takes it; everything else as it was. In a
 * class `\C` stays, and is refused.
 */
export function withoutAnyByte(pattern: string): string {
  if (!pattern.includes('\\C')) return pattern;
  let out = '';
  for (let at = 0; at < pattern.length;) {
    const end = tokenEnd(pattern, at);
    const token = pattern.slice(at, end);
    out += token === '\\C' ? '(?s:.)' : token;
    at = end;
  }
  return out;
}

/**
 * Where the token that begins at `at` ends: `\Q...\E`, an escape, a whole class, or one character.
 */
function tokenEnd(pattern: string, at: number): number {
  if (pattern.startsWith('\\Q', at)) {
    const end = pattern.indexOf('\\E', at + 2);
    return end < 0 ? pattern.length : end + 2;
  }
  if (pattern[at] === '\\') return at + 2;
  return pattern[at] === '[' ? classEnd(pattern, at) : at + 1;
}

function classEnd(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === '^' ? 2 : 1);
  // A bracket in the first place is one of the characters.
  if (pattern[at] === ']') at++;
  while (at < pattern.length && pattern[at] !== ']') {
    const named = pattern.startsWith('[:', at) ? pattern.indexOf(':]', at + 2) : -1;
    at = named >= 0 ? named + 2 : at + (pattern[at] === '\\' ? 2 : 1);
  }
  return at + 1;
}
