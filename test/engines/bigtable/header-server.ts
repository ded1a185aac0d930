/**
 * A Bigtable server on bare HTTP/2, which shows all headers of each attempt. The server of grpc-js
 * removes `grpc-timeout`.
 */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** The headers or trailers of a response. */
type Headers = Readonly<Record<string, string>>;

/** How a call ends. */
export interface CallEnd {
  /** A gRPC status; default OK. */
  readonly status?: number;
  readonly trailers?: Headers;
}

/** An attempt as the server sees it. */
export interface Attempt {
  /** `ReadRows`, without the service. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: Buffer;
  /** 0 for the first attempt that the server has received. */
  readonly index: number;
  /** When it arrived, in milliseconds. */
  readonly at: number;
  /** Resolves when the client has cancelled it or its time is over. */
  readonly cancelled: Promise<void>;
  /** Sends the headers, before the first message. Without it they are sent with the status. */
  begin(headers: Headers): void;
  send(message: Uint8Array): void;
}

export type Respond = (attempt: Attempt) => CallEnd | void | Promise<CallEnd | void>;

/** A running server. */
export interface HeaderServer {
  readonly address: string;
  readonly attempts: readonly Attempt[];
  close(): Promise<void>;
}

/** Starts a server. `respond` answers an attempt, and ends it by returning. */
export async function startHeaderServer(respond: Respond): Promise<HeaderServer> {
  const attempts: Attempt[] = [];
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // A cancelled stream also emits an error.
    stream.on('error', () => undefined);
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const answer = new Answer(stream);
      const attempt: Attempt = {
        method: headers[':path']!.replace(/^.*\//, ''),
        headers,
        // After the flag of compression and the length.
        request: Buffer.concat(parts).subarray(5),
        index: attempts.length,
        at: performance.now(),
        cancelled: new Promise((resolve) => stream.on('close', resolve)),
        begin: (more) => answer.begin(more),
        send: (message) => answer.send(message),
      };
      attempts.push(attempt);
      void Promise.resolve(respond(attempt)).then((end) => answer.end(end ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    attempts,
    close: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The response of one attempt. */
class Answer {
  readonly #stream: ServerHttp2Stream;
  #trailers: Headers = {};

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  begin(headers: Headers): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.headersSent) return;
    stream.on('wantTrailers', () => stream.sendTrailers(this.#trailers));
    stream.respond({ ...responseHeaders, ...headers }, { waitForTrailers: true });
  }

  send(message: Uint8Array): void {
    if (this.#stream.destroyed) return;
    this.begin({});
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    this.#stream.write(Buffer.concat([prefix, message]));
  }

  end({ status = 0, trailers = {} }: CallEnd): void {
    if (this.#stream.destroyed) return;
    this.#trailers = { 'grpc-status': `${status}`, 'grpc-message': 'from the test', ...trailers };
    if (this.#stream.headersSent) this.#stream.end();
    else this.#stream.respond({ ...responseHeaders, ...this.#trailers }, { endStream: true });
  }
}

const responseHeaders = { ':status': 200, 'content-type': 'application/grpc' } as const;

/** The deadline of an attempt, in milliseconds; undefined if it carries none. */
export function timeoutOf({ headers }: Attempt): number | undefined {
  const text = headers['grpc-timeout'];
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+)([HMSmun])$/.exec(String(text))!;
  return Number(digits) * unitMs[unit as keyof typeof unitMs];
}

const unitMs = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 } as const;

/** The routing cookies that an attempt carries. */
export function cookiesOf({ headers }: Attempt): Record<string, unknown> {
  const prefix = 'x-goog-cbt-cookie-';
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
