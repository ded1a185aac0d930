/** The histories notice each of the ways in which writes are broken, after a few of them. */
import { declare } from './declare.js';
import { featureSet } from './features.js';
import { runHistory } from './run-history.js';
import { sabotages } from './sabotages.js';
import { type OpenedStorage, storages } from './storages.js';

const maxHistories = 100;
let storage: OpenedStorage;
let late: OpenedStorage;
beforeAll(async () => {
  storage = await storages.memory!();
  late = await storages['memory that collects late']!();
});
afterAll(() => Promise.all([storage.close(), late.close()]));

test.each(sabotages)(
  '$name',
  async ({ features, calls, breaksHook, breaks, collectsLate, ...broken }) => {
    const used = collectsLate === true ? late : storage;
    const mend = breaks?.();
    const declared = declare(featureSet(features), 't0', { breaksHook });
    let noticed: readonly string[] = [];
    for (let seed = 0; seed < maxHistories && noticed.length === 0; seed++) {
      const options = { seed, calls, programs: 3, steps: 12, faults: seed % 2 === 0 ? 0 : 3 };
      ({ problems: noticed } = await runHistory(used, declared, { ...options, sabotage: broken }));
    }
    mend?.();
    for (const { name } of await used.engine.listTables()) await used.engine.deleteTable(name);
    expect(noticed).not.toEqual([]);
  },
  120_000,
);
