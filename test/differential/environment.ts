/**
 * The oracle and the targets: the reference engine, the engines in memory and on disk, our server
 * over both, and Google's emulator if it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import type { GcMode } from '../../src/data/store/index.js';
import { ReferenceEngine } from '../engines/reference-engine.js';
import { RawClient } from '../server/raw-client.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator, type GoogleEmulator } from '../support/google-emulator.js';
import type { History } from './operation.js';
import { RequestCoverage } from './request-coverage.js';
import type { RunContext } from './run-history.js';
import { ServedEngine } from './served-engine.js';
import { SharedLock } from './shared-lock.js';
import { addValueBitmask, engineTarget, serverTarget, type Target } from './targets.js';

/** Targets are listed with the oracle first. */
export interface TestEnvironment extends RunContext {
  /** Engines that hide cells which their rules collect, and Google's emulator. */
  readonly targets: readonly Target[];
  /** Engines that collect garbage on request. */
  readonly manualGcTargets: readonly Target[];
  /** Requests sent to our servers. */
  readonly requestCoverage: RequestCoverage;
  /** Restarts the emulator if its process has ended. */
  readonly restartEmulator: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The targets on which a history is run. */
export function targetsOf(
  { targets, manualGcTargets }: TestEnvironment,
  { gc }: History,
): readonly Target[] {
  if (gc === 'manual') return manualGcTargets;
  return targets;
}

/** Opens an environment with empty databases. */
export async function openEnvironment(): Promise<TestEnvironment> {
  addValueBitmask();
  // The clock does not run by itself: otherwise two rules of one call could give one or two cells
  // of a column, and a rule of versions could collect different cells.
  const time = { now: 1_700_000_000_000 };
  const requestCoverage = new RequestCoverage();
  const onRead = await openOwnTargets('onRead', time, requestCoverage);
  const manual = await openOwnTargets('manual', time, requestCoverage);
  const emulator = await openEmulator();
  return {
    lock: new SharedLock(),
    time,
    requestCoverage,
    targets: [...onRead.targets, ...emulator.targets],
    manualGcTargets: manual.targets,
    restartEmulator: emulator.restartEmulator,
    close: async () => void (await Promise.all([emulator.close(), onRead.close(), manual.close()])),
  };
}

async function openOwnTargets(
  gc: GcMode,
  time: { readonly now: number },
  coverage: RequestCoverage,
): Promise<Pick<TestEnvironment, 'targets' | 'close'>> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-differential-'));
  // A constant random number, because engines need not draw one for rows past a limit.
  const options = { gc, clock: () => time.now, random: () => 0.5 } as const;
  const oracle = new ReferenceEngine(options);
  const memory = await ServedEngine.open(() => openMemoryEngine(options), coverage);
  const disk = await ServedEngine.open(
    () => openDiskEngine(directory, { ...options, durability: 'relaxed' }),
    coverage,
  );
  const reopen = () => disk.reopen();
  return {
    targets: [
      engineTarget('the reference engine', () => oracle),
      engineTarget('the engine in memory', () => memory.engine),
      engineTarget('the engine on disk', () => disk.engine, { reopen }),
      serverTarget('our server over memory', 'server', () => memory.client, {
        collectGarbage: (table) => memory.engine.compact(table),
      }),
      serverTarget('our server over disk', 'server', () => disk.client, {
        reopen,
        collectGarbage: (table) => disk.engine.compact(table),
      }),
    ],
    close: async () => {
      await Promise.all([memory.close(), disk.close()]);
      rmSync(directory, { recursive: true });
    },
  };
}

/**
 * The emulator requires the flag FeatureFlags.reverse_scans (feature_flags.proto) for reversed
 * scans.
 */
const features = { 'bigtable-features': 'CAE=' };

async function openEmulator(): Promise<
  Pick<TestEnvironment, 'targets' | 'restartEmulator' | 'close'>
> {
  const program = findEmulator();
  if (program === undefined)
    return { targets: [], restartEmulator: async () => undefined, close: async () => undefined };
  const start = async () => {
    const process = await startGoogleEmulator(program);
    return { process, client: new RawClient(process.address, features) };
  };
  let running: { readonly process: GoogleEmulator; readonly client: RawClient } = await start();
  const close = async () => {
    running.client.close();
    await running.process.close();
  };
  return {
    targets: [serverTarget("Google's emulator", 'emulator', () => running.client)],
    restartEmulator: async () => {
      if (!running.process.ended()) return;
      await close();
      running = await start();
    },
    close,
  };
}
