/**
 * Random histories of several programs with different clocks, with requests that fail, are lost or
 * come late, and programs that are killed; on all engines. RUNS=5000 runs more of them in memory.
 */
import { slowBackEnds, type OpenedBackEnd } from '../../../repository/support/back-ends.js';
import { seed } from '../../../../support/seed.js';
import { Order } from '../entities.js';
import { runHistory } from './run-history.js';
import { SeenFaults } from './seen-faults.js';

const runs = Number(process.env.RUNS ?? 0);
const counts: Readonly<Record<string, number>> = { memory: 40, disk: 10 };

describe.each(slowBackEnds)('$name', ({ name, open }) => {
  let opened: OpenedBackEnd;
  beforeAll(async () => {
    opened = await open([Order]);
  });
  afterAll(() => opened.close());

  test('each row is found by each index, and repair leaves no other entry', async () => {
    const count = runs > 0 && name === 'memory' ? runs : (counts[name] ?? 6);
    let orphans = 0;
    const seen = new SeenFaults();
    for (let i = 0; seen.needs(i, count, orphans > 0); i++) {
      const history = { seed: seed * 100_000 + i, writers: 2 + (i % 3), operations: 4, faults: 3 };
      const result = await runHistory(opened.db.engine, history);
      if (result.problems.length > 0)
        throw new Error(
          [`history ${JSON.stringify(history)}`, ...result.injected, ...result.problems].join('\n'),
        );
      orphans += result.orphans;
      seen.add(result.injected);
    }
    // The faults are real: some leave an entry that no row has.
    expect(orphans).toBeGreaterThan(0);
    seen.assertEach();
  }, 600_000);
});
