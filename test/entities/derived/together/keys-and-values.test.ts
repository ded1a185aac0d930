/** Keys of all formats, times of cells, earlier qualifiers and defaults, with indexes and rollups. */
import {
  AlsoReads,
  Column,
  type Database,
  Entity,
  indexOn,
  indexes,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { codeOf } from '../index/stored-entries.js';

const daily = {
  daily: {
    by: ['shop', { time: 'at', every: '1d' }],
    values: { n: 'count', total: { sum: 'total' } },
  },
} as const;
const declared = {
  byState: indexOn('shop', 'state').including('total'),
  byCode: uniqueIndexOn('code'),
  byRegion: indexOn('region'),
};

@Entity({
  table: 'sharded',
  families: { m: {} },
  keyFormat: 'ordered',
  shards: { count: 3, by: ['id'] },
  cellTimestamp: 'at',
})
class Sharded {
  static readonly key = rowKey('shop', 'at', 'id');
  static readonly indexes = indexes(declared);
  static readonly rollups = rollups(daily);
  @Segment('string') shop!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uint', { max: 99 }) id!: number;
  @AlsoReads('s') @Column('m', 'string') state?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'string', { default: 'eu' }) region?: string;
}

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const rows = () => db.repository(Sharded);
  const row = (id: number, rest: Partial<Sharded> = {}): Sharded =>
    rows().create({ shop: 'a', at: new Date(Date.UTC(2026, 10, 1, id)), id, ...rest });
  const key = ({ shop, at, id }: Sharded) => ({ shop, at, id });
  const states = async (state: string) =>
    (await rows().index('byState').prefix({ shop: 'a', state }).all())
      .map(({ id }) => id)
      .sort((a, b) => a - b);
  const regions = (region: string) => rows().index('byRegion').prefix({ region }).count();
  const rolled = async () =>
    (await rows().rollup('daily').scanAll().all()).map(({ n, total }) => [n, total]);

  beforeEach(async () => {
    opened = await open([Sharded]);
    ({ db } = opened);
  });
  afterEach(async () => {
    const report = await db.derived.verify(Sharded);
    expect(report.findings).toEqual([]);
    expect(report.rollups).toMatchObject({ missing: 0, orphan: 0, wrong: 0 });
    await opened.close();
  });

  test('writes, changes and deletions', async () => {
    const all = [1, 2, 3, 4].map((id) => row(id, { state: 'open', code: `${id}`, total: 1n }));
    expect((await rows().saveMany(all)).failures).toEqual([]);
    expect(await states('open')).toEqual([1, 2, 3, 4]);
    expect(await rolled()).toEqual([[4, 4n]]);
    expect(await regions('eu')).toBe(4);
    await rows().patch(key(all[3]), { region: 'us' });
    expect([await regions('eu'), await regions('us')]).toEqual([3, 1]);
    await rows().patch(key(all[3]), { region: null });
    expect([await regions('eu'), await regions('us')]).toEqual([4, 0]);
    // The cells of a row have one time, so that a second write is not newer by its timestamp.
    await rows().patch(key(all[0]), { state: 'paid', total: 5n });
    await rows().save(Object.assign(all[1], { state: 'paid' }));
    expect(await states('open')).toEqual([3, 4]);
    expect(await states('paid')).toEqual([1, 2]);
    expect(await rolled()).toEqual([[4, 8n]]);
    expect(await codeOf(rows().patch(key(all[2]), { code: '4', total: 9n }))).toBe(
      'UNIQUE_VIOLATION',
    );
    await rows().delete(key(all[3]));
    await rows().patch(key(all[2]), { code: '4' });
    expect((await rows().index('byCode').get({ code: '4' }))?.id).toBe(3);
    expect(await rolled()).toEqual([[3, 7n]]);
    await rows().prefix({ shop: 'a' }).delete();
    expect(await rolled()).toEqual([]);
    expect(await states('paid')).toEqual([]);
  });

  test('an earlier qualifier is read, and replaced', async () => {
    const old = row(5);
    const { model } = rows();
    await db.engine.mutateRow(model.table.name, {
      key: model.key.encode(key(old)),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('s'),
          timestamp: BigInt(old.at.getTime()) * 1000n,
          value: Buffer.from('open'),
        },
      ],
    });
    // Written by an earlier program: no index, no rollup.
    await db.derived.repair(Sharded);
    expect(await states('open')).toEqual([5]);
    expect((await rolled()).map(([n]) => n)).toEqual([1]);
    await rows().patch(key(old), { state: 'paid' });
    expect(await states('open')).toEqual([]);
    expect(await states('paid')).toEqual([5]);
    await rows().patch(key(old), { state: null });
    expect(await states('open')).toEqual([]);
  });
});
