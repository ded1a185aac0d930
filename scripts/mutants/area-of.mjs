/**
 * @typedef {object} Area
 * @property {string} source How the paths of its files begin.
 * @property {readonly string[]} tests Quick ones, by paths that Jest takes.
 * @property {readonly string[]} wider For the mutants that these do not notice.
 */

/** The longest source that the file begins with counts. @param {string} file @param {readonly Area[]} areas */
export function areaOf(file, areas) {
  const found = areas
    .filter(({ source }) => file.startsWith(source))
    .sort((a, b) => b.source.length - a.source.length);
  if (found.length === 0)
    throw new Error(`no area has ${file}: add it to scripts/mutants/areas.mjs`);
  return found[0];
}
