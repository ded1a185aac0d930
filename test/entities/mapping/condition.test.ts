import {
  Column,
  type Database,
  Entity,
  open,
  type Repository,
  RowsmithError,
  rowKey,
  Segment,
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
