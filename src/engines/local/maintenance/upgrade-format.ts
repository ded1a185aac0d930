/**
 * Upgrades a database from version 1 of the format to version 2: adds checksums to pairs, and
 * replaces the one record of all tables by a record for each table. Each step is a commit that also
 * stores the progress, so that an interrupted upgrade is resumed. FORMAT.md describes both
 * versions.
 */
import { fromHex, nextKey, toHex, copyBytes } from '../../../bytes/index.js';
import { writeTableRecords } from '../table/catalog.js';
import { withChecksum } from '../kv/checked-store.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { metaKey } from '../kv/store-key.js';
import { readOldCatalog } from '../table/table-record.js';

const upgradeKey = metaKey('upgrade');
/** Before the first, and after the last key of rows and overflow values. */
const firstKey = Uint8Array.of(0, 0, 0, 1);
const endKey = Uint8Array.of(255, 255, 255, 255);
/** Bounds of one step. */
const maxStepPairs = 1000;
const maxStepBytes = 8 * 1024 * 1024;

/**
 * Upgrades the metadata records, and marks the upgrade as started. Called in the commit that writes
 * the new version. `store` is the store without checksums.
 */
export function beginUpgrade(store: OrderedStore, writer: PairWriter): void {
  const nextOverflowId = store.get(metaKey('parts'));
  const oldCatalog = store.get(metaKey('catalog'));
  const checkedWriter: PairWriter = {
    put: (key, value) => writer.put(key, withChecksum(key, value)),
    remove: (key) => writer.remove(key),
  };
  if (nextOverflowId !== undefined) checkedWriter.put(metaKey('parts'), nextOverflowId);
  if (oldCatalog !== undefined) {
    const { nextTable, tables, dropped } = readOldCatalog(oldCatalog);
    writeTableRecords(nextTable, tables, dropped, checkedWriter);
    writer.remove(metaKey('catalog'));
  }
  writer.put(upgradeKey, progressRecord(firstKey));
}

/** Completes an upgrade that was started; does nothing when there is none. */
export async function finishUpgrade(store: OrderedStore): Promise<void> {
  for (;;) {
    const stored = store.get(upgradeKey);
    if (stored === undefined) return;
    const { next } = JSON.parse(new TextDecoder().decode(stored)) as { next: string };
    const pairs = readPairs(store, fromHex(next)!);
    store.commit((writer) => {
      for (const [key, value] of pairs) writer.put(key, withChecksum(key, value));
      const last = pairs.at(-1);
      if (last === undefined) writer.remove(upgradeKey);
      else writer.put(upgradeKey, progressRecord(nextKey(last[0])));
    });
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

function progressRecord(next: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ next: toHex(next) }));
}

function readPairs(store: OrderedStore, start: Uint8Array): (readonly [Uint8Array, Uint8Array])[] {
  const pairs: (readonly [Uint8Array, Uint8Array])[] = [];
  const cursor = store.scan(start, endKey, false);
  let bytes = 0;
  while (pairs.length < maxStepPairs && bytes < maxStepBytes && cursor.next()) {
    const value = copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
    pairs.push([copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd), value]);
    bytes += value.length;
  }
  cursor.release();
  return pairs;
}
