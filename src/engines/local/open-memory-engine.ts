/** The embedded engine in memory. */
import type { Engine } from '../../store/engine.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';
import { openMemoryStore } from './memory-store.js';

/** Opens an empty database that lives as long as the process. */
export async function openMemoryEngine(options: LocalEngineOptions = {}): Promise<Engine> {
  return new LocalEngine('memory:', await openMemoryStore(), options);
}
