/**
 * grpc.health.v1.Health, as orchestrators and load balancers ask for it. A server is serving while
 * its engine answers.
 */
import {
  int32,
  many,
  messageType,
  one,
  StatusError,
  statusCode,
  text,
} from '../engines/protocol/index.js';
import type { Engine } from '../data/store/index.js';
import type { Methods, ResponseStream, Service } from './rpc.js';

/** The name of the service. */
export const healthName = 'grpc.health.v1.Health';

/** HealthCheckResponse.ServingStatus. */
const serving = 1;
const notServing = 2;
const serviceUnknown = 3;

const name = (message: string): string => `grpc.health.v1.${message}`;
const HealthCheckRequest = messageType(name('HealthCheckRequest'), { service: text(1) });
const HealthCheckResponse = messageType(name('HealthCheckResponse'), { status: int32(1) });
const HealthListRequest = messageType(name('HealthListRequest'), {});
const HealthListResponse = messageType(name('HealthListResponse'), {
  statuses: many(
    1,
    messageType(name('HealthListResponse.StatusesEntry'), {
      key: text(1),
      value: one(2, HealthCheckResponse),
    }),
  ),
});

/** The health of a server. */
export class Health {
  readonly #engine: Engine;
  /** The empty name stands for the whole server. */
  readonly #names: readonly string[];
  readonly #watches = new Set<() => void>();
  #ended = false;

  /** `names` are the services that are served. */
  constructor(engine: Engine, names: readonly string[]) {
    this.#engine = engine;
    this.#names = ['', ...names];
  }

  /** The methods; Check is a method of `open`, which accepts calls without a token. */
  methods(service: Service, open: Service): Methods {
    return {
      Check: open.unary(
        'Check',
        HealthCheckRequest,
        HealthCheckResponse,
        async ({ service: asked = '' }) => {
          if (!this.#names.includes(asked))
            throw new StatusError(statusCode.NOT_FOUND, `The service is not served: ${asked}`);
          return { status: await this.#status() };
        },
      ),
      List: service.unary('List', HealthListRequest, HealthListResponse, async () => {
        const value = { status: await this.#status() };
        return { statuses: this.#names.map((key) => ({ key, value })) };
      }),
      Watch: service.streaming(
        'Watch',
        HealthCheckRequest,
        async ({ service: asked = '' }, responses) => this.#watch(asked, responses),
      ),
    };
  }

  /** Tells all watches that the server no longer serves, and ends them. */
  end(): void {
    this.#ended = true;
    for (const end of this.#watches) end();
  }

  async #status(): Promise<number> {
    if (this.#ended) return notServing;
    try {
      await this.#engine.listTables();
      return serving;
    } catch {
      return notServing;
    }
  }

  async #watch(asked: string, responses: ResponseStream): Promise<void> {
    const isKnown = this.#names.includes(asked);
    const status = isKnown ? await this.#status() : serviceUnknown;
    responses.write(HealthCheckResponse.encode({ status }));
    const { signal } = responses;
    if (!this.#ended)
      await new Promise<void>((resolve) => {
        const end = (): void => {
          this.#watches.delete(end);
          resolve();
        };
        this.#watches.add(end);
        signal.addEventListener('abort', end, { once: true });
      });
    if (signal.aborted || status === notServing || !isKnown) return;
    responses.write(HealthCheckResponse.encode({ status: notServing }));
  }
}
