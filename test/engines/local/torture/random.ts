/** Random numbers that depend on a seed only, so that a trial can be repeated. */
export interface Random {
  /** A number of at least 0 and below 1. */
  readonly fraction: () => number;
  /** An integer of at least 0 and below `bound`. */
  readonly below: (bound: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly oneOf: <T>(items: readonly T[]) => T;
}

/** Numbers of the mulberry32 generator. */
export function randomOf(seed: number): Random {
  // Neighbouring seeds would otherwise begin alike.
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(fraction() * bound);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    oneOf: (items) => items[below(items.length)],
  };
}

/** A seed for a text. */
export function seedOf(text: string): number {
  let seed = 17;
  for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193);
  return seed >>> 0;
}
