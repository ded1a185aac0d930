/** Values and names that queries are given, and that are unusual: none is lost, none is misread. */
import {
  Column,
  type Database,
  Entity,
  literal,
  open,
  rowKey,
  Segment,
  table,
} from '../../../../src/index.js';

const logs = table('logs', { families: { m: {} } });

@Entity({ table: logs })
class Log {
  static readonly key = rowKey('source', 'n', literal('log'), 'at');
  @Segment('string') source!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Segment('timestamp') at!: Date;
  @Column('m', 'json') json?: unknown;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'string') text?: string;
}

@Entity({ table: logs })
class Note {
  static readonly key = rowKey('source', 'n', literal('note'));
  @Segment('string') source!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') text?: string;
}

@Entity({ table: 'days', families: { m: {} } })
class Day {
  static readonly key = rowKey('day', 'device', 'at');
  @Segment('timestamp') day!: Date;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') text?: string;
}

const hour = (n: number): Date => new Date(Date.UTC(2026, 10, 20, n));
const jsons = [{ a: 1, b: 2 }, { a: 2 }, [1], [[1]], ['1'], { b: 2, a: 1 }, 1, undefined];
let db: Database;

beforeAll(async () => {
  db = await open('memory:', { entities: [Log, Note, Day] });
  const log = db.repository(Log);
  await log.saveMany(
    jsons.map((json, n) =>
      log.create({ source: 'a', n, at: hour(n), json, seen: new Date(n - 3), text: 'x' }),
    ),
  );
  const note = db.repository(Note);
  await note.saveMany([0, 1].map((n) => note.create({ source: 'a', n, text: 'note' })));
  const day = db.repository(Day);
  for (const at of [1, 2, 3, 4])
    await day.save(day.create({ day: hour(0), device: 'd', at: hour(at), text: `${at}` }));
});
afterAll(() => db.close());

describe('Dates that change after a query was made have no effect', () => {
  const days = () => db.repository(Day);
  const cases: Record<string, (time: Date) => { all(): Promise<object[]> }> = {
    'prefix with firstPer': (time) => days().prefix({ day: time }).firstPer('device'),
    'oneOf with firstPer': (time) => days().oneOf('day', [time]).firstPer('device'),
    'prefixes with firstPer': (time) =>
      days()
        .prefixes([{ day: time }])
        .firstPer('device'),
    'a bound in groups': (time) =>
      days()
        .prefix({ day: hour(0) })
        .firstPer('device')
        .since('at', new Date(+time + 7_200_000)),
    'the ends of gaps': (time) =>
      days()
        .prefix({ day: hour(0), device: 'd' })
        .between('at', time, hour(6))
        .groupBy({ time: 'at', every: '1h', fillGaps: true })
        .aggregate({ n: 'count' }),
  };
  test.each(Object.entries(cases))('%s', async (name, make) => {
    const time = hour(0);
    const query = make(time);
    const found = await query.all();
    expect(found.length).toBeGreaterThan(0);
    const bound = hour(0);
    const other = name === 'a bound in groups' ? changedBound(bound) : make(bound);
    bound.setTime(+hour(3));
    expect(await other.all()).toEqual(found);
  });

  function changedBound(time: Date): { all(): Promise<object[]> } {
    time.setTime(+hour(2));
    return days()
      .prefix({ day: hour(0) })
      .firstPer('device')
      .since('at', time);
  }
});

test('a part of a split query takes no groups: their rows can be in two parts', async () => {
  const [part] = await db.repository(Log).scanAll().split(2);
  const untyped = part as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const method of ['firstPer', 'distinct'])
    expect(() => untyped[method]('source')).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }) as Error,
    );
});

test('a part of a split query does not fill the gaps of the whole', async () => {
  const query = db.repository(Day).prefix({ day: hour(0), device: 'd' });
  const [part] = await query.between('at', hour(0), hour(9)).split(2);
  expect(() => part.groupBy({ time: 'at', every: '1h', fillGaps: true })).toThrow(
    expect.objectContaining({ code: 'INVALID_QUERY' }) as Error,
  );
});

test('an aggregate cannot be lost in a property that objects do not keep', async () => {
  const values = JSON.parse('{ "__proto__": "count", "n": "count" }') as { n: 'count' };
  await expect(db.repository(Log).scanAll().aggregate(values)).rejects.toMatchObject({
    code: 'INVALID_QUERY',
    details: { property: '__proto__' },
  });
  const named = { constructor: 'count' } as const;
  expect(Object.entries(await db.repository(Log).scanAll().aggregate(named))).toEqual([
    ['constructor', 8],
  ]);
});

test('times before 1970 are floored to the first Date there is, at the least', async () => {
  const groups = db.repository(Log).scanAll();
  const query = groups.groupBy({ time: 'seen', every: '1000000000d' }).aggregate({ n: 'count' });
  expect(await query.all()).toEqual([
    { seen: new Date(-8.64e15), n: 3 },
    { seen: new Date(0), n: 5 },
  ]);
});

test('many groups without rows leave time to others, and can be aborted', async () => {
  const days = db.repository(Day);
  const key = { day: hour(5), device: 'gaps' };
  await days.saveMany(
    [0, 20].map((year) => days.create({ ...key, at: new Date(year * 3e10), text: 'x' })),
  );
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 20);
  const groups = days
    .prefix(key)
    .groupBy({ time: 'at', every: '1m', fillGaps: true })
    .aggregate({ n: 'count' });
  let found = 0;
  await expect(async () => {
    for await (const page of groups.pages({ signal: stop.signal })) found += page.length;
  }).rejects.toThrow('enough');
  expect(found).toBeLessThan(5_000_000);
  await days.prefix(key).delete();
});

test('groups by JSON differ where the JSON does', async () => {
  const groups = db
    .repository(Log)
    .scanAll()
    .groupBy('json' as never)
    .aggregate({ n: 'count' });
  expect(await groups.all()).toEqual([
    { json: { a: 1, b: 2 }, n: 2 },
    { json: { a: 2 }, n: 1 },
    { json: [1], n: 1 },
    { json: [[1]], n: 1 },
    { json: ['1'], n: 1 },
    { json: 1, n: 1 },
    { json: undefined, n: 1 },
  ]);
});

test('conditions on fields of JSON do not see what every object inherits', async () => {
  const log = db.repository(Log);
  for (const name of ['toString', 'constructor', '__proto__'])
    expect(
      await log
        .scanAll()
        .where({ json: { fields: { a: 1, [name]: { not: null } } } } as never)
        .count(),
    ).toBe(0);
  expect(
    await log
      .scanAll()
      .where({ json: { fields: { a: 1, toString: null } } } as never)
      .count(),
  ).toBe(2);
});

test.each(['constructor', '__proto__', 'toString'])('a member named %s', (name) => {
  const members = Object.defineProperty({ note: Note }, name, { value: Log, enumerable: true });
  expect(() => db.collection(members)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error,
  );
});
