import { compareText } from '../../base/index.js';

/** A copy sorted by text in order of UTF-16 code units, which is the same in every locale. */
export function sortedBy<T>(items: Iterable<T>, textOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => compareText(textOf(a), textOf(b)));
}
