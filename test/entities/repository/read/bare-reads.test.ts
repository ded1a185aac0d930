/** Reads of live tables without filters: the same results as with them. */
import {
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  maxVersions,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';
import { openWatched } from '../support/watched.js';

@Entity({ table: 'kept', families: { a: { gc: maxVersions(1) }, m: { gc: maxVersions(1) } } })
class Kept {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('a', 'string') first?: string;
  @Column('a', 'string') last?: string;
  @ColumnMap('m', 'string') map?: Map<string, string>;
}

@Entity({ table: 'half', families: { a: { gc: maxVersions(1) }, b: {} } })
class Half {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('a', 'string') text?: string;
}

@Entity({ table: 'counted', families: { a: { gc: maxVersions(1) } } })
class Counted {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Counter('a') hits?: bigint;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const cell = (family: string, qualifier: string, at: number, value: string) => ({
  kind: 'setCell' as const,
  family,
  qualifier: utf8(qualifier),
  timestamp: at * 1000,
  value: utf8(value),
});

/** Rows with several versions, unmapped columns and families, and some with nothing else. */
async function fill(db: Database): Promise<void> {
  await db.engine.modifyFamilies('kept', [{ kind: 'create', family: 'b', schema: {} }]);
  for (let i = 0; i < 40; i++) {
    const mutations = [cell('b', 'other', 5, 'x')];
    if (i % 4 !== 0) {
      mutations.push(cell('a', 'first', 5, `new ${i}`), cell('a', 'first', 4, 'old'));
      mutations.push(cell('a', 'last', 5, `new ${i}`), cell('a', 'last', 4, 'old'));
    }
    if (i % 3 === 0) mutations.push(cell('m', 'k', 9, 'new'), cell('m', 'k', 8, 'old'));
    const key = utf8(`r${String(i).padStart(2, '0')}`);
    await db.engine.mutateRow('kept', { key, mutations });
  }
}

function expectedRows(): object[] {
  const ids = Array.from({ length: 40 }, (_, i) => i).filter((i) => i % 4 !== 0 || i % 3 === 0);
  return ids.map((i) => ({
    id: `r${String(i).padStart(2, '0')}`,
    first: i % 4 !== 0 ? `new ${i}` : undefined,
    last: i % 4 !== 0 ? `new ${i}` : undefined,
    map: i % 3 === 0 ? new Map([['k', 'new']]) : undefined,
  }));
}

test.each(backEnds)('rows are the same on $name', async ({ open: openOn }) => {
  const { db, close } = await openOn([Kept], { gc: 'manual' });
  await fill(db);
  const rows = db.repository(Kept);
  const expected = expectedRows();
  // The second round may be read with filters, because so many cells were dropped in the first.
  for (let round = 0; round < 2; round++) {
    expect(await rows.scanAll().all()).toEqual(expected);
    expect(await rows.scanAll().reverse().limit(3).all()).toEqual(expected.slice(-3).reverse());
    expect(await rows.scanAll().first()).toEqual(expected[0]);
    expect(await rows.scanAll().count()).toBe(expected.length);
    expect(await rows.get({ id: 'r04' })).toBeUndefined();
    expect(await rows.get({ id: 'r05' })).toEqual(
      expected.find((row) => 'id' in row && row.id === 'r05'),
    );
    const keys = expected.map((row) => row as Kept);
    expect(await rows.getMany([...keys, { id: 'r04' }])).toEqual([...expected, undefined]);
    const { rows: page, next } = await rows.scanAll().page({ size: 7 });
    const rest = await rows.scanAll().page({ size: 100, after: next });
    expect([...page, ...rest.rows]).toEqual(expected);
  }
  await close();
});

test('1,024 keys are read in one request, and one more in another', async () => {
  const { db, seen } = await openWatched([Kept]);
  const keys = Array.from({ length: 1_025 }, (_, i) => ({ id: `k${i}` }));
  const rangesOf = async (count: number): Promise<readonly number[]> => {
    seen.plans.length = 0;
    await db.repository(Kept).getMany(keys.slice(0, count));
    return seen.plans.map(({ ranges }) => ranges.length);
  };
  expect(await rangesOf(1_024)).toEqual([1_024]);
  expect(await rangesOf(1_025)).toEqual([1_024, 1]);
  await db.close();
});

describe('on a live table', () => {
  test('a table is read without a filter if all families are mapped and keep one version', async () => {
    const { db, seen } = await openWatched([Kept, Half, Counted], { isLive: true });
    for (const [entity, filters] of [
      [Kept, []],
      // Family b is not mapped by it.
      [Half, ['families a']],
      // Each increment adds a cell.
      [Counted, ['newest cell of each column']],
    ] as const) {
      const rows = db.repository(entity);
      await rows.get({ id: 'a' });
      await rows.scanAll().all();
      expect(rows.scanAll().explain().filters).toEqual(filters);
      expect(seen.plans.at(-1)!.filter === undefined).toBe(filters.length === 0);
    }
    expect(String(db.repository(Kept).scanAll().explain())).toContain(
      'filter    none: every family is read, and older cells are dropped here',
    );
    await db.close();
  });

  test('other reads keep their filters', async () => {
    const { db } = await openWatched([Kept], { isLive: true });
    const all = db.repository(Kept).scanAll();
    for (const query of [
      all.select('first'),
      all.keysOnly(),
      all.asOf(new Date()),
      all.where({ first: 'a' }),
    ])
      expect(query.explain().filters).not.toEqual([]);
    await db.close();
  });

  test('a table that holds much else is read with filters from then on', async () => {
    const { db, seen } = await openWatched([Kept], { isLive: true });
    const rows = db.repository(Kept);
    await db.engine.modifyFamilies('kept', [{ kind: 'create', family: 'b', schema: {} }]);
    const others = Array.from({ length: 200 }, (_, i) => cell('b', `q${i}`, 5, 'x'));
    await db.engine.mutateRow('kept', {
      key: utf8('a'),
      mutations: [cell('a', 'first', 5, 'x'), ...others],
    });
    expect(rows.scanAll().explain().filters).toEqual([]);
    await rows.get({ id: 'a' });
    expect(rows.scanAll().explain().filters).toEqual([
      'families a, m',
      'newest cell of each column',
    ]);
    await rows.get({ id: 'a' });
    expect(seen.plans.at(-1)!.filter).toBeDefined();
    await db.close();
  });

  test('an embedded table is read with its filters, which cost nothing there', async () => {
    const { db } = await openWatched([Kept]);
    expect(db.repository(Kept).scanAll().explain().filters).toEqual([
      'families a, m',
      'newest cell of each column',
    ]);
    await db.close();
  });
});
