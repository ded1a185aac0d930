/**
 * Other processes of a benchmark: servers, proxies, Google's emulator. They end with the benchmark.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A running server. */
export interface Running {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly pid: number;
  /** Milliseconds from the start of the process until it is ready. */
  readonly startMs: number;
  stop(): Promise<void>;
}

const here = dirname(fileURLToPath(import.meta.url));
const alive = new Set<ChildProcess>();
process.once('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** Starts a program of this folder. */
export function startProgram(
  name: 'server-process' | 'echo-process' | 'delay-proxy',
  ...args: string[]
): Promise<Running> {
  return running(
    spawn(process.execPath, [join(here, `${name}.js`), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
    /ready (\S+)/,
  );
}

/** Starts Google's emulator; undefined if it is not installed. */
export async function startEmulator(): Promise<Running | undefined> {
  const path = emulatorPath();
  if (path === undefined) return undefined;
  return running(
    spawn(path, ['-host=127.0.0.1', '-port=0'], { stdio: ['pipe', 'pipe', 'inherit'] }),
    /running on (\S+)/,
  );
}

function emulatorPath(): string | undefined {
  const inSdk = 'platform/bigtable-emulator/cbtemulator';
  const candidates = [process.env.CBTEMULATOR ?? '', which('cbtemulator')];
  const gcloud = which('gcloud');
  if (gcloud !== '') candidates.push(join(dirname(dirname(realpathSync(gcloud))), inSdk));
  candidates.push(join('/usr/lib/google-cloud-sdk', inSdk));
  return candidates.find((path) => path !== '' && existsSync(path));
}

/** The path of a program; empty if there is none. */
function which(program: string): string {
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
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
    let output = '';
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`${child.spawnfile} ended with ${code} before it was ready: ${output}`)),
    );
    child.stdout!.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      const found = ready.exec(output);
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
 * Resident memory of a process in megabytes: now, the peak, and now without pages of mapped files.
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
