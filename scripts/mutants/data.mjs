/** The mutants of this repository, and suites of its folders. */
export { chosen } from './chosen/index.mjs';
export { equivalents } from './equivalents.mjs';
export { folderSuites } from './folder-suites.mjs';
