/* Where the ranges of keys are drawn: all are equally high, but for rows that must be seen. */

const minEnlarged = 6;

/** Edges of the ranges of a view, as distances from the top, one more than there are ranges. */
export function keyEdges([from, to], height, enlarged) {
  const count = to - from;
  const large = [...enlarged].filter((bucket) => from <= bucket && bucket < to).length;
  const even = height / count;
  const isEven = large === 0 || even >= minEnlarged || large * minEnlarged > height / 2;
  const least = isEven ? even : (height - large * minEnlarged) / (count - large);
  const edges = new Float64Array(count + 1);
  for (let i = 0; i < count; i++)
    edges[i + 1] = edges[i] + (!isEven && enlarged.has(from + i) ? minEnlarged : least);
  edges[count] = height;
  return edges;
}

/** The place of a distance between the edges, in ranges: 2.5 is in the middle of the third one. */
export function placeAt(edges, distance) {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= distance) low = middle;
    else high = middle - 1;
  }
  return low + (distance - edges[low]) / (edges[low + 1] - edges[low]);
}

/** The inverse of `placeAt`. */
export function edgeAt(edges, place) {
  const low = Math.max(0, Math.min(edges.length - 2, Math.floor(place)));
  return edges[low] + (place - low) * (edges[low + 1] - edges[low]);
}
