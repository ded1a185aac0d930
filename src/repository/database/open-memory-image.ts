/** Images of memory engines, for rooms above that name no engine themselves. */
export { memoryImage, type MemoryImage, openMemoryEngine } from '../../engines/local/index.js';
