/** Where fidelity cases are run: engines and a server, with a new database for each case. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { instance, RawClient } from '../server/raw-client.js';
import { caseStart, runCase, runOnEngine, type OpenForCase } from './fidelity.js';
import type { FidelityCase, Step } from './step.js';
import { asWireResult, runOnWire } from './wire.js';

/**
 * Cases that cannot be expressed in the published messages: value_bitmask_filter is not in them
 * yet, and a filter of no kind passes all cells.
 */
export const notInMessages: readonly string[] = ['G13', 'G14'];

/** An empty engine in memory. */
export const openMemory: OpenForCase = async (options) => {
  const engine = await openMemoryEngine(options);
  return { engine, close: () => engine.close() };
};

/** An empty engine on disk. */
export const openDisk: OpenForCase = async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-fidelity-'));
  const engine = await openDiskEngine(directory, { ...options, durability: 'relaxed' });
  return {
    engine,
    close: async () => {
      await engine.close();
      rmSync(directory, { recursive: true });
    },
  };
};

/** Runs a case through a server over an engine in memory, in Google's published messages. */
export async function runOnServer(one: FidelityCase): Promise<void> {
  let now = caseStart;
  const engine: Engine = await openMemoryEngine({ clock: () => now, gc: one.gc ?? 'onRead' });
  const server = await startServer(engine, { instance });
  const client = new RawClient(server.address);
  const compactOrWait = async (step: Step) => {
    if (step.op === 'compact') await engine.compact();
    if (step.op === 'wait') now += step.ms;
    return undefined;
  };
  await runCase(one, {
    run: (step) => runOnWire(client, instance, step, compactOrWait),
    expected: asWireResult,
    close: async () => {
      client.close();
      await server.close({ graceMs: 100 });
      await engine.close();
    },
  });
}

/** The cells of a case in docs/fidelity.md, from running it: memory, disk, server. */
export async function outcomesOf(one: FidelityCase): Promise<readonly string[]> {
  return [
    await outcomeOf(runOnEngine(openMemory, one)),
    await outcomeOf(runOnEngine(openDisk, one)),
    await serverOutcomeOf(one),
  ];
}

async function serverOutcomeOf(one: FidelityCase): Promise<string> {
  if (notInMessages.includes(one.id)) return 'not in the API';
  return outcomeOf(runOnServer(one));
}

function outcomeOf(run: Promise<void>): Promise<string> {
  return run.then(
    () => 'yes',
    () => 'no',
  );
}
