/** An interactive shell on a pseudo-terminal (`script`), to which keys are sent. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.js';

/** Whether the program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

export class ShellSession {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = '';

  constructor(command: string, folder: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env });
    this.#child.stdout.on('data', (part: Buffer) => {
      this.#output += part.toString();
    });
  }

  /** Sends keys. */
  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for a text after what was waited for before; returns the output up to it. */
  async waitFor(text: string): Promise<string> {
    await until(() => this.#output.includes(text));
    const end = this.#output.indexOf(text) + text.length;
    const found = this.#output.slice(0, end);
    this.#output = this.#output.slice(end);
    return found;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}
