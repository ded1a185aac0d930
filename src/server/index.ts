/** The door `rowsmith/server`: the Bigtable API over an engine. */
export { openEngine, type EngineOptions } from './open-engine.js';
export { startServer, type BigtableServer, type ServerOptions } from './start-server.js';
