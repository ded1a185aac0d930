/** An index that is added to a table with rows: refused until it is built, beside writers. */
import type { Database, RowsmithError } from '../../../../src/index.js';
import { IndexStates } from '../../../../src/entities/derived/index.js';
import type { IndexModel } from '../../../../src/entities/model/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { Order, StoredFile } from '../index/entities.js';
import { codeOf, compareEntries, expectExactEntries } from '../index/stored-entries.js';
import { forgetStates, otherProgram, PlainOrder, savePlain } from './plain-rows.js';

/** More rows than a page of a build or a deletion, which has 512. */
const pageAndMore = 530;

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const orders = () => db.repository(Order);
  const indexNamed = (name: string): IndexModel =>
    orders().model.indexes.find((index) => index.name === name)!;
  /** As a program does that is started now. */
  const assertReady = (name: string): Promise<void> =>
    new IndexStates(db.engine).assertReady(orders().model, indexNamed(name));
  const key = (id: number) => ({ tenant: 'acme', id });
  const plainRows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      email: `${i}@x`,
      customer: `c${i % 9}`,
    }));

  beforeEach(async () => {
    opened = await open([Order]);
    ({ db } = opened);
  });
  afterEach(() => opened.close());

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

  test('a build that is stopped is continued by another program', async () => {
    await forgetStates(db, Order);
    await savePlain(db, plainRows(pageAndMore));
    const controller = new AbortController();
    const stopped = db.derived.rebuild(Order, 'byCustomer', {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await codeOf(assertReady('byCustomer'))).toBe('INDEX_NOT_READY');
    const other = otherProgram(db, [Order]);
    const report = await other.derived.rebuild(Order, 'byCustomer');
    expect(report).toMatchObject({ ready: true, resumed: true, rows: pageAndMore - 512 });
    await assertReady('byCustomer');
    const { byCustomer } = await compareEntries(db, Order);
    expect(byCustomer.stored).toEqual(byCustomer.expected);
  });

  test('beside writers, each row has its entries at the end', async () => {
    await forgetStates(db, Order);
    await savePlain(db, plainRows(200));
    let done = false;
    let writes = 0;
    const write = async (seed: number): Promise<void> => {
      for (let i = seed; !done; i += 3) {
        const id = ((i * 7_919) % 220) + 1;
        const choice = i % 4;
        if (choice === 0) await orders().delete(key(id));
        else if (choice === 1) await orders().patch(key(id), { status: `s${i % 5}` });
        else if (choice === 2) await orders().patch(key(id), { customer: `w${i % 5}` });
        else
          await orders().save(
            orders().create({ ...key(id), status: 'new', placedAt: new Date(i), total: 1n }),
          );
        writes++;
      }
    };
    const writers = [0, 1, 2].map(write);
    for (const name of ['byStatus', 'byEmail', 'byCustomer'])
      expect(await db.derived.rebuild(Order, name)).toMatchObject({ ready: true });
    done = true;
    await Promise.all(writers);
    expect(writes).toBeGreaterThan(10);
    await expectExactEntries(db, Order);
    expect((await db.derived.verify(Order)).findings).toEqual([]);
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

  test('a duplicate that was found before a stop is not forgotten', async () => {
    await forgetStates(db, Order);
    const last = pageAndMore + 1;
    await savePlain(db, [...plainRows(pageAndMore), { id: last, email: '0@x' }].reverse());
    await savePlain(db, [{ id: 2, email: '0@x' }]);
    const controller = new AbortController();
    const stopped = db.derived.rebuild(Order, 'byEmail', {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    await orders().delete(key(last));
    const report = await db.derived.rebuild(Order, 'byEmail');
    expect(report).toMatchObject({ ready: false, resumed: true, found: { duplicate: 0 } });
    expect(await codeOf(assertReady('byEmail'))).toBe('INDEX_NOT_READY');
  });

  test('while another program begins the same build, the first one stops', async () => {
    await savePlain(db, plainRows(pageAndMore));
    const other = new IndexStates(db.engine);
    let began = false;
    const { model } = orders();
    const build = db.derived.rebuild(Order, 'byStatus', {
      onProgress: () => {
        if (began) return;
        began = true;
        void other
          .remove(indexNamed('byStatus'))
          .then(() => other.begin(model, indexNamed('byStatus')));
      },
    });
    expect(await codeOf(build)).toBe('CONTENTION');
    expect(await codeOf(assertReady('byStatus'))).toBe('INDEX_NOT_READY');
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
