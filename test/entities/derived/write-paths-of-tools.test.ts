/** Import, migration, restore and test databases keep indexes, on every back end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  literal,
  Entity,
  Column,
  type Database,
  indexOn,
  indexes,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import { testDatabase } from '../../../src/tools/testing/index.js';
import {
  defineMigration,
  exportRows,
  importRows,
  migrate,
} from '../../../src/tools/transfer/index.js';
import { backEnds, type OpenedBackEnd } from '../repository/support/back-ends.js';
import { otherProgram, PlainOrder } from './check/plain-rows.js';
import { Order } from './index/entities.js';
import { codeOf, compareEntries, expectExactEntries } from './index/stored-entries.js';

const families = { m: {} };

/** As Order, with another key. */
@Entity({ table: 'orders2', families })
class NewOrder {
  static readonly key = rowKey(literal('o'), 'id', 'tenant');
  static readonly indexes = indexes({
    byStatus: indexOn('status').including('total'),
    byEmail: uniqueIndexOn('email'),
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'timestamp') placedAt?: Date;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') customer?: string;
  @Column('m', 'int64') total?: bigint;
}

/** The same table as Order, with a separate family. */
@Entity({ table: 'orders', families: { n: {} } })
class OrderInPlace {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byState: indexOn('status') });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999_999 }) id!: number;
  @Column('n', 'string') status?: string;
}

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  let folder: string;
  const orders = () => db.repository(Order);
  const order = (id: number, rest: Partial<Order> = {}): Order =>
    orders().create({ tenant: 'acme', id, status: 'open', placedAt: new Date(id), ...rest });
  const key = (id: number) => ({ tenant: 'acme', id });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
    opened = await open([Order, NewOrder]);
    ({ db } = opened);
  });
  afterEach(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  test('import', async () => {
    await orders().save(order(1, { email: 'a@b.c', customer: 'ann' }));
    const file = join(folder, 'in.jsonl');
    const lines = [
      { tenant: 'acme', id: 1, status: 'paid' },
      { tenant: 'acme', id: 2, status: 'open', placedAt: new Date(2), email: 'b@b.c' },
      { tenant: 'acme', id: 3, status: 'open', email: 'a@b.c' },
      { tenant: 'acme', id: 4, customer: 'x'.repeat(4_096) },
      { tenant: 'acme', id: 5, note: 'no entry' },
      { tenant: 'acme', id: 2, status: 'sent' },
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { model } = orders();
    const result = await importRows(db.engine, model, file, { format: 'jsonl' });
    expect(result).toMatchObject({ written: 4, rejected: 2 });
    expect(await orders().get(key(3))).toBeUndefined();
    expect(await orders().get(key(2))).toMatchObject({ status: 'sent' });
    await expectExactEntries(db, Order);
    expect((await compareEntries(db, Order)).byStatus.stored).toHaveLength(2);
  });

  test('import into a scope', async () => {
    const file = join(folder, 'in.jsonl');
    writeFileSync(file, '{"id":1,"email":"a@b.c","customer":"ann"}\n');
    const { model } = db.scope({ tenant: 'acme' }).repository(Order);
    await importRows(db.engine, model, file, { format: 'jsonl' });
    await expectExactEntries(db, Order);
    expect((await compareEntries(db, Order)).byEmail.stored).toHaveLength(1);
  });

  test('export leaves entries out, and its import makes them', async () => {
    await orders().saveMany([1, 2, 3].map((id) => order(id, { email: `${id}@x`, total: 1n })));
    await orders().patch(key(1), { status: 'paid' });
    const file = join(folder, 'out.jsonl');
    await exportRows(orders().scanAll(), file, { format: 'jsonl' });
    const other = await open([Order]);
    try {
      const { model } = other.db.repository(Order);
      // A newer value stays: the line has the timestamp of the older one.
      await other.db
        .repository(Order)
        .save(other.db.repository(Order).create({ tenant: 'acme', id: 2, status: 'new' }));
      await importRows(other.db.engine, model, file, { format: 'jsonl' });
      await expectExactEntries(other.db, Order);
      expect((await other.db.derived.verify(Order)).findings).toEqual([]);
      expect((await compareEntries(other.db, Order)).byEmail.stored).toHaveLength(3);
    } finally {
      await other.close();
    }
  });

  test('an imported cell that is older than the stored one changes no entry', async () => {
    const file = join(folder, 'in.jsonl');
    await orders().save(order(1, { customer: 'old' }));
    await exportRows(orders().scanAll(), file, { format: 'jsonl' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await orders().patch(key(1), { customer: 'new' });
    await importRows(db.engine, orders().model, file, { format: 'jsonl' });
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).findings).toEqual([]);
  });

  test('migration from and to entities with indexes', async () => {
    await orders().saveMany(
      [1, 2, 3].map((id) => order(id, { email: `${id}@x`, customer: 'ann', total: 2n })),
    );
    const migration = defineMigration({
      from: Order,
      to: NewOrder,
      drop: ['note', 'views', 'tags'],
    });
    const first = await migrate(db.engine, migration);
    expect(first).toMatchObject({ copied: 3, undeclaredCells: 0 });
    await expectExactEntries(db, NewOrder);
    await expectExactEntries(db, Order);
    expect((await compareEntries(db, NewOrder)).byEmail.stored).toHaveLength(3);
    await migrate(db.engine, migration, { deleteOld: true });
    expect(await orders().scanAll().count()).toBe(0);
    await expectExactEntries(db, Order);
    expect((await compareEntries(db, Order)).byStatus.stored).toEqual([]);
    await expectExactEntries(db, NewOrder);
    expect((await db.derived.verify(NewOrder)).findings).toEqual([]);
  });

  test('migration from an entity without indexes', async () => {
    const plain = otherProgram(db, [PlainOrder]).repository(PlainOrder);
    await plain.saveMany([1, 2].map((id) => plain.create({ ...key(id), email: `${id}@x` })));
    await migrate(db.engine, defineMigration({ from: PlainOrder, to: NewOrder }), {
      deleteOld: true,
    });
    await expectExactEntries(db, NewOrder);
    expect((await compareEntries(db, NewOrder)).byEmail.stored).toHaveLength(2);
  });

  test('migration with a map function, and a unique value that two rows have', async () => {
    await orders().saveMany([1, 2].map((id) => order(id, { email: `${id}@x` })));
    const migration = defineMigration({
      from: Order,
      to: NewOrder,
      map: ({ tenant, id }) => Object.assign(new NewOrder(), { tenant, id, email: 'same@x' }),
    });
    expect(await codeOf(migrate(db.engine, migration))).toBe('UNIQUE_VIOLATION');
    await expectExactEntries(db, NewOrder);
    expect(await orders().scanAll().count()).toBe(2);
  });

  test('migration in place, which leaves the entries of the old index to be dropped', async () => {
    await orders().saveMany([1, 2].map((id) => order(id)));
    const later = otherProgram(db, [OrderInPlace]);
    await later.admin.apply();
    await migrate(
      db.engine,
      defineMigration({
        from: Order,
        to: OrderInPlace,
        drop: ['placedAt', 'email', 'customer', 'total', 'note', 'views', 'tags'],
      }),
    );
    await expectExactEntries(later, OrderInPlace);
    await later.derived.rebuild(OrderInPlace, 'byState');
    for (const { id, state, table } of await later.derived.list())
      if (state === 'undeclared') await later.derived.drop(table, id);
    expect(await later.derived.list()).toMatchObject([{ index: 'byState', state: 'ready' }]);
    expect((await later.derived.verify(OrderInPlace)).findings).toEqual([]);
  });
});

test('a test database: seed, snapshot, restore and reset', async () => {
  const db = await testDatabase([Order]);
  await db.seed(Order, [
    { tenant: 'acme', id: 1, status: 'open', placedAt: new Date(1), views: 2n },
  ]);
  await expectExactEntries(db, Order);
  const snapshot = db.snapshot();
  const orders = db.repository(Order);
  await orders.patch({ tenant: 'acme', id: 1 }, { status: 'paid' });
  await expectExactEntries(db, Order);
  await db.restore(snapshot);
  await expectExactEntries(db, Order);
  expect((await compareEntries(db, Order)).byStatus.stored).toHaveLength(1);
  expect((await db.derived.list()).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  await db.reset();
  expect((await compareEntries(db, Order)).byStatus.stored).toEqual([]);
  expect((await db.derived.list()).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  await db.close();
});
