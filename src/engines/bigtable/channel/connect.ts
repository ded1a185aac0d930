/**
 * Connects to an instance: loads the vendor, makes its clients, and looks whether their stubs are
 * what our calls need.
 */
import { noBytes } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import type { Channel } from './channel.js';
import { connectError } from './connect-error.js';
import { GeneratedChannel } from './generated-channel.js';
import { GrpcChannel, type MetadataClass } from './grpc-channel.js';
import { checkCredentials, checkKeyFile } from './key-file.js';
import {
  type LiveSettings,
  type ResolvedSettings,
  type Target,
  resolveSettings,
} from '../settings.js';
import {
  type ClientOptions,
  type GeneratedClient,
  loadVendor,
  type Metadata,
  type Stub,
  type Vendor,
  type VendorOptions,
} from './vendor.js';

/**
 * Opens the connections to an instance. MISSING_PACKAGE without the client library;
 * INVALID_ARGUMENT for settings it cannot use; PERMISSION_DENIED for a key it cannot use.
 */
export async function connect(target: Target, given: LiveSettings = {}): Promise<Channel> {
  const settings = resolveSettings(given);
  if (emulatorOf(settings) === undefined) {
    if (settings.keyFilename !== undefined) await checkKeyFile(settings.keyFilename);
    if (settings.credentials !== undefined) checkCredentials(settings.credentials);
  }
  const vendor = await loadVendor();
  const clients = new Clients(vendor, target, settings);
  try {
    const instance = `projects/${await clients.project()}/instances/${target.instance}`;
    const common = { instance, appProfile: target.appProfile, clients: () => clients.made };
    const stubs = await clients.dataStubs();
    const metadata = settings.transport === 'generated' ? undefined : metadataOf(stubs[0]);
    if (metadata === undefined)
      return new GeneratedChannel({
        ...common,
        data: clients.made[0],
        admin: () => clients.adminClient(),
      });
    return new GrpcChannel({
      ...common,
      metadata,
      stubs: stubs as Stub[],
      clientHeader: clients.header,
      admin: async () => (await (await clients.adminClient()).initialize()) as Stub,
    });
  } catch (error) {
    await clients.close();
    throw error instanceof RowsmithError ? error : connectError(error);
  }
}

/** The generated clients of one database. */
class Clients {
  /** In the order they were made. */
  readonly made: GeneratedClient[] = [];
  readonly #options: VendorOptions;
  #admin: Promise<GeneratedClient> | undefined;

  readonly #vendor: Vendor;
  readonly #target: Target;
  readonly #settings: ResolvedSettings;

  constructor(vendor: Vendor, target: Target, settings: ResolvedSettings) {
    this.#vendor = vendor;
    this.#target = target;
    this.#settings = settings;
    this.#options = clientOptions(vendor, settings, target);
    for (let i = 0; i < settings.connections; i++)
      this.made.push(new vendor.DataClient(this.#options.data));
  }

  /** Value of `x-goog-api-client`. */
  get header(): string {
    return `gl-node/${process.versions.node} ${this.#options.library}`;
  }

  /** The project of the url, of the settings, or of the credentials. */
  async project(): Promise<string> {
    const named = this.#target.project ?? this.#settings.projectId;
    if (named !== undefined) return named;
    try {
      return await this.made[0].getProjectId();
    } catch (cause) {
      throw new RowsmithError(
        'INVALID_ARGUMENT',
        {
          property: 'url',
          problem: 'the url names no project, and the credentials know none',
          fix: `use 'bigtable://project/instance', or open(url, { bigtable: { projectId } })`,
        },
        { cause },
      );
    }
  }

  async dataStubs(): Promise<Partial<Stub>[]> {
    return Promise.all(this.made.map((client) => client.initialize() as Promise<Partial<Stub>>));
  }

  adminClient(): Promise<GeneratedClient> {
    return (this.#admin ??= this.#makeAdmin());
  }

  async close(): Promise<void> {
    // A client that failed to begin fails to end, for the same reason.
    await Promise.allSettled(this.made.map((client) => client.close()));
  }

  async #makeAdmin(): Promise<GeneratedClient> {
    const client = new this.#vendor.AdminClient(this.#options.admin);
    this.made.push(client);
    await client.initialize();
    return client;
  }
}

/** `host:port` of the emulator that is meant; undefined for the service. */
function emulatorOf({ emulatorHost, clientOptions: passed }: ResolvedSettings): string | undefined {
  const host =
    emulatorHost ??
    (passed?.apiEndpoint === undefined ? process.env.BIGTABLE_EMULATOR_HOST : undefined);
  return host === '' ? undefined : host;
}

/** What the clients are made with. */
function clientOptions(vendor: Vendor, settings: ResolvedSettings, target: Target): VendorOptions {
  const { clientOptions: passed, credentials, keyFilename, windowBytes } = settings;
  const projectId = target.project ?? settings.projectId;
  const host = emulatorOf(settings);
  const emulator = host === undefined ? {} : emulatorOptions(host);
  return vendor.options({
    ...(credentials === undefined ? {} : { credentials }),
    ...(keyFilename === undefined ? {} : { keyFilename }),
    ...(projectId === undefined ? {} : { projectId }),
    // Its metrics end a process that has no credentials after 60 s, and we record our own.
    metricsEnabled: false,
    'grpc.primary_user_agent': 'rowsmith',
    'grpc-node.flow_control_window': windowBytes,
    // Connections with the same options would be one.
    'grpc.use_local_subchannel_pool': 1,
    ...keepalive,
    ...emulator,
    ...passed,
  });
}

/**
 * A line that went dead without a word is found out by a ping: every 30 s while calls run, or with
 * the first call after such a time. Google's own Java client asks as often
 * (EnhancedBigtableStubSettings); where a server finds that too often, grpc-js waits twice as long
 * by itself.
 */
const keepalive = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
} as const;

/**
 * An emulator has neither credentials nor the server that gives them out, which would otherwise be
 * looked for at length.
 */
function emulatorOptions(host: string): ClientOptions {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(host);
  if (parts === null) {
    throw new RowsmithError('INVALID_ARGUMENT', {
      property: 'BIGTABLE_EMULATOR_HOST',
      problem: `it is ${JSON.stringify(host)}`,
      fix: "use 'host:port', for example 'localhost:8086'",
    });
  }
  const [, six, plain, port] = parts;
  return {
    apiEndpoint: host,
    servicePath: six === undefined ? plain : `[${six}]`,
    port: Number(port),
    auth: {
      getUniverseDomain: () => Promise.resolve(undefined),
      getProjectId: () => Promise.reject(new Error('an emulator knows no project')),
    },
  };
}

function isGrpcClient(stub: Partial<Stub> | undefined): stub is Stub {
  return (
    typeof stub?.makeUnaryRequest === 'function' &&
    typeof stub.makeServerStreamRequest === 'function'
  );
}

/**
 * The stub's own Metadata class, from a call that its interceptor stops before anything is sent:
 * headers of another copy of grpc-js would be taken for options. Undefined when the stub is no gRPC
 * client.
 */
function metadataOf(stub: Partial<Stub> | undefined): MetadataClass | undefined {
  if (!isGrpcClient(stub)) return undefined;
  let found: MetadataClass | undefined;
  const nothing = (): void => undefined;
  const stopped = (): object => ({
    start: (metadata: Metadata) => {
      found = metadata.constructor as MetadataClass;
    },
    sendMessageWithContext: nothing,
    sendMessage: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
  });
  try {
    const call = stub.makeServerStreamRequest(
      '/google.bigtable.v2.Bigtable/PingAndWarm',
      (bytes) => Buffer.from(bytes),
      (bytes) => bytes,
      noBytes,
      { interceptors: [stopped] },
    );
    call.on('error', nothing).cancel();
  } catch {
    return undefined;
  }
  return found;
}
