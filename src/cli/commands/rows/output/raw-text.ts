/** Stored rows as text in the form of cbt, and as JSON. */
import { printable } from '../../../../base/index.js';
import type { Row } from '../../../../data/store/index.js';
import { calendarTime, isoTime } from '../../../../tools/rows/index.js';
import type { PrintedRow } from './row-printer.js';

/** Width to which cbt pads the name of a column. */
const columnWidth = 40;

/** The lines that `cbt read` prints for a row, with timestamps in UTC. */
export function cbtLines({ key, cells }: Row): string[] {
  const lines = ['-'.repeat(40), textOf(key)];
  for (const { family, qualifier, timestamp, value } of cells) {
    const column = `${family}:${textOf(qualifier)}`;
    lines.push(`  ${column.padEnd(columnWidth)} @ ${cbtTime(timestamp)}`);
    lines.push(`    ${goQuoted(value)}`);
  }
  return lines;
}

/** A row as JSON: keys and qualifiers as printable text, values as base64, times as ISO 8601. */
export function rawJson({ key, cells }: Row): PrintedRow {
  return {
    key: printable(key),
    cells: cells.map(({ family, qualifier, timestamp, value }) => ({
      family,
      qualifier: printable(qualifier),
      at: isoTime(timestamp),
      value: Buffer.from(value).toString('base64'),
    })),
  };
}

/** `2026/11/20-09:30:00.000000`. */
function cbtTime(micros: bigint): string {
  const { year, rest } = calendarTime(micros);
  const [, day, time] = /^(.*)T(.*)Z$/.exec(rest)!;
  const below = String(micros % 1000n).padStart(3, '0');
  return `${String(year).padStart(4, '0')}${day.replaceAll('-', '/')}-${time}${below}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Bytes as Go's `%q` prints them: UTF-8 text in quotes, other bytes as `\xNN`. */
export function goQuoted(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes, i);
    if (length === 0) text += `\\x${bytes[i++].toString(16).padStart(2, '0')}`;
    else {
      text += quotedCharacter(Buffer.from(bytes.subarray(i, i + length)).toString('utf8'));
      i += length;
    }
  }
  return `"${text}"`;
}

/** The length of the UTF-8 sequence at an offset; 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const part = Buffer.from(bytes.subarray(at, at + length));
    if (Buffer.from(part.toString('utf8')).equals(part)) return length;
  }
  return 0;
}

function quotedCharacter(character: string): string {
  const escape = escapes[character];
  if (escape !== undefined) return escape;
  const code = character.codePointAt(0)!;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) return character;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
