/** What the fixtures import as `rowsmith-under-test`: built once for the whole matrix. */
export * from '../../decorators/index.js';
export * from '../../src/model/index.js';
