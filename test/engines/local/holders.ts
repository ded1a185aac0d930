/** Processes that hold the rows of a directory (rows-holder.mjs), and do what a test says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { DiskTuning } from '../../../src/engines/local/kv/directory/disk-tuning.js';

/** A process. */
export class Holder {
  readonly child: ChildProcess;
  readonly #lines: Interface;
  readonly closed: Promise<unknown>;
  pid = 0;

  private constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.closed = once(this.child, 'close');
    this.#lines = createInterface({ input: this.child.stdout! });
  }

  /**
   * Starts a process, optionally in a PID namespace of its own, as in a container. It is busy for
   * `busyMs` after it has opened the rows.
   */
  static async start(
    programs: string,
    directory: string,
    tuning?: DiskTuning,
    isForeign = false,
    busyMs = 0,
  ): Promise<Holder> {
    const args = [process.execPath, join(programs, 'rows-holder.mjs'), directory];
    if (tuning !== undefined) args.push(JSON.stringify(tuning), `${busyMs}`);
    if (isForeign) args.unshift('unshare', '--pid', '--fork', '--mount-proc');
    const holder = new Holder(args[0], args.slice(1));
    holder.pid = Number(await holder.#line());
    return holder;
  }

  /** Sends a line and returns the answer. */
  async do(line: string): Promise<string> {
    const answer = this.#line();
    this.child.stdin!.write(`${line}\n`);
    return answer;
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(-this.child.pid!, signal);
  }

  /** Ends the process without closing the rows. */
  async end(): Promise<number | null> {
    this.child.stdin!.write('end\n');
    await this.closed;
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.signal('SIGKILL');
    await this.closed;
  }

  async #line(): Promise<string> {
    const [line] = (await once(this.#lines, 'line')) as [string];
    return line;
  }
}
