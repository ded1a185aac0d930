/** Every write path of an entity with all kinds of derived rows, on every back end. */
import { Readable, Writable } from 'node:stream';
import { bufferedCounters, type Database } from '../../../../src/index.js';
import {
  defineMigration,
  exportRows,
  importRows,
  migrate,
} from '../../../../src/tools/transfer/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import { codeOf } from '../index/stored-entries.js';
import { day, expectTickets, nameOf, type PlainTicket, type Tickets } from './expected.js';
import { MovedTicket, Parcel, Ticket } from './tickets.js';

const at = (n: number): Date => new Date(Date.UTC(2026, 10, 1) + n * (day / 4));

describe.each(backEnds)('$name', ({ open }) => {
  let opened: OpenedBackEnd;
  let db: Database;
  let tickets: Tickets;
  const repository = () => db.repository(Ticket);
  const ticket = (shop: string, id: number, rest: Partial<PlainTicket> = {}): PlainTicket => ({
    shop,
    at: at(id),
    id,
    status: 'open',
    code: `${id}`,
    total: BigInt(id * 10),
    ...rest,
  });
  const key = ({ shop, at: time, id }: PlainTicket) => ({ shop, at: time, id });
  const wrote = (plain: PlainTicket): void => void tickets.set(nameOf(plain), plain);
  const create = (plain: PlainTicket): Ticket => repository().create({ ...plain });

  beforeEach(async () => {
    opened = await open([Ticket, MovedTicket, Parcel]);
    ({ db } = opened);
    tickets = new Map();
  });
  afterEach(async () => {
    // No write path leaves a fault.
    await expectTickets(db, tickets);
    await opened.close();
  });

  test('save, insert, patch, update, delete of one row', async () => {
    const [a, b, c] = [1, 2, 5].map((id) => ticket('north', id));
    // The hook changes indexed properties.
    const first = create({ ...a, status: ' OPEN ', code: ' 1 ' });
    await repository().save(first);
    wrote(a);
    await repository().insert(create(b));
    wrote(b);
    await expectTickets(db, tickets);
    expect(await codeOf(repository().insert(create(b)))).toBe('ROW_EXISTS');
    expect(await codeOf(repository().save(create(a)))).toBe('REVISION_CONFLICT');
    expect(await codeOf(repository().insert(create({ ...c, code: '2' })))).toBe('UNIQUE_VIOLATION');
    expect(await codeOf(repository().save(create({ ...c, code: '2' })))).toBe('UNIQUE_VIOLATION');
    expect(await codeOf(repository().patch(key(c), { code: '2' }))).toBe('UNIQUE_VIOLATION');
    await expectTickets(db, tickets);

    first.status = 'Paid';
    await repository().save(first);
    wrote({ ...a, status: 'paid' });
    await expectTickets(db, tickets);
    await repository().patch(first, { total: 7n });
    wrote({ ...a, status: 'paid', total: 7n });
    expect(await codeOf(repository().patch(first, { status: 'void' }))).toBe('REVISION_CONFLICT');
    expect(await codeOf(repository().save(first))).toBe('REVISION_CONFLICT');
    expect(await codeOf(repository().delete(first))).toBe('REVISION_CONFLICT');
    await expectTickets(db, tickets);

    await repository().patch(key(b), { status: 'void' }, { remove: ['code'], add: { views: 2n } });
    wrote({ ...b, status: 'void', code: undefined });
    await repository().patch(key(c), { code: '2', status: 'open', total: 5n });
    wrote({ ...c, code: '2', total: 5n });
    await expectTickets(db, tickets);
    await repository().update(key(c), (each) => {
      each.status = ' VOID';
      each.code = '77';
    });
    wrote({ ...c, code: '77', status: 'void', total: 5n });
    await expectTickets(db, tickets);
    expect(
      await codeOf(
        repository().update(key(c), (each) => {
          each.code = '1';
        }),
      ),
    ).toBe('UNIQUE_VIOLATION');
    expect((await repository().get(key(b)))?.views).toBe(2n);
    await repository().delete((await repository().get(key(a)))!);
    tickets.delete(nameOf(a));
    await repository().delete(key(b));
    tickets.delete(nameOf(b));
    await expectTickets(db, tickets);
    await repository().insert(create({ ...a, code: '2' }));
    wrote({ ...a, code: '2' });
  });

  test('conditions, and updates at the same time', async () => {
    const a = ticket('north', 1);
    await repository().save(create(a));
    const condition = { if: { equals: { status: 'paid' } } };
    expect(await codeOf(repository().patch(key(a), { total: 1n }, condition))).toBe(
      'CONDITION_FAILED',
    );
    wrote(a);
    await expectTickets(db, tickets);
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        repository().update(
          key(a),
          (each) => {
            each.total! += 1n;
            each.status = i % 2 === 0 ? 'paid' : 'void';
          },
          { attempts: 100 },
        ),
      ),
    );
    const stored = (await repository().get(key(a)))!;
    expect(stored.total).toBe(22n);
    wrote({ ...a, total: 22n, status: stored.status });
  });

  test('many rows', async () => {
    const all = [1, 2, 3, 4, 5, 6].map((id) => ticket(id % 2 === 0 ? 'south' : 'north', id));
    const saved = all.slice(0, 3).map(create);
    expect((await repository().saveMany(saved)).failures).toEqual([]);
    expect((await repository().insertMany(all.slice(3, 5).map(create))).failures).toEqual([]);
    for (const each of all.slice(0, 5)) wrote(each);
    await expectTickets(db, tickets);
    const taken = await repository().insertMany([create(all[0]), create({ ...all[5], code: '2' })]);
    expect(taken.failures.map(({ error }) => error.code).sort()).toEqual([
      'ROW_EXISTS',
      'UNIQUE_VIOLATION',
    ]);
    await expectTickets(db, tickets);
    const patched = await repository().patchMany([
      { key: key(all[0]), changes: { status: 'paid' } },
      { key: saved[1], changes: { total: 1n } },
      { key: key(all[3]), changes: { code: '2' } },
    ] as never);
    expect(patched.failures.map(({ error }) => error.code)).toEqual(['UNIQUE_VIOLATION']);
    wrote({ ...all[0], status: 'paid' });
    wrote({ ...all[1], total: 1n });
    await expectTickets(db, tickets);
    const stale = await repository().saveMany(saved);
    expect(stale.failures.map(({ error }) => error.code)).toEqual([
      'REVISION_CONFLICT',
      'REVISION_CONFLICT',
    ]);
    wrote(all[2]);
    await expectTickets(db, tickets);
    const deleted = await repository().deleteMany([key(all[0]), saved[2], key(all[4])]);
    expect(deleted.failures).toEqual([]);
    for (const each of [all[0], all[2], all[4]]) tickets.delete(nameOf(each));
  });

  test('deletions of what queries find', async () => {
    const all = [1, 2, 3, 4, 5, 6, 7, 8].map((id) =>
      ticket(id % 2 === 0 ? 'south' : 'north', id, { status: id > 4 ? 'paid' : 'open' }),
    );
    expect((await repository().saveMany(all.map(create))).failures).toEqual([]);
    for (const each of all) wrote(each);
    await expectTickets(db, tickets);
    await repository().index('byStatus').prefix({ shop: 'north', status: 'paid' }).delete();
    tickets.delete(nameOf(all[4]));
    tickets.delete(nameOf(all[6]));
    await expectTickets(db, tickets);
    await repository().scanAll().where({ code: '2' }).delete();
    tickets.delete(nameOf(all[1]));
    await expectTickets(db, tickets);
    await repository().prefix({ shop: 'south' }).delete();
    for (const each of all) if (each.shop === 'south') tickets.delete(nameOf(each));
    await expectTickets(db, tickets);
    await repository().save(create({ ...all[1], code: '8' }));
    wrote({ ...all[1], code: '8' });
  });

  test('in a scope', async () => {
    const scoped = db.scope({ shop: 'north' }).repository(Ticket);
    const a = ticket('north', 1);
    const { shop, ...rest } = a;
    const entity = scoped.create({ ...rest });
    await scoped.save(entity);
    wrote(a);
    await expectTickets(db, tickets);
    await scoped.update({ at: a.at, id: 1 }, (each) => void (each.status = 'paid'));
    wrote({ ...a, shop, status: 'paid' });
    await expectTickets(db, tickets);
    expect(await scoped.index('byStatus').prefix({ status: 'paid' }).count()).toBe(1);
    expect(await scoped.rollup('daily').scanAll().all()).toMatchObject([{ tickets: 1 }]);
    await scoped.scanAll().delete();
    tickets.clear();
  });

  test('counters, buffered and not', async () => {
    const a = ticket('north', 1);
    await repository().save(create(a));
    wrote(a);
    await repository().increment(key(a), 'views', 2n);
    await repository().patch(key(a), {}, { add: { views: 1n } });
    {
      await using counters = bufferedCounters(repository(), { flushEvery: 60_000 });
      for (let i = 0; i < 10; i++) await counters.add(key(a), 'views');
    }
    const row = (await repository().get(key(a)))!;
    expect(row.views).toBe(13n);
    // Additions do not change the revision.
    row.status = 'paid';
    await repository().save(row);
    wrote({ ...a, status: 'paid' });
  });

  test('export and import', async () => {
    const all = [1, 2, 3].map((id) => ticket('north', id));
    await repository().saveMany(all.map(create));
    await repository().delete(key(all[1]));
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    await exportRows(repository().scanAll(), sink as never, { format: 'jsonl' });
    await repository().prefix({ shop: 'north' }).delete();
    await expectTickets(db, tickets);
    const importText = (text: string) =>
      importRows(db.engine, repository().model, Readable.from([Buffer.from(text)]), {
        format: 'jsonl',
      });
    await importText(lines.join(''));
    wrote(all[0]);
    wrote(all[2]);
    await expectTickets(db, tickets);
    const line = { shop: 'north', at: at(4).toJSON(), id: 4, code: '1', revision: 'r' };
    expect(await importText(JSON.stringify(line))).toMatchObject({ rejected: 1 });
    await expectTickets(db, tickets);
    await importText(JSON.stringify({ ...line, code: '2', total: '3' }));
    wrote(ticket('north', 4, { code: '2', total: 3n, status: undefined }));
  });

  test('migration', async () => {
    const all = [1, 2, 3].map((id) => ticket('north', id));
    await repository().saveMany(all.map(create));
    await repository().increment(key(all[0]), 'views', 3n);
    await repository().delete(key(all[1]));
    const migration = defineMigration({ from: Ticket, to: MovedTicket });
    expect(await migrate(db.engine, migration, { deleteOld: true })).toMatchObject({ copied: 2 });
    const moved = db.repository(MovedTicket);
    expect(await moved.index('byStatus').prefix({ shop: 'north', status: 'open' }).count()).toBe(2);
    expect((await moved.index('byCode').get({ shop: 'north', code: '3' }))?.id).toBe(3);
    expect((await moved.index('byCode').get({ shop: 'north', code: '1' }))?.views).toBe(3n);
    expect((await moved.rollup('daily').scanAll().all()).map(({ tickets: n }) => n)).toEqual([2]);
    expect((await db.derived.verify(MovedTicket)).findings).toEqual([]);
  });

  test('rollups that only count do not count deleted rows that keep a version', async () => {
    const parcels = db.repository(Parcel);
    const parcel = (id: number, status?: string): Parcel =>
      parcels.create({ shop: 'north', at: at(0), id, status, note: 'n' });
    await parcels.saveMany([parcel(1, 'open'), parcel(2, 'open'), parcel(3)]);
    await parcels.delete({ shop: 'north', at: at(0), id: 1 });
    const daily = () => parcels.rollup('daily').get({ shop: 'north', at: at(0) });
    expect(await daily()).toMatchObject({ parcels: 2 });
    expect(await db.derived.rollups.verify(Parcel)).toMatchObject({ wrong: 0, orphan: 0 });
    await parcels.prefix({ shop: 'north' }).delete();
    expect(await daily()).toBeUndefined();
    expect(await db.derived.rollups.verify(Parcel)).toMatchObject({ wrong: 0, orphan: 0, rows: 0 });
  });
});
