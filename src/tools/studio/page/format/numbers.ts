/** Numbers for people. */
import type { EstimatedRows } from '../../protocol/schema.js';

/** `1,000,000`. */
export const grouped = (value: number): string => value.toLocaleString('en-US');

/** `1 row`, `2 rows`. */
export const counted = (value: number, unit: string): string =>
  `${grouped(value)} ${value === 1 ? unit.replace(/ies$/, 'y').replace(/s$/, '') : unit}`;

/** `12.3 MB`: powers of 1000. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A time that counts up: `59 s`, `2 min 5 s`. */
export function wholeSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The largest unit that divides a period: `1 d`, `90 min`. */
export function periodText(seconds: number): string {
  const [size, unit] = periods.find(([each]) => seconds % each === 0) ?? [1, 's'];
  return `${grouped(seconds / size)} ${unit}`;
}

const periods: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `~1,200` if it is estimated. */
export const rowsText = ({ rows, estimated }: EstimatedRows): string =>
  `${estimated ? '~' : ''}${grouped(rows)}`;
