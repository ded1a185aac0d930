/**
 * The entry point `rowsmith/wire`, which generated modules import. Programs do not use it directly.
 */
export { registerCodec } from './data/cell/index.js';
export { fieldNumbers } from './entities/model/index.js';
export { registerProto } from './entities/proto/index.js';
