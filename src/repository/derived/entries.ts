/** Reads the entries of an index, each with the key of the row that it leads to. */
import { copyBytes, rangeContains } from '../../bytes/index.js';
import { type QueryPlan, rangesAfter, readPlansOf } from '../../query/index.js';
import { openWrappedRows, type Pages } from '../read/entity-pages.js';
import type { RunOptions } from '../read/query-run.js';
import type { IndexTarget } from './index-target.js';

/** An entry, with the key of its row. */
export interface FoundEntry {
  readonly key: Uint8Array;
  readonly row: Uint8Array;
}

/** Opens the entries of a plan, in its order. */
export function openEntries(
  target: IndexTarget,
  plan: QueryPlan,
  { limit, after, signal }: RunOptions,
): Pages<FoundEntry> {
  const { entry, entryContext } = target;
  const [read] = readPlansOf(entry, plan, limit);
  const { ranges, reversed } = read;
  const rest = after === undefined ? ranges : rangesAfter(ranges, after, reversed);
  const rowKeyOf = rowKeysOf(target);
  return openWrappedRows<FoundEntry>(
    entryContext,
    entry,
    plan,
    { ...read, ranges: rest },
    {
      signal,
      wrap: (values, { keyBytes, keyStart, keyEnd }) => {
        const row = rowKeyOf(values as Readonly<Record<string, unknown>>);
        // Skipped rows do not count towards the limit, so that an entry without a row stays.
        return { key: copyBytes(keyBytes, keyStart, keyEnd), row };
      },
    },
  );
}

/** The key of the row that an entry leads to; empty if there is none in the scope. */
function rowKeysOf({
  model,
  holder,
}: IndexTarget): (values: Readonly<Record<string, unknown>>) => Uint8Array {
  if (holder === undefined) return (values) => model.key.encode(values);
  const ranges = model.key.scope?.ranges;
  return (values) => {
    const key = values[holder.property];
    if (!(key instanceof Uint8Array)) return noRow;
    const isInside = ranges?.some((range) => rangeContains(range, key)) ?? true;
    return isInside ? key : noRow;
  };
}

const noRow = new Uint8Array();
