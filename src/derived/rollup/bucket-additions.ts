/** What settled marks add to the values of their bucket. */
import { rollupFamilies } from '../../model/index.js';
import type { Mutation } from '../../store/index.js';
import { type BucketChange, type CellChange, removesExtreme } from './bucket-change.js';
import { lastMillis } from './reading.js';

/** Aggregate cells have one timestamp, so that all additions meet in one cell. */
export const aggregateTime = 0;

/** The mutations that make the changes, in one row. */
export function additionsOf(changes: readonly BucketChange[]): Mutation[] {
  const sums = new Map<string, { readonly change: CellChange; sum: bigint }>();
  const mutations: Mutation[] = [];
  for (const { time, cells } of changes)
    for (const change of cells) {
      const { family, qualifier, was, is } = change;
      if (family === rollupFamilies.sum) {
        const sum = sums.get(qualifier) ?? { change, sum: 0n };
        sum.sum +=
          BigInt((is as bigint | undefined) ?? 0) - BigInt((was as bigint | undefined) ?? 0);
        sums.set(qualifier, sum);
      } else if (is !== undefined) mutations.push(extremeOf(change, time));
    }
  for (const { change, sum } of sums.values())
    mutations.push(addition(change.family, change.qualifier, sum));
  return mutations;
}

function extremeOf({ family, qualifier, is }: CellChange, time: number): Mutation {
  if (!(is instanceof Uint8Array)) return addition(family, qualifier, BigInt(is!));
  const name = Buffer.from(qualifier);
  return {
    kind: 'setCell',
    family,
    qualifier: name,
    timestamp: orderedTime(family, time),
    value: is,
  };
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

/** The cells of which an extreme may be gone after these changes. */
export function removalsOf(
  changes: readonly BucketChange[],
): readonly { readonly change: CellChange; readonly time: number }[] {
  return changes.flatMap(({ time, cells }) =>
    cells.filter(removesExtreme).map((change) => ({ change, time })),
  );
}
