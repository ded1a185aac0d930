/** Runs Google's emulator as a process. */
import { spawn } from 'node:child_process';

/** A running emulator. */
export interface GoogleEmulator {
  readonly address: string;
  /** Whether its process has ended, by itself or by `close`. */
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts the program (support/emulator.ts finds it) and waits until it prints its address. It
 * chooses the port itself, so that no other process can take it.
 */
export async function startGoogleEmulator(program: string): Promise<GoogleEmulator> {
  const child = spawn(program, ['-host', '127.0.0.1', '-port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let ended = false;
  const end = new Promise<void>(
    (resolve) =>
      void child.on('close', () => {
        ended = true;
        resolve();
      }),
  );
  // No process is left behind if the test is killed.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /running on (\S+)\n/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('error', reject);
    void end.then(() => reject(new Error(`The emulator did not start: ${output}`)));
  });
  return {
    address,
    ended: () => ended,
    close: async () => {
      process.removeListener('exit', kill);
      kill();
      await end;
    },
  };
}
