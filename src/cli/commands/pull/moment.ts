/**
 * Which moments are meant as such: a number that would be a moment of this century is probably one.
 */

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);

/** From 2000 to 2099. */
export function isPlausibleMoment(value: unknown): boolean {
  const moment = value instanceof Date ? value.getTime() : Number(value);
  return moment >= earliest && moment < latest;
}
