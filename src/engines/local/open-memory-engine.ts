/** Opens the embedded engine in memory. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { Engine } from '../../data/store/index.js';
import { maxMemoryBlockBytes } from './kv/block/block.js';
import { BlockStore } from './kv/block/block-store.js';
import { LoggedStore } from './kv/log/logged-store.js';
import { LocalEngine } from './local-engine.js';
import type { LocalEngineOptions } from './local-engine-options.js';
import { type MemoryStore, openMemoryStore } from './kv/memory-store.js';

/** The store of each engine that was opened here. */
const stores = new WeakMap<Engine, MemoryParts>();

/** The store of an engine, and the store of its blocks. */
interface MemoryParts {
  readonly blocks: MemoryStore;
  readonly store: LoggedStore;
}

/**
 * A snapshot of all rows and tables of a memory engine. Later writes do not change it, and it may
 * be opened any number of times.
 */
export class MemoryImage {
  readonly #parts: MemoryParts;

  /** @internal Use memoryImage(). */
  constructor(parts: MemoryParts) {
    this.#parts = cloneParts(parts);
  }

  /** @internal Returns an independent store with the content of the image. */
  copy(): MemoryParts {
    return cloneParts(this.#parts);
  }
}

/** Opens a database in memory, empty or with the content of an image. */
export async function openMemoryEngine(
  options: LocalEngineOptions = {},
  image?: MemoryImage,
): Promise<Engine> {
  const parts = image === undefined ? await emptyParts() : image.copy();
  const engine = new LocalEngine('memory:', parts.store, options);
  stores.set(engine, parts);
  return engine;
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

async function emptyParts(): Promise<MemoryParts> {
  const blocks = await openMemoryStore();
  return { blocks, store: new LoggedStore(new BlockStore(blocks, maxMemoryBlockBytes)) };
}

function cloneParts(parts: MemoryParts): MemoryParts {
  const blocks = parts.blocks.clone();
  return { blocks, store: parts.store.clone(new BlockStore(blocks, maxMemoryBlockBytes)) };
}

const faults = {
  notAMemoryEngine: (name: string) => ({
    problem: `images can be taken of memory engines only, not of ${name}`,
    fix: "open 'memory:'",
  }),
} satisfies FaultTexts;
