/** The operations of a workload in their order: the same for the same seed. */
import type { Values } from '../../../base/index.js';
import { drawNumbers, type Numbers } from '../population/population.js';
import { Random } from '../../values/index.js';
import { boundArgument } from '../model/planned-read.js';
import { rowValues } from '../model/row-keys.js';
import type { EntityLoad, ReadKind } from '../workload/entity-load.js';
import { RowData } from '../workload/row-data.js';

/** One operation on a repository. */
export type LoadOperation = {
  /** `write`, `get`, or the name of the access pattern. */
  readonly name: string;
  /** The key of a row that it concerns. */
  readonly key: Values;
} & (
  | { readonly kind: 'write'; readonly columns: Values }
  /** A write of an entity that has only counters. */
  | { readonly kind: 'increment'; readonly counter: string }
  | { readonly kind: 'get' }
  | { readonly kind: 'pattern'; readonly arguments: Values }
);

/** What the operations depend on. */
export interface OperationOptions {
  readonly seed: number;
  readonly dataset: Dataset;
}

/** What the keys of all rows have in common. */
export interface Dataset {
  /** Values of leading segments. */
  readonly values: Values;
  /** The text that the values of the next segment begin with. */
  readonly prefix?: { readonly segment: string; readonly text: string } | undefined;
}

/** Rows written last, from which reads choose if no distribution gives their keys. */
const rememberedRows = 4_096;

/** Makes operations one after the other. */
export class LoadOperations {
  readonly #load: EntityLoad;
  readonly #random: Random;
  readonly #data: RowData;
  readonly #dataset: Dataset;
  readonly #writeShare: number;
  /** Keys have a time or a sequence: reads cannot draw a key that exists. */
  readonly #growing: boolean;
  readonly #recent: Values[] = [];
  #written = 0;

  /** Throws INVALID_ARGUMENT for columns with values that cannot be made up. */
  constructor(load: EntityLoad, { seed, dataset }: OperationOptions) {
    const { writesPerSecond, readsPerSecond } = load;
    this.#load = load;
    this.#random = new Random(seed);
    this.#data = new RowData(load, true);
    this.#dataset = dataset;
    this.#writeShare = writesPerSecond / (writesPerSecond + readsPerSecond);
    this.#growing = load.sequential || load.bucketMs !== undefined;
  }

  /** The next operation; `ms` is its time for keys that have one. */
  next(ms: number): LoadOperation {
    if (this.#random.next() < this.#writeShare) return this.write(ms);
    const kind = this.#chosenRead();
    const numbers = drawNumbers(this.#load.segments, this.#random);
    if (kind.pattern === undefined)
      return { name: 'get', kind: 'get', key: this.#existingKey(numbers, ms) };
    return {
      name: kind.name,
      kind: 'pattern',
      key: this.#keyOf(numbers, ms),
      arguments: this.#argumentsOf(kind, numbers, ms),
    };
  }

  /** A write. */
  write(ms: number): LoadOperation {
    const key = this.#keyOf(drawNumbers(this.#load.segments, this.#random), ms);
    if (this.#growing) this.#recent[this.#written % rememberedRows] = key;
    this.#written++;
    const columns = this.#data.columns(this.#random);
    const [counter] = this.#data.counters();
    if (counter !== undefined && this.#data.size === 0)
      return { name: 'write', kind: 'increment', key, counter };
    return { name: 'write', kind: 'write', key, columns };
  }

  #keyOf(numbers: Numbers, ms: number): Values {
    const instant = { ms, sequence: this.#written, random: this.#random.next() };
    const { values, prefix } = this.#dataset;
    const key = { ...rowValues(this.#load.segments, numbers, instant), ...values };
    if (prefix === undefined) return key;
    return { ...key, [prefix.segment]: `${prefix.text}${String(key[prefix.segment])}` };
  }

  #existingKey(numbers: Numbers, ms: number): Values {
    if (!this.#growing || this.#recent.length === 0) return this.#keyOf(numbers, ms);
    return this.#recent[this.#random.below(this.#recent.length)];
  }

  #argumentsOf(kind: ReadKind, numbers: Numbers, ms: number): Values {
    const { prefix, bound } = kind.pattern!;
    const key = this.#keyOf(numbers, ms);
    const values = Object.fromEntries(prefix.map((name) => [name, key[name]]));
    if (bound === undefined) return values;
    const { segments } = this.#load;
    const i = segments.findIndex(({ property }) => property === bound.segment);
    return {
      ...values,
      [bound.segment]: boundArgument(kind.pattern!, kind, segments[i], numbers[i], ms),
    };
  }

  #chosenRead(): ReadKind {
    const { reads } = this.#load;
    let left = this.#random.next();
    return reads.find(({ share }) => (left -= share) < 0) ?? reads[reads.length - 1];
  }
}
