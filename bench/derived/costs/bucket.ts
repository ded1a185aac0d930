/** Saves of new rows into one bucket of a rollup, one after the other. */
import type { Database } from '../../../src/index.js';
import { interleave, type Variant } from '../../interleave.js';
import { progress, type Results } from '../../results.js';
import { Plain, Rolled, valuesOf } from './entities.js';

const kinds = { plain: Plain, rollup: Rolled };
/** The saves that are timed apart, at the beginning and at the end. */
const part = 100;

/** Each round fills a bucket. The first and the last hundred saves show how it grows. */
export async function measureBucket(
  results: Results,
  name: string,
  db: Database,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<void> {
  const parts = new Map<string, { first: number; last: number }>();
  const variants = Object.entries(kinds).map(([kind, entity]): Variant => ({
    name: kind,
    async run(round) {
      const repository = db.repository(entity);
      const readings = Array.from({ length: rows }, (_, n) =>
        repository.create(valuesOf('bucket', round, n)),
      );
      const save = async (from: number, to: number): Promise<number> => {
        const started = performance.now();
        for (const reading of readings.slice(from, to)) await repository.save(reading);
        return ((performance.now() - started) * 1000) / (to - from);
      };
      const first = await save(0, part);
      await save(part, rows - part);
      parts.set(kind, { first, last: await save(rows - part, rows) });
      progress(`${name}.bucket.${kind} ${round}`);
      return rows;
    },
  }));
  const timings = await interleave(variants, rounds, rounds > 1 ? 1 : 0);
  const plain = timings.get('plain')!;
  for (const kind of Object.keys(kinds)) {
    const comparison = kind === 'plain' ? undefined : { with: plain, of: 'plain' };
    results.addTiming(`${name}.bucket.${kind}`, timings.get(kind)!, 'us/save', comparison);
    const { first, last } = parts.get(kind)!;
    results.add({ name: `${name}.bucket.${kind}.first-${part}`, value: first, unit: 'us/save' });
    results.add({ name: `${name}.bucket.${kind}.last-${part}`, value: last, unit: 'us/save' });
  }
}
