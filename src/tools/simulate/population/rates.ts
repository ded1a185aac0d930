/** How many writes there were between two times: at a steady rate in the past, growing from now. */

export const yearSeconds = 365 * 86_400;

/** Writes over time; seconds are relative to now. */
export class WriteRate {
  readonly #perSecond: number;
  /** Growth per second, continuously compounded. */
  readonly #growth: number;
  /** When the first row was written, at most 0. */
  readonly #start: number;
  readonly #end: number;

  /** Writes from `startSeconds` to `endSeconds`. */
  constructor(
    perSecond: number,
    growthPerYear: number,
    startSeconds: number,
    endSeconds = Infinity,
  ) {
    this.#perSecond = perSecond;
    this.#growth = Math.log1p(growthPerYear) / yearSeconds;
    this.#start = startSeconds;
    this.#end = endSeconds;
  }

  /** Writes in `[from, to)`. */
  between(from: number, to: number): number {
    const last = Math.min(to, this.#end);
    return Math.max(0, this.#until(last) - this.#until(Math.max(from, this.#start)));
  }

  /** Writes since now; negative for writes before. */
  #until(seconds: number): number {
    if (seconds <= 0 || this.#growth === 0) return this.#perSecond * seconds;
    return (this.#perSecond * Math.expm1(this.#growth * seconds)) / this.#growth;
  }
}
