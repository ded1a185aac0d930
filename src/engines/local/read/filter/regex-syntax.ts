/**
 * The parts of RE2's syntax that are parsed here, from patterns as latin1 text: patterns that match
 * one literal text, and `\C`, which re2js does not support.
 */

/** Metacharacters (github.com/google/re2, doc/syntax.txt). */
const metacharacter = /[\\.+*?()|[\]{}^$]/;

/**
 * Returns the only text that the pattern matches, if it consists of characters, escaped punctuation
 * and `\xHH`.
 */
export function plainText(pattern: string): string | undefined {
  if (!metacharacter.test(pattern)) return pattern;
  let text = '';
  for (let index = 0; index < pattern.length; index++) {
    if (pattern[index] !== '\\') {
      if (metacharacter.test(pattern[index])) return undefined;
      text += pattern[index];
      continue;
    }
    index++;
    const hex = /^x([0-9a-fA-F]{2})/.exec(pattern.slice(index, index + 3));
    if (hex !== null) {
      text += String.fromCharCode(parseInt(hex[1], 16));
      index += 2;
    } else if (/[!-/:-@[-`{-~]/.test(pattern[index] ?? '')) text += pattern[index];
    else return undefined;
  }
  return text;
}

/**
 * Replaces `\C` (any byte) by an equivalent that re2js supports. It is not replaced in character
 * classes, where RE2 rejects it.
 */
export function withoutAnyByte(pattern: string): string {
  if (!pattern.includes('\\C')) return pattern;
  let out = '';
  for (let start = 0; start < pattern.length;) {
    const end = tokenEnd(pattern, start);
    const token = pattern.slice(start, end);
    out += token === '\\C' ? '(?s:.)' : token;
    start = end;
  }
  return out;
}

/** The end of a token: `\Q...\E`, an escape, a character class, or one character. */
function tokenEnd(pattern: string, start: number): number {
  if (pattern.startsWith('\\Q', start)) return indexAfter(pattern, '\\E', start + 2);
  if (pattern[start] === '\\') return start + 2;
  if (pattern[start] === '[') return classEnd(pattern, start);
  return start + 1;
}

function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === '^') index++;
  // A closing bracket in first position is an element of the class.
  if (pattern[index] === ']') index++;
  while (index < pattern.length && pattern[index] !== ']') {
    if (pattern.startsWith('[:', index) && pattern.includes(':]', index + 2))
      index = indexAfter(pattern, ':]', index + 2);
    else if (pattern[index] === '\\') index += 2;
    else index++;
  }
  return index + 1;
}

/** Index after the next occurrence of a text; the pattern's length when there is none. */
function indexAfter(pattern: string, text: string, start: number): number {
  const index = pattern.indexOf(text, start);
  if (index < 0) return pattern.length;
  return index + text.length;
}
