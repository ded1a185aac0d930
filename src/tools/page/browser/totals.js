/* Sums of a map along its two axes. */

/** The sum of each range of keys over the columns of a view, and of each column over its ranges. */
export function totalsOf(map, metric, columns, buckets) {
  const values = map.values[metric];
  const count = map.buckets.length;
  const totals = { keys: new Float64Array(count), columns: new Float64Array(map.columns) };
  for (let column = columns[0]; column < columns[1]; column++) {
    for (let bucket = buckets[0]; bucket < buckets[1]; bucket++) {
      const value = values[column * count + bucket];
      totals.keys[bucket] += value;
      totals.columns[column] += value;
    }
  }
  return totals;
}

/** Totals of the whole map. */
export function allTotals(map, metric) {
  return totalsOf(map, metric, [0, map.columns], [0, map.buckets.length]);
}

export function greatestOf(values) {
  let greatest = 0;
  for (const value of values) if (value > greatest) greatest = value;
  return greatest;
}

function sumOf(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

const maxEnlarged = 24;
/** Share of all operations from which a single range is drawn larger ... */
const enlargedShare = 0.02;
/** ... if it also has so many times what the mean range has. */
const timesMean = 5;

/** Ranges that must be seen: rows of findings, and those with a large share of the operations. */
export function rangesToEnlarge(map) {
  const found = new Set();
  for (const { rows } of map.findings) for (const bucket of rows) found.add(bucket);
  const { keys } = allTotals(map, 'operations');
  const sum = sumOf(keys);
  const least = Math.max(enlargedShare, timesMean / keys.length) * sum;
  [...keys.keys()]
    .filter((bucket) => keys[bucket] > least)
    .sort((a, b) => keys[b] - keys[a])
    .forEach((bucket) => found.add(bucket));
  return new Set([...found].slice(0, maxEnlarged));
}
