/** The embedded engine. */
export type { LazyCollection } from './maintenance/background-collection.js';
export type { LocalEngineOptions } from './local-engine-options.js';
export { openDiskEngine, type DiskEngineOptions } from './open-disk-engine.js';
export { memoryImage, MemoryImage, openMemoryEngine } from './open-memory-engine.js';
export { openReadOnlyEngine } from './open-read-only-engine.js';
export type { BackupSummary } from './kv/store/write-backup.js';
export { currentOwner } from './kv/directory/current-owner.js';
