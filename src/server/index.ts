/** The entry point `rowsmith/server`: the Bigtable API over an engine. */
export { startServer, type BigtableServer, type ServerOptions } from './start-server.js';
export type { ServerTls } from './server-tls.js';
