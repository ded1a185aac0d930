/** A table with rows of very different sizes, and what garbage collection removes of it. */
import type { FamilyEstimate, Horizon } from '../../../src/tools/gc/gc-estimate.js';
import { intersection, maxAge, maxVersions, union } from '../../../src/entities/model/index.js';
import type { Engine, GcRule, Mutation } from '../../../src/data/store/index.js';

export const now = Date.UTC(2026, 10, 20, 12);
export const dayMs = 86_400_000;
export const horizonMs: Readonly<Record<Horizon, number>> = {
  now: 0,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};
export const rules = new Map<string, GcRule | undefined>([
  ['age', maxAge('10d')],
  ['both', intersection(maxAge('2d'), maxVersions(2))],
  ['either', union(maxAge('20d'), maxVersions(3))],
  ['keep', undefined],
  ['newest', maxVersions(1)],
]);

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rows of very different sizes, with cells of up to 40 days. */
export async function fill(engine: Engine, rows: number, stored = rules): Promise<void> {
  const table = 't';
  const random = randomOf(7);
  await engine.createTable({
    name: table,
    families: new Map([...stored].map(([name, gc]) => [name, { gc }])),
  });
  const list = Array.from({ length: rows }, (_, row) => {
    const versions = 1 + Math.floor(random() ** 3 * 8);
    const mutations = [...rules.keys()].flatMap((family) =>
      ['p', 'q'].flatMap((qualifier) =>
        Array.from({ length: versions }, (): Mutation => {
          const ageMs = Math.floor(random() * 40 * dayMs);
          return {
            kind: 'setCell',
            family,
            qualifier: Buffer.from(qualifier),
            timestamp: (now - ageMs) * 1000,
            value: Buffer.alloc(Math.floor(random() * 60)),
          };
        }),
      ),
    );
    return { key: Buffer.from(`row${String(row).padStart(6, '0')}`), mutations };
  });
  for (let i = 0; i < list.length; i += 500) {
    const failures = await engine.mutateRows(table, list.slice(i, i + 500));
    expect(failures.every((each) => each === undefined)).toBe(true);
  }
}

export const cellsOf = (families: readonly FamilyEstimate[], horizon: Horizon): number =>
  families.reduce((sum, { due }) => sum + due[horizon].cells.value, 0);
