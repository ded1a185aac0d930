/** Generated files in a folder: how they differ from what is there, and their writing. */
export { type FileChange, changesOf, type Output } from './change.js';
export { generatedBefore, manifestName } from './manifest.js';
export { writeChanges } from './write-changes.js';
