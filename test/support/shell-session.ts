/** An interactive shell on a pseudo-terminal (`script`), to which keys are sent. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** Whether the program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Milliseconds that a shell may take to print what is waited for. */
const maxWaitMs = 20_000;

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
    const end = Date.now() + maxWaitMs;
    for (;;) {
      const at = this.#output.indexOf(text);
      if (at >= 0) {
        const found = this.#output.slice(0, at + text.length);
        this.#output = this.#output.slice(at + text.length);
        return found;
      }
      if (Date.now() > end) throw new Error(`no ${JSON.stringify(text)} in ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
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
