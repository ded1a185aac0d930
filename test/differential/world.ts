/** Everybody who is asked: the reference engine, the engine in memory and on disk, both behind our server, and Google's emulator where it is installed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { ReferenceEngine } from '../engines/reference-engine.js';
import { RawClient } from '../server/raw-client.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator, type GoogleEmulator } from '../support/google-emulator.js';
import { enginePeer, serverPeer, teachBitmask, type Peer } from './peers.js';

/** The peers, the reference engine first. */
export interface World {
  readonly peers: readonly Peer[];
  /** Starts the emulator anew where its process has ended. */
  readonly repair: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A world with empty databases. */
export async function openWorld(): Promise<World> {
  teachBitmask();
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-differential-'));
  // A clock that stands: two rules of one call on one column would else be one cell or two, and a rule of versions would let another cell go.
  // One answer of the chance for all rows, because the engines need not ask for rows behind a limit.
  const options = { gc: 'onRead', clock: () => 1_700_000_000_000, random: () => 0.5 } as const;
  const reference = new ReferenceEngine(options);
  const memory = await openMemoryEngine(options);
  const disk = await openDiskEngine(directory, { ...options, durability: 'relaxed' });
  const servers = await Promise.all([memory, disk].map((engine) => startServer(engine)));
  const clients = servers.map(({ address }) => new RawClient(address));
  const emulator = await openEmulator();
  return {
    peers: [
      enginePeer('the reference engine', () => reference), enginePeer('the engine in memory', () => memory), enginePeer('the engine on disk', () => disk),
      serverPeer('our server over memory', 'server', () => clients[0]), serverPeer('our server over disk', 'server', () => clients[1]), ...emulator.peers,
    ],
    repair: emulator.repair,
    close: async () => {
      for (const client of clients) client.close();
      await Promise.all([emulator.close(), ...servers.map((server) => server.close({ graceMs: 500 }))]);
      await Promise.all([memory.close(), disk.close()]);
      rmSync(directory, { recursive: true });
    },
  };
}

/** It serves reversed scans only to clients that say they know of them (bigtable-features, FeatureFlags.reverse_scans). */
const features = { 'bigtable-features': 'CAE=' };

async function openEmulator(): Promise<World> {
  const program = findEmulator();
  if (program === undefined) return { peers: [], repair: async () => undefined, close: async () => undefined };
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
