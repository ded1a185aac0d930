/** The url and the settings of a live database. */
import {
  invalidArgument,
  type RowsmithError,
  type FaultText,
  type FaultTexts,
  type ProblemText,
} from '../../base/index.js';

/** An instance and the app profile of its calls. */
export interface LiveTarget {
  /** Undefined for the project of the credentials. */
  readonly project: string | undefined;
  readonly instance: string;
  /** Undefined for the instance's default app profile. */
  readonly appProfile: string | undefined;
}

/** Connection settings for Cloud Bigtable: the `bigtable` option of `open`. */
export interface LiveSettings {
  /** The project if the url omits it (`bigtable:///instance`). */
  readonly projectId?: string;
  /**
   * Path of a service account's key file; default: Application Default Credentials.
   */
  readonly keyFilename?: string;
  /** A service account's key. */
  readonly credentials?: { readonly client_email?: string; readonly private_key?: string };
  /**
   * `host:port` of an emulator, which is used without credentials or encryption; default: the
   * environment variable BIGTABLE_EMULATOR_HOST.
   */
  readonly emulatorHost?: string;
  /**
   * Passed to the constructor of `@google-cloud/bigtable`: apiEndpoint, universeDomain, authClient,
   * any `grpc.` option.
   */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
  /**
   * HTTP/2 flow control window in bytes: how much the server may send on a stream before it is
   * read, and the memory that a paused reader takes; default 8 MiB. With a latency of 10 ms a scan
   * of small rows reads 10,600 rows a second with the transport's default of 64 KiB, 490,000 with
   * 4 MiB and 700,000 with 8 MiB.
   */
  readonly windowBytes?: number;
  /** Number of connections, 1 to 64; default 2. Each carries about 100 concurrent calls. */
  readonly connections?: number;
  /**
   * Timeout of one attempt of a call, in milliseconds; default 20,000. For scans it is the maximum
   * time between two responses.
   */
  readonly attemptTimeoutMs?: number;
  /**
   * Timeout of a call from its start, including all attempts and the delays between them, in
   * milliseconds; default 60,000. For scans it is the maximum time without rows, and starts again
   * whenever rows arrive; time in which the caller does not read is not counted.
   */
  readonly totalTimeoutMs?: number;
  /**
   * Whether concurrent `get`s of one turn of the event loop are batched into requests of about 16
   * keys; default true. With false each is its own request: several times the work, but no `get`
   * waits for the row of another.
   */
  readonly gatherGets?: boolean;
  /**
   * Whether bulk writes (`saveMany`, `deleteMany`, imports) follow the rate that the server asks
   * for, so that they do not overload the cluster; default false. For batch jobs that share a
   * cluster with other programs. The app profile must have single-cluster routing.
   */
  readonly batchWriteFlowControl?: boolean;
  /**
   * `generated` uses the methods of Google's generated client, which is slower. Default `auto`:
   * only if the client's transport is not gRPC.
   */
  readonly transport?: 'auto' | 'generated';
}

/** Settings with all defaults filled in. */
export type ResolvedSettings = LiveSettings &
  Required<
    Pick<
      LiveSettings,
      | 'windowBytes'
      | 'connections'
      | 'attemptTimeoutMs'
      | 'totalTimeoutMs'
      | 'gatherGets'
      | 'batchWriteFlowControl'
      | 'transport'
    >
  >;

const instancePattern = /^[a-z][-a-z0-9]*$/;
const projectPattern = /^[-a-z0-9.:{}]+$/i;
const appProfilePattern = /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/;

/** Parses `bigtable://project/instance?appProfile=name`. INVALID_ARGUMENT for anything else. */
export function parseTarget(url: string): LiveTarget {
  const parts = /^bigtable:\/\/([^/?#]*)\/([^/?#]+)(?:\?([^#]*))?$/.exec(url);
  if (parts === null) throw urlError(url, faults.notABigtableUrl);
  const [, project, instance, query = ''] = parts;
  if (project !== '' && !projectPattern.test(project))
    throw urlError(url, faults.notAProjectId(project));
  if (!instancePattern.test(instance)) throw urlError(url, faults.notAnInstanceId(instance));
  const parameters = new URLSearchParams(query);
  for (const parameter of parameters.keys())
    if (parameter !== 'appProfile') throw urlError(url, faults.unknownParameter(parameter));
  const appProfile = parameters.get('appProfile') ?? undefined;
  if (appProfile !== undefined && !appProfilePattern.test(appProfile))
    throw urlError(url, faults.notAProfileId(appProfile));
  return { project: project === '' ? undefined : project, instance, appProfile };
}

function urlError(url: string, { problem }: ProblemText): RowsmithError {
  return invalidArgument('url', faults.wrongUrl(problem, JSON.stringify(url)));
}

const defaults = {
  windowBytes: 8 << 20,
  connections: 2,
  attemptTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  gatherGets: true,
  batchWriteFlowControl: false,
  transport: 'auto',
} as const;
/** Minimum and maximum, both inclusive. */
const bounds = {
  windowBytes: [65_535, 2 ** 31 - 1],
  connections: [1, 64],
  attemptTimeoutMs: [1, 2 ** 31 - 1],
  totalTimeoutMs: [1, 2 ** 31 - 1],
} as const;
const settingNames = new Set([
  'projectId',
  'keyFilename',
  'credentials',
  'emulatorHost',
  'clientOptions',
  ...Object.keys(defaults),
]);

/** Checks the settings, which may come from JavaScript, and fills in the defaults. */
export function resolveSettings(settings: LiveSettings = {}): ResolvedSettings {
  for (const property of Object.keys(settings)) {
    if (settingNames.has(property)) continue;
    const fix = `the settings are ${[...settingNames].join(', ')}`;
    throw settingError(property, faults.unknownSetting(fix));
  }
  const resolved = { ...defaults, ...definedProperties(settings) };
  for (const [property, [min, max]] of Object.entries(bounds)) {
    const value = resolved[property as keyof typeof bounds];
    if (Number.isSafeInteger(value) && value >= min && value <= max) continue;
    const fix = `give a whole number from ${min} to ${max}`;
    throw settingError(property, faults.outOfRange(value, fix));
  }
  for (const property of ['gatherGets', 'batchWriteFlowControl'] as const) {
    const value = resolved[property];
    if (typeof value !== 'boolean') throw settingError(property, faults.notABoolean(String(value)));
  }
  const { transport } = resolved;
  if (!['auto', 'generated'].includes(transport))
    throw settingError('transport', faults.unknownTransport(transport));
  return resolved;
}

/** A copy without properties that are undefined: they would override defaults when spread. */
export function definedProperties<T extends object>(object: T): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

function settingError(property: string, fault: FaultText): RowsmithError {
  return invalidArgument(`bigtable.${property}`, fault);
}

const faults = {
  notABigtableUrl: { problem: 'it is not of the form bigtable://project/instance' },
  notAProjectId: (project: string) => ({
    problem: `the project id '${project}' has characters other than letters, digits and -.:{}`,
  }),
  notAnInstanceId: (instance: string) => ({
    problem:
      `the instance id '${instance}' is not a lower-case letter ` +
      'followed by lower-case letters, digits and hyphens',
  }),
  unknownParameter: (parameter: string) => ({ problem: `unknown parameter '${parameter}'` }),
  notAProfileId: (appProfile: string) => ({
    problem: `the app profile id '${appProfile}' is not 1 to 50 characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*`,
  }),
  wrongUrl: (problem: string, json: string) => ({
    problem: `${problem}: ${json}`,
    fix: `use 'bigtable://project/instance' or 'bigtable://project/instance?appProfile=name'`,
  }),
  unknownSetting: (fix: string) => ({ problem: 'there is no such setting', fix }),
  outOfRange: (value: number, fix: string) => ({ problem: `it is ${String(value)}`, fix }),
  notABoolean: (given: string) => ({ problem: `it is ${given}`, fix: 'give true or false' }),
  unknownTransport: (transport: string) => ({
    problem: `it is ${String(transport)}`,
    fix: `use 'auto' or 'generated'`,
  }),
} satisfies FaultTexts;
