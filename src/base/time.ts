/** An hour in milliseconds. */
export const hourMs = 3_600_000;
/** A day in milliseconds, as UTC counts it. */
export const dayMs = 24 * hourMs;
/** Milliseconds of the units in `every: '1h'`. */
export const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: hourMs,
  d: dayMs,
};
