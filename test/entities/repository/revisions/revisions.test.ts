/** Revisions on every back end: what is conditional on them and what changes them. */
import {
  Column,
  ColumnMap,
  Counter,
  CreatedAt,
  type Database,
  Entity,
  Revision,
  rowKey,
  RowsmithError,
  Segment,
  aggregate,
  UpdatedAt,
} from '../../../../src/index.js';
import type { KeyedRepository } from '../../../../src/types.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'accounts', families: { m: {}, t: {}, a: aggregate('sum') } })
class Account {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'double') balance?: number;
  @Counter('m') hits?: bigint;
  @Counter('a') views?: bigint;
  @ColumnMap('t', 'int64') scores?: Map<string, bigint>;
  @Revision('m') revision?: string;
}

@Entity({ table: 'notes', families: { m: {} } })
class Note {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
  @Revision('m', { qualifier: 'r' }) rev?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
}

type Accounts = KeyedRepository<Account, typeof Account.key>;

let next = 0;
const newKey = (): { tenant: string; id: string } => ({ tenant: 't', id: `a${next++}` });

async function errorOf(run: Promise<unknown>): Promise<RowsmithError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RowsmithError);
  return error as RowsmithError;
}

/** Rejects with REVISION_CONFLICT of these revisions, and leaves the row as it is. */
async function expectConflict(
  accounts: Accounts,
  key: { tenant: string; id: string },
  run: () => Promise<unknown>,
  revisions: { readonly expected: string | undefined; readonly found: string | undefined },
): Promise<void> {
  const before = await accounts.get(key);
  const { code, details } = await errorOf(run());
  expect(code).toBe('REVISION_CONFLICT');
  expect(details).toMatchObject({
    entity: 'Account',
    property: 'revision',
    key: `${key.tenant}#${key.id}`,
    problem: expect.any(String),
    fix: expect.stringContaining('update(key, change)'),
  });
  expect({ expected: details.expected, found: details.found }).toEqual(revisions);
  expect(await accounts.get(key)).toEqual(before);
}

describe.each(backEnds)('on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let accounts: Accounts;
  beforeAll(async () => {
    ({ db, close } = await open([Account, Note]));
    accounts = db.repository(Account);
  });
  afterAll(() => close());

  async function saved(values: Partial<Account> = {}): Promise<Account> {
    const account = accounts.create({ ...newKey(), name: 'n', balance: 1, ...values });
    await accounts.save(account);
    return account;
  }

  test('each write sets a revision that no other write has', async () => {
    const account = await saved();
    const { tenant, id } = account;
    const key = { tenant, id };
    const seen = [account.revision];
    const record = async (): Promise<void> => {
      seen.push((await accounts.get(key))!.revision);
    };
    await accounts.save(account);
    seen.push(account.revision);
    await accounts.patch(key, { balance: 2 });
    await record();
    await accounts.patch(key, {}, { remove: ['balance'] });
    await record();
    await accounts.patchMany([{ key, changes: { name: 'a' } }]);
    await record();
    await accounts.patchMany([{ key, changes: { name: 'b' }, remove: ['balance'] }]);
    await record();
    await accounts.append(key, { name: 'c' });
    await record();
    await accounts.increment(key, { hits: 1n }, { append: { name: 'd' } });
    await record();
    await accounts.incrementEntry(key, 'scores', 'x', 2n);
    await record();
    await accounts.increment(key, { scores: new Map([['x', 3n]]) });
    await record();
    const read = (await accounts.get(key))!;
    await accounts.saveMany([read]);
    expect(read.revision).toBe((await accounts.get(key))!.revision);
    seen.push(read.revision);
    await accounts.delete(key);
    await accounts.insert(account);
    seen.push(account.revision);
    expect(new Set(seen).size).toBe(seen.length);
    for (const revision of seen) expect(revision!.length).toBeGreaterThanOrEqual(11);
    expect(read).toMatchObject({ name: 'bcd', scores: new Map([['x', 5n]]) });
  });

  test('counters do not change the revision: save() leaves them as they are', async () => {
    const account = await saved();
    const key = { tenant: account.tenant, id: account.id };
    await accounts.increment(key, 'hits');
    await accounts.increment(key, 'views', 2n);
    await accounts.patch(key, {}, { add: { views: 3n } });
    await accounts.incrementMany([{ key, changes: { hits: 1n } }]);
    await accounts.patchMany([{ key, changes: {}, add: { views: 1n } }]);
    await accounts.save(account);
    expect(await accounts.get(key)).toMatchObject({ hits: 2n, views: 6n });
  });

  test('a write of an entity that another has written since is refused', async () => {
    const account = await saved();
    const key = { tenant: account.tenant, id: account.id };
    const first = (await accounts.get(key))!;
    const second = (await accounts.prefix({ tenant: 't' }).since('id', key.id).first())!;
    first.balance = 10;
    await accounts.save(first);
    const revisions = { expected: account.revision, found: first.revision };
    const conflicts = (run: () => Promise<unknown>): Promise<void> =>
      expectConflict(accounts, key, run, revisions);
    await conflicts(() => accounts.save(second));
    expect(second.revision).toBe(account.revision);
    await conflicts(() => accounts.patch(second, { name: 'x' }));
    await conflicts(() => accounts.patch(second, {}));
    await conflicts(() => accounts.patch(second, { name: 'x' }));
    await conflicts(() => accounts.delete(second));
    await conflicts(() => accounts.save(second, { if: { exists: true } }));
    await conflicts(() => accounts.delete(second, { if: { equals: { name: 'n' } } }));
    const scoped = db.scope({ tenant: 't' }).repository(Account);
    await conflicts(() => scoped.save(second));
    await conflicts(() => scoped.patch(second, { name: 'x' }));
    await conflicts(() => scoped.delete(second));
    // A result of select() that holds the revision is as good as the entity.
    const { revision } = second;
    await conflicts(() => accounts.patch({ ...key, revision } as never, { name: 'x' }));
    const parsed = accounts.fromJSON(JSON.parse(JSON.stringify(accounts.toJSON(second))));
    expect(parsed.revision).toBe(account.revision);
    await conflicts(() => accounts.save(parsed));
    await accounts.save(first);
    await accounts.patch(first, { balance: 11 });
    expect(await accounts.get(key)).toMatchObject({ name: 'n', balance: 11 });
    const last = (await accounts.get(key))!;
    await accounts.delete(last);
    expect(await accounts.exists(key)).toBe(false);
    // A deleted row has no revision.
    await expectConflict(accounts, key, () => accounts.save(last), {
      expected: last.revision,
      found: undefined,
    });
  });

  test('patch() leaves the entity that is its key as it is', async () => {
    const account = await saved();
    const read = account.revision;
    await accounts.patch(account, { balance: 5 });
    expect(account).toMatchObject({ balance: 1, revision: read });
    // Otherwise this would take back what was patched.
    await expect(accounts.save(account)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
  });

  test('an entity without a revision is new', async () => {
    const account = await saved();
    const again = accounts.create({ tenant: account.tenant, id: account.id, name: 'other' });
    const key = { tenant: account.tenant, id: account.id };
    const revisions = { expected: undefined, found: account.revision };
    await expectConflict(accounts, key, () => accounts.save(again), revisions);
    await expectConflict(accounts, key, () => accounts.delete(again), revisions);
    const { failures } = await accounts.saveMany([again]);
    expect(failures).toMatchObject([
      { index: 0, item: again, error: { code: 'REVISION_CONFLICT' }, mayBeWritten: false },
    ]);
    await expect(accounts.insert(again)).rejects.toMatchObject({ code: 'ROW_EXISTS' });
    expect(again.revision).toBeUndefined();
  });

  test('a row of before has no revision, and gets one', async () => {
    const key = newKey();
    const text = (value: string): Uint8Array => new TextEncoder().encode(value);
    await db.engine.mutateRow('accounts', {
      key: text(`${key.tenant}#${key.id}`),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: text('name'),
          timestamp: Date.now() * 1000,
          value: text('old'),
        },
      ],
    });
    const [first, second] = [(await accounts.get(key))!, (await accounts.get(key))!];
    expect(first.revision).toBeUndefined();
    first.balance = 1;
    await accounts.save(first);
    await expectConflict(accounts, key, () => accounts.save(second), {
      expected: undefined,
      found: first.revision,
    });
  });

  test('plain keys are unconditional, and so are partial results without the revision', async () => {
    const account = await saved();
    const key = { tenant: account.tenant, id: account.id };
    const row = (await accounts.get(key, { select: ['name'] }))!;
    await accounts.patch(key, { balance: 2 });
    await accounts.patch(row, { balance: 3 });
    await accounts.patchMany([{ key: row, changes: { balance: 4 } }]);
    expect(await accounts.get(key)).toMatchObject({ balance: 4 });
    const withRevision = (await accounts.get(key, { select: ['revision'] }))!;
    await accounts.patch(key, { balance: 5 });
    await expect(accounts.patch(withRevision, { balance: 6 })).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
    });
    await accounts.delete(row);
    expect(await accounts.exists(key)).toBe(false);
  });

  test('bulk writes report conflicts item by item', async () => {
    const list = await Promise.all(Array.from({ length: 4 }, () => saved()));
    const entities = list.map((account) => Object.assign(new Account(), account));
    await accounts.patch({ tenant: 't', id: list[1].id }, { name: 'x' });
    const codes = (result: {
      failures: readonly { index: number; error: RowsmithError }[];
    }): unknown => result.failures.map(({ index, error }) => [index, error.code]);
    const conflict = [[1, 'REVISION_CONFLICT']];
    const patched = await accounts.patchMany(
      entities.map((key) => ({ key, changes: { balance: 9 } })),
    );
    expect(codes(patched)).toEqual(conflict);
    expect(patched.written).toBe(3);
    const read = (await accounts.getMany(list)) as Account[];
    read[2].revision = list[2].revision;
    const removed = await accounts.patchMany(
      read.map((key) => ({ key, changes: { balance: 8 }, remove: ['name'] })),
    );
    expect(codes(removed)).toEqual([[2, 'REVISION_CONFLICT']]);
    const fresh = (await accounts.getMany(list)) as Account[];
    fresh[0].revision = list[0].revision;
    expect(codes(await accounts.deleteMany(fresh))).toEqual([[0, 'REVISION_CONFLICT']]);
    expect(await accounts.exists(list[0])).toBe(true);
    const inserted = await accounts.insertMany([...fresh, fresh[1]]);
    const [existing, twice] = inserted.failures;
    expect(codes(inserted)).toEqual([
      [0, 'ROW_EXISTS'],
      [twice.index, 'ROW_EXISTS'],
    ]);
    expect(existing.index).toBe(0);
    // Both requests are on their way at the same time: either may be the first.
    expect([1, 4]).toContain(twice.index);
    const after = (await accounts.getMany(list)) as Account[];
    expect(after.slice(1).map(({ revision }) => revision)).toEqual(
      fresh.slice(1).map(({ revision }) => revision),
    );
    const deleted = await accounts.deleteMany(list.map(({ tenant, id }) => ({ tenant, id })));
    expect(deleted).toEqual({ written: 4, failed: 0, failures: [] });
  });

  test('a condition is checked, too', async () => {
    const account = await saved();
    const key = { tenant: account.tenant, id: account.id };
    await expect(
      accounts.save(account, { if: { equals: { name: 'other' } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    await expect(
      accounts.patch(account, {}, { if: { equals: { name: 'other' } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    await accounts.save(account, { if: { equals: { name: 'n' } } });
    await accounts.patch(account, { balance: 2 }, { if: { exists: true } });
    await expect(
      accounts.patch(key, { balance: 3 }, { if: { equals: { balance: 1 } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    // With a plain key the revision can be named as any column.
    const { revision } = (await accounts.get(key))!;
    await accounts.patch(key, { balance: 4 }, { if: { equals: { revision } } });
    await expect(
      accounts.patch(key, { balance: 5 }, { if: { equals: { revision } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    await expect(accounts.save(account, { if: { equals: { revision } } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'revision' },
    });
    await expect(
      accounts.patchMany([{ key: account, changes: { balance: 6 }, if: { exists: true } }]),
    ).resolves.toMatchObject({ failures: [{ error: { code: 'REVISION_CONFLICT' } }] });
  });

  test('columns that the library sets are not patched', async () => {
    const account = await saved();
    const key = { tenant: account.tenant, id: account.id };
    const refused = {
      code: 'INVALID_ARGUMENT',
      details: { entity: 'Account', property: 'revision' },
    };
    await expect(accounts.patch(key, { revision: 'x' })).rejects.toMatchObject(refused);
    await expect(accounts.patch(key, { revision: null })).rejects.toMatchObject(refused);
    await expect(accounts.patch(key, {}, { remove: ['revision'] })).rejects.toMatchObject(refused);
    await expect(accounts.append(key, { revision: 'x' })).rejects.toMatchObject(refused);
    await expect(accounts.append(key, { revision: 'x' })).rejects.toMatchObject(refused);
    await expect(accounts.patchMany([{ key, changes: { revision: 'x' } }])).resolves.toMatchObject({
      failures: [{ error: refused }],
    });
    const notes = db.repository(Note);
    for (const property of ['createdAt', 'updatedAt', 'rev'])
      await expect(notes.patch({ id: 'a' }, { [property]: null })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { property },
      });
    // An undefined change is none, and changes without an effect write nothing.
    await accounts.patch(key, { revision: undefined, scores: new Map() });
    expect((await accounts.get(key))!.revision).toBe(account.revision);
    Object.assign(account, { revision: 5 });
    await expect(accounts.save(account)).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: { property: 'revision' },
    });
  });

  test('query.delete() is unconditional', async () => {
    const account = accounts.create({ tenant: 'del', id: 'a', name: 'x' });
    await accounts.save(account);
    await accounts.patch({ tenant: 'del', id: 'a' }, { name: 'y' });
    await accounts.prefix({ tenant: 'del' }).delete();
    await accounts.save(accounts.create({ tenant: 'del', id: 'a', name: 'x' }));
    const { deleted } = await accounts.prefix({ tenant: 'del' }).delete();
    expect(deleted).toBe(1);
    expect(await accounts.prefix({ tenant: 'del' }).count()).toBe(0);
  });
});
