/**
 * How far a scan of many rows is: an estimate, from the keys that storage samples and the bytes
 * that the scan has met.
 */
import {
  compareBytes,
  intersectRanges,
  type KeyRange,
  rangeFrom,
  noBytes,
} from '../bytes/index.js';
import type { Engine } from '../store/index.js';

/** The rows before a sampled key, back to the sampled key before it. */
interface Part {
  /** Undefined for the end of the table. */
  readonly end: Uint8Array | undefined;
  /** Bytes as storage counts them; 0 where the scan has nothing to read. */
  readonly bytes: number;
}

/** A scan that is not over is never more than this done, whatever the estimate says. */
const most = 0.99;

/** Estimates the share of one scan. */
export class ScanShare {
  readonly #engine: Engine;
  readonly #table: string;
  readonly #ranges: readonly KeyRange[];
  readonly #sampleAt: number;
  #parts: readonly Part[] | undefined;
  #asked = false;
  #total = 0;
  /**
   * The part that the scan is in, the bytes of storage before it, and those that the scan had met
   * when it came to it.
   */
  #part = 0;
  #before = 0;
  #metBefore = 0;
  /**
   * Parts that the scan has gone through from end to end: their bytes as it met them, and as
   * storage counts them.
   */
  #met = 0;
  #counted = 0;
  #whole: boolean;
  #share = 0;

  /**
   * Samples when the scan has taken `waitMs`: a shorter one needs no estimate, and the embedded
   * engine walks the table for it. `resumed`: the scan does not begin with the first row.
   */
  constructor(
    engine: Engine,
    table: string,
    ranges: readonly KeyRange[],
    { resumed = false, waitMs = 1_000 } = {},
  ) {
    this.#engine = engine;
    this.#table = table;
    this.#ranges = ranges;
    this.#whole = !resumed;
    this.#sampleAt = performance.now() + waitMs;
  }

  /**
   * The share that is done, 0 to 1, when `key` was the last row and the scan has met so many bytes;
   * undefined while nothing is known.
   */
  after(key: Uint8Array, met: number): number | undefined {
    if (!this.#asked && performance.now() >= this.#sampleAt) void this.#sample();
    const parts = this.#parts;
    if (parts === undefined || this.#total === 0) return undefined;
    this.#comeTo(key, met, parts);
    const { bytes } = parts[this.#part];
    // What the scan meets of a byte that storage counts: keys, framing and families that are not
    // read make the difference.
    const metPerByte = this.#counted > 0 && this.#met > 0 ? this.#met / this.#counted : 1;
    const inside = Math.min(bytes, (met - this.#metBefore) / metPerByte);
    this.#share = Math.max(this.#share, Math.min(most, (this.#before + inside) / this.#total));
    return this.#share;
  }

  #comeTo(key: Uint8Array, met: number, parts: readonly Part[]): void {
    let passed = 0;
    for (; this.#part < parts.length - 1; this.#part++) {
      const { end, bytes } = parts[this.#part];
      if (end === undefined || compareBytes(key, end) < 0) break;
      passed += bytes;
    }
    if (passed === 0) return;
    this.#before += passed;
    if (this.#whole) {
      this.#met += met - this.#metBefore;
      this.#counted += passed;
    }
    this.#whole = true;
    this.#metBefore = met;
  }

  async #sample(): Promise<void> {
    this.#asked = true;
    try {
      const samples = await this.#engine.sampleRowKeys(this.#table);
      this.#parts = samples.map(({ key, offsetBytes }, i): Part => {
        const end = key.length === 0 ? undefined : key;
        const span = rangeFrom(samples[i - 1]?.key ?? noBytes, end);
        const scanned = this.#ranges.some((range) => intersectRanges(range, span) !== undefined);
        return {
          end,
          bytes: scanned ? Math.max(0, offsetBytes - (samples[i - 1]?.offsetBytes ?? 0)) : 0,
        };
      });
      this.#total = this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
    } catch {
      // Without samples there is no estimate; the scan itself says what is wrong.
    }
  }
}
