/** Names of one scope, none of them twice. */
export class UniqueNames {
  readonly #separator: string;
  readonly #ignoreCase: boolean;
  readonly #taken = new Set<string>();

  /**
   * `reserved` names are never given. `separator` comes before the number that is appended to a
   * name that is taken. Names that differ only in case count as the same by default.
   */
  constructor({
    reserved = [],
    separator = '_',
    ignoreCase = true,
  }: {
    readonly reserved?: Iterable<string>;
    readonly separator?: string;
    readonly ignoreCase?: boolean;
  } = {}) {
    this.#separator = separator;
    this.#ignoreCase = ignoreCase;
    for (const name of reserved) this.#taken.add(this.#identity(name));
  }

  has(name: string): boolean {
    return this.#taken.has(this.#identity(name));
  }

  /** Takes `wanted`, or the first of `wanted_2`, `wanted_3`... that is free. */
  take(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.has(name); n++) name = `${wanted}${this.#separator}${n}`;
    this.#taken.add(this.#identity(name));
    return name;
  }

  #identity(name: string): string {
    return this.#ignoreCase ? name.toLowerCase() : name;
  }
}
