/** Rows that name the time of their end are read until then, wherever they are stored. */
import type { Database } from '../../../../src/index.js';
import { keysOf, rowsOf } from '../../derived/expiry/entities.js';
import { backEnds, clock } from './back-ends.js';
import { at, Draft, hour, Kept, Profile, Session, Slot, start, Visit } from './entities.js';

describe.each(backEnds)('$name', ({ name, open: openOn }) => {
  let db: Database;
  let close: () => Promise<void>;
  const sessions = () => db.repository(Session);
  const save = (id: string, hours: number, rest: Partial<Session> = {}) =>
    sessions().save(sessions().create({ id, until: at(hours), ...rest }));
  const ids = async (rows: Promise<readonly { readonly id: string }[]>) =>
    (await rows).map(({ id }) => id);
  /** Nothing is left once garbage is collected. */
  const collected = async (): Promise<void> => {
    if (name === 'live') return;
    await db.engine.compact();
    expect(await rowsOf(db.engine, 'sessions')).toEqual([]);
    expect(await keysOf(db.engine, 'sessions_index')).toEqual([]);
  };
  const faults = async (): Promise<number> => {
    const { found } = await db.derived.verify(Session);
    return Object.values(found).reduce((sum, each) => sum + each, 0);
  };
  const byUser = (user: string) => sessions().index('byUser').prefix({ user });

  beforeEach(async () => {
    clock.now = start;
    ({ db, close } = await openOn([Session, Kept, Slot, Draft, Profile, Visit]));
  });
  afterEach(() => close());

  test('a row is found until the time that it names, by every kind of read', async () => {
    await save('1', 1, { user: 'ann', token: 't', note: 'x', marks: new Map([['a', 'b']]) });
    await save('2', 30, { user: 'ann' });
    await save('3', -1, { user: 'ann' });
    const found = async () => ({
      get: (await sessions().get({ id: '1' }))?.note,
      many: (await sessions().getMany([{ id: '1' }, { id: '2' }])).map((row) => row?.id),
      exists: await sessions().exists({ id: '1' }),
      scan: await ids(sessions().scanAll().all()),
      count: await sessions().scanAll().count(),
      keys: await ids(sessions().scanAll().keysOnly().all()),
      where: await ids(sessions().scanAll().where({ user: 'ann' }).all()),
      index: await ids(byUser('ann').all()),
      covered: await ids(sessions().index('byUser').covered().prefix({ user: 'ann' }).all()),
      unique: (await sessions().index('byToken').get({ token: 't' }))?.id,
      nullable: await ids(sessions().index('byNote').prefix({ user: 'ann' }).all()),
    });
    const whole = {
      get: 'x',
      many: ['1', '2'],
      exists: true,
      scan: ['1', '2'],
      count: 2,
      keys: ['1', '2'],
      where: ['1', '2'],
      index: ['1', '2'],
      covered: ['1', '2'],
      unique: '1',
      nullable: ['2', '1'],
    };
    expect(await found()).toEqual(whole);
    clock.now = start + hour;
    expect(await found()).toEqual(whole);
    clock.now += 1;
    expect(await found()).toEqual({
      get: undefined,
      many: [undefined, '2'],
      exists: false,
      scan: ['2'],
      count: 1,
      keys: ['2'],
      where: ['2'],
      index: ['2'],
      covered: ['2'],
      unique: undefined,
      nullable: ['2'],
    });
    clock.now = start + 30 * hour + 1;
    expect(await sessions().scanAll().count()).toBe(0);
    await collected();
  });

  test('the last save decides, whether its time is earlier or later', async () => {
    await save('1', 20, { user: 'ann', note: 'x', marks: new Map([['a', 'b']]) });
    await save('1', 2, { user: 'bob' });
    expect(await sessions().get({ id: '1' })).toEqual({ id: '1', until: at(2), user: 'bob' });
    expect(await ids(byUser('ann').all())).toEqual([]);
    await save('1', 5, { user: 'bob', note: 'y' });
    clock.now = start + 3 * hour;
    expect(await sessions().get({ id: '1' })).toMatchObject({ until: at(5), note: 'y' });
    expect(await ids(byUser('bob').all())).toEqual(['1']);
    await save('1', 4, { user: 'bob', note: 'y' });
    const covered = async (): Promise<string[]> =>
      ids(sessions().index('byUser').covered().prefix({ user: 'bob' }).all());
    expect(await covered()).toEqual(['1']);
    clock.now = start + 4 * hour + 1;
    expect(await sessions().get({ id: '1' })).toBeUndefined();
    expect(await ids(byUser('bob').all())).toEqual([]);
    // The entry of the longer life stays: another write may have made it.
    expect(await covered()).toEqual(['1']);
    await db.derived.repair(Session);
    expect(await covered()).toEqual([]);
    // What belongs to the index stays in the row for a day after the write.
    clock.now += 30 * hour;
    await collected();
  });

  test('a unique value and a key are free once their row has expired, and not before', async () => {
    await save('1', 1, { token: 't' });
    clock.now = start + hour;
    const taken = { code: 'UNIQUE_VIOLATION' };
    await expect(save('2', 5, { token: 't' })).rejects.toMatchObject(taken);
    const again = sessions().create({ id: '1', until: at(3), user: 'bob' });
    await expect(sessions().insert(again)).rejects.toMatchObject({ code: 'ROW_EXISTS' });
    clock.now += 1;
    await sessions().insert(again);
    expect(await sessions().get({ id: '1' })).toEqual({ id: '1', until: at(3), user: 'bob' });
    await save('2', 5, { token: 't' });
    expect((await sessions().index('byToken').get({ token: 't' }))?.id).toBe('2');
    // A shorter life frees it earlier.
    await save('2', 2, { token: 't' });
    clock.now = start + 2 * hour + 1;
    await save('3', 5, { token: 't' });
    expect((await sessions().index('byToken').get({ token: 't' }))?.id).toBe('3');
    expect(await faults()).toBe(0);
  });

  test('rows of other entities in the table stay', async () => {
    const kept = db.repository(Kept);
    await kept.save(kept.create({ id: '1', text: 'x' }));
    await save('1', 1);
    clock.now = start + 1000 * hour;
    expect(await kept.scanAll().all()).toEqual([{ id: '1', text: 'x' }]);
    expect(await sessions().scanAll().all()).toEqual([]);
  });

  test('collections, groups and other aggregates count no row that is over', async () => {
    const profiles = db.repository(Profile);
    const visits = db.repository(Visit);
    await profiles.save(profiles.create({ user: 'ann', name: 'Ann' }));
    for (const [id, hours] of [
      ['1', 1],
      ['2', 3],
    ] as const)
      await visits.save(visits.create({ user: 'ann', id, until: at(hours), pages: 5 }));
    clock.now = start + 2 * hour;
    const people = db.collection({ profile: Profile, visits: Visit });
    const visit = { user: 'ann', id: '2', until: at(3), pages: 5 };
    const members = async () => (await people.prefix({ user: 'ann' }).all()).map((row) => row.kind);
    expect(await members()).toEqual(['profile', 'visits']);
    const mine = visits.prefix({ user: 'ann' });
    expect(await mine.aggregate({ n: 'count', pages: { sum: 'pages' } })).toEqual({
      n: 1,
      pages: 5,
    });
    expect(await mine.firstPer('user').all()).toEqual([visit]);
    expect(await visits.scanAll().distinct('user').all()).toHaveLength(1);
    clock.now = start + 4 * hour;
    expect(await visits.scanAll().distinct('user').all()).toEqual([]);
    expect(await members()).toEqual(['profile']);
  });

  test('a segment that names it allows patches, which do not extend the row', async () => {
    const slots = db.repository(Slot);
    const key = { room: 'r', end: at(1) };
    await slots.save(slots.create({ ...key, guest: 'ann' }));
    clock.now = start + hour / 2;
    await slots.patch(key, { guest: 'bob', note: 'x' });
    await slots.patch(key, { note: null });
    expect(await slots.get(key)).toEqual({ ...key, guest: 'bob' });
    expect(await slots.index('byGuest').prefix({ guest: 'bob' }).count()).toBe(1);
    clock.now = start + hour + 1;
    expect(await slots.get(key)).toBeUndefined();
    expect(await slots.index('byGuest').scanAll().count()).toBe(0);
  });

  test('update() reads, changes and writes the row whole', async () => {
    const drafts = db.repository(Draft);
    await drafts.insert(drafts.create({ id: '1', until: at(1), text: 'a' }));
    const later = await drafts.update({ id: '1' }, (draft) => {
      draft.until = at(3);
    });
    clock.now = start + 2 * hour;
    expect(await drafts.get({ id: '1' })).toMatchObject({ text: 'a', created: new Date(start) });
    await drafts.update({ id: '1' }, (draft) => {
      draft.until = at(2);
    });
    await expect(drafts.save(later!)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
    clock.now += 1;
    expect(await drafts.get({ id: '1' })).toBeUndefined();
    expect(await drafts.update({ id: '1' }, () => undefined)).toBeUndefined();
  });

  test('insert and a write with a condition reject a time that is over; save does not', async () => {
    const drafts = db.repository(Draft);
    const slots = db.repository(Slot);
    const over = drafts.create({ id: '1', until: at(-1) });
    await slots.save(slots.create({ room: 'r', end: at(-1) }));
    expect(await slots.scanAll().all()).toEqual([]);
    await expect(drafts.insert(over)).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: {
        entity: 'Draft',
        property: 'until',
        problem: 'the row would expire at 2026-11-26T23:00:00.000Z, which is over',
      },
    });
    // A save of an entity with a revision has a condition.
    await expect(drafts.save(over)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
    expect(await drafts.get({ id: '1' })).toBeUndefined();
  });
});
