/** The embedded engine in memory. */
import { RowsmithError } from '../../errors.js';
import type { Engine } from '../../store/index.js';
import { maxMemoryBlockBytes } from './kv/block/block.js';
import { BlockStore } from './kv/block/block-store.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';
import { type MemoryStore, openMemoryStore } from './kv/memory-store.js';

/** The store under each engine that was opened here: what an image is taken of. */
const stores = new WeakMap<Engine, MemoryStore>();

/**
 * All rows and tables of a memory engine at one moment. Later writes do not change it, and it may
 * be opened any number of times.
 */
export class MemoryImage {
  readonly #store: MemoryStore;

  /** @internal memoryImage() makes images. */
  constructor(store: MemoryStore) {
    this.#store = store.clone();
  }

  /** @internal A store of its own with what the image holds. */
  copy(): MemoryStore {
    return this.#store.clone();
  }
}

/** Opens a database that lives as long as the process: empty, or with what an image holds. */
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
 * What an open memory engine holds now: every acknowledged write, and none in part. Costs the same
 * for any number of rows.
 */
export function memoryImage(engine: Engine): MemoryImage {
  const store = stores.get(engine);
  if (store === undefined)
    throw new RowsmithError('UNSUPPORTED', {
      problem: `an image is taken of memory engines only, this is ${engine.name}`,
      fix: "open 'memory:'",
    });
  return new MemoryImage(store);
}
