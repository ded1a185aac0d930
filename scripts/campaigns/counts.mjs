/** What the output of a step says it has checked. */

/** @typedef {Record<string, number>} Counts */

/** The first group is the number. @type {Readonly<Record<string, RegExp>>} */
const patterns = {
  tests: /^(\d+) passed, \d+ failed, \d+ skipped$/gm,
  // The table at the end of scripts/torture.mjs: scenario, trials, faults, seconds.
  trials: /^[a-z-]+ +(\d+) +\d+ +\d+ *$/gm,
  operations: /(\d+) operations in \d+ calls/g,
  programs: /^(\d+) programs passed/gm,
  mutants: /^(\d+) of \d+ (?:chosen|drawn) mutants noticed/gm,
  steps: /^(\d+) steps passed/gm,
};

/** Without those that are 0. @param {string} output @returns {Counts} */
export function countsIn(output) {
  /** @type {Counts} */
  const counts = {};
  for (const [name, pattern] of Object.entries(patterns)) {
    const numbers = [...output.matchAll(pattern)].map((match) => Number(match[1]));
    const sum = numbers.reduce((total, number) => total + number, 0);
    if (sum > 0) counts[name] = sum;
  }
  return counts;
}

/** @param {readonly Counts[]} all @returns {Counts} */
export function sumOf(all) {
  /** @type {Counts} */
  const sum = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

/** @param {Counts} counts */
export function textOf(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ');
}
