/**
 * Applies changes to a block: the old pairs and the changes are merged to runs, split where the
 * result is too large, and written in one pass.
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
import { readUint32, writeUint32 } from '../bytes.js';

/** A pair to write. */
interface PutChange {
  readonly kind: 'put';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A key to remove. */
interface RemoveChange {
  readonly kind: 'remove';
  readonly key: Uint8Array;
  readonly value: undefined;
}

/** A change of one key. */
export type Change = PutChange | RemoveChange;

/** Pairs `[from, to)` of the old block. */
interface OldRun {
  readonly kind: 'old';
  readonly from: number;
  readonly to: number;
}

/** Neighbouring pairs of the old block, or a new pair. */
type Run = OldRun | PutChange;

/** The content of a new block. */
export interface MergedBlock {
  readonly old: Uint8Array | undefined;
  readonly runs: readonly Run[];
  readonly pairCount: number;
  readonly bytes: number;
}

/** Applies changes, which are in key order, to the old block. */
export function mergeBlock(old: Uint8Array | undefined, changes: readonly Change[]): MergedBlock {
  const block = old ?? noBytes;
  const count = old === undefined ? 0 : blockCount(block, 0);
  const runs: Run[] = [];
  let pairs = 0;
  let bytes = countBytes;
  /** Index of the first old pair that is neither kept nor replaced yet. */
  let index = 0;
  const keepUntil = (to: number): void => {
    if (to === index) return;
    runs.push({ kind: 'old', from: index, to });
    pairs += to - index;
    bytes +=
      pairStart(block, 0, block.length, count, to) -
      pairStart(block, 0, block.length, count, index) +
      offsetBytes * (to - index);
    index = to;
  };
  for (const change of changes) {
    const { key } = change;
    // When rows are written again, the next one is usually the neighbour of the last.
    if (index < count && isKeyAt(block, count, index, key)) index++;
    else if (index < count) {
      const next = lowerBound(block, 0, block.length, key);
      keepUntil(next);
      if (next < count && isKeyAt(block, count, next, key)) index = next + 1;
    }
    if (change.kind === 'remove') continue;
    runs.push(change);
    pairs++;
    bytes += offsetBytes + keyLengthBytes + key.length + change.value.length;
  }
  keepUntil(count);
  return { old, runs, pairCount: pairs, bytes };
}

/** Writes the bytes of a block. */
export function buildBlock({ old, runs, pairCount, bytes }: MergedBlock): Uint8Array {
  const from = old ?? noBytes;
  const count = old === undefined ? 0 : blockCount(from, 0);
  const block = new Uint8Array(bytes);
  writeUint32(block, 0, pairCount);
  let offsetAt = countBytes;
  let pairAt = countBytes + offsetBytes * pairCount;
  for (const run of runs) {
    if (run.kind === 'old') {
      const start = pairStart(from, 0, from.length, count, run.from);
      const end = pairStart(from, 0, from.length, count, run.to);
      for (let i = run.from; i < run.to; i++, offsetAt += offsetBytes)
        writeUint32(block, offsetAt, pairStart(from, 0, from.length, count, i) - start + pairAt);
      block.set(from.subarray(start, end), pairAt);
      pairAt += end - start;
    } else {
      const { key, value } = run;
      writeUint32(block, offsetAt, pairAt);
      offsetAt += offsetBytes;
      block[pairAt] = key.length >>> 8;
      block[pairAt + 1] = key.length;
      block.set(key, pairAt + keyLengthBytes);
      block.set(value, pairAt + keyLengthBytes + key.length);
      pairAt += keyLengthBytes + key.length + value.length;
    }
  }
  return block;
}

/** One of the blocks that a block was split into. */
export interface SplitBlock {
  /** Undefined for the first, which keeps the key of the block that was split. */
  readonly key: Uint8Array | undefined;
  readonly content: MergedBlock;
}

/**
 * Splits a block of more than `maxBytes` bytes. Rows that arrive in ascending or descending key
 * order leave full blocks behind. Otherwise blocks are split near the middle, where neighbouring
 * keys differ earliest: this is where one device or user ends, and later rows of either find space.
 */
export function splitBlock(merged: MergedBlock, maxBytes: number): SplitBlock[] {
  const pairs = singlePairRuns(merged);
  const sizes = pairs.map((run) => runBytes(merged, run));
  const blocks: SplitBlock[] = [];
  let from = 0;
  for (const to of splitPoints(merged, pairs, sizes, maxBytes)) {
    const runs = joinRuns(pairs.slice(from, to));
    const bytes = sizes.slice(from, to).reduce((sum, size) => sum + size, countBytes);
    const content = { old: merged.old, runs, pairCount: to - from, bytes };
    const key = from === 0 ? undefined : separatorBefore(merged, pairs, from);
    blocks.push({ key, content });
    from = to;
  }
  return blocks;
}

/** Returns the index of the pair after each block. */
function splitPoints(
  merged: MergedBlock,
  pairs: readonly Run[],
  sizes: readonly number[],
  maxBytes: number,
): number[] {
  const { runs } = merged;
  const hasOneOldRun = runs.filter((run) => run.kind === 'old').length <= 1;
  if (hasOneOldRun && runs.at(-1)!.kind === 'put') return fillBlocks(sizes, maxBytes);
  if (hasOneOldRun && runs[0].kind === 'put') {
    const fromEnd = fillBlocks([...sizes].reverse(), maxBytes).map((end) => sizes.length - end);
    return fromEnd.slice(0, -1).reverse().concat(sizes.length);
  }
  return halveBlocks(merged, pairs, sizes, maxBytes, 0, sizes.length);
}

/** Fills blocks from the first pair on. */
function fillBlocks(sizes: readonly number[], maxBytes: number): number[] {
  const ends: number[] = [];
  let bytes = countBytes;
  sizes.forEach((size, i) => {
    if (bytes + size > maxBytes && bytes > countBytes) {
      ends.push(i);
      bytes = countBytes;
    }
    bytes += size;
  });
  return [...ends, sizes.length];
}

/**
 * Splits blocks in two until each is small enough. Each is split within the middle half of its
 * bytes, where neighbouring keys differ earliest.
 */
function halveBlocks(
  merged: MergedBlock,
  pairs: readonly Run[],
  sizes: readonly number[],
  maxBytes: number,
  from: number,
  to: number,
): number[] {
  let total = countBytes;
  for (let i = from; i < to; i++) total += sizes[i];
  if (total <= maxBytes || to - from === 1) return [to];
  let best = from + 1;
  let lowestRank = Infinity;
  let before = countBytes;
  for (let i = from; i < to - 1; i++) {
    before += sizes[i];
    const share = Math.min(before, total - before) / total;
    let rank = separatorBefore(merged, pairs, i + 1).length - share;
    // Outside of the middle half only when a pair is so large that no split point is inside of it.
    if (share < 0.25) rank = 10_000 - share;
    if (rank < lowestRank) [best, lowestRank] = [i + 1, rank];
  }
  return [
    ...halveBlocks(merged, pairs, sizes, maxBytes, from, best),
    ...halveBlocks(merged, pairs, sizes, maxBytes, best, to),
  ];
}

/**
 * The shortest key that is greater than the key before pair `index` and not greater than that of
 * the pair, so that pairs between the two later go to the block on the right.
 */
function separatorBefore(merged: MergedBlock, pairs: readonly Run[], index: number): Uint8Array {
  const left = firstKeyOf(merged, pairs[index - 1]);
  const right = firstKeyOf(merged, pairs[index]);
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared++;
  return right.slice(0, shared + 1);
}

/** Each pair as a separate run. */
function singlePairRuns({ runs }: MergedBlock): Run[] {
  return runs.flatMap((run): Run[] => {
    if (run.kind === 'put') return [run];
    return Array.from({ length: run.to - run.from }, (_, i) => ({
      kind: 'old',
      from: run.from + i,
      to: run.from + i + 1,
    }));
  });
}

/** Joins neighbouring runs of old pairs. */
function joinRuns(runs: readonly Run[]): Run[] {
  const out: Run[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (run.kind === 'old' && last?.kind === 'old' && last.to === run.from)
      out[out.length - 1] = { kind: 'old', from: last.from, to: run.to };
    else out.push(run);
  }
  return out;
}

function runBytes({ old }: MergedBlock, run: Run): number {
  if (run.kind === 'put') return offsetBytes + keyLengthBytes + run.key.length + run.value.length;
  const count = readUint32(old!, 0);
  return (
    offsetBytes +
    pairStart(old!, 0, old!.length, count, run.to) -
    pairStart(old!, 0, old!.length, count, run.from)
  );
}

function firstKeyOf({ old }: MergedBlock, run: Run): Uint8Array {
  if (run.kind === 'put') return run.key;
  const start = pairStart(old!, 0, old!.length, blockCount(old!, 0), run.from);
  return old!.subarray(keyStartOf(start), keyEndOf(old!, start));
}

/** True when pair `index` of a block, which begins at offset 0 of its buffer, has the key. */
export function isKeyAt(block: Uint8Array, count: number, index: number, key: Uint8Array): boolean {
  const start = pairStart(block, 0, block.length, count, index);
  return compareSlices(block, keyStartOf(start), keyEndOf(block, start), key, 0, key.length) === 0;
}
