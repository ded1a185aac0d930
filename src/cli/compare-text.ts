/** The order of texts in files and outputs: by UTF-16 units, the same in every locale. */

/** A comparator for sort. */
export function compareText(a: string, b: string): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return 0;
}
