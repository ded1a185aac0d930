/** Every way to write a row keeps its entries, on every back end. */
import type { Database } from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { Order, StoredFile } from './entities.js';
import { codeOf, compareEntries, expectExactEntries } from './stored-entries.js';

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const orders = () => db.repository(Order);
  const order = (id: number, rest: Partial<Order> = {}): Order =>
    orders().create({ tenant: 'acme', id, status: 'open', placedAt: at(id), total: 1n, ...rest });
  const key = (id: number) => ({ tenant: 'acme', id });
  const exact = () => expectExactEntries(db, Order);

  beforeEach(async () => {
    opened = await open([Order, StoredFile]);
    ({ db } = opened);
  });
  afterEach(() => opened.close());

  test('save, and save again with other values', async () => {
    await orders().save(order(1, { email: 'a@b.c', customer: 'ann' }));
    await exact();
    expect((await compareEntries(db, Order)).byStatus.stored).toHaveLength(1);
    await orders().save(order(1, { status: 'paid', placedAt: at(2) }));
    await exact();
    expect((await compareEntries(db, Order)).byEmail.stored).toHaveLength(0);
  });

  test('insert, and an insert that is refused', async () => {
    await orders().insert(order(1, { customer: 'ann' }));
    await exact();
    expect(await codeOf(orders().insert(order(1, { customer: 'bob' })))).toBe('ROW_EXISTS');
    await exact();
    expect(await orders().get(key(1))).toMatchObject({ customer: 'ann' });
  });

  test('a row that was deleted can be inserted again', async () => {
    await orders().insert(order(1, { email: 'a@b.c' }));
    await orders().delete(key(1));
    await exact();
    expect(await orders().exists(key(1))).toBe(false);
    expect(await orders().get(key(1))).toBeUndefined();
    expect(await orders().scanAll().count()).toBe(0);
    expect(await orders().scanAll().keysOnly().all()).toEqual([]);
    await orders().insert(order(1, { email: 'a@b.c' }));
    await exact();
  });

  test('two rows that swap unique values need a third one meanwhile', async () => {
    await orders().saveMany([order(1, { email: 'a@b.c' }), order(2, { email: 'b@b.c' })]);
    const swapped = [order(1, { email: 'b@b.c' }), order(2, { email: 'a@b.c' })];
    const { failures } = await orders().saveMany(swapped);
    expect(failures.map(({ error }) => error.code)).toEqual([
      'UNIQUE_VIOLATION',
      'UNIQUE_VIOLATION',
    ]);
    await exact();
    await orders().patch(key(1), { email: null });
    await orders().save(swapped[1]);
    await orders().save(swapped[0]);
    await exact();
    expect(await orders().index('byEmail').get({ tenant: 'acme', email: 'a@b.c' })).toMatchObject({
      id: 2,
    });
  });

  test('patch, of an indexed column and of another', async () => {
    await orders().save(order(1));
    await orders().patch(key(1), { note: 'x' });
    await exact();
    await orders().patch(key(1), { status: 'paid' });
    await exact();
    await orders().patch(key(1), { status: null });
    await exact();
    expect((await compareEntries(db, Order)).byStatus.stored).toEqual([]);
    expect(await orders().get(key(1))).toMatchObject({ note: 'x', total: 1n });
  });

  test('a condition that does not hold leaves row and entries', async () => {
    await orders().save(order(1));
    const refused = orders().patch(
      key(1),
      { status: 'paid' },
      { if: { equals: { status: 'new' } } },
    );
    expect(await codeOf(refused)).toBe('CONDITION_FAILED');
    await exact();
    await orders().patch(key(1), { status: 'paid' }, { if: { equals: { status: 'open' } } });
    await exact();
    await orders().delete(key(1));
    const missing = orders().patch(key(1), { status: 'paid' }, { if: { exists: true } });
    expect(await codeOf(missing)).toBe('CONDITION_FAILED');
    await orders().save(order(1), { if: { exists: false } });
    await exact();
    expect((await compareEntries(db, Order)).byStatus.stored).toHaveLength(1);
  });

  test('patch with remove, counters and column maps', async () => {
    await orders().save(order(1));
    await orders().patch(key(1), { status: 'paid', note: 'y' }, { remove: ['total'] });
    await exact();
    await orders().increment(key(1), 'views', 2n);
    await orders().patch(key(1), { tags: new Map([['a', 'b']]) });
    await exact();
    expect(await orders().get(key(1))).toMatchObject({ views: 2n, status: 'paid' });
    await orders().append(key(1), { note: '!' });
    expect(await orders().get(key(1))).toMatchObject({ note: 'y!' });
    await exact();
  });

  test('appends to columns that are indexed', async () => {
    await orders().save(order(1, { status: 's', email: 'a' }));
    await orders().save(order(2, { email: 'ab' }));
    expect((await orders().append(key(1), { status: '!' })).status).toBe('s!');
    await exact();
    expect(await codeOf(orders().append(key(1), { email: 'b' }))).toBe('UNIQUE_VIOLATION');
    expect(await orders().get(key(1))).toMatchObject({ email: 'a', status: 's!' });
    // Of a row that is not there, and at the same time.
    await Promise.all(
      ['1', '2', '3', '4'].map((text) => orders().append(key(3), { status: text })),
    );
    expect((await orders().get(key(3)))?.status?.split('').sort()).toEqual(['1', '2', '3', '4']);
    await exact();
  });

  test('saveMany, insertMany, patchMany, deleteMany', async () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      order(i + 1, { customer: `c${i % 7}`, email: `${i}@x` }),
    );
    expect((await orders().saveMany(many)).failures).toEqual([]);
    await exact();
    const more = [order(300, { note: 'exists' }), order(301), order(302)];
    const { failures } = await orders().insertMany(more);
    expect(failures.map(({ error }) => error.code)).toEqual(['ROW_EXISTS']);
    await exact();
    await orders().patchMany(
      [1, 2, 3].map((id) => ({ key: key(id), changes: { status: 'paid' } })),
    );
    await orders().patchMany([4, 5].map((id) => ({ key: key(id), changes: { total: 9n } })));
    await exact();
    await orders().deleteMany([1, 5, 9, 999].map(key));
    await exact();
  });

  test('the last of several writes of a row in one call is the one that stays', async () => {
    await orders().saveMany([order(1, { status: 'a' }), order(1, { status: 'b' })]);
    await exact();
    expect(await orders().get(key(1))).toMatchObject({ status: 'b' });
    await Promise.all(['c', 'd', 'e'].map((status) => orders().patch(key(1), { status })));
    expect(await orders().get(key(1))).toMatchObject({ status: 'e' });
    await exact();
  });

  test('a write of a column without an index follows earlier writes of its row in the same call', async () => {
    const changes = [{ status: 'a', note: '1' }, { note: '2' }];
    await orders().patchMany(changes.map((each) => ({ key: key(1), changes: each })));
    expect(await orders().get(key(1))).toMatchObject({ status: 'a', note: '2' });
  });

  test('deletions of queries', async () => {
    await orders().saveMany([1, 2, 3, 4].map((id) => order(id)));
    await orders().prefix({ tenant: 'acme' }).until('id', 3).delete({ dropRanges: true });
    await exact();
    expect(await orders().scanAll().count()).toBe(2);
    await orders().prefix({ tenant: 'acme' }).delete();
    await exact();
    expect((await compareEntries(db, Order)).byStatus.stored).toEqual([]);
  });

  test('a value of a unique index belongs to one row', async () => {
    await orders().save(order(1, { email: 'a@b.c' }));
    await expect(orders().save(order(2, { email: 'a@b.c' }))).rejects.toMatchObject({
      code: 'UNIQUE_VIOLATION',
      details: {
        entity: 'Order',
        property: 'tenant, email',
        index: 'byEmail',
        holder: { tenant: 'acme', id: 1 },
      },
    });
    await exact();
    expect(await orders().get(key(2))).toBeUndefined();
    await orders().patch(key(1), { email: 'other' });
    await orders().save(order(2, { email: 'a@b.c' }));
    await exact();
    await orders().save(order(2, { email: 'a@b.c', note: 'the same row' }));
    await orders().delete(key(2));
    await orders().save(order(3, { email: 'a@b.c' }));
    await exact();
    const { failures } = await orders().saveMany([order(4, { email: 'a@b.c' }), order(5)]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
      [0, 'UNIQUE_VIOLATION'],
    ]);
    await exact();
  });

  test('of many that take one value at the same time, one has it', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => orders().save(order(i + 1, { email: 'a@b.c' }))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await exact();
  });

  test('writes of one row at the same time', async () => {
    await orders().save(order(1));
    for (let round = 0; round < 10; round++)
      await Promise.all([
        orders().patch(key(1), { status: `s${round}` }),
        orders().save(order(1, { status: `t${round}`, customer: 'ann' })),
        orders().delete(key(1)),
      ]);
    await exact();
  });

  test('an index in which every row has an entry', async () => {
    const files = db.repository(StoredFile);
    await files.patch({ folder: 'f', name: 'n' }, { size: 1n });
    await expectExactEntries(db, StoredFile);
    expect((await compareEntries(db, StoredFile)).byName.stored).toHaveLength(1);
    expect(await files.increment({ folder: 'f', name: 'n' }, 'reads')).toBe(1n);
    // One that makes a row makes its entry.
    await Promise.all([1, 2, 3].map(() => files.increment({ folder: 'f', name: 'new' }, 'reads')));
    expect((await files.get({ folder: 'f', name: 'new' }))?.reads).toBe(3n);
    await expectExactEntries(db, StoredFile);
    expect((await compareEntries(db, StoredFile)).byName.stored).toHaveLength(2);
    await files.delete({ folder: 'f', name: 'n' });
    await expectExactEntries(db, StoredFile);
  });

  test('a value that cannot be in an index is refused before anything is written', async () => {
    const long = 'x'.repeat(4096);
    await expect(orders().save(order(1, { customer: long }))).rejects.toMatchObject({
      code: 'INVALID_KEY',
      details: { entity: 'Order.byCustomer' },
    });
    expect(await orders().get(key(1))).toBeUndefined();
    const { failures } = await orders().saveMany([order(1, { customer: long }), order(2)]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([[0, 'INVALID_KEY']]);
    await exact();
  });
});
