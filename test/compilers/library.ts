/** The library that fixtures import as `rowsmith-under-test`; built once for all compilers. */
export * from '../../decorators/index.js';
export * from '../../src/entities/model/index.js';
