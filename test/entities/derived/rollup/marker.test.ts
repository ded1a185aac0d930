/** Rollups of an entity with a marker: its rows exist without any value. */
import { Column, Entity, maxVersions, rollups, rowKey, Segment } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';

@Entity({ table: 'calls', families: { m: { gc: maxVersions(1) } }, marker: true })
class Call {
  static readonly key = rowKey('line', 'at');
  static readonly rollups = rollups({
    daily: {
      by: ['line', { time: 'at', every: '1d' }],
      values: { calls: 'count', noted: { count: 'note' }, seconds: { sum: 'seconds' } },
    },
  });
  @Segment('string', { maxLength: 20 }) line!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') seconds?: number;
  @Column('m', 'string') note?: string;
}

const key = { line: 'l', at: new Date(Date.UTC(2026, 0, 5, 1)) };
const other = { line: 'l', at: new Date(Date.UTC(2026, 0, 5, 2)) };

describe.each(backEnds)('$name', ({ open }) => {
  test('a row counts from its first write until its deletion, with and without values', async () => {
    const { db, close } = await open([Call]);
    const calls = db.repository(Call);
    const totals = async (): Promise<unknown[]> => {
      const row = await calls.rollup('daily').get(key);
      const { missing, orphan, wrong } = await db.derived.rollups.verify(Call);
      expect({ missing, orphan, wrong }).toEqual({ missing: 0, orphan: 0, wrong: 0 });
      expect(row?.calls ?? 0).toBe(await calls.scanAll().count());
      return [row?.calls, row?.noted, row?.seconds];
    };
    await calls.save(calls.create({ ...key, seconds: 5 }));
    expect(await totals()).toEqual([1, 0, 5]);
    await calls.delete(key);
    expect(await totals()).toEqual([undefined, undefined, undefined]);

    // Nothing is written of a column that is removed from a row that does not exist.
    for (let i = 0; i < 3; i++) await calls.patch(key, { note: null });
    await calls.patchMany([{ key, changes: { note: null } }]);
    await calls.patch(key, {}, { remove: ['note'] });
    expect(await calls.get(key)).toBeUndefined();
    expect(await totals()).toEqual([undefined, undefined, undefined]);

    // A row that a patch creates has its marker: it stays without its last value, and counts once.
    await calls.patch(key, { note: 'n' });
    expect(await totals()).toEqual([1, 1, 0]);
    await calls.patch(key, { note: null });
    expect(await calls.get(key)).toEqual(calls.create(key));
    expect(await totals()).toEqual([1, 0, 0]);
    await calls.patch(key, { seconds: 7 });
    expect(await totals()).toEqual([1, 0, 7]);
    await calls.patchMany([
      { key, changes: { seconds: null } },
      { key: other, changes: { seconds: 2 } },
    ]);
    await calls.patch(other, {}, { remove: ['seconds'] });
    expect(await totals()).toEqual([2, 0, 0]);
    await calls.save(calls.create(key));
    await calls.insert(calls.create({ ...key, at: new Date(Date.UTC(2026, 0, 5, 3)) }));
    expect(await totals()).toEqual([3, 0, 0]);
    await calls.prefix({ line: 'l' }).delete();
    expect(await totals()).toEqual([undefined, undefined, undefined]);
    await close();
  });
});
