/** Reproducible random numbers. */
import { seed } from '../../../support/seed.js';

/** Numbers from 0 to 1, the same in each run with one seed (mulberry32). */
export function randomOf(name: string): () => number {
  let state = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) >>> 0, seed);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
