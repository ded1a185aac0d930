/** Decoding UTF-8 text in part of a buffer. */
import type { FaultTexts } from '../../base/index.js';
import { isUtf8 } from 'node:buffer';
import { CodecError } from './cell-codec.js';

/** From this length on, in bytes, a native call is faster than building the string here. */
const minNativeBytes = 20;

/**
 * Works on every Uint8Array. In Node since 0.x, but missing from its types; nativeText has a
 * fallback for runtimes without it.
 */
const utf8Slice = (
  Buffer.prototype as unknown as {
    utf8Slice?: (this: Uint8Array, start: number, end: number) => string;
  }
).utf8Slice;

/** The text in `[start, end)`. Throws CodecError if it is not valid UTF-8. */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start >= minNativeBytes) return nativeText(bytes, start, end);
  let text = '';
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const a = bytes[at],
      b = bytes[at + 1],
      c = bytes[at + 2],
      d = bytes[at + 3],
      e = bytes[at + 4],
      f = bytes[at + 5],
      g = bytes[at + 6],
      h = bytes[at + 7];
    if ((a | b | c | d | e | f | g | h) > 127) return nativeText(bytes, start, end);
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  let combined = 0;
  for (let i = at; i < end; i++) combined |= bytes[i];
  if (combined > 127) return nativeText(bytes, start, end);
  if (at === end) return text;
  return text + shortAscii(bytes, at, end - at);
}

/**
 * ASCII text of one to seven bytes. A single call of fromCharCode is two to three times as fast as
 * one per character.
 */
function shortAscii(b: Uint8Array, at: number, count: number): string {
  switch (count) {
    case 1:
      return String.fromCharCode(b[at]);
    case 2:
      return String.fromCharCode(b[at], b[at + 1]);
    case 3:
      return String.fromCharCode(b[at], b[at + 1], b[at + 2]);
    case 4:
      return String.fromCharCode(b[at], b[at + 1], b[at + 2], b[at + 3]);
    case 5:
      return String.fromCharCode(b[at], b[at + 1], b[at + 2], b[at + 3], b[at + 4]);
    case 6:
      return String.fromCharCode(b[at], b[at + 1], b[at + 2], b[at + 3], b[at + 4], b[at + 5]);
    default:
      return String.fromCharCode(
        b[at],
        b[at + 1],
        b[at + 2],
        b[at + 3],
        b[at + 4],
        b[at + 5],
        b[at + 6],
      );
  }
}

function nativeText(bytes: Uint8Array, start: number, end: number): string {
  let text: string;
  if (utf8Slice !== undefined) text = utf8Slice.call(bytes, start, end);
  else text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  // U+FFFD replaces invalid bytes, but may also be in the text itself.
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end)))
    throw new CodecError(faults.notUtf8);
  return text;
}

/** Recent strings of one field. Enum-like values are then looked up instead of decoded. */
export interface TextCache {
  /** ASCII strings only, so that each character is one byte. */
  readonly texts: string[];
  /**
   * The bytes of the strings, four per word and `wordsPerText` words per string. The last word of a
   * string contains its last four bytes, so it may overlap the word before.
   */
  readonly words: Int32Array;
  /**
   * Incremented by hits and decremented by misses. Below zero the cache is no longer used, because
   * the values of the field do not repeat.
   */
  credit: number;
}

const slotCount = 64;
const wordsPerText = 8;
/** Shorter strings are decoded as fast; longer ones are rarely enum-like. */
const minCachedBytes = 4;
const maxCachedBytes = 4 * wordsPerText;
const maxCredit = 512;

/** An empty cache for one field. */
export function textCache(): TextCache {
  return {
    texts: new Array<string>(slotCount).fill(''),
    words: new Int32Array(wordsPerText * slotCount),
    credit: maxCredit,
  };
}

/** Like readText, with a cache. */
export function readCachedText(
  b: Uint8Array,
  start: number,
  end: number,
  cache: TextCache,
): string {
  const length = end - start;
  if (length > maxCachedBytes) return nativeText(b, start, end);
  if (length < minCachedBytes || cache.credit < 0) return readText(b, start, end);
  const slot =
    (b[start] * 5 + b[start + (length >> 1)] * 3 + b[end - 1] + length) & (slotCount - 1);
  const text = cache.texts[slot];
  if (text.length === length) {
    const { words } = cache;
    let at = start;
    let to = slot * wordsPerText;
    while (at < end - 4 && words[to] === word(b, at)) {
      at += 4;
      to++;
    }
    if (at >= end - 4 && words[to] === word(b, end - 4)) {
      if (cache.credit < maxCredit) cache.credit++;
      return text;
    }
  }
  return cacheText(b, start, end, cache, slot);
}

function cacheText(
  b: Uint8Array,
  start: number,
  end: number,
  cache: TextCache,
  slot: number,
): string {
  cache.credit--;
  const text = readText(b, start, end);
  // Only ASCII text has as many UTF-16 units as bytes.
  if (text.length !== end - start) return text;
  cache.texts[slot] = text;
  let to = slot * wordsPerText;
  for (let at = start; at < end - 4; at += 4) cache.words[to++] = word(b, at);
  cache.words[to] = word(b, end - 4);
  return text;
}

function word(b: Uint8Array, at: number): number {
  return b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
}

/** Throws CodecError if the text cannot be encoded as UTF-8. */
export function checkText(text: string): void {
  if (!text.isWellFormed()) {
    throw new CodecError(faults.loneSurrogate);
  }
}

const faults = {
  notUtf8: {
    problem: 'the text is not valid UTF-8',
    fix: 'declare the column or field as bytes if it does not contain text',
  },
  loneSurrogate: {
    problem: 'the text contains a lone surrogate, which UTF-8 cannot encode',
    fix: 'split strings between characters, not inside a surrogate pair, or store bytes',
  },
} satisfies FaultTexts;
