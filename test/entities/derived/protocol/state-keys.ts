/**
 * Texts that are the same for the same state. States share most of their parts with earlier states,
 * so the JSON of each part is made once: the JSON of whole states took most of the time.
 */
export class StateKeys {
  /** Numbers of parts by their JSON. */
  readonly #numbers = new Map<string, number>();
  /** Numbers of the objects seen so far. */
  readonly #known = new WeakMap<object, number>();

  /** The text of a state with these parts, which are plain data and never changed. */
  of(storage: object, processes: readonly object[], faults: number): string {
    let text = `${faults}`;
    for (const part of Object.values(storage)) text += ` ${this.#numberOf(part as object)}`;
    for (const process of processes) text += ` ${this.#numberOf(process)}`;
    return text;
  }

  #numberOf(part: object): number {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const text = JSON.stringify(part);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(part, number);
    return number;
  }
}
