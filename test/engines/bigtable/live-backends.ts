/** The live engine over servers on loopback: our own, and Google's emulator if it is installed. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { GcMode } from '../../../src/data/store/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { startServer } from '../../../src/server/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { startGoogleEmulator } from '../../support/google-emulator.js';

/** The url of the instance in these tests. */
export const liveUrl = 'bigtable://p/instance-1';
const instance = 'projects/p/instances/instance-1';

/** A live engine over some server. */
interface OpenedEngine {
  readonly engine: Engine;
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** A live engine over our own server. */
export interface LiveUnderTest extends OpenedEngine {
  /** The engine that the server serves. */
  readonly backend: Engine;
}

/** A live engine over our own server with an empty database. */
export async function openOverOurServer(
  options: {
    readonly clock?: () => number;
    readonly gc?: GcMode;
    readonly random?: () => number;
  } = {},
  settings: LiveSettings = {},
): Promise<LiveUnderTest> {
  const backend = await openMemoryEngine(options);
  const server = await startServer(backend, { instance });
  const engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, ...settings });
  const close = async (): Promise<void> => {
    await engine.close();
    await server.close({ graceMs: 200 });
    await backend.close();
  };
  return { engine, backend, address: server.address, close };
}

/** A live engine over a new process of Google's emulator; `program` is from findEmulator. */
export async function openOverEmulator(
  program: string,
  settings: LiveSettings = {},
): Promise<OpenedEngine> {
  const emulator = await startGoogleEmulator(program);
  const engine = await openLiveEngine(liveUrl, { emulatorHost: emulator.address, ...settings });
  const createTable = engine.createTable.bind(engine);
  // One by one: the order of families that one request creates is random in the emulator.
  engine.createTable = async ({ name, families, ...schema }) => {
    await createTable({ name, families: new Map(), ...schema });
    const byName = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [family, familySchema] of byName)
      await engine.modifyFamilies(name, [{ kind: 'create', family, schema: familySchema }]);
  };
  const close = async (): Promise<void> => {
    await engine.close();
    await emulator.close();
  };
  return { engine, address: emulator.address, close };
}
