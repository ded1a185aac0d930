/** Bulk writes of many clients: upload windows, and the order of the responses. */
import { connect as connectHttp2 } from 'node:http2';
import { startServer } from '../../src/server/index.js';
import { Connections, uploadWindow } from '../../src/server/connections.js';
import type { Engine, RowMutation } from '../../src/data/store/index.js';
import type { Server } from '@grpc/grpc-js';
import {
  type CallResult,
  instance,
  createTestTable,
  RawClient,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';
import { until } from '../support/until.js';

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory({ instance });
  await createTestTable(served.client);
});
afterAll(() => served.close());

/** Runs with a server that passes bulk writes through `write`. */
async function serving(
  write: (
    rows: readonly RowMutation[],
    inner: () => ReturnType<Engine['mutateRows']>,
  ) => ReturnType<Engine['mutateRows']>,
  run: (client: RawClient) => Promise<void>,
): Promise<void> {
  const { engine } = served;
  const mutateRows: Engine['mutateRows'] = (table, rows) =>
    write(rows, () => engine.mutateRows(table, rows));
  const intercepted = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'mutateRows') return mutateRows;
      const value: unknown = target[name as keyof Engine];
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const server = await startServer(intercepted, { instance });
  const client = new RawClient(server.address);
  try {
    await run(client);
  } finally {
    client.close();
    await server.close({ graceMs: 500 });
  }
}

const entries = (name: string, rows: number): object[] =>
  Array.from({ length: rows }, (_, at) => ({
    rowKey: utf8(`${name}${at}`),
    mutations: [setCell('a', 'q', 'v')],
  }));
const write = (client: RawClient, name: string, rows: number): Promise<CallResult> =>
  client.call('data', 'MutateRows', { tableName, entries: entries(name, rows) });

test('the flow-control windows have room for a whole request', async () => {
  const session = connectHttp2(`http://${served.server.address}`);
  try {
    await until(
      () =>
        session.remoteSettings?.initialWindowSize === uploadWindow &&
        session.state.remoteWindowSize === uploadWindow,
    );
  } finally {
    session.destroy();
  }
});

test('a gRPC server that keeps its HTTP/2 servers elsewhere is left unchanged', () => {
  expect(() => new Connections({} as Server)).not.toThrow();
  expect(
    () => new Connections({ http2Servers: new Map([['not a listener', {}]]) } as unknown as Server),
  ).not.toThrow();
});

test('large requests that arrive together are answered one after another', async () => {
  const events: string[] = [];
  await serving(
    async (rows) => {
      const name = String.fromCharCode(rows[0].key[0]);
      events.push(`begins ${name}`);
      // As a commit in the next turn: a real one may be two where the machine is busy.
      await new Promise((resolve) => void setImmediate(resolve));
      events.push(`done ${name}`);
      return rows.map(() => undefined);
    },
    async (client) => {
      const responses = await Promise.all(
        ['v', 'w', 'x', 'y', 'z'].map((name) => write(client, name, 600)),
      );
      for (const { code, messages } of responses)
        expect({
          code,
          statuses: (messages as { entries: unknown[] }[]).flatMap((message) => message.entries)
            .length,
        }).toEqual({ code: 0, statuses: 600 });
    },
  );
  expect(events.map((event) => event.split(' ')[0])).toEqual(
    Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? 'begins' : 'done')),
  );
  expect(events.filter((_, at) => at % 2 === 0).map((event) => event.slice(-1))).toEqual(
    events.filter((_, at) => at % 2 === 1).map((event) => event.slice(-1)),
  );
});

test('a large request that is stuck in the engine does not delay other requests', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let waiting = false;
  await serving(
    async (rows, inner) => {
      if (rows[0].key[0] === 'h'.charCodeAt(0)) {
        waiting = true;
        await released;
      }
      return inner();
    },
    async (client) => {
      const stuck = write(client, 'h', 600);
      await until(() => waiting);
      expect((await write(client, 'i', 600)).code).toBe(0);
      release();
      expect((await stuck).code).toBe(0);
    },
  );
});
