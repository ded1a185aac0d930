/** Parts of the slow suites and of the campaigns: CI runs one of them for each commit. */

/** @typedef {{ number: number, count: number }} Part */

/** `2/3` is the second of three parts. @param {string} text @returns {Part} */
export function parsePart(text) {
  const [, number, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(number >= 1 && number <= count))
    throw new Error(`'${text}' is not a part: 2/3 is the second of three.`);
  return { number, count };
}

/**
 * The items of a part: every third one, if there are three. In a list by weight or by kind, those
 * that are alike go to different parts.
 *
 * @template T @param {readonly T[]} items @param {Part} part @returns {T[]}
 */
export function itemsOf(items, { number, count }) {
  return items.filter((_, i) => i % count === number - 1);
}
