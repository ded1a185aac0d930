/** Finds the text of a chosen mutant in its file, whatever the line breaks and spaces. */

/**
 * @param {string} text @param {string} part
 * @returns {{ start: number, end: number }[]} All places.
 */
export function placesOf(text, part) {
  const characters = [...part.replace(/\s+/g, '')];
  const pattern = characters
    .map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('\\s*');
  return [...text.matchAll(new RegExp(pattern, 'g'))].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}

/** The text of the file with the mutant. @param {string} text @param {{ id: string, is: string, becomes: string }} mutant */
export function mutated(text, { id, is, becomes }) {
  const places = placesOf(text, is);
  if (places.length !== 1) throw new Error(`${id}: its text occurs ${places.length} times`);
  const [{ start, end }] = places;
  return text.slice(0, start) + becomes + text.slice(end);
}
