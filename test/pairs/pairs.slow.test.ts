/**
 * Random histories of all pairs of features, and of triples, on all storages, checked by an oracle
 * in plain JavaScript. RUNS=n runs n sets of features in memory, a quarter on disk and where
 * expired cells stay, and a twentieth live.
 * `PAIR=index,copies HISTORY=7 npx jest test/pairs/pairs -t 'memory$'` repeats one history.
 */
import { runSets } from './run-sets.js';
import { storages } from './storages.js';

const runs = Number(process.env.RUNS ?? 12);
const shares: Readonly<Record<string, number>> = {
  memory: 1,
  disk: 1 / 4,
  'memory that collects late': 1 / 4,
};

for (const [name, open] of Object.entries(storages)) {
  if (open === undefined) continue;
  test(`everything that follows from rows is right, on ${name}`, async () => {
    const storage = await open();
    try {
      await runSets(storage, Math.ceil(runs * (shares[name] ?? 1 / 20)));
    } finally {
      await storage.close();
    }
  }, 3_600_000);
}
