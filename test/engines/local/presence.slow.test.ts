/**
 * Reads of some families that return the other rows, too, with one cell: the embedded engine does
 * not filter decoded cells for them. Compared with the reference engine.
 */
import { everyKey } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine, type Filter } from '../../../src/storage.js';
import { ReferenceEngine } from '../reference-engine.js';
import fc from '../../support/fast-check.js';

const names = ['a', 'b', 'c', 'd'];
const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

const cell = fc.record({
  family: fc.constantFrom(...names),
  qualifier: fc.constantFrom('p', 'q', 'r').map(text),
  timestamp: fc.constantFrom(1000n, 2000n, 3000n),
  /** Large values are stored beside the row. */
  value: fc.constantFrom('', 'v', 'w'.repeat(5000)).map(text),
});
const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 8 }), { maxLength: 8 });

const filter: fc.Arbitrary<Filter> = fc
  .record({
    read: fc.subarray(names, { minLength: 1, maxLength: 2 }),
    other: fc.subarray(names, { minLength: 1 }),
    count: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
    before: fc.constantFrom<Filter[]>(
      [],
      [{ kind: 'families', families: ['a', 'b'] }],
      [{ kind: 'rowKeyRegex', pattern: text('r[0-3]') }],
    ),
    after: fc.constantFrom<Filter[]>(
      [],
      [{ kind: 'stripValue' }],
      [{ kind: 'cellsPerRow', count: 1 }],
      [{ kind: 'cellsPerColumn', count: 1 }],
      [{ kind: 'families', families: ['c'] }],
      [{ kind: 'cellsPerRow', count: 2 }],
    ),
  })
  .map(({ read, other, count, before, after }): Filter => {
    const branch: Filter[] = [{ kind: 'families', families: read }];
    if (count !== undefined) branch.push({ kind: 'cellsPerColumn', count });
    const presence: Filter[] = [
      { kind: 'families', families: other },
      { kind: 'cellsPerRow', count: 1 },
      { kind: 'stripValue' },
    ];
    const both: Filter = {
      kind: 'interleave',
      filters: [
        { kind: 'chain', filters: branch },
        { kind: 'chain', filters: presence },
      ],
    };
    return { kind: 'chain', filters: [...before, both, ...after] };
  });

test('agrees with the reference engine', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(filter, { minLength: 10, maxLength: 10 }),
      async (all, asked) => {
        const options = { clock: () => 10_000, gc: 'onRead' as const };
        const engines: Engine[] = [await openMemoryEngine(options), new ReferenceEngine(options)];
        for (const engine of engines) {
          const families = new Map(
            names.map((name) => [
              name,
              name === 'c' ? { gc: { kind: 'maxVersions', versions: 1 } as const } : {},
            ]),
          );
          await engine.createTable({ name: 't', families });
          for (const [i, cells] of all.entries())
            await engine.mutateRow('t', {
              key: text(`r${i}`),
              mutations: cells.map((each) => ({ kind: 'setCell' as const, ...each })),
            });
        }
        for (const each of asked) {
          const [own, reference] = await Promise.all(
            engines.map((engine) =>
              collectRows(
                engine.readRows({ table: 't', ranges: [everyKey], reversed: false, filter: each }),
              ),
            ),
          );
          expect(own).toEqual(reference);
        }
        for (const engine of engines) await engine.close();
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 15) },
  );
});
