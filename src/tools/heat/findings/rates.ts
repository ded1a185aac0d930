/** What the operations of a recording take of the time of nodes. */
import type { AccessWindow, KeySample } from '../access-log.js';
import { type NodeProfile, nodeProfiles, secondsOfRead, secondsOfWrite } from '../node-profiles.js';

/** The seconds of a node that a sampled operation takes. */
export type SecondsOf = (sample: KeySample) => number;

/** Each row by itself: a row that a scan returns costs its bytes. */
export function secondsOfRow(profile: NodeProfile): SecondsOf {
  return ({ kind, bytes }) => {
    if (kind === 'scan') return bytes / profile.scanned;
    return kind === 'write' ? secondsOfWrite(profile, bytes) : secondsOfRead(profile, 1, bytes);
  };
}

/** Loads of windows, in nodes. */
export class Rates {
  readonly #windowSeconds: number;
  readonly #secondsOf: SecondsOf;

  constructor(windowMs: number, secondsOf: SecondsOf) {
    this.#windowSeconds = windowMs / 1000;
    this.#secondsOf = secondsOf;
  }

  /** Nodes that some of a window's samples keep busy. */
  load(window: AccessWindow, samples: readonly KeySample[]): number {
    const { reads, writes } = window;
    const weight = (reads + writes) / window.samples.length;
    return (weight * this.#sum(samples)) / this.#windowSeconds;
  }

  /** Nodes that so many operations keep busy; some of them were sampled. */
  loadOf(operations: number, samples: readonly KeySample[]): number {
    return (operations * this.#sum(samples)) / (samples.length * this.#windowSeconds);
  }

  #sum(samples: readonly KeySample[]): number {
    return samples.reduce((sum, sample) => sum + this.#secondsOf(sample), 0);
  }
}

/** The rates of a recording with windows of a minute, on SSD nodes. */
export function recordedRates(windowMs = 60_000, profile = nodeProfiles.ssd): Rates {
  return new Rates(windowMs, secondsOfRow(profile));
}
