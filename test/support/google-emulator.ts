/** Google's emulator as a running process. */
import { spawn } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';

/** An emulator that listens. */
export interface GoogleEmulator {
  readonly address: string;
  /** Whether its process has ended by itself or by `close`. */
  readonly ended: () => boolean;
  readonly close: () => Promise<void>;
}

/** Starts the program (support/emulator.ts finds it) on a free port and waits until it listens. */
export async function startGoogleEmulator(program: string): Promise<GoogleEmulator> {
  const port = await freePort();
  const child = spawn(program, ['-port', `${port}`], { stdio: 'ignore' });
  let ended = false;
  const end = new Promise<void>((resolve) => void child.on('close', () => {
    ended = true;
    resolve();
  }));
  // A test that is killed leaves no process behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  for (const last = Date.now() + 30_000; !(await listens(port));) {
    if (ended || Date.now() > last) throw new Error('The emulator does not listen.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    address: `127.0.0.1:${port}`,
    ended: () => ended,
    close: async () => {
      process.removeListener('exit', kill);
      kill();
      await end;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false));
  });
}
