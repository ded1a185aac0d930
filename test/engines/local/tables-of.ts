/** Tables for tests, with pairs in memory or on disk. */
import type { FilesContext } from '../../../src/engines/local/kv/store/disk-files.js';
import type { StoreFiles } from '../../../src/engines/local/kv/store/store-files.js';
import type { Table } from '../../../src/engines/local/kv/tables/table.js';

/** A pair; without a value it removes its key. */
export interface Pair {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** The files of a directory that has no owner. */
export function contextOf(directory: string, cacheBytes = 1024 * 1024): FilesContext {
  return {
    directory,
    database: new Uint8Array(16).fill(7),
    owner: 1,
    isDurable: false,
    check: () => undefined,
    cacheBytes,
  };
}

/** Writes pairs, which are in key order, to a table. */
export async function tableOf(files: StoreFiles, pairs: readonly Pair[]): Promise<Table> {
  const output = files.create();
  for (const { key, value } of pairs) {
    const bytes = Buffer.concat([key, value ?? new Uint8Array(0)]);
    output.writer.add(bytes, 0, key.length, bytes.length, value === undefined);
    await output.drain();
  }
  return output.finish();
}
