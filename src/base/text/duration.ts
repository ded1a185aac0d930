/** Durations as text, such as `365d`. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/**
 * A duration of `millis` milliseconds, as a whole number of the largest unit for which there is
 * one: `365d`, `36h`, `90s`, `250ms`, `1500us`.
 */
export function durationText(millis: number): string {
  if (millis === 0) return '0s';
  for (const [unit, size] of units) if (millis % size === 0) return `${millis / size}${unit}`;
  const micros = Math.round(millis * 1000);
  if (micros / 1000 === millis) return `${micros}us`;
  return `${millis}ms`;
}
