import {
  blockCount,
  maxBlockBytes,
  maxMemoryBlockBytes,
} from '../../../src/engines/local/kv/block/block.js';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import type { StoredRowChanges } from '../../../src/engines/local/kv/block/block-writer.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import { rowStoreKey, tableRowSpan } from '../../../src/engines/local/kv/store-key.js';
import fc from '../../support/fast-check.js';

const table = 7;
const keyOf = (row: number): Uint8Array =>
  rowStoreKey(
    table,
    Buffer.from(`device-${String(row % 13).padStart(2, '0')}#${String(row).padStart(6, '0')}`),
  );
const startKey = rowStoreKey(table, Buffer.from('d'));
const endKey = rowStoreKey(table, Buffer.from('e'));

/** Bytes and pairs of each block, in order. */
function blocksOf(store: MemoryStore): { readonly bytes: number; readonly pairs: number }[] {
  const blocks: { bytes: number; pairs: number }[] = [];
  const { start, end } = tableRowSpan(table);
  const cursor = store.scan(start, end, false);
  while (cursor.next())
    blocks.push({
      bytes: cursor.valueEnd - cursor.valueStart,
      pairs: blockCount(cursor.valueBytes, cursor.valueStart),
    });
  return blocks;
}

/** The changes of a commit, by keys in hex. */
function sortedChanges(changes: ReadonlyMap<string, Uint8Array | undefined>): StoredRowChanges {
  const sorted = [...changes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([hex, value]) => {
      const key = Buffer.from(hex, 'hex');
      return { key, value, bytes: Uint8Array.from([...key, ...(value ?? [])]) };
    });
  return {
    count: sorted.length,
    bytesOf: (index) => sorted[index].bytes,
    keyStart: () => 0,
    keyEnd: (index) => sorted[index].key.length,
    valueEnd: (index) => (sorted[index].value === undefined ? -1 : sorted[index].bytes.length),
  };
}

/** The pairs of a scan: the key in hex, the first byte of the value and its length. */
function scanned(store: BlockStore, reversed: boolean): string[] {
  const pairs: string[] = [];
  const cursor = store.scan(startKey, endKey, reversed);
  while (cursor.next()) {
    const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd } = cursor;
    const key = Buffer.from(keyBytes.slice(keyStart, keyEnd)).toString('hex');
    pairs.push(`${key} ${valueBytes[valueStart]} ${valueEnd - valueStart}`);
  }
  return pairs;
}

test.each([
  ['on disk', maxBlockBytes],
  ['in memory', maxMemoryBlockBytes],
  ['tiny', 100],
])(
  'blocks %s stay within their size, and scans return every pair in either direction',
  async (_name, maxBytes) => {
    const writes = fc.array(
      fc.record({ row: fc.nat(400), bytes: fc.nat({ max: 300 }), removed: fc.boolean() }),
      { minLength: 1, maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 4 }), async (commits) => {
        const blockStore = await openMemoryStore();
        const store = new BlockStore(blockStore, maxBytes);
        const expected = new Map<string, string>();
        for (const commit of commits) {
          const changes = new Map<string, Uint8Array | undefined>();
          for (const { row, bytes, removed } of commit) {
            const hex = Buffer.from(keyOf(row)).toString('hex');
            if (removed) expected.delete(hex);
            else expected.set(hex, `${hex} ${row & 0xff} ${bytes + 1}`);
            changes.set(hex, removed ? undefined : new Uint8Array(bytes + 1).fill(row & 0xff));
          }
          store.commitRows(sortedChanges(changes), () => undefined);
          const blocks = blocksOf(blockStore);
          expect(blocks.filter(({ bytes, pairs }) => bytes > maxBytes && pairs > 1)).toEqual([]);
          expect(blocks.reduce((sum, { pairs }) => sum + pairs, 0)).toBe(expected.size);
          const rows = [...expected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
          expect(scanned(store, false)).toEqual(rows);
          expect(scanned(store, true)).toEqual(rows.reverse());
        }
      }),
      { numRuns: 40 },
    );
  },
);
