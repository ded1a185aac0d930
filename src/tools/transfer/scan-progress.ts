/** Estimates the progress of a long scan from the keys that storage samples and the bytes read. */
import {
  compareBytes,
  intersectRanges,
  type KeyRange,
  noBytes,
  rangeFrom,
} from '../../base/index.js';
import type { Engine, SampledKey } from '../../data/store/index.js';

/** The rows between two consecutive sampled keys. */
interface Section {
  /** First key after the section; undefined for the end of the table. */
  readonly end: Uint8Array | undefined;
  /** Size in storage; 0 if the scan reads nothing of it. */
  readonly bytes: number;
}

/** Upper bound of the estimate while the scan is running. */
const maxFraction = 0.99;

/** Estimates the progress of one scan. */
export class ScanProgress {
  readonly #engine: Engine;
  readonly #table: string;
  readonly #ranges: readonly KeyRange[];
  readonly #sampleAt: number;
  #sections: readonly Section[] | undefined;
  #sampled = false;
  #totalBytes = 0;
  /** Index of the section that the scan has reached. */
  #section = 0;
  /** Storage bytes of the sections before it. */
  #bytesBefore = 0;
  /** Bytes that the scan had read when it reached the section. */
  #readBefore = 0;
  /** Bytes that the scan has read of sections it read completely. */
  #readOfComplete = 0;
  /** Storage bytes of these sections. */
  #bytesOfComplete = 0;
  /** Whether the current section is read from its first row. */
  #fromStart: boolean;
  #fraction = 0;

  /**
   * Samples once the scan has taken `waitMs` milliseconds: a shorter scan needs no estimate, and in
   * the embedded engine sampling reads the whole table. `resumed` is whether the scan starts after
   * its first row.
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
    this.#fromStart = !resumed;
    this.#sampleAt = performance.now() + waitMs;
  }

  /**
   * Returns the fraction that is done, 0 to 1, when `key` is the last row read and the scan has
   * read `readBytes` bytes; undefined if there is no estimate. Never decreases.
   */
  fractionAt(key: Uint8Array | undefined, readBytes: number): number | undefined {
    if (key === undefined) return undefined;
    if (!this.#sampled && performance.now() >= this.#sampleAt) void this.#sample();
    const sections = this.#sections;
    if (sections === undefined || this.#totalBytes === 0) return undefined;
    this.#advanceTo(key, readBytes, sections);
    const { bytes } = sections[this.#section];
    const read = (readBytes - this.#readBefore) / this.#readPerByte();
    const done = this.#bytesBefore + Math.min(bytes, read);
    this.#fraction = Math.max(this.#fraction, Math.min(maxFraction, done / this.#totalBytes));
    return this.#fraction;
  }

  /**
   * Bytes that the scan reads per byte of storage. They differ by keys, framing and families that
   * are not read.
   */
  #readPerByte(): number {
    if (this.#bytesOfComplete > 0 && this.#readOfComplete > 0)
      return this.#readOfComplete / this.#bytesOfComplete;
    return 1;
  }

  #advanceTo(key: Uint8Array, readBytes: number, sections: readonly Section[]): void {
    let passed = 0;
    for (; this.#section < sections.length - 1; this.#section++) {
      const { end, bytes } = sections[this.#section];
      if (end === undefined || compareBytes(key, end) < 0) break;
      passed += bytes;
    }
    if (passed === 0) return;
    this.#bytesBefore += passed;
    if (this.#fromStart) {
      this.#readOfComplete += readBytes - this.#readBefore;
      this.#bytesOfComplete += passed;
    }
    this.#fromStart = true;
    this.#readBefore = readBytes;
  }

  async #sample(): Promise<void> {
    this.#sampled = true;
    try {
      const samples = await this.#engine.sampleRowKeys(this.#table);
      this.#sections = samples.map((sample, i) => this.#sectionOf(sample, samples[i - 1]));
      this.#totalBytes = this.#sections.reduce((sum, { bytes }) => sum + bytes, 0);
    } catch {
      // No estimate. If storage is unavailable, the scan itself fails with the error.
    }
  }

  #sectionOf({ key, offsetBytes }: SampledKey, previous: SampledKey | undefined): Section {
    const end = key.length === 0 ? undefined : key;
    const range = rangeFrom(previous?.key ?? noBytes, end);
    const isScanned = this.#ranges.some((each) => intersectRanges(each, range) !== undefined);
    if (!isScanned) return { end, bytes: 0 };
    return { end, bytes: Math.max(0, offsetBytes - (previous?.offsetBytes ?? 0)) };
  }
}
