/** Strict UTF-8: no replacement characters in either direction. */
import type { FaultTexts } from '../../../base/index.js';
import { rejectValue } from './segment-value-error.js';
import type { KeyWriter } from './key-writer.js';

/**
 * Appends the UTF-8 of `text`. Rejects lone surrogates, which Buffer.from would silently write as
 * U+FFFD.
 */
export function writeUtf8(out: KeyWriter, text: string): void {
  out.reserve(text.length * 3);
  const { bytes } = out;
  let at = out.at;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[at++] = 0xe0 | (unit >> 12);
      bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else {
      // Past the end of the text, charCodeAt returns NaN, which fails this test too.
      const trail = text.charCodeAt(++i);
      if (unit >= 0xdc00 || !(trail >= 0xdc00 && trail <= 0xdfff))
        rejectValue(faults.loneSurrogate, text);
      const point = 0x10000 + ((unit - 0xd800) << 10) + (trail - 0xdc00);
      bytes[at++] = 0xf0 | (point >> 18);
      bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[at++] = 0x80 | (point & 0x3f);
    }
  }
  out.at = at;
}

/**
 * Up to this many ASCII characters, creating a string from an array is faster than from a Buffer,
 * which calls out of JavaScript.
 */
const maxShortText = 24;

/**
 * Creates a UTF-8 reader: it returns the text of `[start, end)`, or undefined if the bytes are not
 * well-formed. It copies longer texts while it looks for bytes that are not ASCII.
 */
export function utf8Reader(): (
  bytes: Uint8Array,
  start: number,
  end: number,
) => string | undefined {
  let copy = Buffer.allocUnsafeSlow(128);
  const codeArrays = Array.from({ length: maxShortText + 1 }, (_, length) =>
    new Array<number>(length).fill(0),
  );
  return (bytes, start, end) => {
    const length = end - start;
    let union = 0;
    if (length <= maxShortText) {
      const codes = codeArrays[length];
      for (let i = 0; i < length; i++) {
        const byte = bytes[start + i];
        codes[i] = byte;
        union |= byte;
      }
      if (union < 0x80) return String.fromCharCode.apply(null, codes);
    }
    if (length > copy.length) copy = Buffer.allocUnsafeSlow(length * 2);
    union = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i];
      copy[i] = byte;
      union |= byte;
    }
    if (union < 0x80) return copy.toString('latin1', 0, length);
    return isUtf8(copy, length) ? copy.toString('utf8', 0, length) : undefined;
  };
}

/**
 * Number of continuation bytes after each lead byte from 0xc0 on; 0 for bytes that start no
 * character. 0xc0 and 0xc1 would be overlong, 0xf5 and above would exceed U+10FFFF.
 */
const continuationCounts = new Uint8Array(64)
  .fill(1, 0xc2 - 0xc0, 0xe0 - 0xc0)
  .fill(2, 0xe0 - 0xc0, 0xf0 - 0xc0)
  .fill(3, 0xf0 - 0xc0, 0xf5 - 0xc0);

/**
 * Whether the first `length` bytes are well-formed UTF-8: shortest forms only, no surrogates,
 * nothing above U+10FFFF.
 */
function isUtf8(bytes: Uint8Array, length: number): boolean {
  let i = 0;
  while (i < length) {
    const lead = bytes[i++];
    if (lead < 0x80) continue;
    if (lead < 0xc0) return false;
    const count = continuationCounts[lead - 0xc0];
    if (count === 0 || i + count > length) return false;
    if (!canFollow(lead, bytes[i])) return false;
    for (let j = 1; j < count; j++) if ((bytes[i + j] & 0xc0) !== 0x80) return false;
    i += count;
  }
  return true;
}

/** Whether `second` may follow `lead`: Unicode's table 3-7, "Well-Formed UTF-8 Byte Sequences". */
function canFollow(lead: number, second: number): boolean {
  if (second < 0x80 || second > 0xbf) return false;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}

const faults = {
  loneSurrogate: {
    problem: 'the text contains a lone surrogate, which UTF-8 cannot encode',
    fix: 'pass well-formed text, see String.prototype.isWellFormed',
  },
} satisfies FaultTexts;
