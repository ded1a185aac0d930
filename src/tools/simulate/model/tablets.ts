/**
 * Tablets and nodes. Bigtable splits tables by size and by load, and moves tablets between nodes,
 * but only from the load that it has seen: the tablets of a minute are split by the keys of the
 * minutes before. A write front that always moves to new keys therefore stays in one tablet.
 */
import { compareBytes } from '../../../base/index.js';
import type { AccessOperation } from '../../heat/index.js';

/** Tablets of a design and how even the load on them is. */
export interface TabletReport {
  /** Tablets by size alone. */
  readonly bySize: number;
  /** Tablets after splits by load. */
  readonly tablets: number;
  /** Share of the operations of a minute in the busiest tablet, on average. */
  readonly busiestTablet: number;
  /** Share of the operations of a minute on the busiest node, on average; 1 / nodes at best. */
  readonly busiestNode: number;
  /** The same of the writes alone; 0 without writes. */
  readonly busiestWriteNode: number;
  /** The same of the reads alone; 0 without reads. */
  readonly busiestReadNode: number;
  /** Bytes of the largest tablet by size, as a multiple of the median. */
  readonly sizeSkew: number;
}

/** A stored row of the sample. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly bytes: number;
}

export interface TabletOptions {
  readonly nodes: number;
  /** Size at which a tablet is split. */
  readonly tabletBytes: number;
}

const maxTabletsBySize = 1_000;
/** A tablet is split by load if it has more than this part of a node's share. */
const splitPart = 0.25;
const maxSplitsPerMinute = 200;

/** The tablets of a table with these rows under this traffic. */
export function tabletReport(
  rows: readonly StoredRow[],
  operations: readonly AccessOperation[],
  { nodes, tabletBytes }: TabletOptions,
): TabletReport {
  const sorted = rows.toSorted((a, b) => compareBytes(a.key, b.key));
  const total = sorted.reduce((sum, { bytes }) => sum + bytes, 0);
  const wanted = Math.ceil(total / tabletBytes);
  const bySize = Math.max(1, Math.min(wanted, maxTabletsBySize, sorted.length));
  const { starts, sizes } = splitBySize(sorted, total, bySize);
  const tablets = new Tablets(starts, nodes);
  const minutes = byMinute(operations);
  const measured: MinuteLoad[] = [];
  minutes.forEach((minute, i) => {
    if (i > 0) {
      tablets.split(minutes[i - 1]);
      measured.push(tablets.measure(minutes[i - 1], minute));
    }
  });
  const median = sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0;
  return {
    bySize: Math.max(1, wanted),
    tablets: Math.max(1, wanted) + tablets.count - bySize,
    busiestTablet: mean(measured.map(({ tablet }) => tablet)),
    busiestNode: mean(measured.map(({ node }) => node)),
    busiestWriteNode: mean(measured.map(({ writeNode }) => writeNode)),
    busiestReadNode: mean(measured.map(({ readNode }) => readNode)),
    sizeSkew: median === 0 ? 1 : Math.max(...sizes) / median,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function splitBySize(
  rows: readonly StoredRow[],
  total: number,
  count: number,
): { readonly starts: Uint8Array[]; readonly sizes: readonly number[] } {
  const starts: Uint8Array[] = [new Uint8Array()];
  const sizes = [0];
  let before = 0;
  for (const { key, bytes } of rows) {
    if (before >= (total * starts.length) / count && starts.length < count) {
      starts.push(key);
      sizes.push(0);
    }
    sizes[sizes.length - 1] += bytes;
    before += bytes;
  }
  return { starts, sizes };
}

function byMinute(operations: readonly AccessOperation[]): readonly (readonly AccessOperation[])[] {
  const minutes: AccessOperation[][] = [];
  const start = operations[0]?.at ?? 0;
  for (const operation of operations) {
    const minute = Math.floor((operation.at - start) / 60_000);
    (minutes[minute] ??= []).push(operation);
  }
  return minutes.filter((each) => each !== undefined);
}

interface MinuteLoad {
  readonly tablet: number;
  readonly node: number;
  readonly writeNode: number;
  readonly readNode: number;
}

class Tablets {
  /** First key of each tablet, in order; the first is empty. */
  #starts: Uint8Array[];
  readonly #nodes: number;
  /** Keys by tablet of the operations of a minute, until the tablets change. */
  #known = new WeakMap<readonly AccessOperation[], readonly (readonly Uint8Array[])[]>();

  constructor(starts: Uint8Array[], nodes: number) {
    this.#starts = starts;
    this.#nodes = nodes;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Splits tablets with too much load at the middle of the keys that were used. */
  split(operations: readonly AccessOperation[]): void {
    const limit = Math.max(8, (operations.length / this.#nodes) * splitPart);
    const added: Uint8Array[] = [];
    // The busiest tablets first: the number of splits is limited.
    const open = this.#keysOf(operations)
      .filter((keys) => keys.length > limit)
      .map((keys) => keys.toSorted(compareBytes));
    while (open.length > 0 && added.length < maxSplitsPerMinute) {
      open.sort((a, b) => a.length - b.length);
      const keys = open.pop()!;
      const middle = keys[keys.length >> 1];
      // A single row cannot be split.
      if (compareBytes(middle, keys[0]) === 0) continue;
      added.push(middle);
      const at = keys.findIndex((key) => compareBytes(key, middle) >= 0);
      open.push(...[keys.slice(0, at), keys.slice(at)].filter((part) => part.length > limit));
    }
    if (added.length === 0) return;
    const all = [...this.#starts, ...added].sort(compareBytes);
    this.#starts = all.filter((key, i) => i === 0 || compareBytes(key, all[i - 1]) !== 0);
    this.#known = new WeakMap();
  }

  /** The load of a minute on tablets that were placed by the load of the minute before. */
  measure(before: readonly AccessOperation[], now: readonly AccessOperation[]): MinuteLoad {
    const node = this.#place(this.#counts(before));
    const counts = this.#counts(now);
    const nodeOf = (wanted: AccessOperation['kind']): number => {
      const own = now.filter(({ kind }) => kind === wanted);
      const ownCounts = own.length === now.length ? counts : this.#counts(own);
      return this.#busiest(ownCounts, node) / Math.max(1, own.length);
    };
    return {
      tablet: Math.max(...counts) / now.length,
      node: this.#busiest(counts, node) / now.length,
      writeNode: nodeOf('write'),
      readNode: nodeOf('read'),
    };
  }

  #busiest(counts: readonly number[], node: readonly number[]): number {
    const loads = new Array<number>(this.#nodes).fill(0);
    counts.forEach((count, tablet) => (loads[node[tablet]] += count));
    return Math.max(...loads);
  }

  /** Busiest tablets first, each to the node with the least load. */
  #place(counts: readonly number[]): readonly number[] {
    const loads = new Array<number>(this.#nodes).fill(0);
    const nodes = new Array<number>(counts.length).fill(0);
    const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
    for (const tablet of order) {
      const least = loads.indexOf(Math.min(...loads));
      nodes[tablet] = least;
      // A tablet without load may get some: it counts a little.
      loads[least] += counts[tablet] + 0.5;
    }
    return nodes;
  }

  #counts(operations: readonly AccessOperation[]): readonly number[] {
    return this.#keysOf(operations).map((keys) => keys.length);
  }

  #keysOf(operations: readonly AccessOperation[]): readonly (readonly Uint8Array[])[] {
    const known = this.#known.get(operations);
    if (known !== undefined) return known;
    const keys: Uint8Array[][] = this.#starts.map(() => []);
    for (const { key } of operations) keys[this.#indexOf(key)].push(key);
    this.#known.set(operations, keys);
    return keys;
  }

  #indexOf(key: Uint8Array): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareBytes(this.#starts[middle], key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
