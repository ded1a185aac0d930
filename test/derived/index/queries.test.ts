/** What queries of indexes read, delete and refuse. */
import {
  column,
  type Database,
  defineEntity,
  type ErrorCode,
  index,
  indexes,
  rowKey,
  RowsmithError,
} from '../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { openWatched, type Watch } from '../../repository/support/watched.js';
import { expectGolden } from '../../support/golden.js';
import { DeviceEvent, Order } from './entities.js';
import { entriesIn, injectEntry, type Untyped } from './index-oracle.js';
import { expectExactEntries } from './stored-entries.js';

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const open = { tenant: 'acme', status: 'open' };

const columns = { level: column('m', 'int32') } as const;
const Plain = defineEntity(
  class Plain {
    id!: string;
    level?: number;
  },
  { table: 'plain', families: { m: {} }, key: rowKey('id'), segments: { id: 'string' }, columns },
);
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
    indexes: indexes({ byLevel: index('level') }),
  },
);

/** Rows 1 to 20 of a tenant; the odd ones are open. */
async function fill(db: Database, tenant = 'acme'): Promise<void> {
  const orders = db.repository(Order);
  const rows = Array.from({ length: 20 }, (_, i) =>
    orders.create({
      tenant,
      id: i + 1,
      status: i % 2 === 0 ? 'open' : 'paid',
      placedAt: at(i + 1),
      email: `${i + 1}@x`,
      customer: 'ann',
      total: BigInt(i),
    }),
  );
  await orders.saveMany(rows);
}

/** Entries before those of the rows: newer, and of rows that do not exist. */
async function injectStray(db: Database, count: number): Promise<void> {
  const [byStatus] = db.repository(Order).model.indexes;
  for (let i = 0; i < count; i++)
    await injectEntry(db, Order, byStatus, { ...open, placedAt: at(100 + i), id: 900 + i });
}

async function errorOf(call: () => unknown): Promise<RowsmithError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
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

describe('what is refused', () => {
  let db: Database;
  beforeAll(async () => {
    ({ db } = await openWatched([Order, Plain, DeviceEvent]));
    await fill(db);
  });
  afterAll(() => db.close());
  const orders = () => db.repository(Order) as unknown as Untyped;
  const byStatus = () => orders().index('byStatus');

  const refused: readonly (readonly [string, () => unknown, ErrorCode, RegExp])[] = [
    [
      'a misspelt name',
      () => orders().index('byStats'),
      'INVALID_ARGUMENT',
      /did you mean 'byStatus'/,
    ],
    [
      'a name that is not declared',
      () => orders().index('old'),
      'INVALID_ARGUMENT',
      /'byStatus', 'byEmail', 'byCustomer'; an index that was removed/,
    ],
    ['no name', () => orders().index(undefined), 'INVALID_ARGUMENT', /use 'byStatus'/],
    ['a full scan without scanAll', () => byStatus().all(), 'INVALID_QUERY', /scanAll\(\)/],
    ['the same with a limit', () => byStatus().limit(1).first(), 'INVALID_QUERY', /scanAll\(\)/],
    ['the same of entries alone', () => byEmail().count(), 'INVALID_QUERY', /scanAll\(\)/],
    ['a deletion of all rows', () => byStatus().delete(), 'INVALID_QUERY', /scanAll\(\)/],
    ['values of all rows', () => byStatus().aggregate({ n: 'count' }), 'INVALID_QUERY', /scanAll/],
    [
      'values of all entries',
      () => byEmail().aggregate({ n: 'count' }),
      'INVALID_QUERY',
      /scanAll/,
    ],
    ['firstPer', () => byStatus().firstPer('tenant'), 'INVALID_QUERY', /covered\(\)/],
    ['distinct', () => byStatus().distinct('tenant'), 'INVALID_QUERY', /covered\(\)/],
    [
      'gaps',
      () => byStatus().scanAll().groupBy({ time: 'placedAt', every: '1d', fillGaps: true }),
      'INVALID_QUERY',
      /covered\(\)/,
    ],
    ['a prefix of the row key', () => byStatus().prefix({ id: 1 }), 'INVALID_QUERY', /'id'/],
    ['a second prefix', () => byStatus().prefix(open).prefix(open), 'INVALID_QUERY', /one prefix/],
    ['values that are no object', () => byStatus().get('open'), 'INVALID_KEY', /tenant: \.\.\./],
    ['values without a segment', () => byStatus().get(open), 'INVALID_KEY', /placedAt/],
    ['a limit of 0', () => byStatus().limit(0), 'INVALID_ARGUMENT', /limit/],
    [
      'an unknown option',
      () => byStatus().scanAll().all({ limit: 1 }),
      'INVALID_ARGUMENT',
      /limit/,
    ],
    [
      'a deletion of a selection',
      () => byStatus().scanAll().select('note').delete(),
      'INVALID_QUERY',
      /leave select\(\) out/,
    ],
    ['an unknown property', () => byStatus().select('nope'), 'INVALID_QUERY', /nope/],
    ['the hidden property', () => byEmail().select('#row'), 'INVALID_QUERY', /#row/],
    ['a condition on it', () => byEmail().where({ '#row': null }), 'INVALID_QUERY', /#row/],
    [
      'values of a selection',
      () => byEmail().scanAll().select('tenant').aggregate({ n: 'count' }),
      'INVALID_QUERY',
      /leave select/,
    ],
    ['a property that is not covered', () => byEmail().select('total'), 'INVALID_QUERY', /total/],
    [
      'a cursor of another query',
      async () => {
        const page = await byStatus().scanAll().page({ size: 1 });
        await byStatus().scanAll().where({ total: 3n }).page({ size: 1, after: page.next });
      },
      'INVALID_CURSOR',
      /another query/,
    ],
    [
      'an index that begins otherwise than the scope',
      () =>
        (db.scope({ tenant: 'acme' }).repository(Order) as never as Untyped).index('byCustomer'),
      'INVALID_ARGUMENT',
      /begins with 'customer'/,
    ],
    [
      'an index of which the scope gives all',
      () => {
        const scope = db.scope({ tenant: 'acme', device: 'd' }).repository(DeviceEvent);
        return (scope as never as Untyped).index('byHour');
      },
      'INVALID_ARGUMENT',
      /begins with 'at'/,
    ],
    [
      'another tenant in a scope',
      () =>
        (db.scope({ tenant: 'acme' }).repository(Order) as never as Untyped)
          .index('byStatus')
          .prefix({ tenant: 'b', status: 'open' }),
      'OUTSIDE_SCOPE',
      /another value/,
    ],
  ];
  const byEmail = () => orders().index('byEmail').covered();

  test.each(refused)('%s', async (_name, call, code, text) => {
    const error = await errorOf(call);
    expect([error.code, error.explain()]).toEqual([code, expect.stringMatching(text)]);
    expect(error.details.entity).toMatch(/^(Order|DeviceEvent)/);
    // Only the caller's own words name it.
    expect(String(error.details.fix)).not.toContain('#row');
  });

  test('an index of an entity without indexes', async () => {
    const error = await errorOf(() => (db.repository(Plain) as never as Untyped).index('byStatus'));
    expect(error.details).toMatchObject({ entity: 'Plain', problem: 'Plain declares no index' });
    expect(error.details.fix).toMatch(/static readonly indexes/);
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

  test('the pages of a query whose rows change between them', async () => {
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
