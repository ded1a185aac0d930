/** A gRPC server of the Bigtable API over an engine. */
/// <reference lib="esnext.disposable" preserve="true" />
import {
  checkOptions,
  invalidArgument,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../base/index.js';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import type { AccessRecorder } from '../tools/heat/index.js';
import { parseInstance } from '../engines/protocol/index.js';
import { type Engine, withStages } from '../data/store/index.js';
import { CallTargets } from './data/call-target.js';
import { BackupTables } from './backups/backup-tables.js';
import { backupMethods } from './backups/backup-service.js';
import { dataService } from './data/data-service.js';
import { AdminService } from './admin/admin-service.js';
import { clusterTrailer } from './data/response-params.js';
import { instanceAdminService } from './admin/instance-admin-service.js';
import { InstanceLookup } from './resources/instance-lookup.js';
import { Operations } from './admin/operations.js';
import { operationsService } from './admin/operations-service.js';
import { ProfileRouting } from './resources/profile-routing.js';
import { ResourceStore } from './resources/resource-store.js';
import { Service, type Methods } from './rpc.js';
import { tableAdminService } from './admin/table-admin-service.js';
import { TableNames } from './resources/table-names.js';
import { Connections, defaultMaxConnections } from './connections.js';
import { Health, healthName } from './health-service.js';
import { HeldRequests, maxRequestBytes } from './held-requests.js';
import { Reflection, reflectionNames } from './reflection/reflection-service.js';
import { serverCredentials, TokenCheck } from './security.js';
import type { ServerTls } from './server-tls.js';

/** Options of `startServer`. */
export interface ServerOptions {
  /** Default 0: any free port, see `port` of the server. */
  readonly port?: number;
  /**
   * Address to listen on; default 127.0.0.1. Without a `token`, anyone who can reach the port can
   * read and write everything.
   */
  readonly host?: string;
  /** Serves over TLS. Default: unencrypted, as clients expect of an emulator. */
  readonly tls?: ServerTls;
  /**
   * Bearer token that every call must carry (`authorization: Bearer TOKEN`), at least 16
   * characters; other calls are UNAUTHENTICATED. Without `tls` it is sent unencrypted.
   */
  readonly token?: string;
  /**
   * The home instance: its tables are the tables of the engine, under the same names. Default
   * `projects/rowsmith/instances/local`. Tables of other instances are separate tables of the
   * engine. They have the same name there if it is free, otherwise a name with a number appended.
   */
  readonly instance?: string;
  /**
   * Milliseconds after which an idle connection is probed (HTTP/2 PING); default 60,000. A
   * connection that does not answer the probe within a third of that is closed and its calls are
   * cancelled.
   */
  readonly keepaliveMs?: number;
  /**
   * Connections at a time, at least 1; default 1,000. Further ones are closed at once, which
   * clients report as UNAVAILABLE. Each connection may hold 4 MiB besides its requests.
   */
  readonly maxConnections?: number;
  /** Records which rows are read and written, for heat maps; default: nothing is recorded. */
  readonly record?: AccessRecorder;
}

/** A running server. */
export interface BigtableServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `host:port`, the value of BIGTABLE_EMULATOR_HOST. */
  readonly address: string;
  /**
   * Rejects new calls, waits up to `graceMs` milliseconds (default 10,000) for running calls, and
   * cancels the rest. The engine stays open.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** The services that clients of Bigtable call. */
const serviceNames = {
  data: 'google.bigtable.v2.Bigtable',
  tables: 'google.bigtable.admin.v2.BigtableTableAdmin',
  instances: 'google.bigtable.admin.v2.BigtableInstanceAdmin',
  operations: 'google.longrunning.Operations',
} as const;

/** Calls of one connection at a time; a client waits before it starts more. */
const maxConcurrentCalls = 10_000;

/**
 * Serves the engine; resolves when the server is listening. A function that opens the engine is
 * called once the options are checked and the gRPC library is loaded, so that a database is not
 * created in vain; the caller closes the engine, also if `startServer` rejects.
 */
export async function startServer(
  served: Engine | (() => Promise<Engine>),
  options: ServerOptions = {},
): Promise<BigtableServer> {
  checkOptions('startServer()', options, [
    'port',
    'host',
    'tls',
    'token',
    'instance',
    'keepaliveMs',
    'maxConnections',
    'record',
  ]);
  const {
    port = 0,
    host = '127.0.0.1',
    instance: homeInstance = 'projects/rowsmith/instances/local',
    keepaliveMs = 60_000,
    maxConnections = defaultMaxConnections,
    record,
  } = options;
  parseInstance(homeInstance);
  checkRecorder(record);
  checkKeepalive(keepaliveMs);
  checkMaxConnections(maxConnections);
  const token = new TokenCheck(options.token);
  const grpc = await loadGrpc();
  const credentials = serverCredentials(grpc, options.tls);
  const engine = typeof served === 'function' ? await served() : served;
  const resources = await ResourceStore.open(engine);
  const names = new TableNames(engine, resources, homeInstance);
  const operations = new Operations();
  const server = new grpc.Server({
    'grpc.max_receive_message_length': maxRequestBytes,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': maxConcurrentCalls,
    // Channelz would count every call and message; this server does not offer its service.
    'grpc.enable_channelz': 0,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': Math.ceil(keepaliveMs / 3),
  });
  const requests = new HeldRequests(token);
  const adminService = (name: string): Service => new AdminService(grpc, name, token, requests);
  const instances = new InstanceLookup(resources, names, homeInstance);
  const routing = new ProfileRouting(resources);
  const recorded = withStages(engine, [record?.stage()]);
  const params = clusterTrailer(resources);
  const data = new Service(grpc, serviceNames.data, token, requests, params);
  add(server, dataService(data, recorded, new CallTargets(recorded, names, resources), routing));
  const context = { engine, names, store: resources, instances, operations };
  const backups = new BackupTables(context);
  await names.recover();
  await backups.sweep();
  const tables = adminService(serviceNames.tables);
  add(server, {
    ...tableAdminService(tables, engine, names, resources, instances, operations),
    ...backupMethods(tables, context, backups),
  });
  const admin = adminService(serviceNames.instances);
  add(server, instanceAdminService(admin, resources, names, operations, instances));
  add(server, operationsService(adminService(serviceNames.operations), operations));
  const health = new Health(engine, Object.values(serviceNames));
  const open = new Service(grpc, healthName, new TokenCheck(undefined), requests);
  add(server, health.methods(new Service(grpc, healthName, token, requests), open));
  const reflection = new Reflection([
    ...Object.values(serviceNames),
    ...[healthName, ...reflectionNames],
  ]);
  for (const name of reflectionNames)
    add(server, reflection.methods(new Service(grpc, name, token, requests)));
  const boundPort = await listen(server, credentials, host, port);
  const connections = new Connections(server, requests, maxConnections);
  backups.start();
  const end = (): Promise<void> => {
    health.end();
    backups.stop();
    return operations.close();
  };
  return runningServer(server, connections, end, host, boundPort);
}

function checkKeepalive(ms: number): void {
  if (Number.isSafeInteger(ms) && ms >= 1 && ms < 2 ** 31) return;
  throw invalidArgument('keepaliveMs', faults.keepaliveOutOfRange(ms));
}

/** For callers from JavaScript: options of a recorder are not a recorder. */
function checkRecorder(record: AccessRecorder | undefined): void {
  if (record === undefined || typeof record?.stage === 'function') return;
  throw invalidArgument('record', faults.notARecorder(valueText(record)));
}

function checkMaxConnections(count: number): void {
  if (Number.isSafeInteger(count) && count >= 1 && count < 2 ** 31) return;
  throw invalidArgument('maxConnections', faults.connectionsOutOfRange(count));
}

function add(server: Server, methods: Methods): void {
  server.addService(
    Object.fromEntries(Object.entries(methods).map(([name, { definition }]) => [name, definition])),
    Object.fromEntries(Object.entries(methods).map(([name, { handler }]) => [name, handler])),
  );
}

function listen(
  server: Server,
  credentials: ServerCredentials,
  host: string,
  port: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const address = addressOf(host, port);
    server.bindAsync(address, credentials, (cause, bound) => {
      if (cause === null) return resolve(bound);
      const problem = `cannot listen on ${address}: ${cause.message}`;
      const fix = 'Choose another port, or 0 for any that is free.';
      reject(invalidArgument('port', { problem, fix }, {}, { cause }));
    });
  });
}

/** `host:port`; IPv6 addresses in brackets. */
function addressOf(host: string, port: number): string {
  if (host.includes(':')) return `[${host}]:${port}`;
  return `${host}:${port}`;
}

function runningServer(
  server: Server,
  connections: Connections,
  end: () => Promise<void>,
  host: string,
  port: number,
): BigtableServer {
  let closed: Promise<void> | undefined;
  const close = async (options?: { readonly graceMs?: number }): Promise<void> => {
    const graceMs = graceMsOf(options);
    const ended = end();
    await (closed ??= new Promise((resolve) => {
      const timer = setTimeout(() => {
        server.forceShutdown();
        // Without waiting for tryShutdown: it never ends (grpc-js 1.14) if it was called while a
        // session that failed was not closed yet.
        void connections.destroyAll().then(resolve);
      }, graceMs);
      server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    }));
    await ended;
  };
  return {
    host,
    port,
    address: addressOf(host, port),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function graceMsOf(options: { readonly graceMs?: number } | undefined): number {
  checkOptions('close()', options, ['graceMs']);
  const { graceMs = 10_000 } = options ?? {};
  // A longer timer of Node fires at once.
  if (graceMs >= 0 && graceMs < 2 ** 31) return graceMs;
  throw invalidArgument('graceMs', faults.graceOutOfRange(graceMs));
}

/** The gRPC library is an optional peer dependency: an embedded engine does not need it. */
async function loadGrpc() {
  try {
    return await import('@grpc/grpc-js');
  } catch (cause) {
    throw new RowsmithError('MISSING_PACKAGE', faults.missingPackage, { cause });
  }
}

const faults = {
  keepaliveOutOfRange: (ms: number) => ({
    problem: `keepaliveMs is ${String(ms)}`,
    fix: 'give a whole number of milliseconds from 1 to 2,147,483,647',
  }),
  notARecorder: (given: string) => ({
    problem: `record is ${given}`,
    fix: 'give a recorder: recordAccess(), or recordAccess({ file })',
  }),
  connectionsOutOfRange: (count: number) => ({
    problem: `maxConnections is ${String(count)}`,
    fix: 'give a whole number from 1 to 2,147,483,647',
  }),
  graceOutOfRange: (graceMs: number) => ({
    problem: `graceMs is ${String(graceMs)}`,
    fix: 'give milliseconds from 0 to 2,147,483,647',
  }),
  missingPackage: {
    problem: 'the server needs @grpc/grpc-js, which cannot be loaded',
    fix: 'run npm install @grpc/grpc-js',
  },
} satisfies FaultTexts;
