/** UTF-8 to and from bytes, exact: no replacement characters in either direction. */
import { rejectValue } from './segment-value-error.js';
import type { KeyWriter } from './key-writer.js';

/**
 * Appends the UTF-8 of `text`; refuses lone surrogates, which Buffer.from would silently write as
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
      const trail = unit < 0xdc00 ? text.charCodeAt(++i) : 0;
      if (!(trail >= 0xdc00 && trail <= 0xdfff))
        rejectValue(
          'the text holds half of a surrogate pair',
          'pass well-formed text, see String.prototype.isWellFormed',
          text,
        );
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
 * Up to this many ASCII characters a string is made quicker from an array than from a buffer, which
 * is a call out of JavaScript.
 */
const shortText = 24;

/**
 * Makes a reader of UTF-8: the text of `[start, end)`, undefined when it is not well-formed. Bytes
 * are copied by index first, because the shared buffer they may lie in has patched lengths.
 */
export function utf8Reader(): (
  bytes: Uint8Array,
  start: number,
  end: number,
) => string | undefined {
  let own = Buffer.allocUnsafeSlow(128);
  const codes = Array.from({ length: shortText + 1 }, (_, length) =>
    new Array<number>(length).fill(0),
  );
  return (bytes, start, end) => {
    const length = end - start;
    let all = 0;
    if (length <= shortText) {
      const short = codes[length];
      for (let i = 0; i < length; i++) {
        const byte = bytes[start + i];
        short[i] = byte;
        all |= byte;
      }
      if (all < 0x80) return String.fromCharCode.apply(null, short);
    }
    if (length > own.length) own = Buffer.allocUnsafeSlow(length * 2);
    all = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i];
      own[i] = byte;
      all |= byte;
    }
    if (all < 0x80) return own.toString('latin1', 0, length);
    return isUtf8(own, length) ? own.toString('utf8', 0, length) : undefined;
  };
}

/**
 * Whether the first `length` bytes are well-formed UTF-8: shortest forms only, no surrogates,
 * nothing above U+10FFFF.
 */
function isUtf8(bytes: Uint8Array, length: number): boolean {
  let i = 0;
  while (i < length) {
    const lead = bytes[i++];
    if (lead < 0x80) continue;
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || i + more > length) return false;
    const second = bytes[i];
    const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) return false;
    for (let j = 1; j < more; j++) if ((bytes[i + j] & 0xc0) !== 0x80) return false;
    i += more;
  }
  return true;
}
