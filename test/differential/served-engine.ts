/** An engine with our server and a client of it, which can be closed and reopened together. */
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';
import type { RawClient } from '../server/raw-client.js';
import { RecordingClient, type RequestCoverage } from './request-coverage.js';

interface Running {
  readonly engine: Engine;
  readonly server: BigtableServer;
  readonly client: RawClient;
}

export class ServedEngine {
  readonly #openEngine: () => Promise<Engine>;
  readonly #coverage: RequestCoverage;
  #running: Running;
  #reopening: Promise<void> | undefined;

  private constructor(
    openEngine: () => Promise<Engine>,
    coverage: RequestCoverage,
    running: Running,
  ) {
    this.#openEngine = openEngine;
    this.#coverage = coverage;
    this.#running = running;
  }

  static async open(
    openEngine: () => Promise<Engine>,
    coverage: RequestCoverage,
  ): Promise<ServedEngine> {
    return new ServedEngine(openEngine, coverage, await start(openEngine, coverage));
  }

  get engine(): Engine {
    return this.#running.engine;
  }

  get client(): RawClient {
    return this.#running.client;
  }

  /** Concurrent calls share one reopening: the engine and its server are separate targets. */
  reopen(): Promise<void> {
    this.#reopening ??= (async () => {
      await this.close();
      this.#running = await start(this.#openEngine, this.#coverage);
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

async function start(
  openEngine: () => Promise<Engine>,
  coverage: RequestCoverage,
): Promise<Running> {
  const engine = await openEngine();
  const server = await startServer(engine);
  return { engine, server, client: new RecordingClient(server.address, coverage) };
}
