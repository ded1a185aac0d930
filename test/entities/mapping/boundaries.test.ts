/** The first and the last of what cells can hold: integers, times, days, texts. */
import {
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  open,
  rowKey,
  Segment,
  aggregate,
  type Version,
  Versions,
} from '../../../src/index.js';

@Entity({ table: 'edges', families: { m: {}, v: {}, t: {}, c: aggregate('sum') } })
class Edge {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'int64') long?: bigint;
  @Column('m', 'int32') int?: number;
  @Column('m', 'date') day?: string;
  @Column('m', 'timestamp') time?: Date;
  @Column('m', 'string') text?: string;
  @Versions('v', 'int32') history?: Version<number>[];
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Counter('c') count?: bigint;
}

const [minInt64, maxInt64] = [-(2n ** 63n), 2n ** 63n - 1n];
let db: Database;
beforeEach(async () => void (db = await open('memory:', { entities: [Edge] })));
afterEach(() => db.close());

const stored = async (values: Partial<Edge>): Promise<Edge | undefined> => {
  const edges = db.repository(Edge);
  await edges.save(edges.create({ ...values, id: 'x' }));
  return edges.get({ id: 'x' });
};

test.each<Partial<Edge>>([
  { long: minInt64 },
  { long: maxInt64 },
  { int: -(2 ** 31) },
  { int: 2 ** 31 - 1 },
  { day: '0001-01-01' },
  { day: '2026-01-31' },
  { day: '2024-02-29' },
  { day: '9999-12-31' },
  { time: new Date(0) },
  { time: new Date(8.64e15) },
  { text: '' },
  // Each position of eight bytes has a letter of two bytes once.
  ...Array.from({ length: 8 }, (_, i) => ({ text: `${'a'.repeat(i)}\u00e9${'b'.repeat(40 - i)}` })),
  ...[126, 127, 128, 129].map((length) => ({ text: 'x'.repeat(length) })),
  { history: [{ at: new Date(0), value: 1 }] },
])('%j is stored and read', async (values) => {
  expect(await stored(values)).toMatchObject(values);
});

test.each<Partial<Edge>>([
  { long: minInt64 - 1n },
  { long: maxInt64 + 1n },
  { int: -(2 ** 31) - 1 },
  { int: 2 ** 31 },
  { day: '2026-01-32' },
  { day: '2026-02-29' },
  { day: '2026-13-01' },
  { history: [{ at: new Date(-1), value: 1 }] },
])('%p is refused', async (values) => {
  await expect(stored(values)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
});

test('the smallest and the largest amount are added', async () => {
  const edges = db.repository(Edge);
  for (const amount of [minInt64, maxInt64]) await edges.increment({ id: 'x' }, 'count', amount);
  expect((await edges.get({ id: 'x' }))?.count).toBe(-1n);
  for (const amount of [minInt64 - 1n, maxInt64 + 1n])
    await expect(edges.increment({ id: 'x' }, 'count', amount)).rejects.toMatchObject({
      details: { property: 'count' },
    });
});

test('empty maps and lists are no values: no row would be stored', async () => {
  await expect(stored({ tags: new Map(), history: [] })).rejects.toMatchObject({
    code: 'EMPTY_ROW',
  });
});
