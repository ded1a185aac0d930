/** The database of a project: a directory, or Cloud Bigtable. */
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { countText, errorMessage, isRowsmithError } from '../../../base/index.js';
import { openEngine, parseEngineUrl } from '../../../engines/index.js';
import { assertReachable } from '../reachable.js';
import { type Finding, ok, problem, skipped, warning } from './finding.js';

/** Free bytes below which a database soon cannot be written. */
const minFreeBytes = 256 * 2 ** 20;
/** Magic numbers of statfs(2) of file systems that are reached through a network. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
]);
/** Milliseconds for a call over the network. */
const maxCallMs = 10_000;
/** Difference of the clocks, in milliseconds, from which timestamps are in a surprising order. */
const maxClockMs = 2_000;

/** Examines the database of a url. */
export async function examineStorage(
  url: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const target = parseEngineUrl(url);
  switch (target.kind) {
    case 'memory':
      return [
        warning('url', 'memory: is lost with each process', 'name file:./directory to keep rows'),
      ];
    case 'disk':
      return examineDirectory(target.directory, url);
    default:
      return examineLive(url, env);
  }
}

async function examineDirectory(directory: string, url: string): Promise<readonly Finding[]> {
  const name = 'data directory';
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined)
    return [ok(name, `${directory} does not exist: the first open() creates it`)];
  if (!stats.isDirectory())
    return [problem(name, `${directory} is a file`, 'name a directory in the url')];
  const found = await examineDisk(directory);
  if (!isAllowed(directory, constants.R_OK | constants.X_OK))
    return [
      problem(name, `${directory} cannot be read by this user`, 'change its owner or permissions'),
      ...found,
    ];
  if (!isAllowed(directory, constants.W_OK))
    found.unshift(
      problem(
        name,
        `${directory} cannot be written by this user`,
        'change its owner or permissions, or open it with { readOnly: true }',
      ),
    );
  if (readdirSync(directory).length === 0)
    return [...found, ok(name, `${directory} is empty: the first open() creates the database`)];
  found.push(await call(name, `opened ${directory} for reading`, url));
  const { currentOwner } = await import('../../../engines/local/index.js');
  const owner = currentOwner(directory);
  if (owner === undefined) return found;
  const where = owner.foreign ? ' of another container' : '';
  return [
    ...found,
    warning(
      name,
      `${directory} is open in process ${owner.pid}${where}: only that one can write`,
      'close it there before another program opens it, or read with { readOnly: true }',
    ),
  ];
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

async function examineDisk(directory: string): Promise<Finding[]> {
  const { type, bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const text = `${(free / 2 ** 30).toFixed(1)} GiB free`;
  const found = [
    free < minFreeBytes
      ? problem('disk', `only ${text} at ${directory}`, 'free space, or move the directory')
      : ok('disk', text),
  ];
  const network = networkTypes.get(type);
  if (network === undefined) return found;
  return [
    ...found,
    problem(
      'disk',
      `${directory} is on a network file system (${network}), where two machines can open it at once`,
      'move the directory to a local disk',
    ),
  ];
}

/** Opens the database for reading and lists its tables. */
async function call(name: string, done: string, url: string): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${maxCallMs / 1000} s`)), maxCallMs);
  });
  try {
    await assertReachable(url);
    const engine = await Promise.race([openEngine(url, { readOnly: true }), timeout]);
    try {
      const tables = await Promise.race([engine.listTables(), timeout]);
      return ok(name, `${done}; ${countText(tables.length, 'table')}`);
    } finally {
      await Promise.race([engine.close(), timeout]);
    }
  } catch (error) {
    const { problem: text, fix } = isRowsmithError(error) ? error.details : {};
    return problem(
      name,
      [errorMessage(error), text].filter((each) => each !== undefined).join(' '),
      fix ?? 'correct the url, or the network',
    );
  } finally {
    clearTimeout(timer);
  }
}

async function examineLive(url: string, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const emulator = env['BIGTABLE_EMULATOR_HOST'] ?? '';
  if (emulator !== '')
    return [
      warning(
        'emulator',
        `BIGTABLE_EMULATOR_HOST is ${emulator}: ${url} is a database there and not in Cloud Bigtable`,
        'unset BIGTABLE_EMULATOR_HOST to use Cloud Bigtable',
      ),
      await call('url', `${emulator} answers`, url),
    ];
  const credentials = examineCredentials(env);
  // Without credentials the client would search for a metadata server for a minute.
  if (credentials.level === 'problem')
    return [credentials, skipped('url', `${url} was not called without credentials`)];
  return [credentials, await call('url', `${url} answers`, url), await examineClock()];
}

/** The application default credentials, as google-auth-library finds them. */
export function examineCredentials(env: NodeJS.ProcessEnv): Finding {
  const name = 'credentials';
  const variable = env['GOOGLE_APPLICATION_CREDENTIALS'] ?? '';
  const login = join(
    env['CLOUDSDK_CONFIG'] ?? join(env['HOME'] ?? homedir(), '.config/gcloud'),
    'application_default_credentials.json',
  );
  const file = variable === '' ? login : variable;
  const source = variable === '' ? '' : 'GOOGLE_APPLICATION_CREDENTIALS: ';
  let type: unknown;
  try {
    ({ type } = JSON.parse(readFileSync(file, 'utf8')) as { readonly type?: unknown });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const text = isMissing ? `there is no file ${file}` : `${file}: ${errorMessage(error)}`;
    return problem(
      name,
      source + text,
      variable === ''
        ? 'gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS'
        : 'name a key file in GOOGLE_APPLICATION_CREDENTIALS, or unset it',
    );
  }
  if (typeof type === 'string') return ok(name, `${source}${file} (${type})`);
  return problem(name, `${source}${file} has no type`, 'download the key file again');
}

/** Compares the clock with the header of an answer of the service. */
export async function examineClock(service = 'https://bigtable.googleapis.com/'): Promise<Finding> {
  try {
    const before = Date.now();
    const { headers } = await fetch(service, {
      method: 'HEAD',
      signal: AbortSignal.timeout(maxCallMs),
    });
    const middle = (before + Date.now()) / 2;
    return clockFinding(middle - Date.parse(headers.get('date') ?? ''));
  } catch (error) {
    return skipped('clock', `not compared: ${errorMessage(error)}`);
  }
}

/** What a difference of the clocks, in milliseconds, means. */
export function clockFinding(differenceMs: number): Finding {
  if (Number.isNaN(differenceMs)) return skipped('clock', 'the service gave no time');
  const text = `${(Math.abs(differenceMs) / 1000).toFixed(1)} s ${differenceMs < 0 ? 'slow' : 'fast'}`;
  // The header has whole seconds.
  if (Math.abs(differenceMs) <= maxClockMs)
    return ok('clock', `at most ${maxClockMs / 1000} s off`);
  return problem(
    'clock',
    `the clock of this machine is ${text}: its cells may hide newer ones, or be hidden by older ones`,
    'synchronise the clock (NTP, chrony)',
  );
}
