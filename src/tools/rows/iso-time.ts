/** Times of cells as text. */

/** A timestamp in ISO 8601, with microseconds only if it has them. */
export function isoTime(micros: bigint): string {
  const { year, rest } = calendarTime(micros);
  const years = year > 9_999 ? `+${String(year).padStart(6, '0')}` : String(year).padStart(4, '0');
  const below = micros % 1000n;
  const time = below === 0n ? rest : rest.replace('Z', `${String(below).padStart(3, '0')}Z`);
  return `${years}${time}`;
}

/** The calendar repeats itself after 400 years. */
const cycleMs = 146_097n * 86_400_000n;

/** The year, and what follows it in ISO 8601: `-11-20T09:30:00.000Z`. Dates end in year 275760. */
export function calendarTime(micros: bigint): { readonly year: number; readonly rest: string } {
  const ms = micros / 1000n;
  const cycles = ms / cycleMs;
  const text = new Date(Number(ms - cycles * cycleMs)).toISOString();
  return { year: Number(text.slice(0, 4)) + 400 * Number(cycles), rest: text.slice(4) };
}
