/**
 * Optimistic locking: concurrent writers of one account write only if the revision they have read
 * is still stored, and otherwise read again.
 */
import assert from 'node:assert/strict';
import { Column, Entity, maxVersions, open, rowKey, RowsmithError, Segment } from 'rowsmith';

@Entity({ table: 'accounts', families: { a: { gc: maxVersions(1) } } })
class Account {
  static readonly key = rowKey('branch', 'account');
  @Segment('string', { maxLength: 32 }) branch!: string;
  @Segment('uint', { max: 99_999_999 }) account!: number;
  @Column('a', 'int64') cents?: bigint;
  @Column('a', 'uint32') revision?: number;
}

await using db = await open('memory:', { entities: [Account] });
const accounts = db.repository(Account);
const key = { branch: 'north', account: 4711 };
await accounts.insert(accounts.create({ ...key, cents: 0n, revision: 0 }));
await assert.rejects(accounts.insert(accounts.create({ ...key, cents: 1n })), {
  code: 'ROW_EXISTS',
});

let retries = 0;

/** Reads, changes and writes; starts again if the row was changed in between. */
async function deposit(cents: bigint): Promise<void> {
  for (;;) {
    const account = await accounts.get(key);
    assert.ok(account);
    const { revision = null } = account;
    account.cents = (account.cents ?? 0n) + cents;
    account.revision = (revision ?? 0) + 1;
    try {
      await accounts.save(account, { if: { equals: { revision } } });
      return;
    } catch (error) {
      if (!(error instanceof RowsmithError) || error.code !== 'CONDITION_FAILED') throw error;
      retries++;
    }
  }
}

await Promise.all(Array.from({ length: 20 }, (_, i) => deposit(BigInt(i + 1))));
const account = await accounts.get(key);
console.log(`${account?.cents} cents after ${account?.revision} deposits and ${retries} retries`);
assert.equal(account?.cents, 210n, 'no deposit was lost');
assert.equal(account?.revision, 20);
assert.ok(retries > 0, 'twenty concurrent deposits conflict');

// The same for patches and deletes.
await assert.rejects(accounts.delete(key, { if: { equals: { cents: 0n } } }), {
  code: 'CONDITION_FAILED',
});
await accounts.patch(key, { cents: 0n }, { if: { exists: true } });
await accounts.delete(key, { if: { equals: { cents: 0n } } });
assert.equal(await accounts.exists(key), false);
await assert.rejects(accounts.patch(key, { cents: 5n }, { if: { exists: true } }), {
  code: 'CONDITION_FAILED',
});
