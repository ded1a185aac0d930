/** The clients that the suite has asked for: live engines, by their ids. */
import { openLiveEngine, type LiveSettings } from '../../src/engines/bigtable/index.js';
import { StatusError, statusCode } from '../../src/engines/protocol/index.js';
import type { Engine } from '../../src/data/store/index.js';

/** CreateClientRequest, decoded by protobufjs. */
export interface ClientRequest {
  readonly clientId: string;
  readonly dataTarget: string;
  readonly projectId: string;
  readonly instanceId: string;
  readonly appProfileId: string;
  readonly perOperationTimeout?: { readonly seconds: number | Long; readonly nanos: number } | null;
  /** 1 asks for every optional feature. */
  readonly optionalFeatureConfig: number;
  readonly securityOptions?: { readonly useSsl: boolean } | null;
}

/** int64 as protobufjs decodes it. */
interface Long {
  toNumber(): number;
}

/** A client of the suite. */
export interface LiveClient {
  readonly engine: Engine;
  /** The timeout of each of its calls, in milliseconds, if the suite has set one. */
  readonly timeoutMs: number | undefined;
}

/** The clients of one proxy. */
export class LiveClients {
  readonly #clients = new Map<string, LiveClient>();

  /** `settings` are added to those that the suite asks for. */
  constructor(readonly settings: LiveSettings = {}) {}

  async create(request: ClientRequest): Promise<void> {
    const { clientId, dataTarget, projectId, instanceId, appProfileId, securityOptions } = request;
    if (clientId === '') throw new StatusError(statusCode.INVALID_ARGUMENT, 'client_id is empty');
    if (this.#clients.has(clientId))
      throw new StatusError(statusCode.ALREADY_EXISTS, `There is a client ${clientId}`);
    if (securityOptions?.useSsl === true)
      throw new StatusError(statusCode.UNIMPLEMENTED, 'The proxy connects without encryption');
    const profile = appProfileId === '' ? '' : `?appProfile=${appProfileId}`;
    const timeoutMs = millis(request.perOperationTimeout);
    const engine = await openLiveEngine(`bigtable://${projectId}/${instanceId}${profile}`, {
      ...this.settings,
      emulatorHost: dataTarget,
      totalTimeoutMs: timeoutMs,
      batchWriteFlowControl: request.optionalFeatureConfig === 1,
    });
    this.#clients.set(clientId, { engine, timeoutMs });
  }

  get(clientId: string): LiveClient {
    const client = this.#clients.get(clientId);
    if (client !== undefined) return client;
    throw new StatusError(statusCode.NOT_FOUND, `There is no client ${clientId}`);
  }

  /** Forgets a client, which was closed before. */
  remove(clientId: string): void {
    this.get(clientId);
    this.#clients.delete(clientId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ engine }) => engine.close()));
  }
}

function millis(duration: ClientRequest['perOperationTimeout']): number | undefined {
  if (duration == null) return undefined;
  const { seconds, nanos } = duration;
  return (typeof seconds === 'number' ? seconds : seconds.toNumber()) * 1000 + nanos / 1e6;
}
