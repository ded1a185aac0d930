/** Factories: what they make up, and what they save. */
import {
  column,
  Column,
  defineEntity,
  Entity,
  type EntityClass,
  indexes,
  open,
  reference,
  type Repository,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import {
  factory,
  type Factory,
  testDatabase,
  type TestDatabase,
} from '../../../src/tools/testing/index.js';
import { Session, Slot } from '../../entities/repository/expiry/entities.js';
import { Everything } from '../transfer/everything.js';
import { Customer, File, Flag, Order, Place, shop } from './factory-entities.js';

const fails = (property: string, problem: RegExp) =>
  expect.objectContaining({
    code: 'INVALID_ARGUMENT',
    details: expect.objectContaining({ property, problem: expect.stringMatching(problem) }),
  });

describe('what is made up', () => {
  test('values keep their rules, and are the same in every run', () => {
    const customers = factory(Customer, { tenant: 'acme' });
    const built = customers.buildMany(50);
    expect(built[0]).toMatchInlineSnapshot(`
      {
        "age": 19,
        "email": "emailxxxxxx1",
        "home": {
          "floors": [
            [
              "floors1",
              938,
            ],
          ],
          "latitude": 547.43,
          "notes": [
            "notes1",
            "notes1",
          ],
          "size": "SMALL",
          "street": "street1",
        },
        "id": "019b76da-a800-7885-a20d-70fd5c88d55a",
        "language": "en",
        "state": "paying",
        "tenant": "acme",
      }
    `);
    for (const { age, state, email } of built) {
      expect([18, 19, 20]).toContain(age);
      expect(['new', 'paying']).toContain(state);
      expect(email.length).toBeGreaterThanOrEqual(12);
    }
    expect(factory(Customer, { tenant: 'acme' }).buildMany(50)).toEqual(built);
    const others = factory(Customer, { tenant: 'acme' }, { seed: 2 }).buildMany(50);
    expect(others).not.toEqual(built);
  });

  test('rows that name the time of their end exist: a seed is read by the usual clock', async () => {
    await using db = await open('memory:', { entities: [Session, Slot] });
    await factory(Session).saveMany(db, 2);
    await factory(Slot).saveMany(db, 2);
    const sessions = await db.repository(Session).scanAll().all();
    expect(sessions.map(({ until }) => until.toISOString())).toEqual([
      '2126-01-01T00:00:00.000Z',
      '2126-01-01T00:01:00.000Z',
    ]);
    expect(await db.repository(Slot).scanAll().count()).toBe(2);
  });

  test('keys, ids and values of unique indexes are different, and later ids sort after earlier ones', () => {
    const built = factory(Customer).buildMany(500);
    expect(new Set(built.map(({ id }) => id)).size).toBe(500);
    expect(new Set(built.map(({ email }) => email)).size).toBe(500);
    expect(built.map(({ id }) => id)).toEqual(built.map(({ id }) => id as string).sort());
  });

  test('functions get the number of the row and random numbers', () => {
    const orders = factory(Order, {
      tenant: (n) => `t${n % 2}`,
      total: (_, random) => 1 + random.next(),
      customerId: undefined,
    });
    const [first, second] = orders.buildMany(2, { n: (n) => 200 + n });
    expect([first.tenant, first.n, second.tenant, second.n]).toEqual(['t1', 201, 't0', 202]);
    expect(first.total).not.toBe(second.total);
    expect(first.customerId).toBeUndefined();
    orders.rewind();
    expect(orders.build({ n: 201 })).toEqual(first);
  });

  test('a value that is given does not change the values of other properties', () => {
    const one = factory(Customer).build();
    const two = factory(Customer).build({ age: 18, home: undefined });
    expect(two).toEqual(Object.assign(one, { age: 18, home: undefined }));
  });

  test('messages have all fields, and one of each oneof', () => {
    const { home } = factory(Customer).build();
    expect(home).toBeInstanceOf(Place);
    expect(home).toMatchObject({
      street: 'street1',
      notes: ['street1', 'street1'].map(() => 'notes1'),
    });
    expect(home!.latitude).toBeDefined();
    expect([home!.cell, home!.inside]).toEqual([undefined, undefined]);
    expect(home!.floors!.size).toBe(1);
  });

  test('an entity with every kind of segment, column and field', async () => {
    await using db = await testDatabase([Everything]);
    const every = factory(Everything, { foreign: (n) => `text ${n}`, json: { a: 1 } });
    const saved = await every.saveMany(db, 20);
    expect(await db.repository(Everything).scanAll().count()).toBe(20);
    expect(saved[0].int32).toBeDefined();
  });
});

describe('what belongs to another row', () => {
  test('has its key: by a reference, or by the names of segments', () => {
    const customer = factory(Customer).build();
    const order = factory(Order).for(customer).build();
    expect([order.tenant, order.customerId]).toEqual([customer.tenant, customer.id]);
    const next = factory(Order).for(order).build();
    expect([next.tenant, next.at, next.n]).toEqual([order.tenant, order.at, order.n]);
  });

  test('keys of other rows are the keys that a factory of these makes', () => {
    const customers = factory(Customer).buildMany(3);
    const orders = factory(Order).buildMany(3);
    expect(orders.map(({ customerId }) => customerId)).toEqual(customers.map(({ id }) => id));
  });

  test('numbers continue', () => {
    const orders = factory(Order);
    const customer = factory(Customer).build();
    orders.for(customer).buildMany(2);
    expect(orders.build().n).toBe(102);
  });

  test('rows without a common property are refused', () => {
    const flag = factory(Flag).build();
    expect(() => factory(Order).for(flag)).toThrow(fails('parent', /neither a reference to Flag/));
    expect(() => factory(Order).for({ tenant: 'acme' })).toThrow(fails('parent', /not an entity/));
  });
});

describe('what cannot be made up', () => {
  test('asks for a value or a function', () => {
    expect(() => factory(File).build()).toThrow(fails('code', /match \/\^\[A-Z\]\{3\}\$\//));
    expect(() => factory(File, { code: 'ABC' }).build()).toThrow(fails('meta', /json/));
    expect(factory(File, { code: 'ABC', meta: undefined }).build()).toEqual({ code: 'ABC' });
  });

  test('a key that an earlier row has is refused', () => {
    const flags = factory(Flag);
    expect(new Set(flags.buildMany(4).map(({ on, kind }) => `${on}${kind}`)).size).toBe(4);
    expect(() => flags.build()).toThrow(fails('on', /row 5 has the key of an earlier row/));
    flags.rewind();
    expect(flags.build()).toBeInstanceOf(Flag);
    // A key that the caller gives may come again.
    expect(flags.buildMany(2, { on: true, kind: 'a' })).toHaveLength(2);
  });

  test('wrong arguments', async () => {
    const flags = factory(Flag);
    expect(() => flags.buildMany(1.5)).toThrow(fails('count', /1.5/));
    expect(() => flags.build([] as object)).toThrow(fails('values', /not an array|array/));
    expect(() => flags.build({ vlaue: true } as object)).toThrow(fails('vlaue', /no property/));
    expect(() => factory(Flag, {}, { seed: 0.5 })).toThrow(fails('seed', /0.5/));
    expect(() => factory(Flag, {}, { now: new Date(NaN) })).toThrow(fails('now', /./));
    expect(() => factory(Flag, {}, { sed: 1 } as object)).toThrow(fails('sed', /./));
    await expect(flags.save({} as never)).rejects.toEqual(fails('target', /cannot be saved/));
    expect(() => factory(Object as never).build()).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
  });
});

describe('saving', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase(shop);
  });
  afterEach(() => db.close());

  test('in a database: rows with indexes, copies and rollups', async () => {
    const customer = await factory(Customer, { tenant: 'acme', state: 'paying' }).save(db);
    await factory(Order).for(customer).saveMany(db, 10, { total: 1.5 });
    const orders = db.repository(Order);
    const found = await orders.index('byCustomer').prefix({ tenant: 'acme' }).all();
    expect(found.map(({ customerState }) => customerState)).toEqual(Array(10).fill('paying'));
    const [day] = await orders.rollup('daily').prefix({ tenant: 'acme' }).all();
    expect([day.orders, day.total]).toEqual([10, 15]);
    expect(await db.repository(Customer).get(customer)).toEqual(customer);
  });

  test('in a scope, which gives its segments, and in a repository', async () => {
    const acme = db.scope({ tenant: 'acme' });
    const [order] = await factory(Order).saveMany(acme, 3);
    expect(order.tenant).toBe('acme');
    expect(await acme.repository(Order).scanAll().count()).toBe(3);
    await expect(factory(Order, { tenant: 'globex' }).save(acme)).rejects.toMatchObject({
      code: 'OUTSIDE_SCOPE',
    });
    await factory(Flag).saveMany(db.repository(Flag), 4);
    expect(await db.repository(Flag).scanAll().count()).toBe(4);
    await expect(factory(Flag).save(db.repository(Order) as never)).rejects.toEqual(
      fails('target', /a repository of Order/),
    );
  });

  test('again, by another run: revisions, creation times and counters stay as they are', async () => {
    const run = async () => {
      await factory(Customer).saveMany(db, 3, { age: 19 });
      await factory(Order, { hits: 5n }).saveMany(db, 3);
    };
    await run();
    const before = await db.repository(Customer).scanAll().all();
    db.clock.advance('1h');
    await run();
    const after = await db.repository(Customer).scanAll().all();
    expect(after.map(({ revision: _, ...row }) => row)).toEqual(
      before.map(({ revision: _, ...row }) => row),
    );
    const orders = await db.repository(Order).scanAll().all();
    expect(orders.map(({ hits }) => hits)).toEqual([5n, 5n, 5n]);
  });

  test('fails with the first row that cannot be stored', async () => {
    const sameEmail = factory(Customer, { tenant: 'acme', email: 'a@example.com' });
    await expect(sameEmail.saveMany(db, 2)).rejects.toMatchObject({
      code: 'UNIQUE_VIOLATION',
      details: { index: expect.any(Number) },
    });
  });
});

test('a module can create factories before a database is opened, and for other databases', async () => {
  const flags = factory(Flag);
  for (const kind of ['a', 'b'] as const) {
    await using db = await open('memory:', { entities: [Flag] });
    await flags.saveMany(db, 2, { kind, on: (n) => n % 2 === 0 });
    expect(await db.repository(Flag).scanAll().count()).toBe(2);
  }
});

test('types: values and functions of the properties that create takes', () => {
  const customers = factory(Customer, {
    age: (n, random) => 18 + random.below(n),
    // @ts-expect-error -- not a state
    state: 'old',
  });
  const declared: Factory<Customer> = customers;
  const check = (): void => {
    // @ts-expect-error -- not a property
    declared.build({ nmae: 'x' });
    // @ts-expect-error -- text
    declared.build({ tenant: () => 1 });
    // @ts-expect-error -- the repository of another entity
    void declared.save({} as Repository<typeof Flag>);
    void declared.save({} as Repository<typeof Customer>);
    const built: Customer = declared.build({ id: 'x', home: undefined });
    void built;
  };
  expect(check).toBeInstanceOf(Function);
});

describe('rules, names and references at the edges', () => {
  const limited = (kind: string, rules: object, unique = false) => {
    class Limited {
      id!: string;
      value?: unknown;
      static readonly indexes = unique ? indexes({ byValue: uniqueIndexOn('value') }) : indexes({});
    }
    return defineEntity(
      Limited as never,
      {
        table: 'limited',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: { kind: 'string', maxLength: 20 } },
        columns: { value: column('m', kind as never, { ...rules, required: true }) },
      } as never,
    ) as unknown as EntityClass<{ id: string; value?: unknown }>;
  };

  test.each<[string, object]>([
    ['int64', { max: -5n }],
    ['int64', { min: 2n ** 63n - 4n }],
    ['int32', { max: -(2 ** 31) + 2 }],
    ['int32', { min: 0.5, max: 3 }],
    ['double', { min: 1e300 }],
    ['float', { min: -0.625, max: -0.5 }],
    ['float', { min: 2 ** 100 }],
    ['string', { maxLength: 0 }],
    ['bytes', { maxLength: 0 }],
  ])('%s with %o', async (kind, rules) => {
    const Plain = limited(kind, rules);
    await using db = await testDatabase([Plain]);
    expect(await factory(Plain).saveMany(db, 3)).toHaveLength(3);
    if (!kind.startsWith('int')) return;
    const Unique = limited(kind, rules, true);
    await using other = await testDatabase([Unique]);
    expect(await factory(Unique).saveMany(other, 3)).toHaveLength(3);
  });

  test('properties with the names of members of objects', () => {
    class Hostile {
      id = '';
      valueOf!: never;
    }
    const Named = defineEntity(
      Hostile as never,
      {
        table: 'hostile',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: { kind: 'string', maxLength: 20 } },
        columns: { valueOf: column('m', 'string', { required: true }) },
      } as never,
    ) as unknown as EntityClass<{ id: string }>;
    expect(factory(Named).build()).toMatchObject({ id: 'id1', valueOf: 'valueof1' });
  });

  test('references have the keys of the other entity, whatever their kinds, names and rules', () => {
    const [author] = factory(Author).buildMany(1);
    const [book] = factory(Book).buildMany(1);
    expect(book.authorName).toBe(author.name);
    const [reader] = factory(Reader).buildMany(1);
    expect([book.readerId, book.lenderId]).toEqual([reader.id, reader.id]);
  });

  test('a custom codec that throws at made-up values', () => {
    expect(() => factory(Odd).build()).toThrow(fails('value', /cannot be made up/));
  });

  test('options of null, and times that no key has', () => {
    expect(factory(Flag, {}, null as never).build()).toBeInstanceOf(Flag);
    expect(() => factory(Flag, {}, { now: 8.64e15 })).toThrow(fails('now', /8640000000000000/));
  });

  test('types: functions of columns with unknown values', () => {
    const files = factory(File, { code: 'ABC', meta: (n) => ({ n: n + 1 }) });
    const [file] = files.buildMany(1, { meta: (n, random) => n + random.below(1) });
    expect([file.meta, files.build().meta]).toEqual([1, { n: 3 }]);
  });
});

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('name');
  @Segment('string', { maxLength: 20 }) name!: string;
  @Column('m', 'bool') active?: boolean;
}

@Entity({ table: 'readers', families: { m: {} } })
class Reader {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('m', 'bool') active?: boolean;
}

@Entity({ table: 'books', families: { m: {} } })
class Book {
  static readonly key = rowKey('authorName', 'readerId');
  static readonly author = reference(() => Author, { name: 'authorName' });
  static readonly reader = reference(() => Reader, { id: 'readerId' });
  static readonly lender = reference(() => Reader, { id: 'lenderId' });
  static readonly indexes = indexes({ byLender: uniqueIndexOn('lenderId') });
  @Segment('string', { maxLength: 20 }) authorName!: string;
  @Segment('uuid') readerId!: string;
  @Column('m', 'string', { required: true, maxLength: 36 }) lenderId!: string;
}

@Entity({ table: 'odd', families: { m: {} } })
class Odd {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', {
    kind: 'string',
    encode: (value: { readonly text: () => string }) => Buffer.from(value.text()),
    decode: (bytes: Uint8Array) => ({ text: () => Buffer.from(bytes).toString() }),
  })
  value?: { readonly text: () => string };
}
