/** Suggests a known name for a misspelled one, for the `fix` of an error. */

/**
 * The name in `known` with the smallest edit distance, ignoring case. Undefined if every distance
 * is above two, and above a third of the length of `name`, and for what is not text.
 */
export function nearestName(name: unknown, known: readonly string[]): string | undefined {
  if (typeof name !== 'string') return undefined;
  let nearest: string | undefined;
  let limit = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < limit) [nearest, limit] = [candidate, distance];
  }
  return nearest;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    }
    row = next;
  }
  return row[b.length];
}

/** The fix for an unknown name: `did you mean 'check'?`, or `use one of init, pull`. */
export function suggestionText(
  name: string,
  known: readonly string[],
  otherwise = 'use one of',
): string {
  const nearest = nearestName(name, known);
  if (nearest === undefined) return `${otherwise} ${known.join(', ')}`;
  return `did you mean '${nearest}'?`;
}
