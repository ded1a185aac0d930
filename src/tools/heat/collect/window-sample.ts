/** The operations on one table in one window, while they are made. */
import { copyBytes } from '../../../base/index.js';
import type { AccessKind, AccessWindow, KeySample } from '../access-log.js';
import { SpaceSaving } from './space-saving.js';

/** Busy rows that are kept when a window ends. */
const maxTopKeys = 16;

/** Operations to skip if each is taken with this probability (a geometric distribution). */
export function skipCount(probability: number, random: () => number): number {
  if (probability >= 1) return 0;
  return Math.floor(Math.log(1 - random()) / Math.log(1 - probability));
}

/** Bounds of a window's memory. */
export interface SampleLimits {
  /** Samples of a window, at most; at least 2. */
  readonly maxSamples: number;
  /** Rows that are counted one by one to find the busiest. */
  readonly topKeys: number;
}

/** An operation that was chosen. */
interface ChosenOperation {
  readonly kind: AccessKind;
  readonly keyBytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly bytes: number;
  readonly probability: number;
}

/**
 * A reservoir of operations. Each operation is in it with the same probability: when it is full,
 * each sample is dropped with probability 1/2, and from then on half as many operations are taken.
 */
export class WindowSample {
  readonly start: number;
  readonly #limits: SampleLimits;
  readonly #random: () => number;
  readonly #top: SpaceSaving;
  readonly #samples: KeySample[] = [];
  #reads = 0;
  #writes = 0;
  #bytes = 0;
  #largest: KeySample | undefined;
  #probability: number;

  constructor(start: number, limits: SampleLimits, probability: number, random: () => number) {
    this.start = start;
    this.#limits = limits;
    this.#probability = probability;
    this.#random = random;
    this.#top = new SpaceSaving(limits.topKeys);
  }

  /** The probability with which operations are in the sample; changes as it fills. */
  get probability(): number {
    return this.#probability;
  }

  /**
   * Adds an operation. It counts for as many as were left out for it; it may have been chosen when
   * more were taken, and is then dropped with the rest.
   */
  add({ kind, keyBytes, keyStart, keyEnd, bytes, probability }: ChosenOperation): void {
    const chosen = Math.min(probability, this.#probability);
    if (chosen < probability && this.#random() >= chosen / probability) return;
    const weight = 1 / chosen;
    const sample = { key: copyBytes(keyBytes, keyStart, keyEnd), kind, bytes };
    if (kind === 'write') this.#writes += weight;
    else this.#reads += weight;
    this.#bytes += bytes * weight;
    // A scan is of a range: where it begins is no hot row.
    if (kind !== 'scan') this.#top.add(sample.key, weight);
    if (this.#largest === undefined || bytes > this.#largest.bytes) this.#largest = sample;
    this.#samples.push(sample);
    if (this.#samples.length >= this.#limits.maxSamples) this.#halve();
  }

  /** The finished window. */
  end(): AccessWindow {
    return {
      start: this.start,
      reads: Math.round(this.#reads),
      writes: Math.round(this.#writes),
      bytes: Math.round(this.#bytes),
      samples: this.#samples,
      top: this.#top.top(maxTopKeys),
      largest: this.#largest,
    };
  }

  #halve(): void {
    let kept = 0;
    for (const sample of this.#samples) if (this.#random() < 0.5) this.#samples[kept++] = sample;
    this.#samples.length = kept;
    this.#probability /= 2;
  }
}
