/**
 * Changes put into a block: merged as runs of what was there and of what is new, cut where it grew
 * too large, built in one pass.
 */
import { compareSlices, noBytes } from '../../../../bytes/index.js';
import {
  blockCount,
  countBytes,
  keyEndOf,
  keyLengthBytes,
  keyStartOf,
  lowerBound,
  offsetBytes,
  pairStart,
} from './block.js';
import { readUint32, writeUint32 } from '../record.js';

/** A pair that is to be written. */
interface Written {
  readonly kind: 'new';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A key that is to be removed. */
interface Removed {
  readonly kind: 'removed';
  readonly key: Uint8Array;
  readonly value: undefined;
}

/** What a commit does to one key. */
export type Change = Written | Removed;

/** Pairs `[from, to)` of the old block. */
interface OldRun {
  readonly kind: 'old';
  readonly from: number;
  readonly to: number;
}

/** Neighbouring pairs of the old block, or one that is new: the change itself. */
type Run = OldRun | Written;

/** What a block becomes. */
export interface Merged {
  readonly old: Uint8Array | undefined;
  readonly runs: readonly Run[];
  readonly pairs: number;
  readonly bytes: number;
}

/** The old block with the changes, which are in key order. */
export function mergeBlock(old: Uint8Array | undefined, changes: readonly Change[]): Merged {
  const block = old ?? noBytes;
  const count = old === undefined ? 0 : blockCount(block, 0);
  const runs: Run[] = [];
  let pairs = 0;
  let bytes = countBytes;
  let at = 0;
  const keep = (to: number): void => {
    if (to === at) return;
    runs.push({ kind: 'old', from: at, to });
    pairs += to - at;
    bytes +=
      pairStart(block, 0, block.length, count, to) -
      pairStart(block, 0, block.length, count, at) +
      offsetBytes * (to - at);
    at = to;
  };
  for (const change of changes) {
    const { key } = change;
    // Of rows that are written again, the next is most often the neighbour of the last.
    if (at < count && isKeyAt(block, count, at, key)) at++;
    else if (at < count) {
      const next = lowerBound(block, 0, block.length, key);
      keep(next);
      if (next < count && isKeyAt(block, count, next, key)) at = next + 1;
    }
    if (change.kind === 'removed') continue;
    runs.push(change);
    pairs++;
    bytes += offsetBytes + keyLengthBytes + key.length + change.value.length;
  }
  keep(count);
  return { old, runs, pairs, bytes };
}

/** The bytes of a block. */
export function buildBlock({ old, runs, pairs, bytes }: Merged): Uint8Array {
  const from = old ?? noBytes;
  const count = old === undefined ? 0 : blockCount(from, 0);
  const block = new Uint8Array(bytes);
  writeUint32(block, 0, pairs);
  let place = countBytes;
  let at = countBytes + offsetBytes * pairs;
  for (const run of runs) {
    if (run.kind === 'old') {
      const start = pairStart(from, 0, from.length, count, run.from);
      const end = pairStart(from, 0, from.length, count, run.to);
      for (let i = run.from; i < run.to; i++, place += offsetBytes)
        writeUint32(block, place, pairStart(from, 0, from.length, count, i) - start + at);
      block.set(from.subarray(start, end), at);
      at += end - start;
    } else {
      const { key, value } = run;
      writeUint32(block, place, at);
      place += offsetBytes;
      block[at] = key.length >>> 8;
      block[at + 1] = key.length;
      block.set(key, at + keyLengthBytes);
      block.set(value, at + keyLengthBytes + key.length);
      at += keyLengthBytes + key.length + value.length;
    }
  }
  return block;
}

/** A block cut off another one; the first keeps the key it had. */
export interface Cut {
  readonly key: Uint8Array | undefined;
  readonly entries: Merged;
}

/**
 * Cuts what grew beyond `largest` bytes. Rows that arrive in key order, or against it (newest
 * first), leave full blocks behind them; else blocks are cut near the middle, where neighbouring
 * keys differ earliest: there one device or user ends, and what comes later to either finds room.
 */
export function cutBlock(merged: Merged, largest: number): Cut[] {
  const single = singles(merged);
  const sizes = single.map((run) => sizeOf(merged, run));
  const cuts: Cut[] = [];
  let from = 0;
  for (const to of cutPlaces(merged, single, sizes, largest)) {
    const runs = joined(single.slice(from, to));
    const bytes = sizes.slice(from, to).reduce((sum, size) => sum + size, countBytes);
    const key =
      from === 0
        ? undefined
        : separator(keyOf(merged, single[from - 1]), keyOf(merged, single[from]));
    cuts.push({ key, entries: { old: merged.old, runs, pairs: to - from, bytes } });
    from = to;
  }
  return cuts;
}

/** Where each block ends, in pairs. */
function cutPlaces(
  merged: Merged,
  pairs: readonly Run[],
  sizes: readonly number[],
  largest: number,
): number[] {
  const { runs } = merged;
  if (runs.at(-1)!.kind === 'new' && runs.filter((run) => run.kind === 'old').length <= 1)
    return filled(sizes, largest);
  if (runs[0].kind === 'new' && runs.filter((run) => run.kind === 'old').length <= 1) {
    const fromEnd = filled([...sizes].reverse(), largest).map((place) => sizes.length - place);
    return fromEnd.slice(0, -1).reverse().concat(sizes.length);
  }
  return halved(merged, pairs, sizes, largest, 0, sizes.length);
}

/** Blocks filled from the first pair on. */
function filled(sizes: readonly number[], largest: number): number[] {
  const places: number[] = [];
  let bytes = countBytes;
  sizes.forEach((size, i) => {
    if (bytes + size > largest && bytes > countBytes) {
      places.push(i);
      bytes = countBytes;
    }
    bytes += size;
  });
  return [...places, sizes.length];
}

/**
 * Blocks cut in two until each is small enough, at the earliest difference of neighbours in the
 * middle half.
 */
function halved(
  merged: Merged,
  pairs: readonly Run[],
  sizes: readonly number[],
  largest: number,
  from: number,
  to: number,
): number[] {
  let total = countBytes;
  for (let i = from; i < to; i++) total += sizes[i];
  if (total <= largest || to - from === 1) return [to];
  let best = from + 1;
  let shortest = Infinity;
  let before = countBytes;
  for (let i = from; i < to - 1; i++) {
    before += sizes[i];
    const share = Math.min(before, total - before) / total;
    const length = separator(keyOf(merged, pairs[i]), keyOf(merged, pairs[i + 1])).length;
    // Outside the middle half only where a pair is so large that nothing lies inside it.
    const rank = share < 0.25 ? 10_000 - share : length - share;
    if (rank < shortest) [best, shortest] = [i + 1, rank];
  }
  return [
    ...halved(merged, pairs, sizes, largest, from, best),
    ...halved(merged, pairs, sizes, largest, best, to),
  ];
}

/**
 * The shortest key greater than `left` and not greater than `right`: what arrives between them
 * later then falls to the right one.
 */
function separator(left: Uint8Array, right: Uint8Array): Uint8Array {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  return right.slice(0, same + 1);
}

/** Every pair as a run of its own. */
function singles({ runs }: Merged): Run[] {
  return runs.flatMap((run): Run[] => {
    if (run.kind === 'new') return [run];
    return Array.from({ length: run.to - run.from }, (_, i) => ({
      kind: 'old',
      from: run.from + i,
      to: run.from + i + 1,
    }));
  });
}

/** Neighbouring runs of old pairs as one. */
function joined(runs: readonly Run[]): Run[] {
  const out: Run[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (run.kind === 'old' && last?.kind === 'old' && last.to === run.from)
      out[out.length - 1] = { kind: 'old', from: last.from, to: run.to };
    else out.push(run);
  }
  return out;
}

function sizeOf({ old }: Merged, run: Run): number {
  if (run.kind === 'new') return offsetBytes + keyLengthBytes + run.key.length + run.value.length;
  const count = readUint32(old!, 0);
  return (
    offsetBytes +
    pairStart(old!, 0, old!.length, count, run.to) -
    pairStart(old!, 0, old!.length, count, run.from)
  );
}

function keyOf({ old }: Merged, run: Run): Uint8Array {
  if (run.kind === 'new') return run.key;
  const start = pairStart(old!, 0, old!.length, blockCount(old!, 0), run.from);
  return old!.subarray(keyStartOf(start), keyEndOf(old!, start));
}

/** Whether pair `index` of a block at the beginning of its buffer has the key. */
export function isKeyAt(block: Uint8Array, count: number, index: number, key: Uint8Array): boolean {
  const start = pairStart(block, 0, block.length, count, index);
  return compareSlices(block, keyStartOf(start), keyEndOf(block, start), key, 0, key.length) === 0;
}
