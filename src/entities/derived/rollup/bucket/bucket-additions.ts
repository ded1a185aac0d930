/** What settled marks add to the values of their bucket. */
import { rollupFamilies } from '../../../model/index.js';
import type { Mutation } from '../../../../data/store/index.js';
import { type BucketChange, type CellChange, removesExtreme } from './bucket-change.js';
import { lastMillis } from '../input/reading.js';

/** Aggregate cells have one timestamp, so that all additions meet in one cell. */
export const aggregateTime = 0;

/** The mutations that make the changes, in one row: one for each aggregate cell. */
export function additionsOf(changes: readonly BucketChange[]): Mutation[] {
  const aggregates = new Map<string, { readonly change: CellChange; value: bigint }>();
  const mutations: Mutation[] = [];
  for (const { time, cells } of changes)
    for (const change of cells) {
      const { family, qualifier, is } = change;
      if (is instanceof Uint8Array) mutations.push(orderedCell(family, qualifier, is, time));
      const value = aggregateOf(change);
      if (value === undefined) continue;
      const id = `${family}:${qualifier}`;
      const known = aggregates.get(id);
      if (known === undefined) aggregates.set(id, { change, value });
      else known.value = combined(family, known.value, value);
    }
  for (const { change, value } of aggregates.values())
    mutations.push(addition(change.family, change.qualifier, value));
  return mutations;
}

/** What a change adds to an aggregate cell; undefined for nothing, and for other cells. */
function aggregateOf({ family, was, is }: CellChange): bigint | undefined {
  if (was instanceof Uint8Array || is instanceof Uint8Array) return undefined;
  if (family === rollupFamilies.sum) return BigInt(is ?? 0) - BigInt(was ?? 0);
  return is === undefined ? undefined : BigInt(is);
}

function combined(family: string, a: bigint, b: bigint): bigint {
  if (family === rollupFamilies.sum) return a + b;
  return a < b === (family === rollupFamilies.min) ? a : b;
}

function orderedCell(family: string, qualifier: string, value: Uint8Array, time: number): Mutation {
  const timestamp = orderedTime(family, time);
  return { kind: 'setCell', family, qualifier: Buffer.from(qualifier), timestamp, value };
}

/** Adds to a cell, or compares with it, as its family does. */
export function addition(family: string, qualifier: string, value: bigint): Mutation {
  return {
    kind: 'addToCell',
    family,
    qualifier: Buffer.from(qualifier),
    timestamp: aggregateTime,
    input: BigInt.asIntN(64, value),
  };
}

/** The timestamp of a cell of `first` or `last`: the newest cell is the one to read. */
export function orderedTime(family: string, time: number): bigint {
  return BigInt(family === rollupFamilies.first ? lastMillis - time : time) * 1000n;
}

/** The cells that may lose their extreme by these changes. */
export function removalsOf(
  changes: readonly BucketChange[],
): readonly { readonly change: CellChange; readonly time: number }[] {
  return changes.flatMap(({ time, cells }) =>
    cells.filter(removesExtreme).map((change) => ({ change, time })),
  );
}
