/**
 * Everybody who is asked: the reference engine, the engine in memory and on disk, both behind our
 * server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import type { GcMode } from '../../src/store/index.js';
import { ReferenceEngine } from '../engines/reference-engine.js';
import { RawClient } from '../server/raw-client.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator, type GoogleEmulator } from '../support/google-emulator.js';
import type { History } from './operation.js';
import { enginePeer, serverPeer, teachBitmask, type Peer } from './targets.js';
import type { Place } from './run-history.js';
import { Said } from './responses.js';
import { Served } from './served.js';
import { Turns } from './turns.js';

/** The peers, the reference engine first. */
export interface World extends Place {
  /** Engines that hide what their rules collect, and Google's emulator. */
  readonly peers: readonly Peer[];
  /** Engines that collect when they are told. */
  readonly collected: readonly Peer[];
  /** What our servers were asked. */
  readonly said: Said;
  /** Starts the emulator anew where its process has ended. */
  readonly repair: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Those of the world that a history is for. */
export const peersOf = ({ peers, collected }: World, { gc }: History): readonly Peer[] =>
  gc === 'manual' ? collected : peers;

/** A world with empty databases. */
export async function openWorld(): Promise<World> {
  teachBitmask();
  // A clock that stands: two rules of one call on one column would else be one cell or two, and a
  // rule of versions would let another cell go.
  const time = { now: 1_700_000_000_000 };
  const said = new Said();
  const [hiding, collected] = [
    await openOurs('onRead', time, said),
    await openOurs('manual', time, said),
  ];
  const emulator = await openEmulator();
  return {
    turns: new Turns(),
    time,
    said,
    peers: [...hiding.peers, ...emulator.peers],
    collected: collected.peers,
    repair: emulator.repair,
    close: async () =>
      void (await Promise.all([emulator.close(), hiding.close(), collected.close()])),
  };
}

async function openOurs(
  gc: GcMode,
  time: { readonly now: number },
  said: Said,
): Promise<Pick<World, 'peers' | 'close'>> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-differential-'));
  // One answer of the chance for all rows, because the engines need not ask for rows behind a
  // limit.
  const options = { gc, clock: () => time.now, random: () => 0.5 } as const;
  const reference = new ReferenceEngine(options);
  const memory = await Served.open(() => openMemoryEngine(options), said);
  const disk = await Served.open(
    () => openDiskEngine(directory, { ...options, durability: 'relaxed' }),
    said,
  );
  const again = { reopen: () => disk.reopen() };
  return {
    peers: [
      enginePeer('the reference engine', () => reference),
      enginePeer('the engine in memory', () => memory.engine),
      enginePeer('the engine on disk', () => disk.engine, again),
      serverPeer('our server over memory', 'server', () => memory.client, {
        collect: (table) => memory.engine.compact(table),
      }),
      serverPeer('our server over disk', 'server', () => disk.client, {
        ...again,
        collect: (table) => disk.engine.compact(table),
      }),
    ],
    close: async () => {
      await Promise.all([memory.close(), disk.close()]);
      rmSync(directory, { recursive: true });
    },
  };
}

/**
 * It serves reversed scans only to clients that say they know of them (bigtable-features,
 * FeatureFlags.reverse_scans).
 */
const features = { 'bigtable-features': 'CAE=' };

async function openEmulator(): Promise<Pick<World, 'peers' | 'repair' | 'close'>> {
  const program = findEmulator();
  if (program === undefined)
    return { peers: [], repair: async () => undefined, close: async () => undefined };
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
    peers: [serverPeer("Google's emulator", 'emulator', () => running.client)],
    repair: async () => {
      if (!running.process.ended()) return;
      await close();
      running = await start();
    },
    close,
  };
}
