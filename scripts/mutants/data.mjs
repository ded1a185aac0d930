/** The mutants of this repository, and its slow suites. */
export { chosen } from './chosen/index.mjs';
export { equivalents } from './equivalents.mjs';
export { slowSuites } from './slow-suites.mjs';
