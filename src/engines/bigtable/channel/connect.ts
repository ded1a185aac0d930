/**
 * Connects to an instance: loads the client library, creates its clients, and uses their gRPC stubs
 * if they have the expected interface.
 */
import { noBytes, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { featureHeader } from './call-parts.js';
import type { Channel } from './channel.js';
import { connectError } from './connect-error.js';
import { GeneratedChannel } from './generated-channel.js';
import { GrpcChannel, type MetadataClass } from './grpc-channel.js';
import { checkCredentials, checkKeyFile } from './key-file.js';
import {
  type LiveSettings,
  type ResolvedSettings,
  type LiveTarget,
  definedProperties,
  resolveSettings,
} from '../settings.js';
import { loadBigtable, loadVendor } from './vendor/vendor.js';
import type {
  BigtableClass,
  Metadata,
  Stub,
  GeneratedClient,
  ClientOptions,
  VendorOptions,
  Vendor,
} from './vendor/vendor-types.js';

/**
 * Opens the connections to an instance. Throws MISSING_PACKAGE without the client library,
 * INVALID_ARGUMENT for invalid settings, and PERMISSION_DENIED for an unusable key.
 */
export async function connect(target: LiveTarget, options: LiveSettings = {}): Promise<Channel> {
  const settings = resolveSettings(options);
  if (emulatorHost(settings) === undefined) {
    if (settings.keyFilename !== undefined) await checkKeyFile(settings.keyFilename);
    if (settings.credentials !== undefined) checkCredentials(settings.credentials);
  }
  const vendor = await loadVendor();
  const clients = new Clients(vendor, target, settings);
  try {
    const instance = `projects/${await clients.project()}/instances/${target.instance}`;
    const stubs = await clients.dataStubs();
    const metadata = metadataClass(stubs[0]);
    const common = {
      instance,
      appProfile: target.appProfile,
      features: featureHeader(settings, metadata !== undefined),
      client: () => clients.official(),
      clients: () => clients.toClose(),
    };
    if (settings.transport !== 'generated' && metadata !== undefined)
      return new GrpcChannel({
        ...common,
        metadata,
        stubs: stubs as Stub[],
        clientHeader: clients.header,
        admin: async () => (await (await clients.adminClient()).initialize()) as Stub,
      });
    const [data] = clients.created;
    return new GeneratedChannel({ ...common, data, admin: () => clients.adminClient() });
  } catch (error) {
    await clients.close();
    if (error instanceof RowsmithError) throw error;
    throw connectError(error);
  }
}

/** The generated clients of one database. */
class Clients {
  /** In order of creation; the data clients are first. */
  readonly created: GeneratedClient[] = [];
  readonly #options: VendorOptions;
  #official: Promise<InstanceType<BigtableClass>> | undefined;
  #admin: Promise<GeneratedClient> | undefined;

  readonly #vendor: Vendor;
  readonly #target: LiveTarget;
  readonly #settings: ResolvedSettings;

  constructor(vendor: Vendor, target: LiveTarget, settings: ResolvedSettings) {
    this.#vendor = vendor;
    this.#target = target;
    this.#settings = settings;
    this.#options = vendor.options(userOptions(settings, target));
    for (let i = 0; i < settings.connections; i++)
      this.created.push(new vendor.DataClient(this.#options.data));
  }

  /** Value of `x-goog-api-client`. */
  get header(): string {
    return `gl-node/${process.versions.node} ${this.#options.library}`;
  }

  /** The project from the url, the settings or the credentials. */
  async project(): Promise<string> {
    const named = this.#target.project ?? this.#settings.projectId;
    if (named !== undefined) return named;
    try {
      return await this.created[0].getProjectId();
    } catch (cause) {
      throw new RowsmithError(
        'INVALID_ARGUMENT',
        {
          property: 'url',
          ...faults.missingProject,
        },
        { cause },
      );
    }
  }

  async dataStubs(): Promise<Partial<Stub>[]> {
    return Promise.all(this.created.map((client) => client.initialize() as Promise<Partial<Stub>>));
  }

  adminClient(): Promise<GeneratedClient> {
    return (this.#admin ??= this.#createAdmin());
  }

  /** Google's own client, over the first data client and the admin client. */
  official(): Promise<object> {
    return (this.#official ??= this.#createOfficial());
  }

  /** What closing the channel closes. */
  toClose(): readonly Pick<GeneratedClient, 'close'>[] {
    const official = this.#official;
    if (official === undefined) return this.created;
    // It may have created further clients. One that could not be loaded is not open.
    const close = async (): Promise<void> => void (await (await official).close());
    return [...this.created, { close: () => close().catch(() => undefined) }];
  }

  async close(): Promise<void> {
    // A client that failed to initialize also fails to close.
    await Promise.allSettled(this.created.map((client) => client.close()));
  }

  async #createOfficial(): Promise<InstanceType<BigtableClass>> {
    const Bigtable = await loadBigtable();
    const client = new Bigtable({
      ...userOptions(this.#settings, this.#target),
      projectId: await this.project(),
      appProfileId: this.#target.appProfile,
    });
    client.api.BigtableClient = this.created[0];
    client.api.BigtableTableAdminClient = await this.adminClient();
    return client;
  }

  async #createAdmin(): Promise<GeneratedClient> {
    const client = new this.#vendor.AdminClient(this.#options.admin);
    this.created.push(client);
    await client.initialize();
    return client;
  }
}

/** `host:port` of the emulator; undefined for the service. */
function emulatorHost(settings: ResolvedSettings): string | undefined {
  const host = settings.emulatorHost ?? defaultEmulatorHost(settings);
  if (host === '') return undefined;
  return host;
}

/** An explicit endpoint takes precedence over the environment. */
function defaultEmulatorHost({ clientOptions }: ResolvedSettings): string | undefined {
  if (clientOptions?.apiEndpoint !== undefined) return undefined;
  return process.env.BIGTABLE_EMULATOR_HOST;
}

/** The options of the vendor's clients. */
function userOptions(settings: ResolvedSettings, target: LiveTarget): ClientOptions {
  const { clientOptions, credentials, keyFilename, windowBytes } = settings;
  const projectId = target.project ?? settings.projectId;
  const host = emulatorHost(settings);
  return {
    ...definedProperties({ credentials, keyFilename, projectId }),
    // The vendor's metrics end a process without credentials after 60 s, and we record our own.
    metricsEnabled: false,
    'grpc.primary_user_agent': 'rowsmith',
    'grpc-node.flow_control_window': windowBytes,
    // Clients with equal options would share one connection.
    'grpc.use_local_subchannel_pool': 1,
    ...keepalive,
    ...emulatorOptions(host),
    ...clientOptions,
  };
}

/**
 * Detects dead connections: a ping every 30 s while calls run, or with the first call after a
 * longer pause. Google's Java client uses the same interval (EnhancedBigtableStubSettings). If a
 * server rejects pings as too frequent, grpc-js doubles the interval.
 */
const keepalive = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
} as const;

/**
 * Replaces authentication: for an emulator, the client would search for a metadata server at
 * length.
 */
function emulatorOptions(host: string | undefined): ClientOptions {
  if (host === undefined) return {};
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(host);
  if (parts === null) {
    throw new RowsmithError('INVALID_ARGUMENT', {
      property: 'BIGTABLE_EMULATOR_HOST',
      ...faults.wrongHost(JSON.stringify(host)),
    });
  }
  const [, ipv6, name, port] = parts;
  return {
    apiEndpoint: host,
    servicePath: ipv6 === undefined ? name : `[${ipv6}]`,
    port: Number(port),
    auth: {
      getUniverseDomain: () => Promise.resolve(undefined),
      getProjectId: () => Promise.reject(new Error('an emulator has no project')),
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
 * The Metadata class of the stub's copy of grpc-js, taken from a call that an interceptor stops
 * before anything is sent. Metadata of another copy would be mistaken for options. Undefined if the
 * stub is not a gRPC client.
 */
function metadataClass(stub: Partial<Stub> | undefined): MetadataClass | undefined {
  if (!isGrpcClient(stub)) return undefined;
  let found: MetadataClass | undefined;
  const noop = (): void => undefined;
  const interceptor = (): object => ({
    start: (metadata: Metadata) => {
      found = metadata.constructor as MetadataClass;
    },
    sendMessageWithContext: noop,
    sendMessage: noop,
    startRead: noop,
    halfClose: noop,
    cancelWithStatus: noop,
    getPeer: () => '',
  });
  try {
    const call = stub.makeServerStreamRequest(
      '/google.bigtable.v2.Bigtable/PingAndWarm',
      (bytes) => Buffer.from(bytes),
      (bytes) => bytes,
      noBytes,
      { interceptors: [interceptor] },
    );
    call.on('error', noop).cancel();
  } catch {
    return undefined;
  }
  return found;
}

const faults = {
  missingProject: {
    problem: 'neither the url nor the credentials contain a project',
    fix: `use 'bigtable://project/instance', or open(url, { bigtable: { projectId } })`,
  },
  wrongHost: (json: string) => ({
    problem: `it is ${json}`,
    fix: "use 'host:port', for example 'localhost:8086'",
  }),
} satisfies FaultTexts;
