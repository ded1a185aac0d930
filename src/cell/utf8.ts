/**
 * UTF-8 text of a slice of a buffer. The buffer may be lmdb's shared one, whose `length` is a
 * patched own property: everything that trusts `length` (subarray, toString, copy) misbehaves on
 * it, so it is only indexed, handed to utf8Slice, or viewed anew.
 */
import { isUtf8 } from 'node:buffer';
import { CellFault } from './cell-codec.js';

/** From this many bytes on, the call into the runtime is quicker than building the text here. */
const nativeFrom = 20;

/**
 * Reads the real view, whatever `length` says. Not in Node's types, though it has been there since
 * Node 0.x; see nativeText without it.
 */
const utf8Slice = (
  Buffer.prototype as unknown as {
    utf8Slice?: (this: Uint8Array, start: number, end: number) => string;
  }
).utf8Slice;

/** The text of `[start, end)`. Throws CellFault when it is not UTF-8. */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start >= nativeFrom) return nativeText(bytes, start, end);
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
  let any = 0;
  for (let i = at; i < end; i++) any |= bytes[i];
  if (any > 127) return nativeText(bytes, start, end);
  return at === end ? text : text + fewCharacters(bytes, at, end - at);
}

/**
 * ASCII of one to seven bytes. One call with all of them is two to three times as quick as one for
 * each.
 */
function fewCharacters(b: Uint8Array, at: number, count: number): string {
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
  const text =
    utf8Slice === undefined
      ? Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
      : utf8Slice.call(bytes, start, end);
  // The runtime writes U+FFFD for what is not UTF-8, and for U+FFFD itself.
  if (
    text.includes('\ufffd') &&
    !isUtf8(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start))
  ) {
    throw new CellFault(
      'the text is not valid UTF-8',
      'declare the column or field as bytes if it holds other bytes than text',
    );
  }
  return text;
}

/** The strings a field showed lately: enum-like texts are then found instead of built. */
export interface TextCache {
  /** ASCII strings only, so that one character is one byte. */
  readonly texts: string[];
  /**
   * Their bytes, four in a word, `wordsOfText` words for each. The last word is the last four
   * bytes, though the one before may hold some of them.
   */
  readonly words: Int32Array;
  /**
   * Grows with hits and shrinks with misses; below zero the field's texts do not repeat and the
   * cache is left alone.
   */
  credit: number;
}

const slotCount = 64;
const wordsOfText = 8;
/** Below a word, building is as quick; longer texts are rarely one of a few. */
const shortestCached = 4;
const longestCached = 4 * wordsOfText;
const mostCredit = 512;

/** An empty cache, for one field. */
export function textCache(): TextCache {
  return {
    texts: new Array<string>(slotCount).fill(''),
    words: new Int32Array(wordsOfText * slotCount),
    credit: mostCredit,
  };
}

/** As readText, looking into the cache first. */
export function readCachedText(
  b: Uint8Array,
  start: number,
  end: number,
  cache: TextCache,
): string {
  const length = end - start;
  if (length > longestCached) return nativeText(b, start, end);
  if (length < shortestCached || cache.credit < 0) return readText(b, start, end);
  const slot =
    (b[start] * 5 + b[start + (length >> 1)] * 3 + b[end - 1] + length) & (slotCount - 1);
  const text = cache.texts[slot];
  if (text.length === length) {
    const { words } = cache;
    let at = start;
    let to = slot * wordsOfText;
    while (at < end - 4 && words[to] === word(b, at)) {
      at += 4;
      to++;
    }
    if (at >= end - 4 && words[to] === word(b, end - 4)) {
      if (cache.credit < mostCredit) cache.credit++;
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
  // As many UTF-16 units as bytes: the text is ASCII.
  if (text.length !== end - start) return text;
  cache.texts[slot] = text;
  let to = slot * wordsOfText;
  for (let at = start; at < end - 4; at += 4) cache.words[to++] = word(b, at);
  cache.words[to] = word(b, end - 4);
  return text;
}

function word(b: Uint8Array, at: number): number {
  return b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
}

/** Throws CellFault when UTF-8 cannot hold the text. */
export function checkText(text: string): void {
  if (!text.isWellFormed()) {
    throw new CellFault(
      'the text holds a lone surrogate, which UTF-8 cannot hold',
      'cut strings between characters, not inside a surrogate pair; or store bytes',
    );
  }
}
