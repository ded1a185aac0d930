/** Filters, and what garbage collection rules hide. */
import { dayMs } from '../../../base/index.js';
import type { Filter } from '../../../data/store/index.js';
import type { CaseGroup, ConformanceCase } from '../case.js';
import { equal, rejects } from '../assert.js';
import { set, caseTable, utf8 } from '../rows.js';

const counts: ConformanceCase = {
  title: 'F: filters by count',
  onService: { relaxed: 'cells of a row are counted in any order of families' },
  async run({ put, read, isService }) {
    await put(
      'k',
      ...['a', 'b'].flatMap((family) =>
        ['x', 'y'].flatMap((qualifier) =>
          [3000, 2000, 1000].map((timestamp) => set(family, qualifier, `${timestamp}`, timestamp)),
        ),
      ),
    );
    const cells = async (filter: Filter) =>
      (await read({ filter }))[0]?.match(/[ab]:.@\d/g)?.join(' ');
    const chain = (...filters: Filter[]) => cells({ kind: 'chain', filters });
    const ofRow: Filter = { kind: 'cellsPerRow', count: 4 };
    const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
    // Either family may be counted first on a service.
    const equalIn = (found: string | undefined, expected: string): void => {
      const family = isService && found?.startsWith('b') === true ? 'b' : 'a';
      equal(found, expected.replaceAll('a', family));
    };
    equalIn(await cells(ofRow), 'a:x@3 a:x@2 a:x@1 a:y@3');
    equal(
      await cells({ kind: 'cellsPerColumn', count: 2 }),
      'a:x@3 a:x@2 a:y@3 a:y@2 b:x@3 b:x@2 b:y@3 b:y@2',
    );
    equalIn(await chain(ofRow, newest), 'a:x@3 a:y@3');
    equal(
      await chain({ kind: 'timestampRange', start: 1000, end: 3000 }, newest),
      'a:x@2 a:y@2 b:x@2 b:y@2',
    );
    equal(
      await chain(
        { kind: 'families', families: ['b'] },
        {
          kind: 'columns',
          columns: [
            { family: 'a', qualifiers: 'all' },
            { family: 'b', qualifiers: [utf8('y'), utf8('zz')] },
          ],
        },
      ),
      'b:y@3 b:y@2 b:y@1',
    );
    for (const count of [0, -1, 2.5])
      await rejects(read({ filter: { kind: 'cellsPerRow', count } }), 'INVALID_ARGUMENT');
  },
};

const conditions: ConformanceCase = {
  title:
    'G, I: conditions, strips, blocks and timestamps; unknown families, filters and tables are rejected',
  async run({ put, read }) {
    await put('r1', set('a', 'p', '1'), set('b', 'q', '3', 2000));
    await put('r2', set('a', 'p', '9'));
    const predicate: Filter = { kind: 'families', families: ['b'] };
    const unknown: Filter = { kind: 'columns', columns: [{ family: 'zz', qualifiers: 'all' }] };
    const passAll: Filter = { kind: 'passAll' };
    const filtered = (filter: Filter) => read({ filter });
    equal(
      await filtered({
        kind: 'condition',
        predicate,
        onTrue: { kind: 'stripValue' },
        onFalse: passAll,
      }),
      ['r1{a:p@1000= b:q@2000=}', 'r2{a:p@1000=9}'],
    );
    equal(await filtered({ kind: 'condition', predicate, onTrue: passAll }), [
      'r1{a:p@1000=1 b:q@2000=3}',
    ]);
    equal(await filtered({ kind: 'blockAll' }), []);
    equal(await filtered({ kind: 'timestampRange', start: 2000 }), ['r1{b:q@2000=3}']);
    for (const [start, end] of [
      [1500, 2500],
      [3000, 2000],
    ])
      await rejects(filtered({ kind: 'timestampRange', start, end }), 'INVALID_ARGUMENT');
    await rejects(filtered({ kind: 'families', families: ['zz'] }), 'FAMILY_NOT_FOUND');
    await rejects(
      filtered({ kind: 'condition', predicate: unknown, onTrue: passAll }),
      'FAMILY_NOT_FOUND',
    );
    await rejects(filtered({ kind: 'sample' } as unknown as Filter), 'INVALID_ARGUMENT');
    await rejects(read({ table: 'nowhere' }), 'TABLE_NOT_FOUND');
  },
};

const collected: ConformanceCase = {
  title: 'J: reads hide cells that the rules collect, by version and by age, permanently',
  onService: { leftOut: 'a service collects garbage in the background, within about a week' },
  changesTable: true,
  async run({ engine, put, read, clock }) {
    const gc = {
      kind: 'union',
      rules: [
        { kind: 'maxVersions', versions: 2 },
        { kind: 'maxAge', micros: dayMs * 1000 },
      ],
    } as const;
    await engine.modifyFamilies(caseTable, [{ kind: 'create', family: 'g', schema: { gc } }]);
    for (const age of [3, 2, 1, 0])
      await put('k', set('g', 'q', `${age}`, BigInt(clock!.now() - age * 1000) * 1000n));
    equal((await read())[0]?.match(/=\d/g), ['=0', '=1']);
    clock!.advance(dayMs - 500);
    equal((await read())[0]?.match(/=\d/g), ['=0']);
    const matched = await engine.checkAndMutateRow(caseTable, {
      key: utf8('k'),
      predicate: { kind: 'valueEquals', value: utf8('1') },
      onFalse: [set('a', 'q', 'no')],
    });
    equal(matched, false);
    await engine.modifyFamilies(caseTable, [{ kind: 'update', family: 'g', gc: undefined }]);
    equal((await read())[0]?.match(/g:q@\d+=\d/g)?.length, 1);
  },
};

export const filters: CaseGroup = { title: 'Filters', cases: [counts, conditions, collected] };
