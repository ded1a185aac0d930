/** The compaction soak: compactions of a database with large values, while it is written. */
import { join } from 'node:path';
import type { SoakOptions } from './child-soak.js';
import { checkAndCount } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import type { Expectations } from './rows.js';
import { Tally, type ScenarioOptions } from './tally.js';
import { applyLines } from './workload.js';

/** `maxBytes` is the maximum size of a value: 20 MB, unless a test has less time. */
export async function compactionSoak(
  options: ScenarioOptions,
  maxBytes = 20_000_000,
): Promise<Tally> {
  const tally = new Tally('compact', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  const half = Math.ceil(options.rounds / 2);
  const parts: readonly Pick<SoakOptions, 'durability' | 'maxBytes' | 'compactions'>[] = [
    { durability: 'durable', maxBytes, compactions: half },
    { durability: 'relaxed', maxBytes: maxBytes / 5, compactions: options.rounds - half },
  ];
  try {
    for (const part of parts) {
      const directory = join(workshop.empty('soak'), 'db');
      const soak: SoakOptions = {
        ...part,
        directory,
        seed: options.seed,
        keys: 60,
        writers: 3,
        maxRows: 5,
      };
      const name = `compact --seed ${options.seed} --rounds ${options.rounds}, ${part.durability}`;
      let last = 'no compaction';
      const onLine = (line: string): void => {
        if (!line.startsWith('compacted')) return;
        last = line;
        tally.trial();
      };
      const child = workshop.start('soak', soak, { onLine, maxSeconds: 3600 });
      const ending = await child.ended;
      if (ending !== undefined) tally.fault('ended processes', `${name}, ${last}: ${ending}`);
      for (const line of child.lines.filter((text) => text.startsWith('fault')))
        tally.fault('failed operations', `${name}: ${line}`);
      const expectations: Expectations = {};
      applyLines(expectations, child.lines);
      const { maxBytes: largest } = part;
      const job = {
        directory,
        expectations,
        maxBytes: largest,
        seed: 1,
        write: true,
        thorough: true,
      };
      await checkAndCount(checker, job, tally, name);
    }
  } finally {
    await checker.close();
    workshop.remove();
  }
  return tally;
}
