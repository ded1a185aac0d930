/** Engines by url. Each is loaded when one is opened. */
export type { LiveSettings } from './bigtable/index.js';
export { absoluteUrl, parseEngineUrl, type EngineUrl } from './engine-url.js';
export type { Durability, GcMode, MemoryImage } from './local/index.js';
export {
  loadMemoryImage,
  openEngine,
  openMemory,
  openRetryingEngine,
  type EngineOptions,
  type OnRetry,
} from './open-engine.js';
