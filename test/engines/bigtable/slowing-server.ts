/**
 * A server of bulk writes that does one request after another, and slows down on request. It
 * refuses requests when too many wait, and asks its clients for another rate, as Bigtable does.
 */
import { Server, ServerCredentials, status, type ServerWritableStream } from '@grpc/grpc-js';
import { MutateRowsRequest } from '../../../src/engines/protocol/index.js';
import { encodePublished } from '../protocol/published.js';

/** What the server has seen since the last `reset`. */
export interface Load {
  served: number;
  refused: number;
  /** The requests that waited whenever one arrived, added up. */
  waiting: number;
}

/** A running server. */
export interface SlowingServer {
  readonly address: string;
  readonly load: Load;
  /** The values of `bigtable-features`. */
  readonly features: ReadonlySet<string>;
  /** Sets how long each request takes from now on, and forgets the load. */
  slowDown(requestMs: number): void;
  close(): void;
}

/** Requests that may wait. */
const maxWaiting = 8;
/** The time between two changes of the rate, in milliseconds. */
const periodMs = 200;

/** Starts a server that takes `requestMs` for each request. */
export async function startSlowingServer(requestMs: number): Promise<SlowingServer> {
  const load: Load = { served: 0, refused: 0, waiting: 0 };
  const features = new Set<string>();
  let waiting = 0;
  let last = Promise.resolve();

  const serve = (stream: ServerWritableStream<Buffer, Buffer>): void => {
    features.add(String(stream.metadata.get('bigtable-features')[0]));
    load.waiting += waiting;
    if (waiting >= maxWaiting) {
      load.refused++;
      stream.emit('error', { code: status.UNAVAILABLE, details: 'overloaded' });
      return;
    }
    waiting++;
    last = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, requestMs));
      waiting--;
      load.served++;
      const { entries = [] } = MutateRowsRequest.decode(stream.request);
      const answer = {
        entries: entries.map((_, index) => ({ index, status: {} })),
        rateLimitInfo: { factor: factorFor(waiting), period: { nanos: periodMs * 1e6 } },
      };
      stream.write(encodePublished('google.bigtable.v2.MutateRowsResponse', answer));
      stream.end();
    });
  };

  const asIs = (bytes: Buffer): Buffer => bytes;
  const server = new Server();
  server.addService(
    {
      MutateRows: {
        path: '/google.bigtable.v2.Bigtable/MutateRows',
        requestStream: false,
        responseStream: true,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    { MutateRows: serve },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    load,
    features,
    slowDown: (ms) => {
      requestMs = ms;
      Object.assign(load, { served: 0, refused: 0, waiting: 0 });
    },
    close: () => server.forceShutdown(),
  };
}

function factorFor(waiting: number): number {
  if (waiting > 2) return 0.8;
  return waiting === 0 ? 1.2 : 1;
}
