/** The operations on one table in one window, while they are made. */
import { copyBytes } from '../../bytes/index.js';
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

  /** Operations to skip before the next one is added, so that each is taken independently. */
  nextSkip(): number {
    return skipCount(this.#probability, this.#random);
  }

  /** Adds an operation; the key in `[start, end)` is copied. */
  add(kind: AccessKind, bytes: Uint8Array, start: number, end: number, size: number): void {
    const weight = 1 / this.#probability;
    const sample = { key: copyBytes(bytes, start, end), kind, bytes: size };
    if (kind === 'read') this.#reads += weight;
    else this.#writes += weight;
    this.#bytes += size * weight;
    this.#top.add(sample.key, weight);
    if (this.#largest === undefined || size > this.#largest.bytes) this.#largest = sample;
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
