/**
 * Random histories of programs that write authors and posts while requests fail, are lost, come
 * late, and programs are killed. RUNS=5000 runs more of them in memory.
 */
import { slowBackEnds, type OpenedBackEnd } from '../../../repository/support/back-ends.js';
import { seed } from '../../../../support/seed.js';
import { Author, Post, Profile } from '../entities.js';
import { runHistory } from './run-history.js';
import { SeenFaults } from '../../index/histories/seen-faults.js';

const runs = Number(process.env.RUNS ?? 0);
const counts: Readonly<Record<string, number>> = { memory: 30, disk: 10 };

describe.each(slowBackEnds)('$name', ({ name, open }) => {
  let opened: OpenedBackEnd;
  beforeAll(async () => {
    opened = await open([Author, Post, Profile]);
  });
  afterAll(() => opened.close());

  test('a copy that is stale has a mark, and none is after propagate', async () => {
    const count = runs > 0 && name === 'memory' ? runs : (counts[name] ?? 5);
    let stale = 0;
    const seen = new SeenFaults();
    for (let i = 0; seen.needs(i, count, stale > 0); i++) {
      const history = { seed: seed * 100_000 + i, writers: 2 + (i % 3), operations: 5, faults: 3 };
      const result = await runHistory(opened.db.engine, history);
      if (result.problems.length > 0)
        throw new Error(
          [`history ${JSON.stringify(history)}`, ...result.injected, ...result.problems].join('\n'),
        );
      stale += result.stale;
      seen.add(result.injected);
    }
    // The faults are real: some leave stale copies.
    expect(stale).toBeGreaterThan(0);
    seen.assertEach();
  }, 3_600_000);
});
