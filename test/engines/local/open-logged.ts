/** Opens the store of a directory with a small buffer and small tables. */
import { openDirectory } from '../../../src/engines/local/kv/directory/database-directory.js';
import { openDiskStore } from '../../../src/engines/local/kv/store/open-disk-store.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import type { TableStore } from '../../../src/engines/local/kv/store/table-store.js';

const limits = {
  ...defaultLimits,
  buffer: 100_000,
  newest: 2,
  level: 40_000,
  ratio: 3,
  table: 20_000,
  keptLog: 5000,
};

interface OpenLogged {
  readonly store: TableStore;
  readonly close: () => Promise<void>;
}

export async function openLogged(directory: string): Promise<OpenLogged> {
  const claim = await openDirectory(directory, { durability: 'durable' });
  const store = await openDiskStore(claim, { durability: 'durable', limits, verify: false });
  const close = async (): Promise<void> => {
    await store.close();
    await claim.release();
  };
  return { store, close };
}
