/** Dates and bytes of other realms (`node:vm`) are accepted wherever ours are, and fakes nowhere. */
import { runInNewContext } from 'node:vm';
import {
  Column,
  ColumnMap,
  type Database,
  Entity,
  entriesOf,
  open,
  type Repository,
  rowKey,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'events', families: { m: {}, t: {} } })
class Event {
  static readonly key = rowKey('hash', 'at');
  @Segment('bytes', { maxLength: 4 }) hash!: Uint8Array;
  @Segment('timestamp') at!: Date;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'bytes') raw?: Uint8Array;
  @ColumnMap('t', 'double', { qualifiers: 'timestamp' }) levels?: Map<Date, number>;
}

@Entity({ table: 'hours', families: { m: {} } })
class Hourly {
  static readonly key = rowKey('id', 'hour');
  @Segment('string') id!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('m', 'double') value?: number;
}

const foreignDate = (time: number): Date => runInNewContext(`new Date(${time})`) as Date;
const foreignBytes = (...bytes: number[]): Uint8Array =>
  runInNewContext(`new Uint8Array([${bytes.join()}])`) as Uint8Array;
const minute = 60_000;
const hour = 60 * minute;
const hash = Uint8Array.of(1, 2);

let db: Database;
let events: Repository<typeof Event>;
let hours: Repository<typeof Hourly>;
beforeEach(async () => {
  db = await open('memory:', { entities: [Event, Hourly] });
  events = db.repository(Event);
  hours = db.repository(Hourly);
  await events.save(
    events.create({
      hash: foreignBytes(1, 2),
      at: foreignDate(5),
      seen: foreignDate(7),
      raw: foreignBytes(9),
      levels: new Map([[foreignDate(8), 1]]),
    }),
  );
});
afterEach(() => db.close());

const stored = {
  hash,
  at: new Date(5),
  seen: new Date(7),
  raw: Uint8Array.of(9),
  levels: new Map([[new Date(8), 1]]),
};
const plain = (event: Event | undefined): object =>
  Object.assign({}, event, { levels: new Map(event!.levels) });

test('they are not instances of our classes', () => {
  expect(foreignDate(5) instanceof Date).toBe(false);
  expect(foreignBytes(5) instanceof Uint8Array).toBe(false);
});

test('in keys', async () => {
  expect(plain(await events.get({ hash, at: new Date(5) }))).toEqual(stored);
  const key = { hash: foreignBytes(1, 2), at: foreignDate(5) };
  expect(plain(await events.get(key))).toEqual(stored);
  expect((await events.getMany([key]))[0]).toBeDefined();
  await events.delete(key);
  expect(await events.exists({ hash, at: new Date(5) })).toBe(false);
});

test('in queries, which later changes of the values do not change', async () => {
  const prefix = foreignBytes(1, 2);
  const [from, to] = [foreignDate(5), foreignDate(6)];
  const queries = [
    events.prefix({ hash: prefix }),
    events.prefix({ hash: prefix }).since('at', from),
    events.prefix({ hash: prefix }).between('at', from, to),
    events.prefix({ hash: prefix }).oneOf('at', [from]),
    events.prefixes([{ hash: prefix }]),
    events.prefix({ hash }).where({ at: from }),
    events.prefix({ hash }).where({ seen: foreignDate(7), raw: foreignBytes(9) }),
    events
      .prefix({ hash })
      .select(entriesOf('levels', { from: foreignDate(8), to: foreignDate(9) })),
  ];
  prefix[0] = 77;
  from.setTime(0);
  to.setTime(0);
  for (const query of queries) expect(await query.count()).toBe(1);
  const scope = { hash: foreignBytes(1, 2) };
  const scoped = db.scope(scope).repository(Event);
  scope.hash[0] = 77;
  expect(await scoped.scanAll().count()).toBe(1);
});

test('in bounds of floored times and of gaps', async () => {
  await hours.save(hours.create({ id: 'a', hour: foreignDate(hour), value: 1 }));
  const query = hours.prefix({ id: 'a' }).between('hour', foreignDate(0), foreignDate(3 * hour));
  expect(await query.count()).toBe(1);
  const rows = await query
    .groupBy({ time: 'hour', every: '1h', fillGaps: true })
    .aggregate({ rows: 'count' })
    .all();
  expect(rows.map(({ rows: count }) => count)).toEqual([0, 1, 0]);
});

describe('a fake is rejected with an error that names the property', () => {
  const fakes = {
    'the prototype': Object.create(Date.prototype) as Date,
    'its tag': { [Symbol.toStringTag]: 'Date', getTime: () => 5 } as unknown as Date,
  };
  test.each(Object.entries(fakes))('%s', async (_, fake) => {
    const bytes = Object.create(Uint8Array.prototype) as Uint8Array;
    const calls: [string, () => unknown][] = [
      ['at', () => events.get({ hash, at: fake })],
      ['at', () => events.prefix({ hash }).since('at', fake).all()],
      ['at', () => events.prefix({ hash }).where({ at: fake }).all()],
      ['seen', () => events.prefix({ hash }).where({ seen: fake }).all()],
      ['seen', () => events.save(events.create({ ...stored, seen: fake }))],
      ['levels', () => events.save(events.create({ ...stored, levels: new Map([[fake, 1]]) }))],
      ['hash', () => events.get({ hash: bytes, at: new Date(5) })],
      ['raw', () => events.save(events.create({ ...stored, raw: bytes }))],
    ];
    for (const [property, call] of calls) {
      const error = await (async () => call())().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: 'RowsmithError',
        details: { entity: 'Event', property: expect.stringContaining(property) as string },
      });
    }
    expect(await events.scanAll().count()).toBe(1);
  });
});
