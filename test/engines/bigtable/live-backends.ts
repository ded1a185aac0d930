/**
 * The live engine over real servers on loopback: our own, and Google's emulator where this machine
 * has it.
 */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { GcMode } from '../../../src/store/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { startServer } from '../../../src/server/index.js';
import type { Engine } from '../../../src/store/index.js';
import { startGoogleEmulator } from '../../support/google-emulator.js';

/** The instance of every test here. */
export const liveUrl = 'bigtable://p/instance-1';
const home = 'projects/p/instances/instance-1';

/** A live engine and what it reaches. */
export interface LiveUnderTest {
  readonly engine: Engine;
  /** What the server stands on. */
  readonly behind: Engine;
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** A live engine over our own server on an empty database. */
export async function openOverOurServer(
  options: {
    readonly clock?: () => number;
    readonly gc?: GcMode;
    readonly random?: () => number;
  } = {},
  settings: LiveSettings = {},
): Promise<LiveUnderTest> {
  const behind = await openMemoryEngine(options);
  const server = await startServer(behind, { instance: home });
  const engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, ...settings });
  const close = async (): Promise<void> => {
    await engine.close();
    await server.close({ graceMs: 200 });
    await behind.close();
  };
  return { engine, behind, address: server.address, close };
}

/** A live engine over a fresh emulator of Google's; `program` is where findEmulator found it. */
export async function openOverEmulator(
  program: string,
  settings: LiveSettings = {},
): Promise<Omit<LiveUnderTest, 'behind'>> {
  const emulator = await startGoogleEmulator(program);
  const engine = await openLiveEngine(liveUrl, { emulatorHost: emulator.address, ...settings });
  const close = async (): Promise<void> => {
    await engine.close();
    await emulator.close();
  };
  return { engine, address: emulator.address, close };
}
