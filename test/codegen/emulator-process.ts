/** Google's emulator as a process of its own, for tests that give it commands. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A running emulator. */
export interface RunningEmulator {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts the program on a free port and waits until it says where it listens. */
export async function startEmulator(program: string): Promise<RunningEmulator> {
  const child = spawn(program, ['-host', '127.0.0.1', '-port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, found] = /running on (127\.0\.0\.1:\d+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject).on('exit', () => reject(new Error(`the emulator ended: ${said}`)));
  });
  return { address, stop };
}
