/** Writes, compacts, closes and opens a database until the process is killed, or for some sessions. */
import type { Engine } from '../../../../src/storage.js';
import { randomOf } from './random.js';
import { openSmall } from './open-small.js';
import { compareRows, ensureTable, type Expectations } from './rows.js';
import { codeOf, say, Workload, type WorkloadOptions } from './workload.js';

export interface WriteOptions extends WorkloadOptions {
  readonly directory: string;
  readonly expectations: Expectations;
  readonly seed: number;
  readonly durability: 'durable' | 'relaxed';
  /** How often the database is opened and closed; by default without end. */
  readonly sessions?: number;
  /** Whether half of the sessions compact the database, again and again. */
  readonly compacts: boolean;
  /** Steps of each writer between opening and closing. */
  readonly steps: number;
}

export async function writeForever(options: WriteOptions): Promise<void> {
  const {
    directory,
    durability,
    expectations,
    seed,
    sessions = Infinity,
    steps,
    compacts,
  } = options;
  const random = randomOf(seed);
  const workload = new Workload(expectations, options);
  for (let session = 0; session < sessions; session++) {
    const engine = await openSmall(directory, { durability });
    await ensureTable(engine);
    if (session === 0) await acknowledgeFound(engine, options, workload);
    say('ready');
    let done = false;
    const compactions = async (): Promise<void> => {
      if (!compacts || !random.chance(0.5)) return;
      while (!done) {
        await new Promise((resolve) => setTimeout(resolve, random.below(100)));
        if (!done) await engine.compact();
        say('compacted');
      }
    };
    const writes = workload.run(engine, seed + session * 1009, steps).finally(() => (done = true));
    await Promise.all([writes, compactions()]);
    await engine.close();
    say('closed');
    const faults = [...workload.errors, ...workload.comparison.lost, ...workload.comparison.wrong];
    for (const fault of faults) say(`fault ${JSON.stringify(fault)}`);
    if (faults.length > 0) break;
  }
}

/**
 * Compares the rows with what earlier processes have written. A write that was not acknowledged, and
 * is found, is not lost any more.
 */
async function acknowledgeFound(
  engine: Engine,
  { expectations, maxBytes }: WriteOptions,
  workload: Workload,
): Promise<void> {
  const before = structuredClone(expectations);
  await compareRows(engine, expectations, { maxBytes, result: workload.comparison });
  for (const [key, { acknowledged }] of Object.entries(expectations))
    if (acknowledged !== before[key].acknowledged) say(`a ${key} ${acknowledged}`);
}

process.on('unhandledRejection', (error) => {
  say(`fault ${JSON.stringify(codeOf(error))}`);
  process.exit(1);
});
