/**
 * Tablets and nodes. Bigtable splits tables by size and by load, but only at keys that it has seen:
 * the later half of the operations is served by tablets that the earlier half has split. A write
 * front that always moves to new keys therefore stays in one tablet.
 */
import { compareBytes } from '../../../base/index.js';
import type { TrafficOperation } from './traffic.js';

/** Tablets of a design and how even the load on them is. */
export interface TabletReport {
  /** Tablets by size alone. */
  readonly bySize: number;
  /** Share of the load in the busiest tablet, when tablets are as small as load can make them. */
  readonly busiestTablet: number;
  /** Whether it has no more than smaller ones could: the sample tells no hot tablet. */
  readonly isEven: boolean;
  /** What its rows are of: `row`, or the name of an index, a rollup or a source of copies. */
  readonly busiestOwner: string;
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

/** The traffic of the rows of one owner, which share no tablet with rows of another one. */
export class OwnedTraffic {
  readonly owner: string;
  readonly bySize: SizedTablets;
  /** The half that splits tablets, in the order of keys. */
  readonly earlier: readonly TrafficOperation[];
  /** The half that the tablets serve. */
  readonly later: readonly TrafficOperation[];

  constructor(owner: string, bySize: SizedTablets, operations: readonly TrafficOperation[]) {
    this.owner = owner;
    this.bySize = bySize;
    const half = operations.length >> 1;
    this.earlier = operations.slice(0, half).sort((a, b) => compareBytes(a.key, b.key));
    this.later = operations.slice(half);
  }
}

const maxTabletsBySize = 1_000;
/** Splits by load go on until no tablet has more than this part of the load ... */
const splitPart = 1 / 512;
/** ... or of a node's share of it, or so few operations that they say nothing. */
const splitsPerNode = 32;
const minOperations = 16;
/** By chance a tablet has so many times its part of the load, and of the longest requests. */
const evenFactor = 2.5;
const evenOperations = 3;

/** The tablets of a design under a load. */
export class Tablets {
  readonly #bySize: SizedTablets;
  readonly #owners: readonly string[];
  /** Of the tablets. */
  readonly #load: readonly number[];
  readonly #writes: readonly number[];
  /** The busiest first. */
  readonly #order: readonly number[];
  /** The sample cannot distinguish this share of the load from another tablet's. */
  readonly #resolution: number;

  /**
   * `seconds`: the time of one node that an operation takes. `nodes`: as many as the design may
   * need. The first traffic is of the rows themselves.
   */
  constructor(
    traffic: readonly OwnedTraffic[],
    seconds: (operation: TrafficOperation) => number,
    nodes: number,
  ) {
    this.#bySize = traffic[0].bySize;
    const part = Math.min(splitPart, 1 / (nodes * splitsPerNode));
    const sums = traffic.map(({ earlier }) => runningSums(earlier, seconds));
    const total = sums.reduce((sum, each) => sum + each[each.length - 1], 0);
    const limit = part * total;
    let longest = 0;
    const load: number[] = [];
    const writes: number[] = [];
    const owners: string[] = [];
    traffic.forEach(({ owner, bySize, earlier, later }, i) => {
      const starts = splitByLoad(bySize.starts, earlier, sums[i], limit);
      const first = load.length;
      for (const _start of starts) {
        owners.push(owner);
        load.push(0);
        writes.push(0);
      }
      for (const operation of later) {
        const at = first + indexOf(starts, operation.key);
        const own = seconds(operation);
        load[at] += own;
        longest = Math.max(longest, own);
        if (operation.kind === 'write') writes[at] += own;
      }
    });
    const count = sums.reduce((sum, each) => sum + each.length - 1, 0);
    const even = Math.max(part, minOperations / Math.max(1, count));
    this.#resolution = evenFactor * even + (evenOperations * longest) / total;
    this.#owners = owners;
    this.#load = shares(load);
    this.#writes = shares(writes);
    this.#order = [...load.keys()].sort((a, b) => load[b] - load[a]);
  }

  report(nodes: number): TabletReport {
    const sizes = this.#bySize.sizes.toSorted((a, b) => a - b);
    const median = sizes[sizes.length >> 1] ?? 0;
    return {
      bySize: this.#bySize.count,
      busiestTablet: this.busiestTablet,
      isEven: this.busiestTablet <= this.#resolution,
      busiestOwner: this.#owners[this.#order[0]],
      busiestNode: this.busiestNode(nodes),
      busiestWriteNode: Math.max(...this.#byNode(this.#writes, nodes)),
      sizeSkew: median === 0 ? 1 : sizes[sizes.length - 1] / median,
    };
  }

  /** Share of the load in the busiest tablet. */
  get busiestTablet(): number {
    return this.#load[this.#order[0]];
  }

  /** Share of the load on the busiest of so many nodes. */
  busiestNode(nodes: number): number {
    return Math.max(...this.#byNode(this.#load, nodes));
  }

  /** What the nodes have of something that the tablets have: each tablet is on one node. */
  #byNode(parts: readonly number[], nodes: number): readonly number[] {
    const loads = new Array<number>(nodes).fill(0);
    const found = new Array<number>(nodes).fill(0);
    for (const tablet of this.#order) {
      // Busiest tablets first, each to the node with the least load.
      const least = loads.indexOf(Math.min(...loads));
      loads[least] += this.#load[tablet];
      found[least] += parts[tablet];
    }
    return found;
  }
}

function shares(values: readonly number[]): readonly number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  return total === 0 ? values : values.map((value) => value / total);
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

/** The time of the operations before each position, and of all. */
function runningSums(
  operations: readonly TrafficOperation[],
  seconds: (operation: TrafficOperation) => number,
): Float64Array {
  const sums = new Float64Array(operations.length + 1);
  operations.forEach((operation, i) => (sums[i + 1] = sums[i] + seconds(operation)));
  return sums;
}

/**
 * Splits tablets with more than a limit of the load in the middle of it, again and again. `until`:
 * the running sums of the operations.
 */
function splitByLoad(
  starts: readonly Uint8Array[],
  sorted: readonly TrafficOperation[],
  until: Float64Array,
  limit: number,
): readonly Uint8Array[] {
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
function firstAbove(sums: Float64Array, value: number, from: number, to: number): number {
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
  sorted: readonly TrafficOperation[],
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
