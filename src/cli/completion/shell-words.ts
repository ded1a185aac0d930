/** The words of a line that bash gives unparsed. */

/** A line up to the cursor. */
export interface ShellLine {
  /** The words as the shell would pass them; the last one is being typed, and may be empty. */
  readonly words: readonly string[];
  /** What bash has of the last word before the part that it replaces. */
  readonly kept: string;
}

/**
 * Divides a line into words. bash divides the last one once more, at `=` and `:`, and replaces only
 * the part after them; inside an open quote it replaces the whole text.
 */
export function shellLine(line: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word ??= '';
      if (char === '"' || char === "'") quote = char;
      else if (char === '\\') word += line[++i] ?? '';
      else word += char;
    }
  }
  const last = word ?? '';
  const kept = quote === '' ? /^.*[=:]/s.exec(last)?.[0] : undefined;
  return { words: [...words, last], kept: kept ?? '' };
}
