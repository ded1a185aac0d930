/** The histories notice each of the ways in which writes are broken, after a few of them. */
import { declare } from './declare.js';
import { featureSet } from './features.js';
import { runHistory } from './run-history.js';
import { sabotages } from './sabotages.js';
import { type OpenedStorage, storages } from './storages.js';

const maxHistories = 60;
let storage: OpenedStorage;
beforeAll(async () => (storage = await storages.memory!()));
afterAll(() => storage.close());

test.each(sabotages)(
  '$name',
  async ({ features, engine, calls, breaksHook }) => {
    const declared = declare(featureSet(features), 't0', breaksHook);
    let noticed: readonly string[] = [];
    for (let seed = 0; seed < maxHistories && noticed.length === 0; seed++) {
      const options = { seed, calls, programs: 3, steps: 12, faults: seed % 2 === 0 ? 0 : 3 };
      ({ problems: noticed } = await runHistory(storage, declared, {
        ...options,
        sabotage: engine,
      }));
    }
    for (const { name } of await storage.engine.listTables())
      await storage.engine.deleteTable(name);
    expect(noticed).not.toEqual([]);
  },
  120_000,
);
