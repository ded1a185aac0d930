/** One window of one table as bytes; FORMAT.md specifies them. */
import { compareBytes } from '../../../base/index.js';
import type { AccessKind, AccessWindow, KeySample } from '../access-log.js';
import { RecordingReader, RecordingWriter, MalformedBytes } from './byte-buffer.js';

/** A window with its table. */
export interface TableWindow {
  readonly table: string;
  readonly window: AccessWindow;
}

/** Their positions are stored with samples. */
const kinds: readonly AccessKind[] = ['read', 'write', 'scan'];

/** The bytes of a window. */
export function encodeWindow({ table, window }: TableWindow, windowMs: number): Uint8Array {
  const out = new RecordingWriter();
  out.bytes(Buffer.from(table));
  for (const each of [window.start / windowMs, window.reads, window.writes, window.bytes])
    out.number(each);
  writeSamples(out, window.samples);
  out.number(window.top.length);
  for (const { key, count, error } of window.top) {
    out.bytes(key);
    out.number(Math.round(count));
    out.number(Math.round(error));
  }
  const { largest } = window;
  out.number(largest === undefined ? 0 : 1);
  if (largest !== undefined) {
    out.bytes(largest.key);
    out.number(largest.bytes);
  }
  return out.end();
}

/** In the order of keys, so that a key is stored without what it shares with the one before. */
function writeSamples(out: RecordingWriter, samples: readonly KeySample[]): void {
  const sorted = samples
    .map((sample, position) => ({ ...sample, position }))
    .sort((a, b) => compareBytes(a.key, b.key) || a.position - b.position);
  out.number(sorted.length);
  let previous: Uint8Array = new Uint8Array(0);
  for (const { key, kind, bytes, position } of sorted) {
    const shared = sharedLength(previous, key);
    out.number(shared);
    out.number(key.length - shared);
    out.raw(key, shared);
    out.number(kinds.length * position + kinds.indexOf(kind));
    out.number(bytes);
    previous = key;
  }
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** The window of the bytes. Throws MalformedBytes. */
export function decodeWindow(bytes: Uint8Array, windowMs: number): TableWindow {
  const input = new RecordingReader(bytes);
  const table = Buffer.from(input.bytes()).toString();
  const [start, reads, writes, size] = [0, 1, 2, 3].map(() => input.number());
  const samples = readSamples(input);
  const top = Array.from({ length: checkedCount(input, bytes) }, () => ({
    key: input.bytes().slice(),
    count: input.number(),
    error: input.number(),
  }));
  const window = { start: start * windowMs, reads, writes, bytes: size, samples, top };
  if (input.number() === 0) return { table, window };
  const largest = { key: input.bytes().slice(), bytes: input.number() };
  return { table, window: { ...window, largest } };
}

function readSamples(input: RecordingReader): readonly KeySample[] {
  const count = input.number();
  const samples: KeySample[] = [];
  let previous: Uint8Array = new Uint8Array(0);
  for (let i = 0; i < count; i++) {
    const shared = input.number();
    const rest = input.bytes();
    if (shared > previous.length) throw new MalformedBytes('a key shares more than there is');
    const key = new Uint8Array(shared + rest.length);
    key.set(previous.subarray(0, shared));
    key.set(rest, shared);
    const place = input.number();
    const position = Math.floor(place / kinds.length);
    if (position >= count || samples[position] !== undefined)
      throw new MalformedBytes('two samples have one position');
    samples[position] = { key, kind: kinds[place % kinds.length], bytes: input.number() };
    previous = key;
  }
  return samples;
}

/** A count of things that take at least one byte each. */
function checkedCount(input: RecordingReader, bytes: Uint8Array): number {
  const count = input.number();
  if (count > bytes.length) throw new MalformedBytes('a list is longer than the window');
  return count;
}
