/** Compacts a database many times while it writes large values. */
import { openSmall } from './open-small.js';
import { compareRows, ensureTable, type Comparison } from './rows.js';
import { codeOf, say, Workload, type WorkloadOptions } from './workload.js';

export interface SoakOptions extends WorkloadOptions {
  readonly directory: string;
  readonly seed: number;
  readonly durability: 'durable' | 'relaxed';
  readonly compactions: number;
}

export async function soak(options: SoakOptions): Promise<void> {
  const { directory, seed, durability, compactions, keys, writers, maxBytes } = options;
  const engine = await openSmall(directory, { durability });
  await ensureTable(engine);
  const expectations = {};
  const workload = new Workload(expectations, options);
  const errors: string[] = [];
  await workload.run(engine, seed, Math.ceil(keys / writers));
  for (let number = 1; number <= compactions; number++) {
    let done = false;
    const compaction = engine
      .compact()
      .catch((error: unknown) => void errors.push(`compact ${codeOf(error)}`))
      .finally(() => (done = true));
    // Every third compaction has the database to itself.
    if (number % 3 !== 0) await workload.run(engine, seed + number, 50, () => done);
    await compaction;
    await workload.run(engine, seed - number, 2);
    say(`compacted ${number}`);
  }
  const result: Comparison = { lost: [], wrong: [] };
  await compareRows(engine, expectations, { maxBytes, result });
  await engine.close();
  errors.push(...workload.errors, ...workload.readErrors);
  for (const list of [workload.comparison, result])
    errors.push(...list.lost.map((text) => `lost ${text}`), ...list.wrong);
  for (const error of errors) say(`fault ${JSON.stringify(error)}`);
}
