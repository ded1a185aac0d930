/** Garbage collection deletes entries with their rows: what is found, and what stays stored. */
import { type Database, open } from '../../../../src/index.js';
import { openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { type OpenBackEnd, openLive } from '../../repository/support/back-ends.js';
import { compareEntries } from '../index/stored-entries.js';
import { hour, keysOf, Session } from './entities.js';

let now = 0;
const clock = (): number => now;
const backEnds: readonly (readonly [string, OpenBackEnd])[] = [
  [
    'memory',
    async (entities) => {
      const db = await open('memory:', { entities, clock });
      return { db, close: () => db.close() };
    },
  ],
  // The server collects nothing: the client hides what it may collect.
  ['live', openLive(() => openOverOurServer({ clock, gc: 'manual' }))],
];

describe.each(backEnds)('%s', (_name, openOn) => {
  let db: Database;
  let close: () => Promise<void>;
  const sessions = () => db.repository(Session);
  const save = (id: string, rest: Partial<Session>) =>
    sessions().save(sessions().create({ id, ...rest }));
  const idsOf = async (user: string) =>
    (await sessions().index('byUser').prefix({ user }).all()).map(({ id }) => id);
  const covered = (user: string) => sessions().index('byUser').covered().prefix({ user }).all();
  const faults = async () => {
    const { found } = await db.derived.verify(Session);
    return Object.values(found).reduce((sum, each) => sum + each, 0);
  };

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1);
    ({ db, close } = await openOn([Session], { clock, gc: 'onRead' }));
  });
  afterEach(() => close());

  test('an entry is found until its row leaves the index', async () => {
    await save('1', { user: 'ann', note: 'kept' });
    now += hour;
    expect(await idsOf('ann')).toEqual(['1']);
    expect(await covered('ann')).toHaveLength(1);
    now += 1;
    expect(await idsOf('ann')).toEqual([]);
    expect(await covered('ann')).toEqual([]);
    expect(await sessions().get({ id: '1' })).toMatchObject({ note: 'kept' });
    expect(await sessions().index('byNote').prefix({ note: 'kept' }).count()).toBe(1);
    expect(await faults()).toBe(0);
  });

  test('a covered value goes with its cell, and an entry with the first column it needs', async () => {
    await save('1', { user: 'ann', device: 'phone' });
    now += hour / 2;
    await sessions().patch({ id: '1' }, { user: 'ann' });
    expect(await sessions().index('byDevice').prefix({ device: 'phone' }).count()).toBe(1);
    now += hour + 1;
    expect(await sessions().index('byDevice').prefix({ device: 'phone' }).count()).toBe(0);
    await sessions().patch({ id: '1' }, { user: 'ann' });
    expect(await covered('ann')).toMatchObject([{ device: 'phone' }]);
    now += hour;
    await sessions().patch({ id: '1' }, { user: 'ann' });
    now += hour / 2;
    expect(await covered('ann')).toEqual([{ user: 'ann', id: '1' }]);
    expect(await faults()).toBe(0);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['save', () => save('1', { user: 'ann', token: 't' })],
    [
      'saveMany',
      () => sessions().saveMany([sessions().create({ id: '1', user: 'ann', token: 't' })]),
    ],
    ['patch', () => sessions().patch({ id: '1' }, { user: 'ann', token: 't' })],
    [
      'patchMany',
      () => sessions().patchMany([{ key: { id: '1' }, changes: { user: 'ann', token: 't' } }]),
    ],
    [
      'patch with remove',
      () => sessions().patch({ id: '1' }, { user: 'ann', token: 't' }, { remove: [] }),
    ],
  ])('%s of the same values renews the entries', async (_method, write) => {
    await save('1', { user: 'ann', token: 't' });
    now += hour / 2;
    await write();
    expect(await faults()).toBe(0);
    now += hour;
    expect(await idsOf('ann')).toEqual(['1']);
    expect(await sessions().index('byToken').get({ token: 't' })).toMatchObject({ id: '1' });
    now += 1;
    expect(await idsOf('ann')).toEqual([]);
    expect(await covered('ann')).toEqual([]);
  });

  test('a unique value is free once its row has expired, and not before', async () => {
    await save('1', { token: 't' });
    now += hour;
    await expect(save('2', { token: 't' })).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
    now += 1;
    await save('2', { token: 't' });
    expect((await sessions().index('byToken').get({ token: 't' }))?.id).toBe('2');
    await expect(save('1', { token: 't' })).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
    expect(await faults()).toBe(0);
  });

  test('a unique value that is renewed stays taken', async () => {
    await save('1', { token: 't' });
    now += hour / 2;
    await save('1', { token: 't' });
    now += hour;
    await expect(save('2', { token: 't' })).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
  });

  test('entries with another time than their rows are wrong, and repair renews them', async () => {
    await save('1', { user: 'ann', token: 't' });
    const { model } = sessions();
    now += hour / 2;
    const [byUser] = model.indexes;
    const key = byUser.entry.key.encode({ user: 'ann', id: '1' });
    // The base row as another program without the index renews it.
    const cell = { family: 'h', qualifier: Buffer.from('user'), timestamp: BigInt(now) * 1000n };
    await db.engine.mutateRow('sessions', {
      key: model.key.encode({ id: '1' }),
      mutations: [{ kind: 'setCell', ...cell, value: Buffer.from('ann') }],
    });
    expect((await db.derived.verify(Session)).findings).toMatchObject([
      { kind: 'wrong', index: 'byUser', row: { id: '1' } },
    ]);
    expect(await db.derived.repair(Session)).toMatchObject({ repaired: 1 });
    expect(await faults()).toBe(0);
    now += hour;
    expect(await idsOf('ann')).toEqual(['1']);
    // The entry's own cells are too old.
    await sessions().save(sessions().create({ id: '1', user: 'ann' }));
    const { token } = byUser.own;
    const [stored] = (await sessions()
      .index('byUser')
      .covered()
      .prefix({ user: 'ann' })
      .all()) as object[];
    expect(stored).toBeDefined();
    await db.engine.mutateRow('sessions_index', {
      key,
      mutations: [{ kind: 'deleteFromColumn', ...byUser.own.holder }],
    });
    await db.engine.mutateRow('sessions_index', {
      key,
      mutations: [
        {
          kind: 'setCell',
          ...token,
          qualifier: byUser.own.holder.qualifier,
          timestamp: BigInt(now - 1) * 1000n,
          value: Buffer.alloc(0),
        },
      ],
    });
    expect((await db.derived.verify(Session)).found.wrong).toBe(1);
    await db.derived.repair(Session);
    expect(await faults()).toBe(0);
  });

  test('a rebuild gives the entries the times of their rows', async () => {
    await save('1', { user: 'ann', device: 'phone' });
    await db.engine.dropRowRange('sessions_index', { kind: 'all' });
    now += hour / 2;
    await db.derived.rebuild(Session, 'byUser');
    expect(await covered('ann')).toMatchObject([{ device: 'phone' }]);
    now += hour / 2;
    expect(await idsOf('ann')).toEqual(['1']);
    now += 1;
    expect(await covered('ann')).toEqual([]);
  });

  test('the entry of a changed value stays no longer than the old one', async () => {
    await save('1', { user: 'ann' });
    await save('1', { user: 'bob' });
    expect(await idsOf('ann')).toEqual([]);
    const { byUser } = await compareEntries(db, Session);
    expect(byUser.stored).toEqual(byUser.expected);
    await sessions().delete({ id: '1' });
    expect((await compareEntries(db, Session)).byUser.stored).toEqual([]);
  });
});

test('after a compaction nothing is left of expired rows', async () => {
  now = Date.UTC(2026, 0, 1);
  const db = await open('memory:', { entities: [Session], clock });
  const sessions = db.repository(Session);
  await sessions.save(sessions.create({ id: '1', user: 'ann', device: 'phone', token: 't' }));
  expect(await keysOf(db.engine, 'sessions_index')).toHaveLength(4);
  now += 25 * hour;
  await db.engine.compact();
  expect(await keysOf(db.engine, 'sessions')).toEqual([]);
  expect(await keysOf(db.engine, 'sessions_index')).toEqual([]);
  await db.close();
});

test('storage that has collected an entry, and not yet its row, is no fault', async () => {
  now = Date.UTC(2026, 0, 1);
  const db = await open('memory:', { entities: [Session], clock, gc: 'manual' });
  const sessions = db.repository(Session);
  await sessions.save(sessions.create({ id: '1', user: 'ann' }));
  const key = sessions.model.indexes[0].entry.key.encode({ user: 'ann', id: '1' });
  await db.engine.mutateRow('sessions_index', { key, mutations: [{ kind: 'deleteFromRow' }] });
  expect((await db.derived.verify(Session)).found.missing).toBe(1);
  now += hour + 1;
  expect(await sessions.get({ id: '1' })).toBeDefined();
  expect((await db.derived.verify(Session)).found.missing).toBe(0);
  await db.close();
});
