/** The other processes of a bench: servers, proxies, Google's emulator. All end with the bench. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A running server. */
export interface Running {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its readiness. */
  readonly startMs: number;
  stop(): Promise<void>;
}

const here = dirname(fileURLToPath(import.meta.url));
const alive = new Set<ChildProcess>();
process.once('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** Starts a program of this folder. */
export function startProgram(
  name: 'server-process' | 'delay-proxy',
  ...args: string[]
): Promise<Running> {
  return running(
    spawn(process.execPath, [join(here, `${name}.js`), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
    /ready (\S+)/,
  );
}

/** Starts Google's emulator; undefined where it is not installed. */
export async function startEmulator(): Promise<Running | undefined> {
  const path = emulatorPath();
  return path === undefined
    ? undefined
    : running(
        spawn(path, ['-host=127.0.0.1', '-port=0'], { stdio: ['pipe', 'pipe', 'inherit'] }),
        /running on (\S+)/,
      );
}

function emulatorPath(): string | undefined {
  const which = (program: string): string =>
    spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
  const gcloud = which('gcloud');
  const beside =
    gcloud === ''
      ? ''
      : join(dirname(dirname(realpathSync(gcloud))), 'platform/bigtable-emulator/cbtemulator');
  return [
    process.env.CBTEMULATOR ?? '',
    which('cbtemulator'),
    beside,
    '/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator',
  ].find((path) => path !== '' && existsSync(path));
}

function running(child: ChildProcess, ready: RegExp): Promise<Running> {
  const started = performance.now();
  alive.add(child);
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      alive.delete(child);
      resolve();
    }),
  );
  const stop = (): Promise<void> => {
    child.kill('SIGKILL');
    return ended;
  };
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`${child.spawnfile} ended with ${code} before it was ready: ${said}`)),
    );
    child.stdout!.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      const found = ready.exec(said);
      if (found === null) return;
      resolve({
        address: found[1].replace(/[.,]+$/, ''),
        pid: child.pid!,
        startMs: performance.now() - started,
        stop,
      });
    });
  });
}

/**
 * Resident memory of a process in megabytes: now, at its greatest, and now without pages of files
 * that are mapped into it.
 */
export function memoryOf(pid: number): {
  readonly now: number;
  readonly peak: number;
  readonly own: number;
} {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1024;
  return { now: of('VmRSS'), peak: of('VmHWM'), own: of('RssAnon') };
}
