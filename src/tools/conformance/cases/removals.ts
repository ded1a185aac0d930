/** Many removals: what a log-structured store keeps as marks until it merges its files. */
import { prefixRange, rangeFrom } from '../../../base/index.js';
import type { RowMutation } from '../../../data/store/index.js';
import { equal } from '../assert.js';
import type { CaseGroup, ConformanceCase } from '../case.js';
import { caseTable, set, utf8 } from '../rows.js';

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${1000 + i}`);

const written = (key: string, value = 'v'): RowMutation => ({
  key: utf8(key),
  mutations: [set('a', 'q', value)],
});

const removed = (key: string): RowMutation => ({
  key: utf8(key),
  mutations: [{ kind: 'deleteFromRow' }],
});

const behindRemovals: ConformanceCase = {
  title: 'rows behind many removed ones are found from both sides',
  async run({ engine, read }) {
    const gone = numbered('m', 1000);
    await engine.mutateRows(
      caseTable,
      ['a', ...gone, 'z'].map((key) => written(key)),
    );
    await engine.mutateRows(caseTable, gone.map(removed));
    const ranges = [rangeFrom(utf8('b'), undefined)];
    equal(await read({ ranges, limit: 1 }), ['z{a:q@1000=v}']);
    const before = [rangeFrom(utf8(''), utf8('z'))];
    equal(await read({ ranges: before, reversed: true, limit: 1 }), ['a{a:q@1000=v}']);
    await engine.mutateRows(caseTable, [written('m1500', 'again')]);
    equal(await read({ ranges: [prefixRange(utf8('m'))] }), ['m1500{a:q@1000=again}']);
  },
};

const overwrittenRanges: ConformanceCase = {
  title: 'a range of which rows are written again or removed has the newest of each',
  async run({ engine, read }) {
    const keys = numbered('k', 600);
    await engine.mutateRows(
      caseTable,
      keys.map((key) => written(key, 'old')),
    );
    await engine.mutateRows(
      caseTable,
      keys.filter((_key, i) => i % 3 === 0).map((key) => written(key, 'new')),
    );
    await engine.mutateRows(caseTable, keys.filter((_key, i) => i % 5 === 0).map(removed));
    const expected = keys.flatMap((key, i) =>
      i % 5 === 0 ? [] : [`${key}{a:q@1000=${i % 3 === 0 ? 'new' : 'old'}}`],
    );
    equal(await read(), expected);
    equal(await read({ reversed: true }, 7), expected.toReversed());
  },
};

const droppedUnderScan: ConformanceCase = {
  title: 'a scan goes on behind rows that are dropped while it is read',
  async run({ engine }) {
    await engine.mutateRows(
      caseTable,
      [...numbered('a', 5), ...numbered('m', 200), ...numbered('z', 5)].map((key) => written(key)),
    );
    const plan = { table: caseTable, ranges: [rangeFrom(utf8(''), undefined)], reversed: false };
    const stream = engine.readRows(plan, { pageRows: 3 });
    const found: string[] = [];
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow())
        found.push(Buffer.from(page.keyBytes.slice(page.keyStart, page.keyEnd)).toString());
      if (found.length === 3)
        await engine.dropRowRange(caseTable, { kind: 'prefix', prefix: utf8('m') });
    }
    // Dropped rows may be read, as a page may be of the state before.
    equal(
      found.filter((key) => !key.startsWith('m')),
      [...numbered('a', 5), ...numbered('z', 5)],
    );
  },
};

export const removals: CaseGroup = {
  title: 'Removals',
  cases: [behindRemovals, overwrittenRanges, droppedUnderScan],
};
