/**
 * The floor: a codec for Reading, written by hand and as fast as we could make it. No checks, no
 * unknown fields, no errors. Its bytes are the same as those of Rowsmith (main.ts checks this).
 */
import { Reading, Status } from './reading.js';

declare global {
  /** Fast methods of Node that are missing in its types. */
  interface Buffer {
    latin1Slice(start: number, end: number): string;
    utf8Slice(start: number, end: number): string;
    utf8Write(text: string, at: number): number;
  }
}

const bits = new Uint32Array(2);
const numbers = new Float64Array(bits.buffer);
const longs = new BigInt64Array(bits.buffer);

/** Long.MAX_VALUE is 9,223,372,036,854,775,807: its first ten digits and its last nine. */
const longHigh = 9_223_372_036;
const longLow = 854_775_807;

/** Decodes rows. Caches what rows of a scan repeat: leading segments and enum-like texts. */
export class HandReader {
  #leading = new Uint8Array(0);
  #tenant = '';
  #device = '';
  readonly #states: string[] = new Array<string>(64).fill('');

  /** The row of a key and a value, in separate buffers. */
  read(key: Buffer, value: Buffer): Reading {
    const reading = new Reading();
    const digits = key.length - 19;
    if (!this.#sameLeading(key, digits)) this.#readLeading(key, digits);
    reading.tenant = this.#tenant;
    reading.device = this.#device;
    const high = longHigh - decimal(key, digits, 10);
    reading.at = new Date(high * 1e9 + (longLow - decimal(key, digits + 10, 9)));
    reading.status = this.#status(value);
    return reading;
  }

  /** Only the message. */
  status(value: Buffer): Status {
    return this.#status(value);
  }

  #sameLeading(key: Buffer, length: number): boolean {
    const leading = this.#leading;
    if (leading.length !== length) return false;
    // From the end: rows of different devices differ there.
    for (let i = length - 1; i >= 0; i--) if (key[i] !== leading[i]) return false;
    return true;
  }

  #readLeading(key: Buffer, length: number): void {
    this.#leading = Uint8Array.from(key.subarray(0, length));
    const hash = key.indexOf(0x23);
    this.#tenant = key.latin1Slice(0, hash);
    this.#device = key.latin1Slice(hash + 1, length - 1);
  }

  #status(value: Buffer): Status {
    const status = new Status();
    const end = value.length;
    let at = 0;
    while (at < end) {
      switch (value[at++]) {
        case 0x0a: {
          const length = value[at++];
          status.note = value.utf8Slice(at, at + length);
          at += length;
          break;
        }
        case 0x12: {
          const length = value[at++];
          status.state = this.#state(value, at, length);
          at += length;
          break;
        }
        case 0x18: {
          let low = 0;
          let high = 0;
          for (let shift = 0; ; shift += 7) {
            const byte = value[at++];
            if (shift < 28) low |= (byte & 0x7f) << shift;
            else if (shift === 28) {
              low |= byte << 28;
              high = (byte & 0x7f) >> 4;
            } else high |= (byte & 0x7f) << (shift - 32);
            if (byte < 0x80) break;
          }
          bits[0] = low;
          bits[1] = high;
          status.uptimeUs = longs[0];
          break;
        }
        case 0x21:
          status.temperature = double(value, at);
          at += 8;
          break;
        case 0x29:
          status.humidity = double(value, at);
          at += 8;
          break;
        case 0x30: {
          let battery = 0;
          for (let shift = 0; ; shift += 7) {
            const byte = value[at++];
            battery |= (byte & 0x7f) << shift;
            if (byte < 0x80) break;
          }
          status.battery = battery >>> 0;
          break;
        }
      }
    }
    return status;
  }

  #state(value: Buffer, at: number, length: number): string {
    const slot = (value[at] + length) & 63;
    const held = this.#states[slot];
    if (held.length === length) {
      let i = 0;
      while (i < length && held.charCodeAt(i) === value[at + i]) i++;
      if (i === length) return held;
    }
    return (this.#states[slot] = value.utf8Slice(at, at + length));
  }
}

function decimal(bytes: Buffer, at: number, width: number): number {
  let value = 0;
  for (const end = at + width; at < end; at++) value = value * 10 + (bytes[at] - 0x30);
  return value;
}

function double(bytes: Buffer, at: number): number {
  bits[0] = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
  bits[1] = bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24);
  return numbers[0];
}

/** The key of a reading. */
export function handKey({ tenant, device, at }: Reading): Buffer {
  const ms = at.getTime();
  const high = Math.floor(ms / 1e9);
  let low = longLow - (ms - high * 1e9);
  let head = longHigh - high;
  if (low < 0) {
    low += 1e9;
    head--;
  }
  return Buffer.from(
    `${tenant}#${device}#${String(head).padStart(10, '0')}${String(low).padStart(9, '0')}`,
    'latin1',
  );
}

const scratch = Buffer.alloc(1024);

/** The message of a reading. */
export function handValue(status: Status): Buffer {
  let at = text(0, 0x0a, status.note!);
  at = text(at, 0x12, status.state!);
  scratch[at++] = 0x18;
  longs[0] = status.uptimeUs!;
  let [low, high] = bits;
  while (high > 0 || low > 0x7f) {
    scratch[at++] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  scratch[at++] = low;
  scratch[at++] = 0x21;
  at = scratch.writeDoubleLE(status.temperature!, at);
  scratch[at++] = 0x29;
  at = scratch.writeDoubleLE(status.humidity!, at);
  scratch[at++] = 0x30;
  let battery = status.battery!;
  while (battery > 0x7f) {
    scratch[at++] = (battery & 0x7f) | 0x80;
    battery >>>= 7;
  }
  scratch[at++] = battery;
  return Buffer.from(scratch.subarray(0, at));
}

/** Texts of up to 127 bytes. */
function text(at: number, tag: number, value: string): number {
  scratch[at] = tag;
  const length = scratch.utf8Write(value, at + 2);
  scratch[at + 1] = length;
  return at + 2 + length;
}
