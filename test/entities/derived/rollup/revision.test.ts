/** Rollups of rows with a revision: every write is conditional, and counts what it changed. */
import {
  Column,
  CreatedAt,
  Entity,
  maxVersions,
  Revision,
  rollups,
  rowKey,
  Segment,
  UpdatedAt,
} from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { codeOf } from '../index/stored-entries.js';

@Entity({ table: 'invoices', families: { m: { gc: maxVersions(1) } } })
class Invoice {
  static readonly key = rowKey('shop', 'at');
  static readonly rollups = rollups({
    daily: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: { invoices: 'count', total: { sum: 'total' } },
    },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'string') note?: string;
  @Revision('m') revision?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
}

const at = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));
const key = (h: number): { shop: string; at: Date } => ({ shop: 's', at: at(h) });

describe.each(backEnds)('$name', ({ open }) => {
  test('save, saveMany, patch, update and deletions', async () => {
    const { db, close } = await open([Invoice]);
    const invoices = db.repository(Invoice);
    const totals = async (): Promise<unknown[]> => {
      const row = await invoices.rollup('daily').get(key(0));
      return [row?.invoices, row?.total];
    };
    const first = invoices.create({ ...key(1), total: 1n });
    await invoices.save(first);
    first.total = 5n;
    await invoices.save(first);
    expect(await totals()).toEqual([1, 5n]);

    const stale = invoices.create({ ...key(1), total: 100n });
    expect(await codeOf(invoices.save(stale))).toBe('REVISION_CONFLICT');
    expect((await invoices.saveMany([stale])).failures.map(({ error }) => error.code)).toEqual([
      'REVISION_CONFLICT',
    ]);
    expect(await totals()).toEqual([1, 5n]);

    const others = [2, 3].map((h) => invoices.create({ ...key(h), total: BigInt(h) }));
    expect((await invoices.saveMany(others)).failures).toEqual([]);
    others[0].total = 20n;
    expect((await invoices.saveMany([first, ...others])).failures).toEqual([]);
    expect(await totals()).toEqual([3, 28n]);

    await invoices.patch(key(1), { note: 'another column' });
    await invoices.patchMany([{ key: key(2), changes: { note: 'n' } }]);
    expect(await totals()).toEqual([3, 28n]);
    await invoices.patch(key(1), { total: 6n });
    await invoices.update(key(1), (row) => {
      row.total! += 1n;
    });
    expect(await totals()).toEqual([3, 30n]);
    await invoices.update(key(2), (row) => {
      row.note = 'again';
    });
    expect(await totals()).toEqual([3, 30n]);

    const read = (await invoices.get(key(1)))!;
    await invoices.patch(key(1), { note: 'x' });
    expect(await codeOf(invoices.delete(read))).toBe('REVISION_CONFLICT');
    expect(await totals()).toEqual([3, 30n]);
    await invoices.delete((await invoices.get(key(1)))!);
    expect((await invoices.deleteMany([key(2)])).failures).toEqual([]);
    expect(await totals()).toEqual([1, 3n]);
    expect(await db.derived.rollups.verify(Invoice)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });
});
