/** Buckets that end after the last time that a key can have. */
import { Column, Entity, open, rollups, rowKey, Segment } from '../../../../src/index.js';

const values = { count: 'count', total: { sum: 'amount' } } as const;

@Entity({ table: 'changed', families: { m: {} } })
class Changed {
  static readonly key = rowKey('shop', 'at');
  static readonly rollups = rollups({
    hourly: { by: ['shop', { time: 'at', every: '1h' }], values },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') amount?: bigint;
}

@Entity({ table: 'counted', families: { m: {} } })
class Counted {
  static readonly key = rowKey('shop', 'at');
  static readonly rollups = rollups({
    hourly: { by: ['shop', { time: 'at', every: '1h' }], values },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') amount?: bigint;
}

/** The last time of a key: a common value for "never". */
const last = new Date(9_999_999_999_999);

test.each([
  ['rebuilt', Changed],
  ['counted', Counted],
] as const)('%s: a row of the last bucket is counted, and checked', async (_kind, entity) => {
  const db = await open('memory:', { entities: [entity], lint: false });
  const rows = db.repository(entity);
  await rows.save(rows.create({ shop: 'a', at: last, amount: 2n }));
  await rows.save(rows.create({ shop: 'a', at: new Date(0), amount: 1n }));
  const hours = rows.rollup('hourly').prefix({ shop: 'a' });
  expect((await hours.all()).map(({ total }) => total)).toEqual([1n, 2n]);
  for (const range of [{}, { prefix: { shop: 'a' }, since: last, until: last }])
    await expect(db.derived.rollups.verify(entity, range)).resolves.toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
  await db.derived.rollups.rebuild(entity, 'hourly', {
    prefix: { shop: 'a' },
    since: new Date(last.getTime() - 1000),
    until: last,
  });
  expect((await hours.all()).map(({ total }) => total)).toEqual([1n, 2n]);
  await db.close();
});
