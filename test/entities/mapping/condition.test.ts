import {
  Column,
  type Database,
  Entity,
  open,
  type Repository,
  RowsmithError,
  rowKey,
  Segment,
  type Version,
  Versions,
  type WriteCondition,
} from '../../../src/index.js';

@Entity({ table: 'accounts', families: { m: {}, n: {} } })
class Account {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') owner?: string;
  @Column('m', 'int64') balance?: bigint;
  @Column('n', 'string') note?: string;
}

type Condition = WriteCondition<Account, typeof Account.key>;
const key = { id: 'a' };
let db: Database;
let accounts: Repository<typeof Account>;
beforeEach(async () => {
  db = await open('memory:', { entities: [Account] });
  accounts = db.repository(Account);
});
afterEach(() => db.close());

const rows: Record<string, Partial<Account> | undefined> = {
  'no row': undefined,
  all: { owner: 'eva', balance: 5n, note: 'x' },
  'no note': { owner: 'eva', balance: 5n },
  'only a note': { note: 'x' },
  'other values': { owner: 'tom', balance: -5n, note: '' },
};

const existences = [undefined, true, false] as const;
const owners = [undefined, 'eva', 'tom', null] as const;
const notes = [undefined, 'x', '', null] as const;

/** The expected result of a condition. */
function holds({ exists, equals = {} }: Condition, row: Partial<Account> | undefined): boolean {
  if (exists !== undefined && exists !== (row !== undefined)) return false;
  return Object.entries(equals).every(([name, value]) =>
    value === null ? row?.[name as 'owner'] === undefined : row?.[name as 'owner'] === value,
  );
}

/** A copy without undefined properties, which conditions reject. */
function defined<T extends object>(object: T): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

const conditions: Condition[] = existences.flatMap((exists) =>
  owners.flatMap((owner) =>
    notes.map((note): Condition => {
      const equals = defined({ owner, note });
      if (Object.keys(equals).length === 0) return defined({ exists });
      return defined({ exists, equals });
    }),
  ),
);

describe.each(Object.entries(rows))('on %s', (_name, row) => {
  test.each(
    conditions.map((condition): [string, Condition] => [JSON.stringify(condition), condition]),
  )('%s', async (_text, condition) => {
    if (row !== undefined) await accounts.save(accounts.create({ ...key, ...row }));
    const before = await accounts.get(key);
    const writes = [
      {
        run: () => accounts.patch(key, { balance: 99n }, { if: condition }),
        after: { ...row, id: 'a', balance: 99n },
      },
      {
        run: () => accounts.save(accounts.create({ ...key, balance: 98n }), { if: condition }),
        after: { id: 'a', balance: 98n },
      },
      { run: () => accounts.delete(key, { if: condition }), after: undefined },
    ];
    const impossible =
      Object.keys(condition).length === 0 ||
      (condition.exists === false &&
        Object.values(condition.equals ?? {}).some((value) => value !== null));
    for (const { run, after } of writes) {
      if (row === undefined) await accounts.delete(key);
      else await accounts.save(accounts.create({ ...key, ...row }));
      const outcome = await run().then(
        () => 'written',
        (error: RowsmithError) => error.code,
      );
      if (impossible) expect(outcome).toBe('INVALID_ARGUMENT');
      else expect(outcome).toBe(holds(condition, row) ? 'written' : 'CONDITION_FAILED');
      expect(await accounts.get(key)).toEqual(outcome === 'written' ? after : before);
    }
  });
});

test('the newest cell is compared, not an older one', async () => {
  await accounts.patch(key, { owner: 'tom' });
  await db.engine.mutateRow('accounts', {
    key: Buffer.from('a'),
    mutations: [
      {
        kind: 'setCell',
        family: 'm',
        qualifier: Buffer.from('owner'),
        timestamp: 1000,
        value: Buffer.from('eva'),
      },
    ],
  });
  await expect(accounts.delete(key, { if: { equals: { owner: 'eva' } } })).rejects.toMatchObject({
    code: 'CONDITION_FAILED',
  });
  await accounts.delete(key, { if: { equals: { owner: 'tom' } } });
});

test('exactly one of many concurrent compare-and-set writes succeeds', async () => {
  await accounts.patch(key, { balance: 0n });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      accounts.patch(key, { balance: BigInt(i + 1) }, { if: { equals: { balance: 0n } } }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await accounts.get(key))?.balance).toBe(
    BigInt(outcomes.findIndex(({ status }) => status === 'fulfilled') + 1),
  );
});

test.each<[string, unknown]>([
  ['nothing', {}],
  ['null', null],
  ['a text', 'exists'],
  ['a misspelled name next to a correct one', { exists: true, equal: { owner: 'eva' } }],
  ['exists that is not a boolean', { exists: 'no', equals: { owner: 'eva' } }],
  ['equals that is not an object', { exists: true, equals: 'eva' }],
  ['an unknown column', { equals: { ownr: 'eva' } }],
  ['a segment', { equals: { id: 'a' } }],
])('%s is rejected as a condition, and nothing is written', async (_name, condition) => {
  await accounts.save(accounts.create({ ...key, owner: 'eva' }));
  const options = { if: condition as Condition };
  for (const write of [
    () => accounts.patch(key, { note: 'x' }, options),
    () => accounts.delete(key, options),
    () => accounts.save(accounts.create({ ...key, note: 'x' }), options),
  ]) {
    await expect(write()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { entity: 'Account', fix: expect.any(String) as string },
    });
  }
  expect(await accounts.get(key)).toEqual({ id: 'a', owner: 'eva' });
});

test('a value of the wrong type is rejected as it is in a write', async () => {
  await expect(
    accounts.delete(key, { if: { equals: { balance: 5 as unknown as bigint } } }),
  ).rejects.toMatchObject({ code: 'INVALID_VALUE', details: { property: 'balance' } });
});

describe('all versions of a column', () => {
  @Entity({ table: 'quotes', families: { p: {} } })
  class Quote {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Versions('p', 'int64') price?: Version<bigint>[];
    @Column('p', 'string') note?: string;
  }
  const version = (hour: number, value: bigint): Version<bigint> => ({
    at: new Date(Date.UTC(2026, 10, 20, hour)),
    value,
  });
  const stored = [version(2, 20n), version(1, 10n)];
  let quotes: Repository<typeof Quote>;
  let quoteDb: Database;
  beforeEach(async () => {
    quoteDb = await open('memory:', { entities: [Quote] });
    quotes = quoteDb.repository(Quote);
  });
  afterEach(() => quoteDb.close());

  const cases: [string, Version<bigint>[] | null, boolean][] = [
    ['equal', stored, true],
    ['in another order', stored.toReversed(), true],
    ['one missing', stored.slice(1), false],
    ['one more', [version(3, 30n), ...stored], false],
    ['another time', [version(3, 20n), stored[1]], false],
    ['a time that is a millisecond later', [later(stored[0]), stored[1]], false],
    ['another value', [version(2, 21n), stored[1]], false],
    ['values exchanged', [version(2, 10n), version(1, 20n)], false],
    ['empty', [], false],
    ['null', null, false],
  ];

  function later({ at, value }: Version<bigint>): Version<bigint> {
    return { at: new Date(at.getTime() + 1), value };
  }

  test.each(cases)('%s', async (_name, price, isWritten) => {
    await quotes.save(quotes.create({ id: 'a', price: stored, note: 'x' }));
    const write = quotes.patch(key, { note: 'y' }, { if: { equals: { price } } });
    if (isWritten) await write;
    else await expect(write).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    expect(await quotes.get(key)).toEqual({ ...key, price: stored, note: isWritten ? 'y' : 'x' });
  });

  test.each<[string, Version<bigint>[] | null, boolean]>([
    ['empty', [], true],
    ['null', null, true],
    ['one', [version(1, 10n)], false],
  ])('of a row without versions: %s', async (_name, price, isWritten) => {
    await quotes.save(quotes.create({ id: 'a', note: 'x' }));
    const write = quotes.delete(key, { if: { equals: { price } } });
    if (isWritten) await write;
    else await expect(write).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    expect(await quotes.get(key)).toEqual(isWritten ? undefined : { ...key, note: 'x' });
  });

  test('with another column, both must hold', async () => {
    await quotes.save(quotes.create({ id: 'a', price: stored, note: 'x' }));
    const ifNoted = (note: string) =>
      quotes.patch(key, { note: 'y' }, { if: { exists: true, equals: { price: stored, note } } });
    await expect(ifNoted('z')).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    await ifNoted('x');
    await expect(ifNoted('x')).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
  });

  test.each<[string, unknown]>([
    ['one time twice', [version(1, 10n), version(1, 10n)]],
    ['a value of another type', [{ at: stored[0].at, value: 'x' }]],
    ['a version without a time', [{ value: 10n }]],
    ['no array', version(1, 10n)],
  ])('%s is rejected', async (_name, price) => {
    await expect(
      quotes.delete(key, { if: { equals: { price: price as Version<bigint>[] } } }),
    ).rejects.toMatchObject({ code: 'INVALID_VALUE' });
  });
});
