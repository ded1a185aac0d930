/** Opens the store of a directory, without a claim, and with a small buffer. */
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { CheckedStore } from '../../../src/engines/local/kv/checked-store.js';
import { openDiskStore } from '../../../src/engines/local/kv/disk/disk-store.js';
import type { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';

const limits = {
  checkpoint: 20_000,
  idle: 1000,
  buffer: 200_000,
  minStep: 2000,
  maxStep: 4000,
  direct: 1e9,
};

export async function openLogged(file: string, directory: string): Promise<LoggedStore> {
  const disk = await openDiskStore(file, 'durable');
  const base = new BlockStore(new CheckedStore(disk, 'test'));
  return openLoggedStore(base, directory, 'durable', { limits });
}
