/** Numbers, numbers with a unit, and spans of time, as texts for people. */

/** `0.05`, `2.3`, `12,345`: one digit after the point only where it says something. */
export function numberText(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 9.95)
    return Math.round(value).toLocaleString('en-US');
  if (Math.abs(value) < 0.1) return String(Number(value.toPrecision(1)));
  return String(Number(value.toFixed(1)));
}

/** `1 row`, `3,000 rows`, `2.5 days`; `plural` if it is not the unit with an s. */
export function countText(count: number, unit: string, plural = `${unit}s`): string {
  const text = numberText(count);
  return `${text} ${text === '1' ? unit : plural}`;
}

const spans = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A span of time, about: `250 ms`, `90 seconds`, `11.8 hours`, `3 years`. */
export function spanText(seconds: number): string {
  if (seconds < 1) return `${numberText(seconds * 1000)} ms`;
  for (const [unit, size] of spans) if (seconds >= 2 * size) return countText(seconds / size, unit);
  return countText(seconds, 'second');
}
