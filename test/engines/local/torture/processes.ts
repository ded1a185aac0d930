/** Child processes of the torture scenarios: the bundled program, and talking to it in lines. */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { CheckJob, CheckResult } from './child-check.js';

const root = join(__dirname, '../../../..');

let program: Uint8Array | undefined;

/** The bundled program; bundled once. */
function childProgram(): Uint8Array {
  program ??= buildSync({
    entryPoints: [join(__dirname, 'child.ts')],
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
  }).outputFiles[0].contents;
  return program;
}

/** A temporary directory with the bundled program `child.mjs`. Remove it with `remove`. */
export class Workshop {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'rowsmith-torture-')));

  constructor() {
    writeFileSync(join(this.directory, 'child.mjs'), childProgram());
    symlinkSync(join(root, 'node_modules'), join(this.directory, 'node_modules'));
  }

  /** Path of a new, empty directory; one of the same name is removed first. */
  empty(name: string): string {
    const path = join(this.directory, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    return path;
  }

  start(program: string, options: unknown, settings: ChildSettings = {}): Child {
    // Longer than an argument may be.
    const file = join(this.directory, `options-${program}`);
    writeFileSync(file, JSON.stringify(options));
    return new Child(join(this.directory, 'child.mjs'), [program, file], settings);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

interface ChildSettings {
  readonly env?: NodeJS.ProcessEnv;
  /** A write beyond the limit of the file size fails, instead of ending the process. */
  readonly ignoreFileSizeSignal?: boolean;
  readonly onLine?: (line: string) => void;
  /** After this time the process is hung, and killed. */
  readonly maxSeconds?: number;
}

/** How a process ended: undefined for exit code 0, otherwise the signal or exit code. */
export type Ending = string | undefined;

/** A running program. */
export class Child {
  /** Complete lines of standard output so far. */
  readonly lines: string[] = [];
  readonly ended: Promise<Ending>;

  readonly #process: ChildProcess;
  #rest = '';
  #errorText = '';
  #onLine: (line: string) => void;

  constructor(program: string, args: readonly string[], settings: ChildSettings) {
    const { env, ignoreFileSizeSignal = false, onLine, maxSeconds = 120 } = settings;
    this.#onLine = onLine ?? (() => undefined);
    const command = [process.execPath, program, ...args];
    // A shell passes ignored signals on.
    if (ignoreFileSizeSignal) command.unshift('sh', '-c', `trap '' XFSZ; exec "$0" "$@"`);
    this.#process = spawn(command[0], command.slice(1), {
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
    this.#process.stdout!.setEncoding('utf8').on('data', (text: string) => this.#onText(text));
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-2000);
    });
    // A process that has ended cannot be written to.
    this.#process.stdin!.on('error', () => undefined);
    let isHung = false;
    const timer = setTimeout(() => (isHung = this.kill()), maxSeconds * 1000);
    const stop = (): void => void this.kill();
    process.once('exit', stop);
    this.ended = new Promise((resolve) => {
      this.#process.on('close', (code, signal) => {
        clearTimeout(timer);
        process.off('exit', stop);
        if (isHung) resolve(`hung for ${maxSeconds} s`);
        else
          resolve(code === 0 ? undefined : `${signal ?? `exit code ${code}`} ${this.#errorText}`);
      });
    });
  }

  send(line: string): void {
    this.#process.stdin!.write(`${line}\n`);
  }

  /** Ends the input of the process. */
  finish(): void {
    this.#process.stdin!.end();
  }

  /** Resolves to true once the process is stopped, and to false once it has ended. */
  async isStopped(): Promise<boolean> {
    let hasEnded = false;
    void this.ended.then(() => (hasEnded = true));
    while (!hasEnded) {
      if (stateOf(this.#process.pid!) === 'T') return true;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return false;
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  kill(): boolean {
    return this.#process.kill('SIGKILL');
  }

  /** The next line that begins with the word, without it; undefined if the process ended before. */
  next(word: string): Promise<string | undefined> {
    return this.nextOf([word]).then((line) => line?.slice(word.length + 1));
  }

  /** The next line that begins with one of the words; undefined if the process ended before. */
  async nextOf(words: readonly string[]): Promise<string | undefined> {
    const line = new Promise<string>((resolve) => {
      this.#onLine = (text) => {
        if (words.includes(text.split(' ', 1)[0])) resolve(text);
      };
    });
    return Promise.race([line, this.ended.then(() => undefined)]);
  }

  #onText(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) {
      this.lines.push(line);
      this.#onLine(line);
    }
  }
}

/** State of a process, of which all threads are stopped at once (proc(5)). */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2)[0];
  } catch {
    return undefined;
  }
}

/** Checks databases in a separate process, and starts another one after it has ended. */
export class Checker {
  readonly #workshop: Workshop;
  #child: Child | undefined;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /** The result, or how the process ended. */
  async check(job: CheckJob): Promise<CheckResult | { readonly ended: string }> {
    const child = (this.#child ??= this.#workshop.start('check', {}, { maxSeconds: 3600 }));
    child.lines.length = 0;
    const timer = setTimeout(() => child.kill(), 60_000);
    const answer = child.next('result');
    child.send(JSON.stringify(job));
    const line = await answer;
    clearTimeout(timer);
    if (line !== undefined) return JSON.parse(line) as CheckResult;
    this.#child = undefined;
    return { ended: (await child.ended) ?? 'exit code 0' };
  }

  async close(): Promise<void> {
    this.#child?.finish();
    await this.#child?.ended;
    this.#child = undefined;
  }
}
