/** Maps with Dates as keys. */
import { isDate } from '../../base/index.js';

/**
 * A Map with Dates as keys, which are equal if their times are: a plain Map compares them by
 * identity, so that `get(new Date(0))` never finds anything. Column maps with timestamp qualifiers
 * are read as one. Do not change a Date that is a key.
 */
export class DateMap<V> extends Map<Date, V> {
  readonly #keys = new Map<number, Date>();

  /** Entries with equal times count once, with the last value. */
  constructor(entries?: Iterable<readonly [Date, V]> | null) {
    // The constructor of Map would call set() before #keys exists.
    super();
    for (const [at, value] of entries ?? []) this.set(at, value);
  }

  override get(at: Date): V | undefined {
    return super.get(this.#keyOf(at));
  }

  override has(at: Date): boolean {
    if (isDate(at)) return this.#keys.has(at.getTime());
    return super.has(at);
  }

  override set(at: Date, value: V): this {
    const key = this.#keyOf(at);
    if (isDate(key)) this.#keys.set(key.getTime(), key);
    return super.set(key, value);
  }

  override delete(at: Date): boolean {
    const key = this.#keyOf(at);
    if (isDate(key)) this.#keys.delete(key.getTime());
    return super.delete(key);
  }

  override clear(): void {
    this.#keys.clear();
    super.clear();
  }

  /** The Date of the map with this time; if there is none, the given one. */
  #keyOf(at: Date): Date {
    // JavaScript may pass anything: what is not a Date is rejected when the map is written.
    if (!isDate(at)) return at;
    return this.#keys.get(at.getTime()) ?? at;
  }
}
