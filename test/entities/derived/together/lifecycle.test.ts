/** Indexes over the life of a database: restored, opened for reads, undeclared and declared again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  maxAge,
  maxVersions,
  open,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { forgetStates, otherProgram, savePlain } from '../check/plain-rows.js';
import { Order } from '../index/entities.js';
import { codeOf } from '../index/stored-entries.js';
import { Ticket } from './tickets.js';

const families = { m: { gc: maxVersions(1) } };

@Entity({ table: 'notes', families })
class Note {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byTag: indexOn('tag') });
  @Segment('uint', { max: 999 }) id!: number;
  @Column('m', 'string') tag?: string;
}

/** The same rows without the index, and with another one. */
const plainNote = (() => {
  @Entity({ table: 'notes', families })
  class Note {
    static readonly key = rowKey('id');
    @Segment('uint', { max: 999 }) id!: number;
    @Column('m', 'string') tag?: string;
  }
  return Note;
})();

/** Another entity of the table. */
@Entity({ table: 'notes', families })
class Other {
  static readonly key = rowKey('id', 'part');
  @Segment('uint', { max: 999 }) id!: number;
  @Segment('uint', { max: 999 }) part!: number;
  @Column('m', 'string') tag?: string;
}

describe('an index that is undeclared for a while', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const withDb = async (
    entities: readonly EntityClass[],
    run: (db: Awaited<ReturnType<typeof open>>) => Promise<void>,
    options: { readonly readOnly?: boolean } = {},
  ): Promise<void> => {
    await using db = await open(`file:${folder}`, { durability: 'relaxed', ...options, entities });
    await run(db);
  };
  const tagged = async (db: Awaited<ReturnType<typeof open>>) =>
    (await db.repository(Note).index('byTag').prefix({ tag: 'x' }).all()).map(({ id }) => id);

  test('is not read before it is rebuilt', async () => {
    await withDb([Note], async (db) => {
      const notes = db.repository(Note);
      await notes.save(notes.create({ id: 1, tag: 'x' }));
    });
    await withDb([plainNote], async (db) => {
      const notes = db.repository(plainNote);
      await notes.save(notes.create({ id: 2, tag: 'x' }));
      expect(await db.derived.list()).toMatchObject([{ state: 'undeclared' }]);
    });
    await withDb([Note], async (db) => {
      expect(await codeOf(tagged(db))).toBe('INDEX_NOT_READY');
      expect(await db.derived.rebuild(Note, 'byTag')).toMatchObject({ ready: true });
      expect(await tagged(db)).toEqual([1, 2]);
    });
    await withDb([Note], async (db) => expect(await tagged(db)).toEqual([1, 2]));
  });

  test('stays ready if nothing could write its rows meanwhile', async () => {
    await withDb([Note, Ticket], async (db) => {
      const notes = db.repository(Note);
      await notes.save(notes.create({ id: 1, tag: 'x' }));
    });
    await withDb([Ticket], async () => undefined);
    await withDb([Other], async () => undefined);
    await withDb([plainNote], async () => undefined, { readOnly: true });
    await withDb([Note], async (db) => expect(await tagged(db)).toEqual([1]));
  });

  test('a build that is interrupted by such a program begins again', async () => {
    await withDb([plainNote], async (db) => {
      const notes = db.repository(plainNote);
      await notes.saveMany(
        Array.from({ length: 600 }, (_, i) => notes.create({ id: i + 10, tag: 'y' })),
      );
    });
    await withDb([Note], async (db) => {
      const stop = new AbortController();
      const build = db.derived.rebuild(Note, 'byTag', {
        signal: stop.signal,
        onProgress: () => stop.abort(),
      });
      await expect(build).rejects.toThrow();
    });
    await withDb([plainNote], async (db) => {
      const notes = db.repository(plainNote);
      await notes.save(notes.create({ id: 1, tag: 'x' }));
    });
    await withDb([Note], async (db) => {
      await db.derived.rebuild(Note, 'byTag');
      expect(await tagged(db)).toEqual([1]);
    });
  });

  test('is read by a database that is opened for reads', async () => {
    await withDb([Note, Ticket], async (db) => {
      const notes = db.repository(Note);
      await notes.save(notes.create({ id: 1, tag: 'x' }));
    });
    await withDb(
      [Note, Ticket],
      async (db) => {
        expect(await tagged(db)).toEqual([1]);
        expect(await db.repository(Note).index('byTag').covered().scanAll().count()).toBe(1);
        // The table has no row.
        expect(await db.repository(Ticket).index('byStatus').scanAll().all()).toEqual([]);
        expect(await db.repository(Ticket).rollup('daily').scanAll().all()).toEqual([]);
        expect((await db.derived.verify(Note)).findings).toEqual([]);
        expect(await codeOf(db.derived.repair(Note))).toBe('resolved');
        expect(await codeOf(db.derived.rebuild(Note, 'byTag'))).toBe('UNSUPPORTED');
      },
      { readOnly: true },
    );
  });
});

const live = backEnds.filter(({ name }) => name.startsWith('live'));
if (live.length > 0)
  describe.each(live)('$name', ({ open: start }) => {
    test('db.admin.apply of a program without an index closes it', async () => {
      const opened = await start([Note]);
      try {
        const notes = opened.db.repository(Note);
        await notes.save(notes.create({ id: 1, tag: 'x' }));
        await otherProgram(opened.db, [Other]).admin.apply();
        expect(await opened.db.derived.list()).toMatchObject([{ state: 'ready' }]);
        await otherProgram(opened.db, [plainNote]).admin.apply();
        expect(await opened.db.derived.list()).toMatchObject([{ state: 'building' }]);
        const again = otherProgram(opened.db, [Note]);
        expect(await codeOf(again.repository(Note).index('byTag').scanAll().all())).toBe(
          'INDEX_NOT_READY',
        );
      } finally {
        await opened.close();
      }
    });
  });

test('a test database that is restored knows which indexes are ready', async () => {
  await using db = await testDatabase([Order]);
  await savePlain(db, [{ id: 1, customer: 'ann' }]);
  const order = { tenant: 'acme', id: 1 };
  const byCustomer = db.repository(Order).index('byCustomer').prefix({ customer: 'ann' });
  await forgetStates(db, Order);
  const before = db.snapshot();
  expect(await codeOf(byCustomer.all())).toBe('INDEX_NOT_READY');
  await db.derived.rebuild(Order, 'byCustomer');
  expect(await byCustomer.all()).toMatchObject([order]);
  await db.restore(before);
  expect(await codeOf(byCustomer.all())).toBe('INDEX_NOT_READY');
});

test('managed dates, rollups and indexes follow the clock of a test database', async () => {
  await using db = await testDatabase([Ticket], { now: Date.UTC(2026, 5, 1) });
  const tickets = db.repository(Ticket);
  const key = { shop: 'north', at: new Date(Date.UTC(2026, 5, 1)), id: 1 };
  await tickets.save(tickets.create({ ...key, status: 'open', code: 'a' }));
  const snapshot = db.snapshot();
  db.clock.advance('2d');
  await tickets.update(key, (ticket) => void (ticket.status = 'paid'));
  expect(await tickets.get(key)).toMatchObject({
    createdAt: new Date(Date.UTC(2026, 5, 1)),
    updatedAt: new Date(Date.UTC(2026, 5, 3)),
  });
  expect((await db.derived.verify(Ticket)).findings).toEqual([]);
  await db.restore(snapshot);
  expect(await tickets.index('byStatus').scanAll().all()).toMatchObject([{ status: 'open' }]);
  await tickets.update(key, (ticket) => void (ticket.status = 'void'));
  expect(await tickets.index('byStatus').scanAll().all()).toMatchObject([
    { status: 'void', updatedAt: new Date(Date.UTC(2026, 5, 1)) },
  ]);
  expect(await tickets.rollup('daily').scanAll().all()).toMatchObject([
    { tickets: 1, last: 'void' },
  ]);
  await db.reset();
  expect(await tickets.index('byStatus').scanAll().all()).toEqual([]);
  await tickets.save(tickets.create({ ...key, status: 'open', code: 'a' }));
  expect((await db.derived.verify(Ticket)).findings).toEqual([]);
});

@Entity({ table: 'sessions', families: { m: { gc: maxAge('1h') } } })
class Session {
  static readonly key = rowKey('user', 'at');
  static readonly indexes = indexes({
    byToken: uniqueIndexOn('token').including('ip'),
    byIp: indexOn('ip'),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['user', { time: 'at', every: '1d' }],
      values: { sessions: 'count' },
    },
  });
  @Segment('string') user!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') token?: string;
  @Column('m', 'string') ip?: string;
}

describe.each(backEnds)("$name, gc: 'onRead'", ({ open: start }) => {
  test('rows that have expired hold no unique value, and stay counted', async () => {
    let now = Date.now();
    const { db, close } = await start([Session], { gc: 'onRead', clock: () => now });
    try {
      const sessions = db.repository(Session);
      const at = new Date(Math.floor(now / 86_400_000) * 86_400_000);
      await sessions.save(sessions.create({ user: 'ann', at, token: 't', ip: 'i' }));
      now += 2 * 3_600_000;
      expect(await sessions.index('byToken').get({ token: 't' })).toBeUndefined();
      expect(await sessions.index('byIp').scanAll().all()).toEqual([]);
      await sessions.save(sessions.create({ user: 'bob', at, token: 't', ip: 'i' }));
      expect((await sessions.index('byToken').get({ token: 't' }))?.user).toBe('bob');
      expect((await sessions.index('byIp').scanAll().all()).map(({ user }) => user)).toEqual([
        'bob',
      ]);
      await sessions.insert(sessions.create({ user: 'ann', at, token: 'u', ip: 'i' }));
      await sessions.patch({ user: 'ann', at }, { ip: 'j' }, { if: { equals: { token: 'u' } } });
      const daily = await sessions.rollup('daily').scanAll().all();
      expect(daily.map(({ user, sessions: n }) => [user, n])).toEqual([
        ['ann', 2],
        ['bob', 1],
      ]);
      // A day later, versions have expired as well.
      now += 30 * 3_600_000;
      await sessions.save(sessions.create({ user: 'ann', at, token: 't', ip: 'k' }));
      await sessions.patch({ user: 'ann', at }, { ip: 'l' });
      expect((await sessions.index('byIp').scanAll().all()).map(({ user }) => user)).toEqual([
        'ann',
      ]);
      await db.derived.repair(Session);
      expect((await db.derived.verify(Session)).findings).toEqual([]);
      expect(await sessions.index('byToken').covered().scanAll().all()).toMatchObject([
        { user: 'ann', ip: 'l' },
      ]);
    } finally {
      await close();
    }
  });
});
