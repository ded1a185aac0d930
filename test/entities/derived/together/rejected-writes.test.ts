/** Writes that are rejected leave entries, unique values and rollups as they were. */
import {
  Column,
  type Database,
  Entity,
  indexOn,
  indexes,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { codeOf, compareEntries } from '../index/stored-entries.js';

@Entity({ table: 'accounts', families: { m: {} } })
class Account {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byEmail: uniqueIndexOn('email').including('balance'),
    byName: uniqueIndexOn('name').including('balance'),
    byOwner: indexOn('owner').including('balance'),
  });
  @Segment('string') id!: string;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') owner?: string;
  @Column('m', 'int64') balance?: bigint;
}

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  const accounts = () => db.repository(Account);
  const owned = () => accounts().index('byOwner').covered().prefix({ owner: 'ann' });

  beforeEach(async () => {
    opened = await open([Account]);
    ({ db } = opened);
    await accounts().save(
      accounts().create({ id: 'a', email: 'a@x', name: 'a', owner: 'ann', balance: 1n }),
    );
    await accounts().save(accounts().create({ id: 'b', email: 'b@x', name: 'b', owner: 'bob' }));
  });
  afterEach(() => opened.close());

  async function expectUnchanged(): Promise<void> {
    expect(await owned().all()).toMatchObject([{ id: 'a', balance: 1n }]);
    expect(await accounts().index('byEmail').covered().get({ email: 'a@x' })).toMatchObject({
      balance: 1n,
    });
    expect((await db.derived.verify(Account)).findings).toEqual([]);
    // The old entries are deleted by their tokens.
    await accounts().patch({ id: 'a' }, { owner: 'eve', email: 'e@x', name: 'e' });
    expect(await owned().all()).toEqual([]);
    for (const { stored, expected } of Object.values(await compareEntries(db, Account)))
      expect(stored).toEqual(expected);
  }

  test('a condition that does not hold', async () => {
    const call = accounts().patch({ id: 'a' }, { balance: 9n }, { if: { equals: { owner: 'x' } } });
    expect(await codeOf(call)).toBe('CONDITION_FAILED');
    await expectUnchanged();
  });

  test('a unique value that another row has', async () => {
    const call = accounts().patch({ id: 'a' }, { balance: 9n, name: 'b' });
    expect(await codeOf(call)).toBe('UNIQUE_VIOLATION');
    await expectUnchanged();
  });

  test('a row that exists', async () => {
    const call = accounts().insert(
      accounts().create({ id: 'a', email: 'a@x', name: 'a', owner: 'ann', balance: 9n }),
    );
    expect(await codeOf(call)).toBe('ROW_EXISTS');
    await expectUnchanged();
  });
});
