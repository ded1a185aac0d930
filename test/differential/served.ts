/**
 * An engine with our server over it and a client of that, which can all be closed and opened again.
 */
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/store/index.js';
import type { RawClient } from '../server/raw-client.js';
import { NotedClient, type Said } from './responses.js';

interface Running {
  readonly engine: Engine;
  readonly server: BigtableServer;
  readonly client: RawClient;
}

/** One of them. */
export class Served {
  #reopening: Promise<void> | undefined;

  readonly #openEngine: () => Promise<Engine>;
  readonly #said: Said;
  #running: Running;

  private constructor(openEngine: () => Promise<Engine>, said: Said, running: Running) {
    this.#openEngine = openEngine;
    this.#said = said;
    this.#running = running;
  }

  static async open(openEngine: () => Promise<Engine>, said: Said): Promise<Served> {
    return new Served(openEngine, said, await start(openEngine, said));
  }

  get engine(): Engine {
    return this.#running.engine;
  }

  get client(): RawClient {
    return this.#running.client;
  }

  /**
   * Those who ask in one turn share one reopening: the engine and the server are peers of their
   * own.
   */
  reopen(): Promise<void> {
    this.#reopening ??= (async () => {
      await this.close();
      this.#running = await start(this.#openEngine, this.#said);
    })().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async close(): Promise<void> {
    const { engine, server, client } = this.#running;
    client.close();
    await server.close({ graceMs: 500 });
    await engine.close();
  }
}

async function start(openEngine: () => Promise<Engine>, said: Said): Promise<Running> {
  const engine = await openEngine();
  const server = await startServer(engine);
  return { engine, server, client: new NotedClient(server.address, said) };
}
