/** Writes tables from runs of pairs, in steps between which other calls are executed. */
import { concatBytes, copyBytes, noBytes } from '../../../../base/index.js';
import { BufferRun } from '../buffer/buffer-run.js';
import type { SortedPairs } from '../buffer/sorted-pairs.js';
import type { MergedPart } from '../levels/levels.js';
import type { MergePlan } from '../levels/merge-policy.js';
import { spanOf, wholeTable } from '../levels/table-entry.js';
import { MergedRuns } from '../merged-runs.js';
import { TableRun } from '../levels/table-run.js';
import type { CollectPair } from '../ordered-store.js';
import type { PairRun } from '../pair-run.js';
import type { TableWriter } from '../tables/table-writer.js';
import type { Table } from '../tables/table.js';
import type { StoreFiles, TableOutput } from './store-files.js';

/** Longest step, and pairs between two looks at the clock. */
const stepMs = 3;
const pairsPerLook = 32;
/** After every key. */
export const endOfKeys: Uint8Array = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff]);

export interface WriteContext {
  readonly files: StoreFiles;
  /** Awaited after each step. If it throws, the work ends. */
  readonly pause: () => Promise<void>;
  /** What merges leave of pairs; undefined for all of them. */
  readonly collect?: CollectPair | undefined;
}

/**
 * Writes the newest pairs of buffers, the newest buffer first, to a table; undefined if there are
 * none. Pairs that are removed from the buffers meanwhile may be in the table.
 */
export async function writeBuffers(
  buffers: readonly SortedPairs[],
  { files, pause }: WriteContext,
): Promise<Table | undefined> {
  let output: TableOutput | undefined = undefined;
  try {
    for (let from: Uint8Array | undefined = noBytes; from !== undefined;) {
      // Removals change the buffers between two steps.
      const start = from;
      const runs = buffers.map((pairs) => BufferRun.ofBuffer(pairs, start, endOfKeys, false));
      const merged = new MergedRuns(runs, false);
      output = addMerged(merged, output, { files, isOldest: false, tableBytes: Infinity });
      from = currentKey(merged);
      await output?.drain();
      await pause();
    }
    return await output?.finish();
  } catch (error) {
    await output?.abort();
    throw error;
  }
}

/** Merges tables. Calls `install` for each part that was written. */
export async function mergeTables(
  { runs, level, isOldest }: MergePlan,
  tableBytes: number,
  { files, pause, collect }: WriteContext,
  install: (part: MergedPart) => Promise<void>,
): Promise<void> {
  const inputs = runs.flat();
  const { start, end } = spanOf(inputs);
  const merged = new MergedRuns(
    runs.map((run) => new TableRun(run, start, end, false, true)),
    false,
  );
  let output: TableOutput | undefined = undefined;
  try {
    for (;;) {
      output = addMerged(merged, output, { files, isOldest, tableBytes, collect });
      const { top } = merged;
      if (top === undefined || (output !== undefined && isFull(output, tableBytes))) {
        const key = currentKey(merged);
        const outputs = output === undefined ? [] : [wholeTable(await output.finish())];
        output = undefined;
        await install({ inputs, end: key, outputs, level });
        if (key === undefined) return;
      } else await output?.drain();
      await pause();
    }
  } catch (error) {
    await output?.abort();
    throw error;
  }
}

function currentKey({ top }: MergedRuns): Uint8Array | undefined {
  return top && copyBytes(top.bytes, top.keyStart, top.keyEnd);
}

function isFull({ writer }: TableOutput, tableBytes: number): boolean {
  return writer.pairBytes >= tableBytes;
}

interface MergeRules {
  readonly files: StoreFiles;
  readonly isOldest: boolean;
  readonly tableBytes: number;
  readonly collect?: CollectPair | undefined;
}

/** Adds merged pairs for some milliseconds, or until the table is full. */
function addMerged(
  merged: MergedRuns,
  before: TableOutput | undefined,
  { files, isOldest, tableBytes, collect }: MergeRules,
): TableOutput | undefined {
  const end = performance.now() + stepMs;
  let output = before;
  for (let pairs = 1; ; pairs++) {
    const { top } = merged;
    if (top === undefined || (output !== undefined && isFull(output, tableBytes))) return output;
    const { bytes, keyStart, keyEnd, valueEnd } = top;
    const left = top.isRemoved ? noBytes : collect?.(bytes, keyStart, keyEnd, valueEnd);
    if (left?.length !== 0 || !isOldest) {
      output ??= files.create();
      addPair(output.writer, top, left);
    }
    merged.advance();
    if (pairs % pairsPerLook === 0 && performance.now() > end) return output;
  }
}

/** Adds a pair, or what is left of it: if that is empty, the key is removed. */
function addPair(writer: TableWriter, run: PairRun, left: Uint8Array | undefined): void {
  const { bytes, keyStart, keyEnd, valueEnd } = run;
  if (left === undefined) return writer.add(bytes, keyStart, keyEnd, valueEnd, false);
  if (left.length === 0) return writer.add(bytes, keyStart, keyEnd, keyEnd, true);
  const pair = concatBytes(bytes.subarray(keyStart, keyEnd), left);
  writer.add(pair, 0, keyEnd - keyStart, pair.length, false);
}
