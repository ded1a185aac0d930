/**
 * The places where a fidelity case runs: each a fresh database, and what the published messages
 * cannot say.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import type { Engine } from '../../src/store/index.js';
import { instance, RawClient } from '../server/raw-client.js';
import { caseStart, runCase, type OpenForCase } from './fidelity.js';
import { runStep, type FidelityCase, type Step } from './step.js';
import { onTheWire, runOnTheWire } from './wire.js';

/**
 * The published messages cannot say them: they have no value_bitmask_filter yet, and a filter of no
 * kind is no filter.
 */
export const unsaid: readonly string[] = ['G13', 'G14'];

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

/** Runs a case on an engine. */
export async function runOnEngine(open: OpenForCase, one: FidelityCase): Promise<void> {
  let now = caseStart;
  const { engine, close } = await open({ clock: () => now, gc: one.gc ?? 'onRead' });
  await runCase(one, {
    run: (step) => runStep(engine, step, (ms) => void (now += ms)),
    expected: (answer) => answer,
    close,
  });
}

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
    run: (step) => runOnTheWire(client, instance, step, compactOrWait),
    expected: onTheWire,
    close: async () => {
      client.close();
      await server.close({ graceMs: 100 });
      await engine.close();
    },
  });
}

/** What the columns of docs/fidelity.md say of a case, from running it: memory, disk, server. */
export async function outcomesOf(one: FidelityCase): Promise<readonly string[]> {
  const told = (run: Promise<void>): Promise<string> =>
    run.then(
      () => 'yes',
      () => 'no',
    );
  const server = unsaid.includes(one.id) ? 'not said' : await told(runOnServer(one));
  return [await told(runOnEngine(openMemory, one)), await told(runOnEngine(openDisk, one)), server];
}
