/** Random operations as plain data, all of them valid. */
import { latin1Bytes, latin1Text, prefixRange } from '../../../base/index.js';
import type { Filter, Mutation, ReadPlan, RowMutation } from '../../../data/store/index.js';
import { Random } from '../../values/index.js';
import { set, utf8 } from '../rows.js';

/** One operation of a history. */
export type HistoryOperation =
  | { readonly kind: 'write'; readonly row: RowMutation }
  | { readonly kind: 'writeMany'; readonly rows: readonly RowMutation[] }
  | {
      readonly kind: 'check';
      readonly key: Uint8Array;
      readonly predicate: Filter;
      readonly onTrue: readonly Mutation[];
      readonly onFalse: readonly Mutation[];
    }
  | { readonly kind: 'increment'; readonly key: Uint8Array; readonly amount: bigint }
  | { readonly kind: 'append'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'read'; readonly plan: Partial<ReadPlan> };

/** Few different keys, so that rows are written again; some are prefixes of other keys. */
const keys = ['r', 'r\0', 'r\0\0', 'r1', 'r10', 'r2', 'r\x7f', 'r\xff', 'r\xff\xff'];
/**
 * Rows of increments and appends begin with another letter. Their timestamps are from the server,
 * and therefore not compared.
 */
export const counterPrefix = 'c';
const counterKeys = ['c1', 'c2', 'c3'];
const families = ['a', 'b'];
const qualifiers = ['', 'q', 'q\0', 'r', '\xff'];
const values = ['', '0', '1', 'long'.repeat(50)];
const times = [0, 1000, 2000, 3_000_000, 9_000_000_000_000];

/** Draws operations. */
export class OperationSource {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(): HistoryOperation {
    const kind = this.#below(100);
    if (kind < 35)
      return { kind: 'write', row: { key: this.#key(), mutations: this.#mutations() } };
    if (kind < 45) return { kind: 'writeMany', rows: this.#rows() };
    if (kind < 55)
      return {
        kind: 'check',
        key: this.#key(),
        predicate: this.#filter(1),
        onTrue: this.#mutations(),
        onFalse: this.#mutations(),
      };
    const counter = this.#pick(counterKeys);
    if (kind < 60)
      return { kind: 'increment', key: utf8(counter), amount: BigInt(this.#below(100) - 50) };
    if (kind < 65) return { kind: 'append', key: utf8(counter), value: utf8(this.#pick(values)) };
    return { kind: 'read', plan: this.#plan() };
  }

  #below(count: number): number {
    return this.#random.below(count);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)];
  }

  #key(): Uint8Array {
    return latin1Bytes(this.#pick(keys));
  }

  /** Rows with different keys: the order of entries with the same key is not defined. */
  #rows(): readonly RowMutation[] {
    const chosen = keys.filter(() => this.#below(3) === 0);
    if (chosen.length === 0) chosen.push(this.#pick(keys));
    return chosen.map((key) => ({ key: latin1Bytes(key), mutations: this.#mutations() }));
  }

  #mutations(): Mutation[] {
    return Array.from({ length: 1 + this.#below(4) }, () => this.#mutation());
  }

  #mutation(): Mutation {
    const kind = this.#below(20);
    const family = this.#pick(families);
    const qualifier = latin1Bytes(this.#pick(qualifiers));
    if (kind === 0) return { kind: 'deleteFromRow' };
    if (kind === 1) return { kind: 'deleteFromFamily', family };
    if (kind < 4) return { kind: 'deleteFromColumn', family, qualifier };
    if (kind < 6)
      return { kind: 'deleteFromColumn', family, qualifier, start: 1000, end: 3_000_000 };
    return { ...set(family, '', this.#pick(values), this.#pick(times)), qualifier } as Mutation;
  }

  #plan(): Partial<ReadPlan> {
    const start = this.#key();
    const point = { start, end: latin1Bytes(`${latin1Text(start)}\0`) };
    return {
      ranges: [this.#pick([prefixRange(utf8('r')), { start, end: utf8('s') }, point])],
      reversed: this.#below(3) === 0,
      limit: this.#below(3) === 0 ? 1 + this.#below(4) : undefined,
      filter: this.#below(4) === 0 ? undefined : this.#filter(2),
    };
  }

  #filter(depth: number): Filter {
    const family = this.#pick(families);
    const chosen = this.#below(depth > 0 ? 12 : 8);
    switch (chosen) {
      case 0:
        return { kind: 'families', families: [family] };
      case 1:
      case 2: {
        const wanted = qualifiers.filter(() => this.#below(2) === 0).map(latin1Bytes);
        return { kind: 'columns', columns: [{ family, qualifiers: [utf8('q'), ...wanted] }] };
      }
      case 3:
        return { kind: 'cellsPerColumn', count: 1 + this.#below(2) };
      case 4:
        return { kind: 'timestampRange', start: 1000, end: 3_000_000 };
      case 5:
        return { kind: 'valueEquals', value: utf8(this.#pick(values)) };
      case 6:
        return { kind: 'stripValue' };
      case 7:
        return { kind: 'passAll' };
      case 8:
      case 9:
        return {
          kind: 'condition',
          predicate: this.#filter(depth - 1),
          onTrue: this.#filter(depth - 1),
          onFalse: this.#below(2) === 0 ? this.#filter(depth - 1) : undefined,
        };
      default:
        return { kind: 'chain', filters: [this.#filter(depth - 1), this.#filter(depth - 1)] };
    }
  }
}
