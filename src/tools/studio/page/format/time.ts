/** Times in a chosen zone, without loss: digits below the millisecond are kept. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  return format;
}

/** `2001-03-31 07:56:00.000250`, without a fraction that is zero; text that is no time as it is. */
export function timeText(iso: string, zone: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? '';
  const shown = /[^0]/.test(fraction) ? `.${fraction}` : '';
  return `${wallClock(at, zone)}${shown}`;
}

/** A date of a text key, in UTC: `2001-03-31`, with its time unless that is midnight. */
export function dateText(iso: string): string {
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : timeText(iso, 'UTC');
}

/** Offset from UTC at a time: `UTC+01:00`. */
export function offsetText(iso: string, zone: string): string {
  const minutes = Math.round(offsetAt(Date.parse(iso), zone) / 60_000);
  if (minutes === 0) return 'UTC';
  const absolute = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, '0');
  const sign = minutes < 0 ? '-' : '+';
  return `UTC${sign}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}

const typed =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;

/** A time as it is typed, in the zone unless it names an offset; undefined if it is none. */
export function parseTime(text: string, zone: string): string | undefined {
  const parts = typed.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction, offset] = parts;
  const wall = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(wall) || Number(day) !== new Date(wall).getUTCDate()) return undefined;
  const at = offset === undefined ? inZone(wall, zone) : wall - offsetOf(offset);
  const digits = (fraction ?? '').padEnd(3, '0');
  return new Date(at).toISOString().replace(/\.\d+Z$/, `.${digits}Z`);
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** The time that a clock of the zone shows; the second try is for the hours around a change. */
function inZone(wall: number, zone: string): number {
  const guess = wall - offsetAt(wall, zone);
  return wall - offsetAt(guess, zone);
}

function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC' || Number.isNaN(at)) return 0;
  const whole = Math.floor(at / 1000) * 1000;
  return Date.parse(`${wallClock(whole, zone).replace(' ', 'T')}Z`) - whole;
}

function wallClock(at: number, zone: string): string {
  // Intl drops signs and zeros of years before 1000; UTC is the common case, and is faster so.
  if (zone === 'UTC') return new Date(at).toISOString().replace('T', ' ').replace(/\..*/, '');
  const parts: Record<string, string> = {};
  for (const { type, value } of formatFor(zone).formatToParts(at)) parts[type] = value;
  const { year, month, day, hour, minute, second } = parts;
  return `${year.padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`;
}
