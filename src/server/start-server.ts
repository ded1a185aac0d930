/** A gRPC server of the Bigtable API over an engine. */
import type { Server } from '@grpc/grpc-js';
import { RowsmithError } from '../errors.js';
import { GetOperationRequest, Operation, parseInstance } from '../protocol/index.js';
import type { Engine } from '../store/index.js';
import { dataService } from './data/data-service.js';
import { instanceAdminService } from './admin/instance-admin-service.js';
import { Operations } from './admin/operations.js';
import { ResourceStore } from './admin/resource-store.js';
import { Service, type Grpc, type Methods } from './rpc.js';
import { tableAdminService } from './admin/table-admin-service.js';
import { TableNames } from './admin/table-names.js';
import { widenUploads } from './widen-uploads.js';

/** How to serve. */
export interface ServerOptions {
  /** Default 0: any free port; `port` of the server says which. */
  readonly port?: number;
  /**
   * Address to listen on; default 127.0.0.1. There is no authentication: whoever reaches the port
   * reads and writes everything.
   */
  readonly host?: string;
  /**
   * The instance whose tables are the engine's own, under the same names; default
   * `projects/rowsmith/instances/local`. Tables of other instances are kept apart: they take the
   * same name in the engine where it is free, and another where it is not.
   */
  readonly instance?: string;
  /**
   * Milliseconds without a word from a connection after which it is asked whether it is still
   * there; default 60,000. One that does not answer within a third of that is cut off, and its
   * calls with it: clients that vanished without closing, and peers that never say anything.
   */
  readonly keepaliveMs?: number;
}

/** A running server. */
export interface BigtableServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `host:port`, the value of BIGTABLE_EMULATOR_HOST. */
  readonly address: string;
  /**
   * Takes no more calls and lets running ones end, for at most `graceMs` (default 10,000); then
   * cuts them off. The engine stays open.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Requests of production are at most 256 MiB; one byte more would be refused here before it is
 * read.
 */
const mostRequestBytes = 256 * 1024 * 1024;

/** Serves the engine; resolves when the port listens. */
export async function startServer(
  engine: Engine,
  options: ServerOptions = {},
): Promise<BigtableServer> {
  const {
    port = 0,
    host = '127.0.0.1',
    instance: home = 'projects/rowsmith/instances/local',
    keepaliveMs = 60_000,
  } = options;
  parseInstance(home);
  checkKeepalive(keepaliveMs);
  const grpc = await loadGrpc();
  const resources = await ResourceStore.open(engine);
  const names = new TableNames(engine, resources, home);
  const operations = new Operations();
  const server = new grpc.Server({
    'grpc.max_receive_message_length': mostRequestBytes,
    'grpc.max_send_message_length': -1,
    // Counts of every call and message, for a service that is not offered.
    'grpc.enable_channelz': 0,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': Math.ceil(keepaliveMs / 3),
  });
  const service = (name: string): Service => new Service(grpc, name);
  add(server, dataService(service('google.bigtable.v2.Bigtable'), engine, names));
  add(
    server,
    tableAdminService(
      service('google.bigtable.admin.v2.BigtableTableAdmin'),
      engine,
      names,
      operations,
    ),
  );
  add(
    server,
    instanceAdminService(
      service('google.bigtable.admin.v2.BigtableInstanceAdmin'),
      resources,
      names,
      operations,
      home,
    ),
  );
  const longrunning = service('google.longrunning.Operations');
  add(server, {
    GetOperation: longrunning.unary(
      'GetOperation',
      GetOperationRequest,
      Operation,
      async ({ name }) => operations.get(name),
    ),
  });
  const bound = await listen(grpc, server, host, port);
  widenUploads(server);
  return running(server, host, bound);
}

function checkKeepalive(ms: number): void {
  if (Number.isSafeInteger(ms) && ms >= 1 && ms < 2 ** 31) return;
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'keepaliveMs',
    problem: `keepaliveMs is ${String(ms)}`,
    fix: 'give a whole number of milliseconds from 1 to 2,147,483,647',
  });
}

function add(server: Server, methods: Methods): void {
  server.addService(
    Object.fromEntries(Object.entries(methods).map(([name, { definition }]) => [name, definition])),
    Object.fromEntries(Object.entries(methods).map(([name, { handler }]) => [name, handler])),
  );
}

function listen(grpc: Grpc, server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (cause, bound) => {
      if (cause === null) return resolve(bound);
      reject(
        new RowsmithError(
          'INVALID_ARGUMENT',
          {
            property: 'port',
            problem: `cannot listen on ${address}: ${cause.message}`,
            fix: 'Choose another port, or 0 for any that is free.',
          },
          { cause },
        ),
      );
    });
  });
}

function running(server: Server, host: string, port: number): BigtableServer {
  let closed: Promise<void> | undefined;
  const close = ({ graceMs = 10_000 } = {}): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      const timer = setTimeout(() => server.forceShutdown(), graceMs);
      server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    }));
  return {
    host,
    port,
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The gRPC library is an optional peer: who only embeds the engine should not install it. */
async function loadGrpc() {
  try {
    return await import('@grpc/grpc-js');
  } catch (cause) {
    throw new RowsmithError(
      'MISSING_PACKAGE',
      {
        problem: 'the server stands on @grpc/grpc-js, which cannot be loaded',
        fix: 'npm install @grpc/grpc-js',
      },
      { cause },
    );
  }
}
