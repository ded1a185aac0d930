/** An inbox: the home screen is three entities in one request, because their keys begin alike. */
import assert from 'node:assert/strict';
import {
  Column,
  Counter,
  Entity,
  LintIgnore,
  literal,
  maxVersions,
  open,
  rowKey,
  Segment,
  table,
} from 'rowsmith';

const inbox = table('inbox', { families: { m: { gc: maxVersions(1) } } });

@Entity({ table: inbox })
class Profile {
  static readonly key = rowKey('user');
  @Segment('string', { maxLength: 40 }) user!: string;
  @Column('m', 'string') name!: string;
}

@Entity({ table: inbox })
class Unread {
  static readonly key = rowKey('user', literal('count'), 'folder');
  @Segment('string', { maxLength: 40 }) user!: string;
  @Segment('string', { maxLength: 40 }) folder!: string;
  @LintIgnore('F08', 'changed together with the message, and read with it')
  @Counter('m')
  count?: bigint;
}

@Entity({ table: inbox })
class Message {
  static readonly key = rowKey('user', literal('message'), 'at', 'id');
  @Segment('string', { maxLength: 40 }) user!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') subject!: string;
  @Column('m', 'string') text?: string;
  @Column('m', 'bool') read?: boolean;
  @Column('m', 'bool') starred?: boolean;
}

await using db = await open('memory:', { entities: [Profile, Unread, Message] });
const profiles = db.repository(Profile);
const unread = db.repository(Unread);
const messages = db.repository(Message);
const minute = (m: number) => new Date(Date.UTC(2026, 10, 20, 9, m));

for (const user of ['ann', 'bob']) {
  await profiles.save(profiles.create({ user, name: user.toUpperCase() }));
  await unread.incrementMany([
    { key: { user, folder: 'inbox' }, changes: { count: 50n } },
    { key: { user, folder: 'spam' }, changes: { count: 2n } },
  ]);
  await messages.saveMany(
    Array.from({ length: 50 }, (_, m) =>
      messages.create({
        user,
        at: minute(m),
        id: `m${m}`,
        subject: `No. ${m}`,
        text: 'long '.repeat(99),
      }),
    ),
  );
}

// The home screen: profile, unread counters and the latest 20 messages without their texts. It is
// one request, which ends with the twentieth message.
const screen = db
  .collection({ profile: Profile, unread: Unread, messages: Message })
  .prefix({ user: 'ann' })
  .select({ messages: ['subject', 'read'] })
  .limit({ messages: 20 })
  .groupBy('user');
console.log(String(screen.explain()));
const [{ members: home }] = await screen.all();
assert.equal(home.profile?.name, 'ANN');
assert.deepEqual(
  home.unread.map(({ folder, count }) => [folder, count]),
  [
    ['inbox', 50n],
    ['spam', 2n],
  ],
);
assert.equal(home.messages.length, 20);
const [latest] = home.messages;
assert.deepEqual(latest, { user: 'ann', at: minute(49), id: 'm49', subject: 'No. 49' });

// Reading a message: patch writes one flag if it was not set. The condition fails for the second of
// two devices, which then does not decrement the counter. They are two rows, so not one transaction.
async function markRead(key: Pick<Message, 'user' | 'at' | 'id'>): Promise<void> {
  await messages.patch(key, { read: true }, { if: { exists: true, equals: { read: null } } });
  await unread.increment({ user: key.user, folder: 'inbox' }, 'count', -1n);
}
await markRead(latest);
await assert.rejects(markRead(latest), { code: 'CONDITION_FAILED' });
assert.equal((await unread.get({ user: 'ann', folder: 'inbox' }))?.count, 49n);
assert.equal((await messages.get(latest))?.subject, 'No. 49', 'patch leaves the other columns');

// Pages: the cursor is text that a client can send back. New messages do not shift the pages.
const list = messages.prefix({ user: 'ann' }).select('subject');
const page = await list.page({ size: 20 });
await messages.save(messages.create({ user: 'ann', at: minute(55), id: 'new', subject: 'New' }));
const second = await list.page({ size: 20, after: page.next });
assert.deepEqual([second.rows[0].id, second.rows.length], ['m29', 20]);

// Flags of several messages in one batch, and what is starred.
await messages.patchMany(
  second.rows.slice(0, 3).map((key) => ({ key, changes: { starred: true } })),
);
const starred = await messages.prefix({ user: 'ann' }).where({ starred: true }).keysOnly().all();
assert.deepEqual(
  starred.map(({ id }) => id),
  ['m29', 'm28', 'm27'],
);
