/**
 * UTF-8 text of a slice of a buffer. The buffer may be lmdb's shared one, whose `length` is a patched own property: everything that
 * trusts `length` (subarray, toString, copy) misbehaves on it, so it is only indexed, handed to utf8Slice, or viewed anew.
 */
import { isUtf8 } from 'node:buffer';
import { CellFault } from './cell-codec.js';

/** From this many bytes on, the call into the runtime is quicker than building the text here. */
const nativeFrom = 20;

/** Reads the real view, whatever `length` says. Not in Node's types, though it has been there since Node 0.x; see nativeText without it. */
const utf8Slice = (Buffer.prototype as unknown as { utf8Slice?: (this: Uint8Array, start: number, end: number) => string }).utf8Slice;

/** The text of `[start, end)`. Throws CellFault when it is not UTF-8. */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start >= nativeFrom) return nativeText(bytes, start, end);
  let text = '';
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const a = bytes[at], b = bytes[at + 1], c = bytes[at + 2], d = bytes[at + 3];
    if ((a | b | c | d) > 127) return nativeText(bytes, start, end);
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < end; at++) {
    const a = bytes[at];
    if (a > 127) return nativeText(bytes, start, end);
    text += String.fromCharCode(a);
  }
  return text;
}

function nativeText(bytes: Uint8Array, start: number, end: number): string {
  const text = utf8Slice === undefined
    ? Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
    : utf8Slice.call(bytes, start, end);
  // The runtime writes U+FFFD for what is not UTF-8, and for U+FFFD itself.
  if (text.includes('\ufffd') && !isUtf8(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start))) {
    throw new CellFault('the text is not valid UTF-8', 'declare the column or field as bytes if it holds other bytes than text');
  }
  return text;
}

/** The strings a field showed lately: enum-like texts are then found instead of built. */
export interface TextCache {
  /** ASCII strings only, so that one character is one byte. */
  readonly slots: string[];
  /** Grows with hits and shrinks with misses; below zero the field's texts do not repeat and the cache is left alone. */
  credit: number;
}

const slotCount = 64;
const longestCached = 32;
const mostCredit = 512;

/** An empty cache, for one field. */
export function textCache(): TextCache {
  return { slots: new Array<string>(slotCount).fill(''), credit: mostCredit };
}

/** As readText, looking into the cache first. */
export function readCachedText(bytes: Uint8Array, start: number, end: number, cache: TextCache): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > longestCached || cache.credit < 0) return readText(bytes, start, end);
  const slot = (bytes[start] * 5 + bytes[start + (length >> 1)] * 3 + bytes[end - 1] + length) & (slotCount - 1);
  const held = cache.slots[slot];
  if (held.length === length) {
    let i = 0;
    while (i < length && held.charCodeAt(i) === bytes[start + i]) i++;
    if (i === length) {
      if (cache.credit < mostCredit) cache.credit++;
      return held;
    }
  }
  cache.credit--;
  const text = readText(bytes, start, end);
  // As many UTF-16 units as bytes: the text is ASCII.
  if (text.length === length) cache.slots[slot] = text;
  return text;
}

/** Throws CellFault when UTF-8 cannot hold the text. */
export function checkText(text: string): void {
  if (!text.isWellFormed()) {
    throw new CellFault('the text holds a lone surrogate, which UTF-8 cannot hold', 'cut strings between characters, not inside a surrogate pair; or store bytes');
  }
}

/** An owned copy of `[start, end)`. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start);
  if (copy.length < 64) for (let i = 0; i < copy.length; i++) copy[i] = bytes[start + i];
  else copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset + start, copy.length));
  return copy;
}
