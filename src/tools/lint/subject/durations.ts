/** Milliseconds of units of time. */
export const hourMs = 3_600_000;
/** A day of 24 hours. */
export const dayMs = 24 * hourMs;
