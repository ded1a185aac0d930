/** The state of one aggregate of one group: values in, the result out. */
import { queryError } from '../../query/index.js';
import { compareBytes, isBytes, isDate, valueText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { type AggregateSpec, kindOf } from './aggregate-spec.js';
import {
  BigIntSum,
  compareDecimals,
  type Decimal,
  DecimalSum,
  NumberSum,
  type NumericSum,
  parseDecimal,
  type Sum,
} from './exact-sum.js';

/** Gathers the values of one property, in the order of the rows. */
export interface Accumulator {
  /** Adds the value of a row: never undefined or null. */
  add(value: unknown): void;
  result(): unknown;
}

type Fault = (value: unknown, wanted: string) => Error;

/** A function that creates the accumulators of an aggregate, one for each group. */
export function accumulatorsOf(model: EntityModel, spec: AggregateSpec): () => Accumulator {
  const fault: Fault = (value, wanted) =>
    queryError(model, spec.property, faults.wrongType(spec.kind, wanted, value));
  switch (spec.kind) {
    case 'count':
      return () => new Count();
    case 'first':
      return () => new First();
    case 'last':
      return () => new Last();
    case 'avg':
      return () => new Average(fault);
    case 'sum': {
      if (spec.decimal) return () => new Total(new DecimalSum(), decimalReader(fault));
      const empty = bigIntKinds.has(kindOf(model, spec.property!) ?? '') ? 0n : 0;
      return () => new NumericTotal(empty, fault);
    }
    case 'min':
    case 'max': {
      const sign = spec.kind === 'min' ? -1 : 1;
      const compare = spec.decimal ? decimalComparator(fault) : valueComparator(fault);
      return () => new Extreme((a, b) => sign * compare(a, b));
    }
  }
}

/** Kinds of segments and columns with bigints as values. */
const bigIntKinds = new Set(['int64', 'bigint', 'micros']);

class Count implements Accumulator {
  #count = 0;
  add(): void {
    this.#count++;
  }
  result(): number {
    return this.#count;
  }
}

class First implements Accumulator {
  #value: unknown;
  add(value: unknown): void {
    this.#value ??= value;
  }
  result(): unknown {
    return this.#value;
  }
}

class Last implements Accumulator {
  #value: unknown;
  add(value: unknown): void {
    this.#value = value;
  }
  result(): unknown {
    return this.#value;
  }
}

/** A sum of values that are converted first. */
class Total<V> implements Accumulator {
  readonly #sum: Sum;
  readonly #read: (value: unknown) => V;

  constructor(sum: Sum, read: (value: unknown) => V) {
    this.#sum = sum;
    this.#read = read;
  }
  add(value: unknown): void {
    this.#sum.add(this.#read(value));
  }
  result(): unknown {
    return this.#sum.total();
  }
}

/** The sum of numbers or of bigints: whichever the first value is. */
class NumericTotal implements Accumulator {
  readonly #empty: number | bigint;
  readonly #fault: Fault;
  #type = '';
  #sum: NumericSum | undefined;

  constructor(empty: number | bigint, fault: Fault) {
    this.#empty = empty;
    this.#fault = fault;
  }
  add(value: unknown): void {
    if (this.#sum === undefined) {
      this.#type = typeof value;
      this.#sum = typeof value === 'bigint' ? new BigIntSum() : new NumberSum();
    }
    if (typeof value !== this.#type || (this.#type !== 'number' && this.#type !== 'bigint'))
      throw this.#fault(value, 'numbers or bigints');
    this.#sum.add(value);
  }
  result(): unknown {
    return this.#sum?.total() ?? this.#empty;
  }
  /** The average of the values, if there are any. */
  mean(count: number): number | undefined {
    return this.#sum?.mean(count);
  }
}

class Average implements Accumulator {
  readonly #total: NumericTotal;
  #count = 0;

  constructor(fault: Fault) {
    this.#total = new NumericTotal(0, fault);
  }
  add(value: unknown): void {
    this.#total.add(value);
    this.#count++;
  }
  result(): number | undefined {
    if (this.#count === 0) return undefined;
    return this.#total.mean(this.#count);
  }
}

/** The value that compares as greatest; of equal ones the first. */
class Extreme implements Accumulator {
  readonly #compare: (a: unknown, b: unknown) => number;
  #value: unknown;

  constructor(compare: (a: unknown, b: unknown) => number) {
    this.#compare = compare;
  }
  add(value: unknown): void {
    if (Number.isNaN(value)) return;
    if (this.#value === undefined) {
      this.#compare(value, value);
      this.#value = value;
    } else if (this.#compare(value, this.#value) > 0) {
      this.#value = value;
    }
  }
  result(): unknown {
    return this.#value;
  }
}

function decimalReader(fault: Fault): (value: unknown) => Decimal {
  return (value) => {
    const decimal = typeof value === 'string' ? parseDecimal(value) : undefined;
    if (decimal === undefined) throw fault(value, "decimal text such as '12.50'");
    return decimal;
  };
}

function decimalComparator(fault: Fault): (a: unknown, b: unknown) => number {
  const read = decimalReader(fault);
  return (a, b) => compareDecimals(read(a), read(b));
}

/** Compares values of one type: text in the order of its UTF-8 bytes, as storage does. */
function valueComparator(fault: Fault): (a: unknown, b: unknown) => number {
  return (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
    if (isBytes(a) && isBytes(b)) return compareBytes(a, b);
    const ordered = typeof a === 'number' || typeof a === 'bigint' || isDate(a);
    if (!ordered || typeof a !== typeof b) throw fault(a, 'values that have an order');
    if (a < (b as typeof a)) return -1;
    return a > (b as typeof a) ? 1 : 0;
  };
}

/** UTF-16 units sort as UTF-8 bytes do, except that surrogates sort below U+E000. */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [highX, highY] = [isSurrogate(x), isSurrogate(y)];
    if (highX !== highY) return highX ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

const faults = {
  wrongType: (kind: string, wanted: string, value: unknown) => ({
    problem: `${kind} takes ${wanted}, and a row has ${valueText(value)}`,
    fix: 'take count, first or last of it',
  }),
} satisfies FaultTexts;
