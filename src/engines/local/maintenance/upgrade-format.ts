/**
 * Brings a database of version 1 to the present format: pairs get their checksums, and the one
 * record of all tables becomes a record for each. In steps that each are a commit and say how far
 * they came, so that it goes on where a killed process left it. FORMAT.md has both versions.
 */
import { fromHex, nextKey, toHex, copyBytes } from '../../../bytes/index.js';
import { writeRecords } from '../table/catalog.js';
import { withChecksum } from '../kv/checked-store.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { metaKey } from '../kv/store-key.js';
import { readOldCatalog } from '../table/table-record.js';

const upgradeKey = metaKey('upgrade');
/** The first key of a row or a part, and the first past the last of them. */
const firstKey = Uint8Array.of(0, 0, 0, 1);
const pastKeys = Uint8Array.of(255, 255, 255, 255);
/** Pairs and bytes of one step. */
const stepPairs = 1000;
const stepBytes = 8 * 1024 * 1024;

/**
 * Begins: own records are brought over and later opens go on. Call it in the commit that writes the
 * new version; `store` has no checksums.
 */
export function beginUpgrade(store: OrderedStore, writer: PairWriter): void {
  const parts = store.get(metaKey('parts'));
  const old = store.get(metaKey('catalog'));
  const checked: PairWriter = {
    put: (key, value) => writer.put(key, withChecksum(key, value)),
    remove: (key) => writer.remove(key),
  };
  if (parts !== undefined) checked.put(metaKey('parts'), parts);
  if (old !== undefined) {
    const { nextTable, tables, dropped } = readOldCatalog(old);
    writeRecords(nextTable, tables, dropped, checked);
    writer.remove(metaKey('catalog'));
  }
  writer.put(upgradeKey, progress(firstKey));
}

/** Does what is left of an upgrade that began; nothing when none did. */
export async function finishUpgrade(store: OrderedStore): Promise<void> {
  for (;;) {
    const stored = store.get(upgradeKey);
    if (stored === undefined) return;
    const { next } = JSON.parse(new TextDecoder().decode(stored)) as { next: string };
    const pairs = pairsFrom(store, fromHex(next)!);
    store.commit((writer) => {
      for (const [key, value] of pairs) writer.put(key, withChecksum(key, value));
      const last = pairs.at(-1);
      if (last === undefined) writer.remove(upgradeKey);
      else writer.put(upgradeKey, progress(nextKey(last[0])));
    });
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

function progress(next: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ next: toHex(next) }));
}

function pairsFrom(store: OrderedStore, start: Uint8Array): (readonly [Uint8Array, Uint8Array])[] {
  const found: (readonly [Uint8Array, Uint8Array])[] = [];
  const pairs = store.scan(start, pastKeys, false);
  for (
    let bytes = 0;
    found.length < stepPairs && bytes < stepBytes && pairs.next();
    bytes += pairs.valueEnd - pairs.valueStart
  ) {
    found.push([
      copyBytes(pairs.keyBytes, pairs.keyStart, pairs.keyEnd),
      copyBytes(pairs.valueBytes, pairs.valueStart, pairs.valueEnd),
    ]);
  }
  pairs.close();
  return found;
}
