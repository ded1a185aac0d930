/** A unique index of a database on disk that was closed and opened again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  Entity,
  indexes,
  open,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';

@Entity({ table: 'accounts', families: { m: {} } })
class Account {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byEmail: uniqueIndexOn('email') });
  @Segment('string') id!: string;
  @Column('m', 'string') email?: string;
}

// The key of the row is read from the buffer of the storage, which the next read fills again.
test('finds its rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-unique-'));
  const url = `file:${folder}`;
  const emails = ['a@x', 'b@x', 'c@x'];
  {
    await using db = await open(url, { entities: [Account] });
    const accounts = db.repository(Account);
    for (const [i, email] of emails.entries())
      await accounts.save(accounts.create({ id: `account-${i}`, email }));
  }
  for (const readOnly of [true, false]) {
    await using db = await open(url, { entities: [Account], readOnly });
    const byEmail = db.repository(Account).index('byEmail');
    expect((await byEmail.get({ email: 'b@x' }))?.id).toBe('account-1');
    expect((await byEmail.scanAll().all()).map(({ id }) => id)).toEqual([
      'account-0',
      'account-1',
      'account-2',
    ]);
  }
  rmSync(folder, { recursive: true });
});
