import {
  blockCount,
  maxBlockBytes,
  maxMemoryBlockBytes,
} from '../../../src/engines/local/kv/block/block.js';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import { rowStoreKey } from '../../../src/engines/local/kv/store-key.js';
import fc from '../../support/fast-check.js';

const table = 7;
const keyOf = (row: number): Uint8Array =>
  rowStoreKey(
    table,
    Buffer.from(`device-${String(row % 13).padStart(2, '0')}#${String(row).padStart(6, '0')}`),
  );
const from = rowStoreKey(table, Buffer.from('d'));
const until = rowStoreKey(table, Buffer.from('e'));

/** Bytes and pairs of each block, in order. */
function blocksOf(store: MemoryStore): { readonly bytes: number; readonly pairs: number }[] {
  const blocks: { bytes: number; pairs: number }[] = [];
  const pairs = store.scan(
    rowStoreKey(table, new Uint8Array(0)),
    rowStoreKey(table + 1, new Uint8Array(0)),
    false,
  );
  while (pairs.next())
    blocks.push({
      bytes: pairs.valueEnd - pairs.valueStart,
      pairs: blockCount(pairs.valueBytes, pairs.valueStart),
    });
  return blocks;
}

/** What a walk gives: key in hex and the bytes of the value. */
function walked(store: BlockStore, reversed: boolean): string[] {
  const seen: string[] = [];
  const pairs = store.scan(from, until, reversed);
  while (pairs.next())
    seen.push(
      `${Buffer.from(pairs.keyBytes.slice(pairs.keyStart, pairs.keyEnd)).toString('hex')} ${pairs.valueBytes[pairs.valueStart]} ${pairs.valueEnd - pairs.valueStart}`,
    );
  return seen;
}

test.each([
  ['on disk', maxBlockBytes],
  ['in memory', maxMemoryBlockBytes],
  ['tiny', 100],
])(
  'blocks %s stay within their size, and walks give every pair in either direction',
  async (_name, largest) => {
    const writes = fc.array(
      fc.record({ row: fc.nat(400), bytes: fc.nat({ max: 300 }), removed: fc.boolean() }),
      { minLength: 1, maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 4 }), async (commits) => {
        const below = await openMemoryStore();
        const store = new BlockStore(below, largest);
        const expected = new Map<string, string>();
        for (const commit of commits) {
          store.commit((writer) => {
            for (const { row, bytes, removed } of commit) {
              const key = keyOf(row);
              const hex = Buffer.from(key).toString('hex');
              if (removed) (writer.remove(key), expected.delete(hex));
              else
                (writer.put(key, new Uint8Array(bytes + 1).fill(row & 0xff)),
                  expected.set(hex, `${hex} ${row & 0xff} ${bytes + 1}`));
            }
          });
          const blocks = blocksOf(below);
          expect(blocks.filter(({ bytes, pairs }) => bytes > largest && pairs > 1)).toEqual([]);
          expect(blocks.reduce((sum, { pairs }) => sum + pairs, 0)).toBe(expected.size);
          const rows = [...expected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
          expect(walked(store, false)).toEqual(rows);
          expect(walked(store, true)).toEqual(rows.reverse());
        }
      }),
      { numRuns: 40 },
    );
  },
);
