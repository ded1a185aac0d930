/** An index that is added to a table with rows: refused until it is built, beside writers. */
import type { Database, RowsmithError } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { Order, StoredFile } from '../index/entities.js';
import { codeOf, compareEntries, expectExactEntries } from '../index/stored-entries.js';
import { buildSuite, key, pageAndMore, plainRows } from './build-suite.js';
import { forgetStates, otherProgram, PlainOrder, savePlain } from './plain-rows.js';

describe.each(backEnds)('$name', ({ open }) => {
  const { database, orders, indexNamed, assertReady } = buildSuite(open);
  let db: Database;
  beforeEach(() => void (db = database()));

  test('an index of a new table is ready', async () => {
    await savePlain(db, plainRows(1));
    await assertReady('byStatus');
    expect((await db.derived.list()).map(({ index, state }) => [index, state])).toEqual([
      ['byStatus', 'ready'],
      ['byEmail', 'ready'],
      ['byCustomer', 'ready'],
    ]);
  });

  test('an index that is added to rows is refused until it is built', async () => {
    await forgetStates(db, Order);
    await savePlain(db, plainRows(3));
    const error = (await assertReady('byStatus').catch((each: unknown) => each)) as RowsmithError;
    expect(error).toMatchObject({
      code: 'INDEX_NOT_READY',
      details: {
        entity: 'Order',
        index: 'byStatus',
        fix: expect.stringContaining("db.derived.rebuild(Order, 'byStatus')") as string,
      },
    });
    expect(await db.derived.list()).toMatchObject([
      { state: 'building' },
      { state: 'building' },
      { state: 'building' },
    ]);
    const report = await db.derived.rebuild(Order, 'byStatus');
    expect(report).toMatchObject({ ready: true, resumed: false, rows: 3, repaired: 3 });
    await assertReady('byStatus');
    expect(await codeOf(assertReady('byEmail'))).toBe('INDEX_NOT_READY');
    await db.derived.rebuild(Order, 'byEmail');
    await db.derived.rebuild(Order, 'byCustomer');
    await expectExactEntries(db, Order);
  });

  test('without a state, an index is ready once it is used while there is no row', async () => {
    await forgetStates(db, Order);
    await assertReady('byStatus');
    await savePlain(db, plainRows(1));
    await assertReady('byStatus');
    expect(await codeOf(assertReady('byEmail'))).toBe('INDEX_NOT_READY');
  });

  test('two rows with one value keep a unique index closed', async () => {
    await forgetStates(db, Order);
    await savePlain(db, [
      { id: 1, email: 'a@b.c' },
      { id: 2, email: 'a@b.c' },
      { id: 3, email: 'b@b.c' },
    ]);
    // They are in the other indexes.
    expect(await db.derived.rebuild(Order, 'byStatus')).toMatchObject({ ready: true, repaired: 3 });
    const report = await db.derived.rebuild(Order, 'byEmail');
    expect(report).toMatchObject({ ready: false, repaired: 2, found: { duplicate: 1 } });
    const duplicate = report.findings.find(({ kind }) => kind === 'duplicate')!;
    // Which of the two is first is a matter of chance: rows of a page are written together.
    expect([duplicate.row, duplicate.holder]).toEqual(expect.arrayContaining([key(1), key(2)]));
    expect(await codeOf(assertReady('byEmail'))).toBe('INDEX_NOT_READY');
    // The row that does not have the value cannot be saved with it, nor changed otherwise by save().
    const row = duplicate.row as { tenant: string; id: number };
    expect(await codeOf(orders().save((await orders().get(row))!))).toBe('UNIQUE_VIOLATION');
    await orders().patch(row, { note: 'still there' });
    await orders().patch(row, { email: null });
    expect(await db.derived.rebuild(Order, 'byEmail')).toMatchObject({ ready: true });
    await assertReady('byEmail');
  });

  test('an index that is no longer declared is dropped', async () => {
    await orders().saveMany(
      plainRows(pageAndMore).map((row) => orders().create({ tenant: 'acme', ...row })),
    );
    const { id } = indexNamed('byCustomer');
    await expect(db.derived.drop(Order, id)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { entity: 'Order', index: 'byCustomer' },
    });
    await expectExactEntries(db, Order);

    const later = otherProgram(db, [PlainOrder]);
    expect(await later.derived.list()).toEqual([
      {
        id: indexNamed('byCustomer').id,
        entity: 'Order',
        index: undefined,
        table: 'orders_index',
        state: 'undeclared',
      },
      {
        id: indexNamed('byEmail').id,
        entity: 'Order',
        index: undefined,
        table: 'orders_index',
        state: 'undeclared',
      },
      {
        id: indexNamed('byStatus').id,
        entity: 'Order',
        index: undefined,
        table: 'orders_index',
        state: 'undeclared',
      },
    ]);
    const seen: number[] = [];
    const dropped = await later.derived.drop('orders_index', id, {
      onProgress: ({ deleted }) => void seen.push(deleted),
    });
    expect(dropped).toEqual({ deleted: pageAndMore });
    expect(seen).toEqual([512, pageAndMore]);
    const { byCustomer, byEmail } = await compareEntries(db, Order);
    expect(byCustomer.stored).toEqual([]);
    expect(byEmail.stored).toHaveLength(pageAndMore);
    expect(await later.derived.list()).toHaveLength(2);
    await expect(later.derived.drop(PlainOrder, id)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    // Declared again, it must be built again, whatever the rows say that they have.
    expect(await codeOf(assertReady('byCustomer'))).toBe('INDEX_NOT_READY');
    await orders().patch(key(5), { status: 'paid' });
    expect(await db.derived.rebuild(Order, 'byCustomer')).toMatchObject({ ready: true });
    await expectExactEntries(db, Order);
  });
});

test('several entities', async () => {
  const { db, close } = await backEnds[0].open([Order, StoredFile]);
  expect((await db.derived.list()).map(({ entity, index }) => [entity, index])).toEqual([
    ['Order', 'byStatus'],
    ['Order', 'byEmail'],
    ['Order', 'byCustomer'],
    ['StoredFile', 'byName'],
  ]);
  expect(await db.derived.verify(StoredFile)).toMatchObject({ rows: 0, entries: 0 });
  await close();
});
