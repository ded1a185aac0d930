/** Opens the embedded engine in memory. */
import { RowsmithError } from '../../errors.js';
import type { Engine } from '../../store/index.js';
import { maxMemoryBlockBytes } from './kv/block/block.js';
import { BlockStore } from './kv/block/block-store.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';
import { type MemoryStore, openMemoryStore } from './kv/memory-store.js';

/** The store of each engine that was opened here. */
const stores = new WeakMap<Engine, MemoryStore>();

/**
 * A snapshot of all rows and tables of a memory engine. Later writes do not change it, and it may
 * be opened any number of times.
 */
export class MemoryImage {
  readonly #store: MemoryStore;

  /** @internal Use memoryImage(). */
  constructor(store: MemoryStore) {
    this.#store = store.clone();
  }

  /** @internal Returns an independent store with the content of the image. */
  copy(): MemoryStore {
    return this.#store.clone();
  }
}

/** Opens a database in memory, empty or with the content of an image. */
export async function openMemoryEngine(
  options: LocalEngineOptions = {},
  image?: MemoryImage,
): Promise<Engine> {
  const store = image === undefined ? await openMemoryStore() : image.copy();
  const engine = new LocalEngine('memory:', new BlockStore(store, maxMemoryBlockBytes), options);
  stores.set(engine, store);
  return engine;
}

/**
 * Returns a snapshot of an open memory engine, with every acknowledged write. Takes constant time.
 */
export function memoryImage(engine: Engine): MemoryImage {
  const store = stores.get(engine);
  if (store === undefined)
    throw new RowsmithError('UNSUPPORTED', {
      problem: `images can be taken of memory engines only, not of ${engine.name}`,
      fix: "open 'memory:'",
    });
  return new MemoryImage(store);
}
