/** Opens the embedded engine in memory. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { Engine } from '../../data/store/index.js';
import { LocalEngine } from './local-engine.js';
import type { LocalEngineOptions } from './local-engine-options.js';
import { memoryStore, type TableStore } from './kv/store/table-store.js';

/** The store of each engine that was opened here. */
const stores = new WeakMap<Engine, TableStore>();

/**
 * A snapshot of all rows and tables of a memory engine. Later writes do not change it, and it may
 * be opened any number of times.
 */
export class MemoryImage {
  readonly #store: TableStore;

  /** @internal Use memoryImage(). */
  constructor(store: TableStore) {
    this.#store = store.clone();
  }

  /** @internal Returns an independent store with the content of the image. */
  copy(): TableStore {
    return this.#store.clone();
  }
}

/** Opens a database in memory, empty or with the content of an image. */
export function openMemoryEngine(
  options: LocalEngineOptions = {},
  image?: MemoryImage,
): Promise<Engine> {
  const store = image === undefined ? memoryStore() : image.copy();
  const engine = new LocalEngine('memory:', store, options);
  stores.set(engine, store);
  return Promise.resolve(engine);
}

/**
 * Returns a snapshot of an open memory engine, with every acknowledged write. Takes some
 * milliseconds at most, however large the database is.
 */
export function memoryImage(engine: Engine): MemoryImage {
  const store = stores.get(engine);
  if (store === undefined)
    throw new RowsmithError('UNSUPPORTED', faults.notAMemoryEngine(engine.name));
  return new MemoryImage(store);
}

const faults = {
  notAMemoryEngine: (name: string) => ({
    problem: `images can be taken of memory engines only, not of ${name}`,
    fix: "open 'memory:'",
  }),
} satisfies FaultTexts;
