/** Servers and connections of the suites of connections. */
import { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Engine, RowCursor } from '../../src/data/store/index.js';
import { createTestTable, instance, serveMemory, type TestServer, utf8 } from './raw-client.js';

export const rowCount = 20_000;
export const rowBytes = 400;

/** Rows that the engine passed to the server, and open reads. */
export const count = { rows: 0, open: 0 };

export function counting(inner: Engine): Engine {
  const readRows: Engine['readRows'] = (plan, options) => {
    const stream = inner.readRows(plan, options);
    let closed = false;
    count.open++;
    return {
      next: async () => {
        const page = await stream.next();
        return page && countingPage(page);
      },
      close: async () => {
        if (!closed) count.open--;
        closed = true;
        await stream.close();
      },
    };
  };
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'readRows') return readRows;
      const value: unknown = target[name as keyof Engine];
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export function countingPage(page: RowCursor): RowCursor {
  return new Proxy(page, {
    get: (target, name: keyof RowCursor) => {
      if (name === 'nextRow') return () => target.nextRow() && ++count.rows > 0;
      if (typeof target[name] !== 'function') return target[name];
      return (target[name] as () => unknown).bind(target);
    },
  });
}

export function started(session: ClientHttp2Session, message: Buffer): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/google.bigtable.v2.Bigtable/ReadRows',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
  return stream;
}

/** A server with many rows, for the tests of a file; `engine` counts what is read of it. */
export function serveRows(): { readonly served: TestServer; readonly engine: Engine } {
  let served: TestServer;
  let engine: Engine;
  beforeAll(async () => {
    served = await serveMemory({ instance });
    await createTestTable(served.client);
    const value = Buffer.alloc(rowBytes, 'v');
    const rows = Array.from({ length: rowCount }, (_, at) => ({
      key: utf8(`row-${String(at).padStart(6, '0')}`),
      mutations: [
        { kind: 'setCell' as const, family: 'a', qualifier: utf8('q'), timestamp: 1000, value },
      ],
    }));
    await served.engine.mutateRows('t', rows);
    engine = counting(served.engine);
  });
  afterAll(() => served.close());
  return {
    get served() {
      return served;
    },
    get engine() {
      return engine;
    },
  };
}
