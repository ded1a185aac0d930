/** Google's emulator as a child process, for tests that run commands against it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A running emulator. */
export interface RunningEmulator {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts the program on a free port and waits until it prints its address. */
export async function startEmulator(program: string): Promise<RunningEmulator> {
  const child = spawn(program, ['-host', '127.0.0.1', '-port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  let output = '';
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, found] = /running on (127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject).on('exit', () => reject(new Error(`the emulator exited: ${output}`)));
  });
  return { address, stop };
}
