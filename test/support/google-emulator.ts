/** Google's emulator as a running process. */
import { spawn } from 'node:child_process';

/** An emulator that listens. */
export interface GoogleEmulator {
  readonly address: string;
  /** Whether its process has ended by itself or by `close`. */
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts the program (support/emulator.ts finds it) and waits until it says where it listens: the
 * port is its own choice, so that nobody else can take it before.
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
  // A test that is killed leaves no process behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /running on (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('error', reject);
    void end.then(() => reject(new Error(`The emulator does not listen: ${said}`)));
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
