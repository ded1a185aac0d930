/** Parts of a query: together they have its rows, each once and in order. */
import { Column, Entity, open, type RowQuery, rowKey, Segment } from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'logs', families: { m: {} } })
class Log {
  static readonly key = rowKey('tenant', 'n');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 99_999 }) n!: number;
  @Column('m', 'string') text!: string;
}

@Entity({ table: 'sharded', families: { m: {} }, shards: { count: 4, by: ['n'] } })
class Spread {
  static readonly key = rowKey('tenant', 'n');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 99_999 }) n!: number;
  @Column('m', 'string') text!: string;
}

const rows = 3000;
const text = 'x'.repeat(3000);
const tenantOf = (n: number): string => 'abc'[n % 3];

describe.each(backEnds)('on $name', (backEnd) => {
  test.each([Log, Spread])('the parts are the query (%p)', async (entity) => {
    const { db, close } = await backEnd.open([Log, Spread]);
    const repository = db.repository(entity);
    await repository.saveMany(
      Array.from({ length: rows }, (_, n) => repository.create({ tenant: tenantOf(n), n, text })),
    );
    const queries: RowQuery<Log, typeof Log.key>[] = [
      repository.scanAll(),
      repository.prefix({ tenant: 'b' }),
      repository.prefixes([{ tenant: 'a' }, { tenant: 'c' }]).since('n', 500),
      repository.prefix({ tenant: 'b' }).reverse().keysOnly() as never,
      repository.prefix({ tenant: 'none' }),
      repository.prefixes([]),
    ];
    const keyOf = ({ tenant, n }: Log): string => `${tenant}${n}`;
    for (const query of queries) {
      const all = (await query.all()).map(keyOf);
      for (const most of [1, 2, 5, 1000]) {
        const parts = await query.split(most);
        expect(parts.length).toBeLessThanOrEqual(most);
        const found = (await Promise.all(parts.map((part) => part.all()))).flat().map(keyOf);
        // Without shards the parts are in the order of the query.
        if (entity === Log) expect(found).toEqual(all);
        else expect(found.sort()).toEqual(all.toSorted());
      }
    }
    // Google's emulator samples a table of this size at random.
    if (!backEnd.name.includes('Google')) {
      const sizes = await Promise.all((await queries[0].split(4)).map((part) => part.count()));
      expect(sizes).toHaveLength(4);
      expect(Math.max(...sizes)).toBeLessThan(rows / 2);
    }
    await close();
  });
});

test('a cursor belongs to its part', async () => {
  const db = await open('memory:', { entities: [Log] });
  const logs = db.repository(Log);
  await logs.saveMany(
    Array.from({ length: rows }, (_, n) => logs.create({ tenant: 'a', n, text })),
  );
  const [first, second] = await logs.prefix({ tenant: 'a' }).split(2);
  const { rows: page, next } = await first.page({ size: 10 });
  expect((await first.page({ size: 1, after: next })).rows[0].n).toBe(page[9].n + 1);
  await expect(second.page({ size: 10, after: next })).rejects.toMatchObject({
    code: 'INVALID_CURSOR',
  });
  expect(await first.reverse().limit(1).all()).toHaveLength(1);
  const sums = await Promise.all([first, second].map((part) => part.aggregate({ n: 'count' })));
  expect(sums.reduce((sum, { n }) => sum + n, 0)).toBe(rows);
  await db.close();
});

describe('wrong uses', () => {
  type Any = Record<string, (...args: unknown[]) => Any> & { split(n: unknown): Promise<Any[]> };
  const faults: [string, string, (root: Any) => unknown][] = [
    ['a limit', 'INVALID_QUERY', (root) => root.scanAll().limit(1).split(2)],
    ['groups', 'INVALID_QUERY', (root) => root.firstPer('tenant').split(2)],
    ['no number', 'INVALID_ARGUMENT', (root) => root.scanAll().split('2')],
    ['none', 'INVALID_ARGUMENT', (root) => root.scanAll().split(0)],
    [
      'a prefix after it',
      'INVALID_QUERY',
      async (root) => (await root.scanAll().split(1))[0].prefix({ tenant: 'a' }),
    ],
    ['a signal', 'AbortError', (root) => root.scanAll().signal(AbortSignal.abort()).split(1)],
  ];
  test.each(faults)('%s', async (_title, code, ask) => {
    const db = await open('memory:', { entities: [Log] });
    const root = db.repository(Log) as unknown as Any;
    await expect((async () => ask(root))()).rejects.toMatchObject(
      code === 'AbortError' ? { name: code } : { code, details: { entity: 'Log' } },
    );
    await db.close();
  });
});
