/** What queries of indexes read, delete and refuse. */
import { type Database, defineEntity, indexOn, indexes, rowKey } from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { openWatched, type Watch } from '../../repository/support/watched.js';
import { expectGolden } from '../../../support/golden.js';
import { DeviceEvent, Order } from './entities.js';
import { entriesIn, injectEntry } from './index-oracle.js';
import { expectExactEntries } from './stored-entries.js';
import { at, open, columns, fill } from './queried-orders.js';

const Defined = defineEntity(
  class Defined {
    id!: string;
    level?: number;
  },
  {
    table: 'defined',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns,
    indexes: indexes({ byLevel: indexOn('level') }),
  },
);

/** Entries before the rows' own: newer, and of rows that do not exist. */
async function injectStray(db: Database, count: number): Promise<void> {
  const [byStatus] = db.repository(Order).model.indexes;
  for (let i = 0; i < count; i++)
    await injectEntry(db, Order, byStatus, { ...open, placedAt: at(100 + i), id: 900 + i });
}

describe('what is read', () => {
  let db: Database;
  let seen: Watch;
  beforeEach(async () => {
    ({ db, seen } = await openWatched([Order]));
    await fill(db);
    // The states of the indexes are read once.
    await db.repository(Order).index('byStatus').scanAll().first();
    seen.plans.length = 0;
  });
  afterEach(async () => {
    expect(seen.openStreams).toBe(0);
    await db.close();
  });
  const reads = () =>
    seen.plans.map(({ table, ranges, limit }) => [
      table,
      table === 'orders' ? ranges.length : limit,
    ]);

  test('first() reads one entry and one row', async () => {
    const query = db.repository(Order).index('byStatus').prefix(open);
    expect(await query.first()).toMatchObject({ id: 19 });
    expect(reads()).toEqual([
      ['orders_index', 1],
      ['orders', 1],
    ]);
  });

  test('scanAll() can be followed by what a prefix can be', async () => {
    const index = db.repository(Order).index('byStatus');
    expect(await index.scanAll().oneOf('tenant', ['acme']).all()).toEqual(
      await index.prefix({ tenant: 'acme' }).all(),
    );
    const all = index.covered().scanAll();
    expect(await all.firstPer('status').count()).toBe(await all.distinct('status').count());
  });

  test('a limit reads as many entries, and goes on where some have no row', async () => {
    await injectStray(db, 5);
    seen.plans.length = 0;
    const query = db.repository(Order).index('byStatus').prefix(open);
    expect((await query.limit(3).all()).map(({ id }) => id)).toEqual([19, 17, 15]);
    expect(reads()).toEqual([
      ['orders_index', 3],
      ['orders', 3],
      ['orders_index', 16],
      ['orders', 12],
    ]);
  });

  test('a covered query reads no row', async () => {
    await db.repository(Order).index('byStatus').covered().prefix(open).all();
    expect(reads()).toEqual([['orders_index', undefined]]);
  });

  test('a loop that is left, and a signal, end the read', async () => {
    const query = db.repository(Order).index('byStatus').prefix(open);
    for await (const row of query) {
      expect(row.id).toBe(19);
      break;
    }
    const abort = new AbortController();
    const reason = new Error('enough');
    const rows = query.signal(abort.signal)[Symbol.asyncIterator]();
    await rows.next();
    abort.abort(reason);
    await expect(rows.next()).rejects.toBe(reason);
    await expect(query.all({ signal: abort.signal })).rejects.toBe(reason);
    expect(seen.signals.at(-1)).toBe(abort.signal);
  });

  test('each row of a batch is read in one request, whatever their number', async () => {
    const rows = Array.from({ length: 600 }, (_, i) =>
      db.repository(Order).create({ tenant: 'b', id: i + 1, customer: 'bob' }),
    );
    await db.repository(Order).saveMany(rows);
    seen.plans.length = 0;
    const found = await db.repository(Order).index('byCustomer').prefix({ customer: 'bob' }).all();
    expect(found.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(reads().filter(([table]) => table === 'orders')).toEqual([
      ['orders', 256],
      ['orders', 256],
      ['orders', 88],
    ]);
  });

  test('explain', async () => {
    const orders = db.repository(Order);
    const byStatus = orders.index('byStatus');
    const scoped = db.scope({ tenant: 'acme' }).repository(Order);
    const explanations = [
      byStatus
        .prefix(open)
        .since('placedAt', at(3))
        .where({ total: { above: 2n } })
        .limit(5),
      byStatus.prefix(open).select('note').reverse(),
      byStatus.covered().prefix({ tenant: 'acme' }).firstPer('status'),
      orders.index('byEmail').covered().scanAll(),
      orders.index('byEmail').prefix({ tenant: 'acme' }),
      scoped.index('byStatus').prefix({ status: 'paid' }),
    ].map(
      (query) => `${query.explain().toString()}
`,
    );
    const grouped = byStatus.prefix(open).groupBy('customer').aggregate({ n: 'count' });
    explanations.push(`${grouped.explain().toString()}\n`);
    expect(byStatus.scanAll().explain()).toMatchObject({
      fullScan: true,
      index: { name: 'byStatus', covered: false, rows: { entity: 'Order', table: 'orders' } },
    });
    expectGolden('explain-indexes.txt', explanations.join('\n'));
    expect(seen.plans).toEqual([]);
  });
});

test('indexes of an entity without decorators', async () => {
  const { db } = await openWatched([Defined]);
  const rows = db.repository(Defined);
  await rows.saveMany(['a', 'b', 'c'].map((id) => rows.create({ id, level: id === 'b' ? 1 : 2 })));
  const found = await rows.index('byLevel').prefix({ level: 2 }).keysOnly().all();
  expect(found).toEqual([{ id: 'a' }, { id: 'c' }]);
  await db.close();
});

describe.each(backEnds)('$name', ({ open: opening }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const orders = () => db.repository(Order);
  const ofOpen = () => orders().index('byStatus').prefix(open);
  beforeEach(async () => {
    opened = await opening([Order, DeviceEvent]);
    ({ db } = opened);
    await fill(db);
  });
  afterEach(() => opened.close());

  test('delete deletes rows with their entries, and those only', async () => {
    await injectStray(db, 2);
    const small = ofOpen().where({ total: { below: 10n } });
    expect(await small.delete()).toMatchObject({ deleted: 5, failed: 0, failures: [] });
    expect(await orders().scanAll().count()).toBe(15);
    expect((await ofOpen().all()).map(({ id }) => id)).toEqual([19, 17, 15, 13, 11]);
    expect(await ofOpen().limit(2).delete()).toMatchObject({ deleted: 2 });
    expect((await ofOpen().keysOnly().all()).map(({ id }) => id)).toEqual([15, 13, 11]);
    const [byStatus] = orders().model.indexes;
    expect(await entriesIn(db, Order, byStatus)).toHaveLength(13 + 2);
  });

  test('no row is returned with other values than it is found by', async () => {
    let stopped = false;
    const move = async (): Promise<void> => {
      for (let i = 0; !stopped; i = (i + 1) % 20)
        await orders().patch({ tenant: 'acme', id: i + 1 }, { status: i % 3 ? 'open' : 'paid' });
    };
    const moving = move();
    const settled = orders().create({ tenant: 'b', id: 1, status: 'open', placedAt: at(1) });
    await orders().save(settled);
    for (let round = 0; round < 10; round++) {
      const found = await ofOpen().all();
      expect(new Set(found.map(({ status }) => status)).size).toBeLessThanOrEqual(1);
      expect(found.every(({ status }) => status === 'open')).toBe(true);
      const other = orders().index('byStatus').prefix({ tenant: 'b', status: 'open' });
      expect(await other.count()).toBe(1);
    }
    stopped = true;
    await moving;
    await expectExactEntries(db, Order);
  });

  test('the pages of a query, with rows that change between them', async () => {
    const first = await ofOpen().page({ size: 3 });
    expect(first.rows.map(({ id }) => id)).toEqual([19, 17, 15]);
    // The last row of the page, and the one after it.
    await orders().deleteMany([15, 13].map((id) => ({ tenant: 'acme', id })));
    const second = await ofOpen().page({ size: 3, after: first.next });
    expect(second.rows.map(({ id }) => id)).toEqual([11, 9, 7]);
  });

  test('JSON of what is selected and covered is exact', async () => {
    const selected = await ofOpen().select('total').first();
    expect(JSON.stringify(selected)).toBe('{"tenant":"acme","id":19,"total":"18"}');
    const covered = await orders().index('byStatus').covered().prefix(open).first();
    expect(JSON.parse(JSON.stringify(covered))).toMatchObject({ total: '18', id: 19 });
    expect(Object.getPrototypeOf(covered)).toBe(Object.prototype);
    const unique = await orders().index('byEmail').covered().scanAll().first();
    expect(unique).toEqual({ tenant: 'acme', email: '10@x', id: 10 });
  });

  test('covered queries compute values, and the first of groups', async () => {
    const covered = orders().index('byStatus').covered().prefix({ tenant: 'acme' });
    expect(await covered.aggregate({ n: 'count', sum: { sum: 'total' } })).toEqual({
      n: 20,
      sum: 190n,
    });
    expect(await covered.groupBy('status').aggregate({ n: 'count' }).all()).toEqual([
      { status: 'open', n: 10 },
      { status: 'paid', n: 10 },
    ]);
    expect((await covered.firstPer('status').all()).map(({ id }) => id)).toEqual([19, 20]);
    expect(await covered.distinct('status').page({ size: 1 })).toEqual({
      rows: [open],
      next: expect.any(String),
    });
    expect(
      await covered
        .where({ total: { atLeast: 18n } })
        .select('total')
        .all(),
    ).toEqual([
      { tenant: 'acme', status: 'open', placedAt: at(19), id: 19, total: 18n },
      { tenant: 'acme', status: 'paid', placedAt: at(20), id: 20, total: 19n },
    ]);
  });

  test('a scope reads its own entries and rows alone', async () => {
    await fill(db, 'acme2');
    await fill(db, 'b');
    const [, byEmail] = orders().model.indexes;
    // A reservation in the scope that leads to a row outside.
    await injectEntry(db, Order, byEmail, { tenant: 'acme', email: 'stray', id: 1 });
    const key = byEmail.entry.key.encode({ tenant: 'acme', email: 'stray' });
    const value = orders().model.key.encode({ tenant: 'b', id: 1 });
    const qualifier = Buffer.from('k');
    await db.engine.mutateRow('orders_index', {
      key,
      mutations: [{ kind: 'setCell', family: '_e', qualifier, timestamp: 0, value }],
    });
    for (const tenant of ['acme', 'acme2', 'b']) {
      const scoped = db.scope({ tenant }).repository(Order);
      const whole = orders().prefix({ tenant });
      const byId = (a: Order, b: Order) => a.id - b.id;
      for (const name of ['byStatus', 'byEmail'] as const) {
        const rows = await scoped.index(name).scanAll().all();
        expect(rows.sort(byId)).toEqual(await whole.all());
        expect(await scoped.index(name).scanAll().count()).toBe(20);
      }
      const ofPaid = scoped.index('byStatus').prefix({ status: 'paid' });
      expect(await ofPaid.keysOnly().first()).toEqual({ id: 20 });
      expect(await ofPaid.select('note', 'status').first()).toEqual({ id: 20, status: 'paid' });
      expect(await scoped.index('byEmail').get({ email: '3@x' })).toMatchObject({ tenant, id: 3 });
      expect(await scoped.index('byStatus').covered().prefix({ status: 'paid' }).first()).toEqual({
        status: 'paid',
        placedAt: at(20),
        id: 20,
        total: 19n,
      });
    }
    expect(
      await db.scope({ tenant: 'acme' }).repository(Order).index('byEmail').get({ email: 'stray' }),
    ).toBeUndefined();
    const deleted = await db
      .scope({ tenant: 'acme' })
      .repository(Order)
      .index('byStatus')
      .scanAll()
      .delete();
    expect(deleted).toMatchObject({ deleted: 20, failed: 0, failures: [] });
    expect(await orders().scanAll().count()).toBe(40);
  });
});
