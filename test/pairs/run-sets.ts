/** Runs histories of sets of features on a storage. */
import { randomOf } from '../entities/derived/index/histories/faulty-storage.js';
import { seed } from '../support/seed.js';
import { declare } from './declare.js';
import { type Feature, featureSet, pairs, triple } from './features.js';
import { knownFault } from './known-faults.js';
import type { Storage } from './program.js';
import { runHistory } from './run-history.js';

/** PAIR=index,revision and HISTORY=7 repeat a history; with PAIR alone, RUNS of these features. */
const only = process.env.PAIR?.split(',');
const history = process.env.HISTORY;

/**
 * Each pair of features in turn, and between them triples; in an order that the seed chooses. Sets
 * that are known to have a fault are left out.
 */
export function* featureSets(count: number): Generator<readonly Feature[]> {
  const random = randomOf(seed);
  let left: (readonly Feature[])[] = [];
  for (let i = 0; i < count;) {
    if (left.length === 0) left = [...pairs];
    const [pair] = left.splice(Math.floor(random() * left.length), 1);
    for (const set of i % 4 === 3 ? [pair, triple(random)] : [pair]) {
      if (i++ >= count) return;
      if (knownFault(featureSet(set)) === undefined) yield set;
    }
  }
}

/** Runs a history of each of `count` sets. Throws for the first that shows a fault. */
export async function runSets(storage: Storage, count: number): Promise<void> {
  const sets = only === undefined ? featureSets(count) : Array.from({ length: count }, () => only);
  let i = 0;
  for (const set of sets) {
    const number = history === undefined ? seed * 10_000 + i++ : Number(history);
    await runSet(storage, set, number);
    if (history !== undefined) return;
  }
}

async function runSet(storage: Storage, set: readonly string[], number: number): Promise<void> {
  const declared = declare(featureSet(set), `t${number}`, storage);
  const options = { seed: number, programs: 3, steps: 12, faults: number % 3 === 0 ? 0 : 3 };
  const { problems, log } = await runHistory(storage, declared, options);
  for (const { name } of await storage.engine.listTables()) await storage.engine.deleteTable(name);
  if (problems.length === 0) return;
  const lines = [`PAIR=${set.join()} HISTORY=${number} repeats this history`, ...log, ...problems];
  throw new Error(lines.join('\n'));
}
