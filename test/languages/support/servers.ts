/** The servers that rows of generated code are stored on. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer } from '../../../src/server/index.js';
import { findEmulator } from '../../support/emulator.js';
import { startGoogleEmulator } from '../../support/google-emulator.js';

interface RunningServer {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Ours, and Google's emulator where it is installed. */
export function rowServers(): readonly {
  readonly name: string;
  readonly start: () => Promise<RunningServer>;
}[] {
  const emulator = findEmulator();
  const ours = { name: 'our server', start: ourServer };
  if (emulator === undefined) return [ours];
  return [ours, { name: "Google's emulator", start: () => startGoogleEmulator(emulator) }];
}

async function ourServer(): Promise<RunningServer> {
  const engine = await openMemoryEngine();
  const { address, close } = await startServer(engine, {
    instance: 'projects/p/instances/instance-1',
  });
  return {
    address,
    close: async () => {
      await close({ graceMs: 200 });
      await engine.close();
    },
  };
}
