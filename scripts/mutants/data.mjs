/** The mutants of this repository, and the tests of each area. */
export { areas } from './areas.mjs';
export { chosen } from './chosen/index.mjs';
export { equivalents } from './equivalents.mjs';
