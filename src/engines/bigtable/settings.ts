/** Where a live database is and how it is reached. */
import { RowsmithError } from '../../errors.js';

/** An instance, and how its calls are routed. */
export interface Target {
  /** Undefined: the project of the credentials. */
  readonly project: string | undefined;
  readonly instance: string;
  /** Undefined: the instance's default app profile. */
  readonly appProfile: string | undefined;
}

/** How to reach Cloud Bigtable: the `bigtable` property of open's options. */
export interface LiveSettings {
  /** The project, where the url leaves it out (`bigtable:///instance`). */
  readonly projectId?: string;
  /**
   * Path of a key file of a service account; default: the machine's own credentials (Application
   * Default Credentials).
   */
  readonly keyFilename?: string;
  /** The key of a service account itself. */
  readonly credentials?: { readonly client_email?: string; readonly private_key?: string };
  /**
   * `host:port` of an emulator, reached without credentials and encryption; default: the variable
   * BIGTABLE_EMULATOR_HOST.
   */
  readonly emulatorHost?: string;
  /**
   * Passed on to the constructor of `@google-cloud/bigtable`: apiEndpoint, universeDomain,
   * authClient, any `grpc.` option.
   */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
  /**
   * Bytes that the server may send ahead in each stream before they are read, and that a reader who
   * stops holds; default 8 MiB. With 10 ms of way a scan of small rows reads 10,600 a second with
   * the transport's own default of 64 KiB, 490,000 with 4 MiB, 700,000 with 8.
   */
  readonly windowBytes?: number;
  /** Connections, 1 to 64; default 2. Each carries about 100 calls at a time. */
  readonly connections?: number;
  /**
   * Milliseconds that one try of a call may take; default 20,000. A read may take as long between
   * two answers.
   */
  readonly attemptTimeoutMs?: number;
  /**
   * Milliseconds that a call may take with all its tries; default 60,000, ten times as long for
   * bulk writes. Reads have no limit but their signal.
   */
  readonly totalTimeoutMs?: number;
  /**
   * Whether gets of one turn of the event loop share requests of about 16 keys; default true. With
   * false each is a request of its own: several times as much work, but none waits for the row of
   * another.
   */
  readonly gatherGets?: boolean;
  /**
   * `generated`: answers come through the generated client's own objects, as where its transport is
   * not gRPC. Slower; default `auto`.
   */
  readonly transport?: 'auto' | 'generated';
}

/** Settings with every default in its place. */
export type ResolvedSettings = LiveSettings &
  Required<
    Pick<
      LiveSettings,
      | 'windowBytes'
      | 'connections'
      | 'attemptTimeoutMs'
      | 'totalTimeoutMs'
      | 'gatherGets'
      | 'transport'
    >
  >;

const name = /^[a-z][-a-z0-9]*$/;
const projectName = /^[-a-z0-9.:{}]+$/i;

/** Reads `bigtable://project/instance?appProfile=name`. INVALID_ARGUMENT for anything else. */
export function parseTarget(url: string): Target {
  const parts = /^bigtable:\/\/([^/?#]*)\/([^/?#]+)(?:\?([^#]*))?$/.exec(url);
  if (parts === null) throw wrongUrl(url, 'it is not of the form bigtable://project/instance');
  const [, project, instance, query = ''] = parts;
  if (project !== '' && !projectName.test(project))
    throw wrongUrl(url, `'${project}' is no project id`);
  if (!name.test(instance)) throw wrongUrl(url, `'${instance}' is no instance id`);
  const parameters = new URLSearchParams(query);
  for (const parameter of parameters.keys())
    if (parameter !== 'appProfile') throw wrongUrl(url, `there is no parameter '${parameter}'`);
  const appProfile = parameters.get('appProfile') ?? undefined;
  if (appProfile !== undefined && !/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/.test(appProfile))
    throw wrongUrl(url, `'${appProfile}' is no app profile id`);
  return { project: project === '' ? undefined : project, instance, appProfile };
}

function wrongUrl(url: string, problem: string): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    property: 'url',
    problem: `${problem}: ${JSON.stringify(url)}`,
    fix: `use 'bigtable://project/instance' or 'bigtable://project/instance?appProfile=name'`,
  });
}

const defaults = {
  windowBytes: 8 << 20,
  connections: 2,
  attemptTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  gatherGets: true,
  transport: 'auto',
} as const;
const bounds = {
  windowBytes: [65_535, 2 ** 31 - 1],
  connections: [1, 64],
  attemptTimeoutMs: [1, 2 ** 31 - 1],
  totalTimeoutMs: [1, 2 ** 31 - 1],
} as const;
const known = new Set([
  'projectId',
  'keyFilename',
  'credentials',
  'emulatorHost',
  'clientOptions',
  ...Object.keys(defaults),
]);

/** Checks settings, which may come from JavaScript, and fills in the defaults. */
export function resolveSettings(settings: LiveSettings = {}): ResolvedSettings {
  for (const property of Object.keys(settings))
    if (!known.has(property))
      throw wrongSetting(
        property,
        'there is no such setting',
        `the settings are ${[...known].join(', ')}`,
      );
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as LiveSettings;
  const resolved = { ...defaults, ...given };
  for (const [property, [least, most]] of Object.entries(bounds)) {
    const value = resolved[property as keyof typeof bounds];
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw wrongSetting(
        property,
        `it is ${String(value)}`,
        `give a whole number from ${least} to ${most}`,
      );
  }
  if (typeof resolved.gatherGets !== 'boolean')
    throw wrongSetting('gatherGets', `it is ${String(resolved.gatherGets)}`, 'give true or false');
  if (!['auto', 'generated'].includes(resolved.transport))
    throw wrongSetting(
      'transport',
      `it is ${String(resolved.transport)}`,
      `use 'auto' or 'generated'`,
    );
  return resolved;
}

function wrongSetting(property: string, problem: string, fix: string): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property: `bigtable.${property}`, problem, fix });
}
