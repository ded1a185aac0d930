/** Garbage collection deletes rows without their entries: what queries and unique values do then. */
import {
  Column,
  Entity,
  index,
  indexes,
  maxAge,
  rowKey,
  Segment,
  uniqueIndex,
} from '../../../src/index.js';
import { testDatabase } from '../../../src/testing/index.js';

@Entity({ table: 'sessions', families: { m: { gc: maxAge('1h') } } })
class Session {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byUser: index('user').including('device'),
    byToken: uniqueIndex('token'),
  });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') user?: string;
  @Column('m', 'string') device?: string;
  @Column('m', 'string') token?: string;
}

test('entries of expired rows stay until a repair, and their unique values are free', async () => {
  const db = await testDatabase([Session]);
  const sessions = db.repository(Session);
  const session = { user: 'ann', device: 'd1', token: 't' };
  await sessions.save(sessions.create({ id: '1', ...session }));
  db.clock.advance('2h');
  const found = sessions.index('byUser').prefix({ user: 'ann' });
  const entries = sessions.index('byUser').covered().prefix({ user: 'ann' });
  expect(await found.all()).toEqual([]);
  expect(await entries.all()).toEqual([{ user: 'ann', id: '1', device: 'd1' }]);
  expect(await sessions.index('byToken').get({ token: 't' })).toBeUndefined();

  await sessions.save(sessions.create({ id: '2', ...session }));
  expect((await sessions.index('byToken').get({ token: 't' }))?.id).toBe('2');
  expect((await db.derived.repair(Session)).found).toMatchObject({ orphan: 1, missing: 0 });
  expect((await entries.all()).map(({ id }) => id)).toEqual(['2']);
  await db.close();
});
