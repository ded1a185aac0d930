/** The home screen of an inbox, and what a limit of a member reads. */
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { type Database, open } from '../../../../src/index.js';
import { startServer } from '../../../../src/server/index.js';
import type { Engine } from '../../../../src/storage.js';
import { liveUrl } from '../../../engines/bigtable/live-backends.js';
import {
  Alarm,
  Device,
  entities,
  Message,
  Profile,
  Reading,
  Unread,
} from './collection-entities.js';
import { openWatched } from '../support/watched.js';

const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 1) + n * 3_600_000);

async function fillInbox(db: Database, users: readonly string[], messages: number): Promise<void> {
  for (const user of users) {
    await db.repository(Profile).save(db.repository(Profile).create({ user, name: `the ${user}` }));
    for (const folder of ['inbox', 'news'])
      await db.repository(Unread).increment({ user, folder }, 'count', 3n);
    await db
      .repository(Message)
      .saveMany(
        Array.from({ length: messages }, (_, i) =>
          db.repository(Message).create({ user, at: hour(i), subject: `${i}` }),
        ),
      );
  }
}

/** A live database over our server, with a count of the reads that arrive there. */
async function openCounted(): Promise<{
  db: Database;
  reads: unknown[];
  close: () => Promise<void>;
}> {
  const inner = await openMemoryEngine();
  const reads: unknown[] = [];
  const engine = new Proxy(inner, {
    get(target, property) {
      if (property === 'readRows')
        return (...given: Parameters<Engine['readRows']>) => {
          reads.push(given[0]);
          return target.readRows(...given);
        };
      const value = Reflect.get(target, property) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const server = await startServer(engine, { instance: 'projects/p/instances/instance-1' });
  const db = await open(liveUrl, { entities, bigtable: { emulatorHost: server.address } });
  await db.admin.apply();
  const close = async (): Promise<void> => {
    await db.close();
    await server.close({ graceMs: 200 });
    await inner.close();
  };
  return { db, reads, close };
}

const home = { profile: Profile, unread: Unread, messages: Message };

describe('the home screen of an inbox', () => {
  test('is one request on a live table', async () => {
    const { db, reads, close } = await openCounted();
    await fillInbox(db, ['ann', 'bob', 'eve'], 300);
    reads.length = 0;
    const rows = await db.collection(home).prefix({ user: 'bob' }).limit({ messages: 20 }).all();
    expect(reads).toHaveLength(1);
    expect(rows.map(({ kind }) => kind)).toEqual([
      'profile',
      'unread',
      'unread',
      ...Array<string>(20).fill('messages'),
    ]);
    const screen = await db
      .scope({ user: 'bob' })
      .collection(home)
      .scanAll()
      .limit({ messages: 20 })
      .select({ messages: ['subject'] })
      .all();
    expect(reads).toHaveLength(2);
    expect(screen).toHaveLength(23);
    expect(screen[3]).toEqual({ kind: 'messages', entity: { at: hour(299), subject: '299' } });
    const [group] = await db
      .collection(home)
      .prefix({ user: 'bob' })
      .limit({ messages: 20 })
      .groupBy('user')
      .all();
    expect(reads).toHaveLength(3);
    expect(group.user).toBe('bob');
    expect(group.members.profile?.name).toBe('the bob');
    expect(group.members.unread.map(({ folder, count }) => [folder, count])).toEqual([
      ['inbox', 3n],
      ['news', 3n],
    ]);
    expect(group.members.messages.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 20 }, (_, i) => `${299 - i}`),
    );
    await close();
  });

  test('sets a limit of rows where the members leave one', async () => {
    const { db, seen } = await openWatched(entities);
    await fillInbox(db, ['ann', 'bob'], 60);
    seen.plans.length = 0;
    const query = db.collection(home).prefix({ user: 'ann' }).limit({ messages: 20, unread: 9 });
    expect(await query.all()).toHaveLength(23);
    expect(seen.plans.map(({ limit, ranges }) => [limit, ranges.length])).toEqual([[30, 3]]);
    expect(query.explain().toString().split('\n')).toEqual([
      'scan      profile, unread, messages in table inbox',
      "where     user = 'ann'",
      'member    profile: Profile (user, name)',
      'member    unread: Unread (user, folder, count), at most 9',
      'member    messages: Message (user, at, edits, subject), at most 20',
      'range     [ann .. ann\\x00)',
      'range     [ann#count# .. ann#count$)',
      'range     [ann#message# .. ann#message$)',
      'order     key',
      'filter    families c, h, m',
      'limit     none',
      'requests  1; one more to continue after the rows of unread, messages beyond the limit, if many are there and others come after them',
    ]);
    await db.close();
  });

  test('requests about as many rows as members without a limit had before', async () => {
    const { db, seen } = await openWatched(entities);
    await fillInbox(db, ['ann', 'bob'], 60);
    const unread = db.repository(Unread);
    for (let i = 0; i < 200; i++)
      await unread.increment({ user: 'bob', folder: `f${i}` }, 'count', 1n);
    const inbox = db.collection(home);
    const limitsOf = async (user: string): Promise<(number | undefined)[]> => {
      seen.plans.length = 0;
      const rows = await inbox.prefix({ user }).limit({ messages: 20 }).all();
      expect(rows.filter(({ kind }) => kind === 'messages')).toHaveLength(20);
      expect(rows.filter(({ kind }) => kind === 'unread')).toHaveLength(
        await unread.prefix({ user }).count(),
      );
      return seen.plans.slice(0, -1).map(({ limit }) => limit);
    };
    expect(await limitsOf('ann')).toEqual([121]);
    for (let i = 0; i < 40; i++) await limitsOf('ann');
    expect(await limitsOf('ann')).toEqual([29]);
    // More rows than that take another request.
    expect(await limitsOf('bob')).toHaveLength(3);
    expect(await limitsOf('bob')).toHaveLength(1);
    await db.close();
  });
});

describe('what a limit of a member reads', () => {
  async function openFleet(): ReturnType<typeof openWatched> {
    const watched = await openWatched(entities);
    const { db } = watched;
    for (let d = 0; d < 10; d++) {
      await db
        .repository(Device)
        .save(db.repository(Device).create({ tenant: 'a', device: `d${d}`, label: `${d}` }));
      await db
        .repository(Reading)
        .saveMany(
          Array.from({ length: 400 }, (_, n) =>
            db.repository(Reading).create({ tenant: 'a', device: `d${d}`, n, value: n }),
          ),
        );
    }
    watched.seen.plans.length = 0;
    return watched;
  }
  const fleet = { device: Device, readings: Reading };

  test('rows after the limit are skipped, group by group', async () => {
    const { db, seen } = await openFleet();
    const groups = await db
      .collection(fleet)
      .prefix({ tenant: 'a' })
      .limit({ readings: 2 })
      .groupBy('device')
      .all();
    expect(groups).toHaveLength(10);
    expect(groups[4].members).toMatchObject({
      device: { label: '4' },
      readings: [{ n: 399 }, { n: 398 }],
    });
    // The last one finds nothing after the last group.
    expect(seen.plans).toHaveLength(11);
    await db.close();
  });

  test('in all: the other members are still found', async () => {
    const { db, seen } = await openFleet();
    const query = db.collection(fleet).prefix({ tenant: 'a' }).limit({ readings: 3 });
    const rows = await query.all();
    expect(rows.filter(({ kind }) => kind === 'readings')).toHaveLength(3);
    expect(rows.filter(({ kind }) => kind === 'device')).toHaveLength(10);
    expect(seen.plans.length).toBeLessThanOrEqual(11);
    await db.close();
  });

  test('few rows after the limit are read rather than skipped', async () => {
    const { db, seen } = await openWatched(entities);
    for (let d = 0; d < 10; d++)
      for (let n = 0; n < 12; n++)
        await db
          .repository(Reading)
          .save(db.repository(Reading).create({ tenant: 'a', device: `d${d}`, n, value: n }));
    seen.plans.length = 0;
    const query = db.collection(fleet).prefix({ tenant: 'a' }).limit({ readings: 2 });
    expect(await query.groupBy('device').count()).toBe(10);
    expect(seen.plans).toHaveLength(1);
    await db.close();
  });

  test('an aborted signal ends the reads, and leaving a loop closes them', async () => {
    const { db, seen } = await openFleet();
    const controller = new AbortController();
    const query = db.collection(fleet).prefix({ tenant: 'a' });
    let count = 0;
    const reading = (async () => {
      for await (const _ of query.signal(controller.signal))
        if (++count === 300) controller.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(count).toBe(300);
    await expect(query.all({ signal: controller.signal })).rejects.toThrow('enough');
    for await (const { kind } of query) if (kind === 'readings') break;
    await query.first();
    await query.groupBy('device').first();
    expect(seen.openStreams).toBe(0);
    await db.close();
  });

  test('changing results does not change what comes next', async () => {
    const { db } = await openFleet();
    const query = db.collection(fleet).prefix({ tenant: 'a' }).limit({ readings: 2 });
    const devices = new Set<string>();
    for await (const { entity } of query) {
      devices.add(entity.device);
      entity.device = 'z';
      entity.tenant = 'z';
    }
    expect(devices.size).toBe(10);
    await db.close();
  });
});

test('rows of other entities between are left out, and reported if they are of none', async () => {
  const { db } = await openWatched(entities);
  await db
    .repository(Device)
    .save(db.repository(Device).create({ tenant: 'a', device: 'd', label: 'x' }));
  await db
    .repository(Alarm)
    .save(db.repository(Alarm).create({ tenant: 'a', device: 'd', n: 1, text: 'x' }));
  const set = { kind: 'setCell', family: 'm', qualifier: Buffer.from('q'), timestamp: 0 } as const;
  const foreign = Buffer.from('a#d#not a number');
  await db.engine.mutateRow('fleet', { key: foreign, mutations: [{ ...set, value: foreign }] });
  // A key of Reading with all cells in a family of other members.
  const { key } = db.repository(Reading).model;
  const empty = key.encode({ tenant: 'a', device: 'd', n: 7 });
  await db.engine.mutateRow('fleet', { key: empty, mutations: [{ ...set, value: foreign }] });
  const query = db.collection({ device: Device, readings: Reading }).prefix({ tenant: 'a' });
  expect((await query.all()).map(({ kind }) => kind)).toEqual(['device']);
  expect(await query.count()).toBe(1);
  expect(await db.repository(Reading).scanAll().count()).toBe(0);
  const strict = await openWatched(entities, { engine: db.engine, onForeignRow: 'throw' });
  const same = strict.db.collection({ device: Device, readings: Reading });
  await expect(same.prefix({ tenant: 'a' }).all()).rejects.toMatchObject({ code: 'FOREIGN_KEY' });
  await db.close();
});
