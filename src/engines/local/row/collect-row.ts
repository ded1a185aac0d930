/** What the garbage collection rules leave of a row when tables are merged. */
import { noBytes } from '../../../base/index.js';
import { readUint32BE } from '../kv/bytes.js';
import type { CollectPair } from '../kv/ordered-store.js';
import { prefixBytes } from '../kv/store-key.js';
import type { TableState } from '../table/table-state.js';
import { hasOverflow } from './record/record-limits.js';
import { mergeRecords, RecordSlice } from './record/record-merge.js';

/**
 * Collects cells of the pairs of rows. Rows with overflow values, which are separate pairs, are
 * left to sweeps. `nowMicros` returns the time of the rules.
 */
export function rowCollector(
  tableOf: (id: number) => TableState | undefined,
  nowMicros: () => number,
): CollectPair {
  const record = new RecordSlice();
  return (bytes, keyStart, keyEnd, valueEnd) => {
    if (keyEnd - keyStart < prefixBytes) return undefined;
    const table = tableOf(readUint32BE(bytes, keyStart));
    if (table === undefined || !table.hasRules) return undefined;
    if ((bytes[keyEnd] & hasOverflow) !== 0) return undefined;
    record.set(bytes, keyEnd, valueEnd);
    const left = mergeRecords(table, undefined, record, nowMicros);
    if (left === 'empty') return noBytes;
    if (typeof left === 'string' || left.length === valueEnd - keyEnd) return undefined;
    return left;
  };
}
