/** verify() finds rows without required values, which reads reject. */
import {
  Column,
  Entity,
  indexOn,
  indexes,
  literal,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';

const families = { m: {}, n: {} };

@Entity({ table: 'orders', families })
class Order {
  static readonly key = rowKey(literal('order'), 'at', 'id');
  static readonly indexes = indexes({ byState: indexOn('state') });
  static readonly rollups = rollups({
    daily: { by: [{ time: 'at', every: '1d' }], values: { n: 'count' } },
  });
  @Segment('timestamp') at!: Date;
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string', { required: true }) customer!: string;
  @Column('n', 'int32', { required: true, qualifier: 't' }) total!: number;
  @Column('m', 'string') state?: string;
}

/** Has nothing else to verify. */
@Entity({ table: 'orders', families })
class Customer {
  static readonly key = rowKey(literal('customer'), 'id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string', { required: true }) name!: string;
  @Column('m', 'string') note?: string;
}

@Entity({ table: 'orders', families })
class Note {
  static readonly key = rowKey(literal('note'), 'id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') text?: string;
}

const at = new Date(Date.UTC(2026, 10, 27));

test.each(backEnds)('rows without required values are counted, $name', async ({ open }) => {
  const { db, close } = await open([Order, Customer, Note]);
  const [orders, customers, notes] = [
    db.repository(Order),
    db.repository(Customer),
    db.repository(Note),
  ];
  await orders.save(orders.create({ at, id: '1', customer: 'ann', total: 1, state: 'new' }));
  await orders.patch({ at, id: '2' }, { customer: 'ann', state: 'new' });
  await orders.patch({ at, id: '3' }, { state: 'new' });
  await customers.save(customers.create({ id: 'ann', name: 'Ann' }));
  await notes.save(notes.create({ id: '1', text: 'x' }));
  await expect(orders.scanAll().all()).rejects.toMatchObject({ code: 'INCOMPLETE_ROW' });

  const { incomplete, found, rollups: rolled } = await db.derived.verify(Order);
  const prefix = 'order#1795737600000#';
  expect(incomplete).toEqual({
    rows: 2,
    samples: [
      { key: { at, id: '2' }, rowKey: `${prefix}2`, missing: ['total'] },
      { key: { at, id: '3' }, rowKey: `${prefix}3`, missing: ['customer', 'total'] },
    ],
  });
  expect(Object.values(found).every((count) => count === 0)).toBe(true);
  expect(rolled).toMatchObject({ rows: 3, wrong: 0 });
  expect((await db.derived.repair(Order, { maxFindings: 1 })).incomplete).toMatchObject({
    rows: 2,
    samples: [{ missing: ['total'] }],
  });
  expect((await db.derived.verify(Order, { index: 'byState' })).incomplete).toBeUndefined();
  expect((await db.derived.verify(Customer)).incomplete).toEqual({ rows: 0, samples: [] });
  await expect(db.derived.verify(Customer, { after: 'required2' })).rejects.toMatchObject({
    code: 'INVALID_CURSOR',
    details: { entity: 'Customer', property: 'after', problem: 'after is the string "required2"' },
  });
  await expect(db.derived.verify(Note as never)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { problem: 'the entity declares no index, no rollup and no required column' },
  });
  await expect(db.derived.rebuild(Customer, 'byName')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { problem: 'the entity declares no index and no rollup' },
  });

  await orders.patch({ at, id: '2' }, { total: 2 });
  await orders.delete({ at, id: '3' });
  expect((await db.derived.verify(Order)).incomplete).toEqual({ rows: 0, samples: [] });
  await close();
});

test('a limit ends before the required columns, and the position continues there', async () => {
  const { db, close } = await backEnds[0].open([Order]);
  const orders = db.repository(Order);
  await orders.patch({ at, id: '1' }, { state: 'new' });
  const phases: string[] = [];
  const onProgress = ({ phase }: { readonly phase: string }): void => void phases.push(phase);
  let position: string | undefined;
  const found: unknown[] = [];
  do {
    const report = await db.derived.verify(Order, { limit: 1, after: position, onProgress });
    position = report.position;
    found.push(report.incomplete?.rows);
  } while (position !== undefined);
  expect(found.slice(0, -1).every((rows) => rows === undefined)).toBe(true);
  expect(found.at(-1)).toBe(1);
  expect(found.length).toBeGreaterThan(1);
  expect(phases.at(-1)).toBe('required');
  await close();
});
