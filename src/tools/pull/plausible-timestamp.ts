/** Numbers that are probably timestamps, because they would be in this century. */

const earliest = Date.UTC(2000, 0, 1);
const end = Date.UTC(2100, 0, 1);

/** Whether a date, or a number of milliseconds since 1970, is from 2000 to 2099. */
export function isPlausibleTimestamp(value: unknown): boolean {
  const millis = Number(value);
  return millis >= earliest && millis < end;
}
