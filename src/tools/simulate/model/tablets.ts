/**
 * Tablets and nodes. Bigtable splits tables by size and by load, but only at keys that it has seen:
 * the later half of the operations is served by tablets that the earlier half has split. A write
 * front that always moves to new keys therefore stays in one tablet.
 */
import { compareBytes } from '../../../base/index.js';
import type { TimedOperation } from './traffic.js';

/** Tablets of a design and how even the load on them is. */
export interface TabletReport {
  /** Tablets by size alone. */
  readonly bySize: number;
  /** Share of the load in the busiest tablet, when tablets are as small as load can make them. */
  readonly busiestTablet: number;
  /** Share of the load on the busiest node; 1 / nodes at best. */
  readonly busiestNode: number;
  /** The greatest share of the writes on one node; 0 without writes. */
  readonly busiestWriteNode: number;
  /** Bytes of the largest tablet by size, as a multiple of the median. */
  readonly sizeSkew: number;
}

/** A stored row of the sample. */
export interface TabletRow {
  readonly key: Uint8Array;
  readonly bytes: number;
}

/** The tablets of a table without load. */
export interface SizedTablets {
  /** Tablets of the table. */
  readonly count: number;
  /** First key and bytes of each in the sample, in order; the first key is empty. */
  readonly starts: readonly Uint8Array[];
  readonly sizes: readonly number[];
}

const maxTabletsBySize = 1_000;
/** Splits by load go on until no tablet has more than this part of the load ... */
const splitPart = 1 / 512;
/** ... or of a node's share of it, or so few operations that they say nothing. */
const splitsPerNode = 32;
const minOperations = 16;

/** The tablets of a table under a load. */
export class Tablets {
  /** First key of each tablet, in order; the first is empty. */
  readonly #starts: readonly Uint8Array[];
  readonly #bySize: SizedTablets;
  /** Of the tablets, in their order. */
  readonly #load: readonly number[];
  readonly #writes: readonly number[];

  /** `nodes`: as many as the table may need. */
  constructor(bySize: SizedTablets, operations: readonly TimedOperation[], nodes: number) {
    this.#bySize = bySize;
    const half = operations.length >> 1;
    const part = Math.min(splitPart, 1 / (nodes * splitsPerNode));
    this.#starts = splitByLoad(bySize.starts, operations.slice(0, half), part);
    const later = operations.slice(half);
    this.#load = this.#shares(later);
    this.#writes = this.#shares(later.filter(({ kind }) => kind === 'write'));
  }

  report(nodes: number): TabletReport {
    const sizes = this.#bySize.sizes.toSorted((a, b) => a - b);
    const median = sizes[sizes.length >> 1] ?? 0;
    return {
      bySize: this.#bySize.count,
      busiestTablet: this.busiestTablet,
      busiestNode: this.busiestNode(nodes),
      busiestWriteNode: Math.max(...this.#byNode(this.#writes, nodes)),
      sizeSkew: median === 0 ? 1 : sizes[sizes.length - 1] / median,
    };
  }

  /** Share of the load in the busiest tablet. */
  get busiestTablet(): number {
    return Math.max(...this.#load);
  }

  /** Share of the load on the busiest of so many nodes. */
  busiestNode(nodes: number): number {
    return Math.max(...this.#byNode(this.#load, nodes));
  }

  /** What the nodes have of something that the tablets have: each tablet is on one node. */
  #byNode(shares: readonly number[], nodes: number): readonly number[] {
    const loads = new Array<number>(nodes).fill(0);
    const found = new Array<number>(nodes).fill(0);
    const order = [...this.#load.keys()].sort((a, b) => this.#load[b] - this.#load[a]);
    for (const tablet of order) {
      // Busiest tablets first, each to the node with the least load.
      const least = loads.indexOf(Math.min(...loads));
      loads[least] += this.#load[tablet];
      found[least] += shares[tablet];
    }
    return found;
  }

  #shares(operations: readonly TimedOperation[]): readonly number[] {
    const shares = this.#starts.map(() => 0);
    for (const { key, seconds } of operations) shares[indexOf(this.#starts, key)] += seconds;
    const total = shares.reduce((sum, share) => sum + share, 0);
    return total === 0 ? shares : shares.map((share) => share / total);
  }
}

/** Tablets of equal size. `tabletBytes`: the size at which a tablet is split. */
export function splitBySize(rows: readonly TabletRow[], tabletBytes: number): SizedTablets {
  const sorted = rows.toSorted((a, b) => compareBytes(a.key, b.key));
  const total = sorted.reduce((sum, { bytes }) => sum + bytes, 0);
  const wanted = Math.max(1, Math.ceil(total / tabletBytes));
  const count = Math.max(1, Math.min(wanted, maxTabletsBySize, sorted.length));
  const starts: Uint8Array[] = [new Uint8Array()];
  const sizes = [0];
  let before = 0;
  for (const { key, bytes } of sorted) {
    if (before >= (total * starts.length) / count && starts.length < count) {
      starts.push(key);
      sizes.push(0);
    }
    sizes[sizes.length - 1] += bytes;
    before += bytes;
  }
  return { count: wanted, starts, sizes };
}

/** Splits tablets with more than a part of the load in the middle of it, again and again. */
function splitByLoad(
  starts: readonly Uint8Array[],
  operations: readonly TimedOperation[],
  part: number,
): readonly Uint8Array[] {
  const sorted = operations.toSorted((a, b) => compareBytes(a.key, b.key));
  const until = [0];
  for (const { seconds } of sorted) until.push(until[until.length - 1] + seconds);
  const limit = part * until[until.length - 1];
  const splits: Uint8Array[] = [];
  const split = (from: number, to: number): void => {
    if (to - from < minOperations || until[to] - until[from] <= limit) return;
    const middle = firstAbove(until, (until[from] + until[to]) / 2, from, to) - 1;
    // All operations on a row are in the same tablet.
    const at = boundaryNear(sorted, middle, from, to);
    if (at === undefined) return;
    splits.push(sorted[at].key);
    split(from, at);
    split(at, to);
  };
  let from = 0;
  for (let tablet = 1; tablet <= starts.length; tablet++) {
    const end = starts[tablet];
    let to = from;
    while (to < sorted.length && (end === undefined || compareBytes(sorted[to].key, end) < 0)) to++;
    split(from, to);
    from = to;
  }
  const all = [...starts, ...splits].sort(compareBytes);
  return all.filter((key, i) => i === 0 || compareBytes(key, all[i - 1]) !== 0);
}

/** The first position in `(from, to]` with a sum above the value. */
function firstAbove(sums: readonly number[], value: number, from: number, to: number): number {
  let [low, high] = [from + 1, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position in `(from, to)` nearest to another one at which a row begins. */
function boundaryNear(
  sorted: readonly TimedOperation[],
  middle: number,
  from: number,
  to: number,
): number | undefined {
  const begins = (i: number): boolean => compareBytes(sorted[i - 1].key, sorted[i].key) !== 0;
  for (let step = 0; step < to - from; step++) {
    const [before, after] = [middle - step, middle + step];
    if (before > from && before < to && begins(before)) return before;
    if (after > from && after < to && begins(after)) return after;
  }
  return undefined;
}

/** The tablet with a key. */
function indexOf(starts: readonly Uint8Array[], key: Uint8Array): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (compareBytes(starts[middle], key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}
