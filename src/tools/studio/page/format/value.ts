/** Values as text: exact, in one line, and without characters that hide or turn other ones. */
import type { JsonValue } from '../../protocol/json.js';
import { bytesOf, hexOf } from './bytes.js';
import { dateText, timeText } from './time.js';

/** Kinds that are shown on the right, digit under digit. */
const numeric =
  /^(int|uint|bigint|float|double|decimal|micros|reversedId|count|sum|(s|u)?int(32|64)|s?fixed(32|64))$/;

export const isNumeric = (kind: string): boolean => numeric.test(kind);
export const isTime = (kind: string): boolean => kind === 'timestamp';
export const isBytes = (kind: string): boolean => kind === 'bytes' || kind === 'custom';

/** Controls, and marks that change the direction of text or have no width. */
const hiding = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** Text in which nothing is invisible. */
export const visible = (text: string): string =>
  text.replace(
    hiding,
    (char) => named[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A value of a kind as one line. */
export function valueText(value: JsonValue, kind: string, zone: string): string {
  if (value === null) return '';
  if (typeof value === 'string') {
    if (isTime(kind)) return timeText(value, zone);
    if (kind === 'isoDate') return dateText(value);
    if (isBytes(kind)) return bytesInLine(value);
    return visible(value);
  }
  if (typeof value === 'object') return visible(JSON.stringify(value));
  return String(value);
}

function bytesInLine(base64: string): string {
  const bytes = bytesOf(base64.slice(0, 88));
  if (bytes === undefined) return visible(base64);
  const more = base64.length > 88 ? '...' : '';
  return `0x${hexOf(bytes)}${more}`;
}

/** At most so many characters. */
export const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;
