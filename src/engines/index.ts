/** Opens engines by url. An engine is loaded when it is first opened. */
export type { LiveSettings } from './bigtable/settings.js';
export { absoluteUrl, directoryUrl, parseEngineUrl, type EngineUrl } from './engine-url.js';
export type { MemoryImage } from './local/open-memory-engine.js';
export {
  clientOf,
  copiesOf,
  loadMemoryImage,
  openEngine,
  openMemory,
  engineOptions,
  openEngineOf,
  type BackupSummary,
  type DiskCopies,
  type EngineOptions,
  type OnRetry,
} from './open-engine.js';
