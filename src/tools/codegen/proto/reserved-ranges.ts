/** Reserved numbers as ranges. */

/** Ascending `[first, last]`, both inclusive: 7, 9, 10 gives [7, 7] and [9, 10]. */
export function rangesOf(numbers: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
