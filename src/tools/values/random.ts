/** Random numbers from a seed: the same seed gives the same numbers on every machine. */

/** Chris Doty-Humphrey's sfc32, seeded by splitmix32. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    let state = seed | 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      return mix(state);
    };
    this.#a = next() ^ Math.floor(seed / 2 ** 32);
    this.#b = next();
    this.#c = next();
    for (let i = 0; i < 12; i++) this.#bits();
  }

  /** At least 0 and below 1, with 53 bits. */
  next(): number {
    return ((this.#bits() >>> 5) * 2 ** 26 + (this.#bits() >>> 6)) / 2 ** 53;
  }

  /** A whole number of at least 0 and below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** One of the values. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }

  #bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

/** The finaliser of MurmurHash3. */
export function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
