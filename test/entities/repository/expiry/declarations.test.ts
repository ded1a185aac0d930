/** What an entity with `expiresAt` may declare, and which calls it refuses. */
import {
  aggregate,
  Column,
  column,
  ColumnMap,
  copies,
  copyOf,
  Counter,
  defineEntity,
  Entity,
  type EntityClass,
  indexes,
  indexOn,
  intersection,
  maxAge,
  maxVersions,
  open as openDatabase,
  rollups,
  rowKey,
  Segment,
  type Version,
  Versions,
  type GcRule,
} from '../../../../src/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { describeEntity, migrate } from '../../../../src/tools/index.js';
import { type TestDatabase, testDatabase } from '../../../../src/tools/testing/index.js';
import { at, Draft, hour, Kept, Session, Slot, start } from './entities.js';

const open: TestDatabase[] = [];

async function opened(entities: readonly EntityClass[]): Promise<TestDatabase> {
  const db = await testDatabase(entities);
  open.push(db);
  return db;
}

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

describe('declarations', () => {
  const declared = (families: Record<string, { gc?: GcRule }>, more: object = {}): EntityClass =>
    defineEntity(
      class Lease {
        id = '';
        until = new Date(0);
        text?: string;
      },
      {
        table: 'leases',
        families,
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { until: column('a', 'timestamp'), text: column('b', 'string') },
        expiresAt: 'until',
        ...more,
      },
    );
  const faultsOf = (entity: EntityClass): unknown => {
    try {
      buildModel(entity);
      return [];
    } catch (error) {
      return (error as { details: { faults: unknown } }).details.faults;
    }
  };
  const day = { gc: maxAge('1d') };

  test('defineEntity takes it as the decorator does', async () => {
    const Lease = declared({ a: day, b: day });
    expect(buildModel(Lease).expiresAt).toEqual({
      property: 'until',
      age: 86_400_000_000,
      isColumn: true,
    });
    expect(String(describeEntity(Session))).toMatch(/^ *expires at +until$/mu);
    const db = await opened([Lease]);
    db.clock.set(start);
    const leases = db.repository(Lease as EntityClass<{ id: string; until: Date }>);
    await leases.save(leases.create({ id: '1', until: at(1) }));
    db.clock.advance(hour);
    expect(await leases.scanAll().count()).toBe(1);
    db.clock.advance(1);
    expect(await leases.scanAll().count()).toBe(0);
  });

  test.each<[string, EntityClass, object]>([
    [
      'a family without an age',
      declared({ a: day, b: { gc: intersection(maxAge('1d'), maxVersions(1)) } }),
      {
        property: 'until',
        problem: "rows expire by the age of their cells, and no rule deletes cells of 'b' by age",
        fix: "declare families: { b: { gc: maxAge('1d') } }",
      },
    ],
    [
      'different ages',
      declared({ a: day, b: { gc: maxAge('2d') } }),
      {
        property: 'until',
        problem:
          "the cells of a row expire together, and its families have different ages: 'a' 1d, 'b' 2d",
      },
    ],
    [
      'an age in microseconds',
      declared({ a: { gc: maxAge(1.5) }, b: { gc: maxAge(1.5) } }),
      { problem: 'the maxAge of its family is 1.5 ms, and timestamps are whole milliseconds' },
    ],
    [
      'a property that is no date',
      declared({ a: day, b: day }, { expiresAt: 'text' }),
      { property: 'text', problem: 'expiresAt names a property that is not a timestamp' },
    ],
    [
      'an unknown property',
      declared({ a: day, b: day }, { expiresAt: 'end' }),
      { property: 'end', problem: 'expiresAt names a property that is not a timestamp' },
    ],
    [
      'no name',
      declared({ a: day, b: day }, { expiresAt: 5 }),
      { property: 'expiresAt', problem: 'expiresAt is the number 5, not the name of a property' },
    ],
    [
      'cellTimestamp as well',
      declared({ a: day, b: day }, { cellTimestamp: 'until' }),
      { problem: 'both expiresAt and cellTimestamp would set the timestamps of the cells' },
    ],
  ])('%s is refused', (_name, entity, fault) => {
    expect(faultsOf(entity)).toEqual([expect.objectContaining({ entity: 'Lease', ...fault })]);
  });

  test('counters and versions are refused: their cells have other times', () => {
    @Entity({
      table: 'rows',
      families: { a: { gc: maxAge('1d') }, c: aggregate('sum'), d: aggregate('sum') },
      expiresAt: 'until',
    })
    class Row {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('a', 'timestamp') until!: Date;
      @Counter('c') hits?: bigint;
      @Counter('a') views?: bigint;
      @Versions('a', 'string') texts?: Version<string>[];
      @ColumnMap('d', 'int64') byDay?: Map<string, bigint>;
    }
    const problems = (faultsOf(Row) as { property: string; problem: string }[]).map(
      ({ property, problem }) => `${property}: ${problem}`,
    );
    expect(problems).toEqual([
      "hits: the cells of @Counter have their own timestamps, so that they cannot expire at 'until'",
      "views: the cells of @Counter have their own timestamps, so that they cannot expire at 'until'",
      "texts: the cells of @Versions have their own timestamps, so that they cannot expire at 'until'",
      "byDay: the cells of @ColumnMap have their own timestamps, so that they cannot expire at 'until'",
    ]);
  });
});

test('explain lists the rules of the families in which rows end, for each entity of the table', async () => {
  await using db = await openDatabase('memory:', { entities: [Session, Kept, Slot], gc: 'manual' });
  const rules = ['m (maxage=1d || maxversions=1)', 's maxage=1d'];
  for (const entity of [Session, Kept] as EntityClass[])
    expect(db.repository(entity).scanAll().explain().hidden).toEqual(rules);
  expect(db.repository(Slot).scanAll().explain().hidden).toEqual(['s maxage=1h']);
  await using plain = await openDatabase('memory:', { entities: [Kept], gc: 'manual' });
  expect(plain.repository(Kept).scanAll().explain().hidden).toEqual([]);
});

describe('calls', () => {
  const unsupported = (entity: string, property: string) => ({
    code: 'UNSUPPORTED',
    details: { entity, property },
  });

  test('a part of a row is not written', async () => {
    const db = await opened([Session, Slot, Draft]);
    db.clock.set(start);
    const sessions = db.repository(Session);
    const slots = db.repository(Slot);
    const session = sessions.create({ id: '1', until: at(1), note: 'x' });
    await sessions.save(session);
    const slot = { room: 'r', end: at(1) };
    await slots.save(slots.create({ ...slot, note: 'x' }));
    const patched = unsupported('Session', 'patch');
    await expect(sessions.patch({ id: '1' }, { note: 'y' })).rejects.toMatchObject({
      ...patched,
      details: {
        problem: "the cells of a row expire together at 'until', and patch() writes some of them",
        fix: 'read the row, change it and save() it; with @Revision, update() does the three',
      },
    });
    await expect(sessions.patch({ id: '1' }, { note: 'y', until: at(2) })).rejects.toMatchObject(
      patched,
    );
    await expect(
      sessions.patchMany([{ key: { id: '1' }, changes: { note: 'y' } }]),
    ).rejects.toMatchObject(patched);
    await expect(sessions.append({ id: '1' }, { note: 'y' })).rejects.toMatchObject(
      unsupported('Session', 'increment'),
    );
    await expect(slots.append(slot, { note: 'y' })).rejects.toMatchObject(
      unsupported('Slot', 'increment'),
    );
    expect(await sessions.get({ id: '1' })).toEqual(session);
    expect(await slots.get(slot)).toEqual({ ...slot, note: 'x' });
  });

  test('a row without a time, or before its first one, is INVALID_VALUE', async () => {
    const db = await opened([Session]);
    const sessions = db.repository(Session);
    const rejected = { code: 'INVALID_VALUE', details: { entity: 'Session', property: 'until' } };
    const save = (until: unknown) =>
      sessions.save(Object.assign(new Session(), { id: '1', user: 'ann', until }));
    for (const until of [undefined, null, 'tomorrow', new Date(NaN), new Date(86_399_999)])
      await expect(save(until)).rejects.toMatchObject(rejected);
    await expect(save(undefined)).rejects.toMatchObject({
      details: {
        problem: 'it is the time at which the row expires (expiresAt), and it is undefined',
        fix: 'give each row a Date from 1970-01-02T00:00:00.000Z on',
      },
    });
    await expect(save(new Date(5))).rejects.toMatchObject({
      details: {
        problem:
          'it is the time at which the row expires (expiresAt), and it is 1970-01-01T00:00:00.005Z',
      },
    });
    expect(await db.engine.sampleRowKeys('sessions')).toHaveLength(1);
    await save(new Date(86_400_000));
    await save(new Date(Date.UTC(9999, 11, 31)));
    expect(await sessions.scanAll().count()).toBe(1);
  });

  test('no read takes the timestamps of cells as the times of writes', async () => {
    const db = await opened([Session]);
    const sessions = db.repository(Session);
    const asOf = at(0);
    const refused = (property: string) => unsupported('Session', property);
    await expect(sessions.get({ id: '1' }, { asOf })).rejects.toMatchObject(refused('asOf'));
    await expect(sessions.exists({ id: '1' }, { asOf })).rejects.toMatchObject(refused('asOf'));
    await expect(async () => sessions.scanAll().asOf(asOf)).rejects.toMatchObject(refused('asOf'));
    await expect(sessions.history({ id: '1' }, 'note')).rejects.toMatchObject(refused('history'));
    await expect(sessions.entryHistory({ id: '1' }, 'marks', 'a')).rejects.toMatchObject(
      refused('entryHistory'),
    );
  });
});

test('migrate() keeps timestamps, so that both entities or neither must name a time', async () => {
  @Entity({ table: 'olds', families: { s: { gc: maxAge('1d') } } })
  class Old {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('s', 'timestamp') until!: Date;
    @Column('s', 'string') text?: string;
  }
  @Entity({ table: 'news', families: { s: { gc: maxAge('1d') } }, expiresAt: 'until' })
  class New extends Old {
    static override readonly key = rowKey('id');
  }
  const db = await opened([Old, New]);
  db.clock.set(start);
  const [olds, news] = [db.repository(Old), db.repository(New)];
  await olds.save(olds.create({ id: '1', until: at(1), text: 'x' }));
  const refused = { code: 'UNSUPPORTED', details: { entity: 'New', property: 'until' } };
  await expect(migrate(db.engine, { from: Old, to: New })).rejects.toMatchObject(refused);
  await expect(migrate(db.engine, { from: New, to: Old })).rejects.toMatchObject(refused);
  expect(await news.scanAll().count()).toBe(0);
  const map = (old: Old): New => Object.assign(new New(), old);
  await migrate(db.engine, { from: Old, to: New, map });
  db.clock.advance(hour);
  expect(await news.scanAll().all()).toEqual([{ id: '1', until: at(1), text: 'x' }]);
  db.clock.advance(1);
  expect(await news.scanAll().count()).toBe(0);
});

test('copies have the time of their row, and rollups keep what has expired', async () => {
  @Entity({ table: 'users', families: { m: {} } })
  class User {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'string') name?: string;
  }
  @Entity({ table: 'logins', families: { s: { gc: maxAge('1d') } }, expiresAt: 'until' })
  class Login {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({
      byUser: indexOn('user').including('name'),
      byName: indexOn('name'),
    });
    static readonly copies = copies({ name: copyOf(() => User, 'name', { id: 'user' }) });
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('s', 'timestamp') until!: Date;
    @Column('s', 'string') user?: string;
    @Column('s', 'string') name?: string;
  }
  @Entity({ table: 'holds', families: { s: { gc: maxAge('1d') } }, expiresAt: 'until' })
  class Hold {
    static readonly key = rowKey('made', 'id');
    static readonly rollups = rollups({
      daily: { by: [{ time: 'made', every: '1d' }], values: { n: 'count' } },
    });
    @Segment('timestamp') made!: Date;
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('s', 'timestamp') until!: Date;
  }
  const db = await opened([User, Login, Hold]);
  db.clock.set(start);
  const [users, logins, holds] = [db.repository(User), db.repository(Login), db.repository(Hold)];
  await users.save(users.create({ id: 'u', name: 'Ann' }));
  for (const [id, until] of [
    ['1', at(1)],
    ['2', at(60)],
  ] as const) {
    await logins.save(logins.create({ id, until, user: 'u' }));
    await holds.save(holds.create({ made: at(0), id, until }));
  }
  await users.patch({ id: 'u' }, { name: 'Bea' });
  const named = async (name: string) =>
    (await logins.index('byName').prefix({ name }).all()).map((row) => [row.id, row.name]);
  expect(await named('Bea')).toEqual([
    ['1', 'Bea'],
    ['2', 'Bea'],
  ]);
  db.clock.set(start + hour + 1);
  expect(await named('Bea')).toEqual([['2', 'Bea']]);
  expect(await logins.get({ id: '1' })).toBeUndefined();
  db.clock.set(start + 50 * hour);
  await users.patch({ id: 'u' }, { name: 'Cleo' });
  expect(await named('Cleo')).toEqual([['2', 'Cleo']]);
  db.clock.set(start + 60 * hour + 1);
  expect(await named('Cleo')).toEqual([]);
  expect(await holds.scanAll().count()).toBe(0);
  expect(await holds.rollup('daily').scanAll().all()).toMatchObject([{ n: 2 }]);
  await db.engine.compact();
  expect(await logins.index('byUser').covered().scanAll().all()).toEqual([]);
});
