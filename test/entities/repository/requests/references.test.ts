/** References: rows that the properties of other rows lead to, in one read for each page. */
import {
  type Database,
  Entity,
  open,
  reference,
  RowsmithError,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';
import { openWatched, type Watch } from '../support/watched.js';
import { Customer, entities, fill, Order, Place } from './reference-entities.js';

const { buyer, seller, before } = Order;

describe.each(backEnds)('on $name', ({ open: start }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await start(entities));
    await fill(db);
  });
  afterAll(() => close());
  const orders = () => db.repository(Order);
  const mine = () => orders().prefix({ tenant: 'a' });

  test('all, first, pages, page, for await, limits and reverse', async () => {
    const names = (rows: readonly { readonly buyer: Customer | undefined }[]) =>
      rows.map((row) => row.buyer?.name);
    const query = mine().include({ buyer });
    expect(names(await query.all())).toEqual(['Ann', 'Ann', undefined, undefined]);
    expect(names(await query.reverse().limit(3).all())).toEqual([undefined, undefined, 'Ann']);
    expect((await query.first())?.buyer).toBeInstanceOf(Customer);
    const paged: (string | undefined)[] = [];
    for await (const rows of query.pages()) paged.push(...names(rows));
    expect(paged).toEqual(['Ann', 'Ann', undefined, undefined]);
    const each: (string | undefined)[] = [];
    for await (const row of query.limit(2)) each.push(row.buyer?.name);
    expect(each).toEqual(['Ann', 'Ann']);
    const { rows, next } = await query.page({ size: 1 });
    expect(names(rows)).toEqual(['Ann']);
    expect(names((await query.page({ size: 9, after: next })).rows)).toHaveLength(3);
    expect(await query.count()).toBe(4);
    expect(query.explain().ranges).toHaveLength(1);
  });

  test('several references, also to the entity itself and by get', async () => {
    const key = { tenant: 'a', n: 2 };
    const found = await orders().getOrThrow(key, { include: { buyer, seller, before } });
    expect([found.buyer?.name, found.seller?.name, found.before?.n]).toEqual(['Ann', 'Bob', 1]);
    expect(found).toBeInstanceOf(Order);
    const [one, none] = await orders().getMany([key, { tenant: 'a', n: 9 }], {
      include: { buyer },
    });
    expect([one?.buyer?.name, none]).toEqual(['Ann', undefined]);
    const latest = await db
      .repository(Customer)
      .get({ tenant: 'a', id: 'ann' }, { include: { latest: Customer.latest } });
    expect(latest?.latest?.n).toBe(2);
    const place = await orders().get({ ...key, n: 1 }, { include: { place: Order.place } });
    expect(place?.place?.title).toBe('Oslo');
  });

  test('select, keysOnly, where, indexes and entries', async () => {
    const selected = await mine().select('buyerId').where({ n: 1 }).include({ buyer }).all();
    expect(selected).toMatchObject([{ tenant: 'a', n: 1, buyerId: 'ann', buyer: { name: 'Ann' } }]);
    const own = reference(() => Customer, { tenant: 'tenant', id: 'tenant' });
    expect((await mine().keysOnly().include({ own }).first())?.own).toBeUndefined();
    const open1 = { tenant: 'a', status: 'open' };
    const rows = await orders().index('byStatus').prefix(open1).include({ buyer, seller }).all();
    expect(rows.map((row) => [row.n, row.buyer?.name, row.seller?.name])).toEqual([
      [1, 'Ann', 'Bob'],
      [2, 'Ann', 'Bob'],
      [3, undefined, 'Bob'],
    ]);
    const entries = orders().index('byStatus').covered().prefix(open1).include({ buyer });
    expect((await entries.all()).map((entry) => entry.buyer?.name)).toEqual([
      'Ann',
      'Ann',
      undefined,
    ]);
  });

  test('entries of a unique index have the segments of the row, unless they are not read', async () => {
    const found = db.repository(Place).index('byTitle').covered().scanAll();
    const self = reference(() => Place, { code: 'code' });
    const entry = await found.include({ self }).first();
    expect(entry).toMatchObject({ title: 'Oslo', code: 'oslo', self: { code: 'oslo' } });
    // @ts-expect-error 'code' is not selected
    expect(() => found.select('title').include({ self })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  test('a scope reads references inside of it, and refuses others', async () => {
    const scope = db.scope({ tenant: 'a' });
    const scoped = scope.repository(Order);
    const found = await scoped.scanAll().select('buyerId').include({ buyer }).first();
    expect(found?.buyer?.name).toBe('Ann');
    const [byIndex] = await scoped
      .index('byStatus')
      .prefix({ status: 'open' })
      .include({ buyer })
      .all();
    expect(byIndex.buyer?.name).toBe('Ann');
    await orders().save(
      orders().create({ tenant: 'x', n: 1, sellerTenant: 'b', sellerId: 'eve', status: 's' }),
    );
    const leaving = db.scope({ tenant: 'x' }).repository(Order);
    await expect(leaving.get({ n: 1 }, { include: { seller } })).rejects.toMatchObject({
      code: 'OUTSIDE_SCOPE',
    });
    await expect(
      leaving.index('byStatus').prefix({ status: 's' }).include({ seller }).all(),
    ).rejects.toMatchObject({ code: 'OUTSIDE_SCOPE' });
    expect(() => scoped.scanAll().include({ place: Order.place })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  test('a cache reads each key once for all calls of a request', async () => {
    const cache = db.requestCache();
    const [row] = await mine().include({ buyer }, { cache }).all();
    const again = await orders().get({ tenant: 'a', n: 2 }, { include: { buyer }, cache });
    expect(again?.buyer).toBe(row.buyer);
    expect(await cache.load(Customer, { tenant: 'a', id: 'ann' })).toBe(row.buyer);
    cache.clear();
    expect(await cache.load(Customer, { tenant: 'a', id: 'ann' })).not.toBe(row.buyer);
    const scope = db.scope({ tenant: 'a' });
    const inScope = scope.requestCache();
    expect((await inScope.load(Customer, { id: 'bob' }))?.name).toBe('Bob');
    await scope.repository(Order).get({ n: 1 }, { include: { buyer }, cache: inScope });
  });

  test('scopes with the same values share a cache, and other scopes do not', async () => {
    const cache = db.scope({ tenant: 'a' }).requestCache();
    const read = (tenant: string, of = db) =>
      of.scope({ tenant }).repository(Order).get({ n: 1 }, { include: { buyer }, cache });
    const ann = await cache.load(Customer, { id: 'ann' });
    expect((await read('a'))?.buyer).toBe(ann);
    const foreign = { code: 'INVALID_ARGUMENT', details: { property: 'cache' } };
    await expect(read('b')).rejects.toMatchObject(foreign);
    await expect(
      orders().get({ tenant: 'a', n: 1 }, { include: { buyer }, cache }),
    ).rejects.toMatchObject(foreign);
    const other = await open('memory:', { entities });
    await expect(read('a', other)).rejects.toMatchObject(foreign);
    await other.close();
  });
});

describe('how rows are read', () => {
  let db: Database;
  let seen: Watch;
  const orders = () => db.repository(Order);
  /** How many keys each read of customers asked for. */
  const reads = (): number[] =>
    seen.plans.filter(({ table }) => table === 'customers').map(({ ranges }) => ranges.length);

  beforeEach(async () => {
    ({ db, seen } = await openWatched(entities));
    await fill(db);
  });
  afterEach(() => db.close());

  /** A customer whose `latestOrder` no longer decodes. */
  function damage(id: string): Promise<void> {
    const [family, qualifier, value] = ['c', Buffer.from('latestOrder'), Uint8Array.of(255)];
    const cell = { kind: 'setCell' as const, family, qualifier, timestamp: 1000n, value };
    return db.engine.mutateRow('customers', { key: Buffer.from(`a#${id}`), mutations: [cell] });
  }

  test('one read for each entity and page, of each key once', async () => {
    await orders().saveMany(
      Array.from({ length: 1000 }, (_, n) =>
        orders().create({ tenant: 'p', n, buyerId: `c${n % 7}`, sellerTenant: 'p', sellerId: 's' }),
      ),
    );
    let pages = 0;
    const query = orders().prefix({ tenant: 'p' }).include({ buyer, seller });
    for await (const page of query.pages()) pages += Math.sign(page.length);
    expect(reads()).toEqual(Array(pages).fill(8));
    expect(pages).toBeGreaterThan(1);
    seen.plans.length = 0;
    const cache = db.requestCache();
    const cached = orders().prefix({ tenant: 'p' }).include({ buyer, seller }, { cache });
    expect(await cached.all()).toHaveLength(1000);
    for await (const row of cached) expect(row.buyer).toBeUndefined();
    expect(reads()).toEqual([8]);
  });

  test('rows without a reference read nothing', async () => {
    expect(await orders().get({ tenant: 'a', n: 4 }, { include: { buyer } })).toMatchObject({
      n: 4,
    });
    expect(reads()).toEqual([]);
    await orders().prefix({ tenant: 'a' }).include({ buyer }).count();
    await orders().prefix({ tenant: 'none' }).include({ buyer }).all();
    expect(reads()).toEqual([]);
  });

  test('loads of one turn are gathered, also in what follows promises', async () => {
    const cache = db.requestCache();
    const load = (id: string) => cache.load(Customer, { tenant: 'a', id });
    const found = await Promise.all([
      load('ann'),
      load('ann'),
      Promise.resolve().then(() => load('bob')),
      load('nobody'),
    ]);
    expect(found.map((each) => each?.name)).toEqual(['Ann', 'Ann', 'Bob', undefined]);
    expect(found[0]).toBe(found[1]);
    await load('bob');
    await load('nobody');
    expect(reads()).toEqual([3]);
  });

  test('later changes of a key have no effect', async () => {
    const key = { tenant: 'a', id: 'ann' };
    const load = db.requestCache().load(Customer, key);
    key.id = 'bob';
    expect((await load)?.name).toBe('Ann');
  });

  test('a stored value that is no key of the other entity leads to no row', async () => {
    await orders().save(orders().create({ tenant: 'a', n: 9, placeCode: 'x'.repeat(4_097) }));
    const rows = await orders().prefix({ tenant: 'a' }).include({ place: Order.place }).all();
    expect(rows.filter(({ place }) => place !== undefined).map(({ n }) => n)).toEqual([1]);
  });

  test('a failure of one key is its own, and is remembered', async () => {
    await damage('bob');
    const cache = db.requestCache();
    const load = (id: unknown) => cache.load(Customer, { tenant: 'a', id: id as string });
    const results = await Promise.allSettled([
      load('ann'),
      load('bob'),
      load(undefined),
      load('c'),
    ]);
    expect(
      results.map((each) => (each.status === 'rejected' ? each.reason.code : 'found')),
    ).toEqual(['found', 'DAMAGED_CELL', 'INVALID_KEY', 'found']);
    seen.plans.length = 0;
    await expect(load('bob')).rejects.toMatchObject({ code: 'DAMAGED_CELL' });
    expect(reads()).toEqual([]);
    await expect(
      orders().get({ tenant: 'a', n: 1 }, { include: { seller } }),
    ).rejects.toMatchObject({ code: 'DAMAGED_CELL' });
  });

  test('a read that fails as a whole rejects its loads, which can be repeated', async () => {
    const cache = db.requestCache();
    const load = (id: string) => cache.load(Customer, { tenant: 'a', id });
    seen.pause = () => Promise.reject(new RowsmithError('UNAVAILABLE'));
    const results = await Promise.allSettled([load('ann'), load('bob')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reads()).toEqual([2]);
    seen.pause = () => Promise.resolve();
    expect((await load('ann'))?.name).toBe('Ann');
  });

  test('an aborted query rejects with the reason, and leaves no stream open', async () => {
    const abort = new AbortController();
    const query = orders().prefix({ tenant: 'a' }).include({ buyer }).signal(abort.signal);
    const rows = query[Symbol.asyncIterator]();
    await rows.next();
    abort.abort(new Error('stopped'));
    await expect(query.all()).rejects.toThrow('stopped');
    await rows.return!();
    expect(seen.openStreams).toBe(0);
  });

  test('results are saved and written as JSON as without references', async () => {
    const key = { tenant: 'a', n: 1 };
    const found = await orders().getOrThrow(key, { include: { buyer } });
    expect(JSON.parse(JSON.stringify(found))).toMatchObject({ n: 1, buyer: { name: 'Ann' } });
    expect(orders().toJSON(found)).not.toHaveProperty('buyer');
    found.status = 'done';
    await orders().save(found);
    expect(await orders().get(key)).toMatchObject({ status: 'done', buyerId: 'ann' });
    expect(await orders().get(key)).not.toHaveProperty('buyer');
  });

  @Entity({ table: 'others', families: { o: {} }, marker: true })
  class Stranger {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
  }

  const faults: [string, unknown, string, RegExp][] = [
    ['undefined', undefined, 'include', /are undefined/],
    ['null', null, 'include', /are null/],
    ['an array', [buyer], 'include', /an array/],
    ['a name', 'buyer', 'include', /the string/],
    ['no reference', { buyer: undefined }, 'buyer', /undefined/],
    ['an object like one', { buyer: { ...buyer } }, 'buyer', /not a reference/],
    ['the name of a property', { status: buyer }, 'status', /is a property/],
    ['the name of a segment', { n: buyer }, 'n', /is a property/],
    ['toJSON', { toJSON: buyer }, 'toJSON', /is a property/],
    ['constructor', { constructor: buyer }, 'constructor', /is a property/],
    ['__proto__', JSON.parse('{"__proto__":1}'), '__proto__', /is a property/],
    ['a class', { buyer: reference(Customer as never, buyer.by) }, 'buyer', /not a class/],
    ['no class', { buyer: reference((() => 'x') as never, buyer.by) }, 'buyer', /not a class/],
    [
      'a missing segment',
      { buyer: reference(() => Customer, { id: 'n' } as never) },
      'buyer',
      /lacks segment 'tenant'/,
    ],
    [
      'a segment too many',
      { buyer: reference(() => Customer, { tenant: 'tenant', id: 'buyerId', x: 'n' }) },
      'buyer',
      /has no segment 'x'/,
    ],
    [
      'an unknown property',
      { buyer: reference(() => Customer, { tenant: 'tenant', id: 'buyerID' }) },
      'buyer',
      /'buyerID', which is not a property/,
    ],
    [
      'no property',
      { buyer: reference(() => Customer, { tenant: 'tenant', id: undefined } as never) },
      'buyer',
      /undefined, which is not a property/,
    ],
  ];

  test.each(faults)('%s is refused', async (_, references, property, problem) => {
    const error = {
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({
        entity: 'Order',
        property,
        problem: expect.stringMatching(problem),
        fix: expect.any(String),
      }),
    };
    expect(() =>
      orders()
        .scanAll()
        .include(references as never),
    ).toThrow(expect.objectContaining(error));
    if (references === undefined) return;
    await expect(
      orders().get({ tenant: 'a', n: 1 }, { include: references as never }),
    ).rejects.toMatchObject(error);
    expect(reads()).toEqual([]);
  });

  test('what include cannot follow, and other entities and caches', async () => {
    const query = orders().prefix({ tenant: 'a' });
    const key = { tenant: 'a', n: 1 };
    const unread = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
    // @ts-expect-error buyerId is not selected
    expect(() => query.select('status').include({ buyer })).toThrow(unread);
    // @ts-expect-error buyerId is not read
    expect(() => query.keysOnly().include({ buyer })).toThrow(unread);
    await expect(
      // @ts-expect-error buyerId is not selected
      orders().get(key, { select: ['status'], include: { buyer } }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(() => query.asOf(new Date()).include({ buyer })).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    );
    await expect(orders().get(key, { asOf: new Date(), include: { buyer } })).rejects.toMatchObject(
      { code: 'INVALID_ARGUMENT', details: { property: 'include' } },
    );
    const stranger = reference(() => Stranger, { id: 'buyerId' });
    expect(() => query.include({ stranger })).toThrow(unread);
    const cache = db.scope({ tenant: 'a' }).requestCache() as never;
    expect(() => query.include({ buyer }, { cache })).toThrow(unread);
    expect(() => query.include({ buyer }, { cash: cache } as never)).toThrow(unread);
    await expect(db.requestCache().load(Stranger, { id: 'a' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(db.requestCache().load(Customer, null as never)).rejects.toMatchObject({
      code: 'INVALID_KEY',
    });
  });

  test('types: names, properties and kinds of keys', () => {
    const query = orders().scanAll();
    // @ts-expect-error 'status' is a property of the entity
    expect(() => query.include({ status: buyer })).toThrow();
    const unknown = reference(() => Customer, { tenant: 'tenant', id: 'customer' });
    // @ts-expect-error 'customer' is not a property
    expect(() => query.include({ unknown })).toThrow();
    const wrong = reference(() => Customer, { tenant: 'tenant', id: 'n' });
    // @ts-expect-error 'n' is a number
    query.include({ wrong });
    // @ts-expect-error the key has a tenant
    reference(() => Customer, { id: 'buyerId' });
  });
});
