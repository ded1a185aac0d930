/** Collections: several entities in one scan, against sorting and counting all rows. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { type Database, open } from '../../../src/index.js';
import { startServer } from '../../../src/server/index.js';
import type { Engine } from '../../../src/storage.js';
import { liveUrl } from '../../engines/bigtable/live-backends.js';
import fc from '../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import {
  Alarm,
  Device,
  Elsewhere,
  entities,
  layouts,
  Lettered,
  Message,
  Numbered,
  Profile,
  Reading,
  Started,
  strangers,
  Unread,
} from './collection-entities.js';
import { openWatched } from '../support/watched.js';

type Kind = 'device' | 'readings' | 'alarms';
const kinds: readonly Kind[] = ['device', 'readings', 'alarms'];

/** A stored row as the tests know it. */
interface Stored {
  readonly kind: Kind;
  readonly tenant: string;
  readonly device: string;
  readonly n?: number;
}

interface Question {
  readonly scope: number;
  readonly prefix: number;
  readonly tenant: string;
  readonly device: string;
  readonly since?: string | undefined;
  readonly reverse: boolean;
  readonly only?: readonly Kind[] | undefined;
  readonly limit?: number | undefined;
  readonly limits: Partial<Record<Kind, number>>;
  readonly select: Partial<Record<Kind, string[]>>;
  readonly groupBy?: 'tenant' | 'device' | undefined;
  readonly size: number;
}

const tenant = fc.constantFrom('a', 'a#', 'b');
const device = fc.constantFrom('', 'd', 'd#', 'e');
const stored: fc.Arbitrary<Stored> = fc.oneof(
  fc.record({ kind: fc.constant('device' as const), tenant, device }),
  fc.record({
    kind: fc.constantFrom('readings' as const, 'alarms' as const),
    tenant,
    device,
    n: fc.integer({ min: 0, max: 60 }),
  }),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const question: fc.Arbitrary<Question> = fc.record({
  scope: fc.integer({ min: 0, max: 2 }),
  prefix: fc.integer({ min: 0, max: 2 }),
  tenant,
  device,
  since: optional(device),
  reverse: fc.boolean(),
  only: optional(fc.subarray([...kinds], { minLength: 1 })),
  limit: optional(fc.integer({ min: 1, max: 6 })),
  limits: fc
    .dictionary(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 4 }), { maxKeys: 2 })
    .map((limits) => ({ ...limits })),
  select: fc.constantFrom({}, { alarms: ['text'] }, { readings: [], device: ['label'] }),
  groupBy: optional(fc.constantFrom('tenant' as const, 'device' as const)),
  size: fc.integer({ min: 1, max: 5 }),
});

/** The methods of collections, without types: questions are generated. */
interface Untyped {
  prefix(segments: unknown): Untyped;
  since(segment: unknown, from: unknown): Untyped;
  between(segment: unknown, from: unknown, to: unknown): Untyped;
  scanAll(): Untyped;
  limit(rows: unknown): Untyped;
  reverse(): Untyped;
  select(properties: unknown): Untyped;
  only(...names: unknown[]): Untyped;
  groupBy(segment: unknown): Untyped;
  all(): Promise<object[]>;
  first(): Promise<object | undefined>;
  count(): Promise<number>;
  explain(): { toString(): string };
  page(request: object): Promise<{ rows: object[]; next?: string }>;
  signal(signal: AbortSignal): Untyped;
}
interface Root {
  scope(values: object): Root;
  collection(members: object): Untyped;
}

type Layout = (typeof layouts)[number];
const membersOf = ({ device: devices, readings, alarms }: Layout): object => ({
  device: devices,
  readings,
  alarms,
});

/** The number of leading segments that are fixed, in the scope or in the prefix. */
const depthOf = ({ scope, prefix }: Question): number => Math.max(scope, prefix);

function build(db: Database, layout: Layout, question: Question): Untyped {
  const { scope, tenant: t, device: d, since, reverse, only, limit, limits, select } = question;
  const values = [{}, { tenant: t }, { tenant: t, device: d }];
  let root = db as unknown as Root;
  if (scope > 0) root = root.scope(values[scope]);
  let query = root.collection(membersOf(layout));
  if (question.prefix > scope)
    query = query.prefix(scope === 1 ? { device: d } : values[question.prefix]);
  if (since !== undefined && depthOf(question) === 1) query = query.since('device', since);
  query = query.scanAll();
  if (reverse) query = query.reverse();
  if (only !== undefined) query = query.only(...only);
  if (limit !== undefined) query = query.limit(limit);
  query = query.limit(limits).select(select);
  if (question.groupBy !== undefined && !isScoped(question))
    query = query.groupBy(question.groupBy);
  return query;
}

const isScoped = ({ scope, groupBy }: Question): boolean =>
  (groupBy === 'tenant' && scope > 0) || (groupBy === 'device' && scope > 1);

/** The answer, from all rows in key order. */
function expected(
  db: Database,
  layout: Layout,
  rows: readonly Stored[],
  question: Question,
): unknown[] {
  const { tenant: t, device: d, since, reverse, only, limit, limits } = question;
  const keyed = rows
    .filter((row) => depthOf(question) < 1 || row.tenant === t)
    .filter((row) => depthOf(question) < 2 || row.device === d)
    .filter((row) => since === undefined || depthOf(question) !== 1 || !before(row.device, since))
    .filter((row) => only?.includes(row.kind) !== false)
    .map((row) => {
      const { key } = db.repository(layout[row.kind] as typeof Reading).model;
      const bytes = key.encode(row as never);
      return { row, order: bytes.subarray(key.shardEnd(bytes, 0, bytes.length)) };
    })
    .sort((a, b) => Buffer.compare(a.order, b.order) * (reverse ? -1 : 1));
  const groupBy = isScoped(question) ? undefined : question.groupBy;
  const groupOf = (row: Stored): string => {
    if (groupBy === undefined) return '';
    return JSON.stringify(groupBy === 'tenant' ? [row.tenant] : [row.tenant, row.device]);
  };
  const counts = new Map<string, number>();
  const found = keyed
    .map(({ row }) => row)
    .filter((row) => {
      const counter = `${groupOf(row)} ${row.kind}`;
      const count = (counts.get(counter) ?? 0) + 1;
      counts.set(counter, count);
      return count <= (limits[row.kind] ?? Infinity);
    });
  const result = (row: Stored): object => entityOf(row, question);
  if (groupBy === undefined)
    return found.slice(0, limit).map((row) => ({ kind: row.kind, entity: result(row) }));
  const groups = [...new Set(found.map(groupOf))];
  return groups.slice(0, limit).map((group) => {
    const members = found.filter((row) => groupOf(row) === group);
    const [first] = members;
    const segments = {
      tenant: question.scope === 0 ? first.tenant : undefined,
      device: groupBy === 'device' ? first.device : undefined,
    };
    const list = (kind: Kind): unknown => {
      const some = members.filter((row) => row.kind === kind).map(result);
      return kind === 'device' && groupBy === 'device' ? some[0] : some;
    };
    const wanted = question.only ?? kinds;
    return {
      ...segments,
      members: Object.fromEntries(wanted.map((kind) => [kind, list(kind)])),
    };
  });
}

const before = (a: string, b: string): boolean =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

function entityOf({ kind, ...segments }: Stored, { select, scope }: Question): object {
  const properties = select[kind];
  const values = { device: { label: 'x' }, readings: { value: 1 }, alarms: { text: 'x' } }[kind];
  if (properties === undefined) return { ...segments, ...values };
  const { tenant: t, device: d, ...rest } = segments;
  const kept = [{ tenant: t, device: d }, { device: d }, {}][scope];
  return Object.assign({ ...kept, ...rest }, properties.length === 0 ? undefined : values);
}

/** Without classes, absent properties and the order of properties. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function fill(db: Database, layout: Layout, rows: readonly Stored[]): Promise<Stored[]> {
  const unique = new Map(rows.map((row) => [JSON.stringify(row), row]));
  for (const kind of kinds) {
    const repository = db.repository(layout[kind] as typeof Reading);
    await repository.deleteMany(repository.scanAll().keysOnly());
    await repository.saveMany(
      [...unique.values()]
        .filter((row) => row.kind === kind)
        .map(({ kind: _kind, ...segments }) => {
          const values = { value: 1, label: 'x', text: 'x' };
          const own = Object.fromEntries(
            repository.model.columns.map(({ property }) => [
              property,
              values[property as keyof typeof values],
            ]),
          );
          return repository.create({ ...segments, ...own } as never);
        }),
    );
  }
  return [...unique.values()];
}

describe.each(backEnds)('on $name', ({ name, open: opening }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await opening(entities));
  });
  afterAll(() => close());

  test('a collection finds what sorting and counting all rows gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stored, { maxLength: 150 }),
        fc.array(question, { minLength: 12, maxLength: 12 }),
        async (rows, questions) => {
          for (const layout of layouts) {
            const unique = await fill(db, layout, rows);
            for (const question of questions) {
              const query = build(db, layout, question);
              const answer = plain(expected(db, layout, unique, question)) as object[];
              expect(plain(await query.all())).toEqual(answer);
              expect(await query.count()).toBe(answer.length);
              expect(plain((await query.first()) ?? {})).toEqual(answer[0] ?? {});
              const paged: object[] = [];
              let after: string | undefined;
              do {
                const page = await query.page({ size: question.size, after });
                expect(page.rows.length).toBeLessThanOrEqual(question.size);
                paged.push(...page.rows);
                after = page.next;
              } while (after !== undefined);
              expect(plain(paged)).toEqual(answer);
              expect(query.explain().toString()).toContain('requests');
            }
          }
        },
      ),
      { numRuns: { memory: 40, disk: 8 }[name] ?? 4, endOnFailure: true },
    );
  });
});

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
  // A key of Reading, whose cells are all in a family of others.
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

describe('typed errors', () => {
  const all = [...entities, ...strangers];
  const fleet = { device: Device, readings: Reading };
  const query = (db: Root): Untyped => db.collection(fleet);
  const faults: [string, string, (db: Root) => unknown][] = [
    ['no object', 'INVALID_ARGUMENT', (db) => db.collection(Device)],
    ['no members', 'INVALID_ARGUMENT', (db) => db.collection({})],
    ['a member twice', 'INVALID_ARGUMENT', (db) => db.collection({ a: Device, b: Device })],
    ['other tables', 'INVALID_ARGUMENT', (db) => db.collection({ a: Device, b: Elsewhere })],
    ['other kinds', 'INVALID_ARGUMENT', (db) => db.collection({ a: Numbered, b: Lettered })],
    ['other beginnings', 'INVALID_ARGUMENT', (db) => db.collection({ a: Numbered, b: Started })],
    ['a scope of other segments', 'INVALID_ARGUMENT', (db) => db.scope({ x: 1 }).collection(fleet)],
    [
      'another scope',
      'OUTSIDE_SCOPE',
      (db) => db.scope({ tenant: 'a' }).collection(fleet).prefix({ tenant: 'b', device: 'd' }),
    ],
    ['a prefix with a gap', 'INVALID_QUERY', (db) => query(db).prefix({ device: 'd' })],
    ['an empty prefix', 'INVALID_QUERY', (db) => query(db).prefix({})],
    ['undefined', 'INVALID_QUERY', (db) => query(db).prefix({ tenant: undefined })],
    [
      'an own segment',
      'INVALID_QUERY',
      (db) => query(db).prefix({ tenant: 'a', device: 'd', n: 1 }),
    ],
    [
      'two prefixes',
      'INVALID_QUERY',
      (db) => query(db).prefix({ tenant: 'a' }).prefix({ tenant: 'b' }),
    ],
    ['a value of another type', 'INVALID_KEY', (db) => query(db).prefix({ tenant: 5 })],
    ['a bound elsewhere', 'INVALID_QUERY', (db) => query(db).prefix({ tenant: 'a' }).since('n', 1)],
    [
      'no bound left',
      'INVALID_QUERY',
      (db) => query(db).prefix({ tenant: 'a', device: 'd' }).since('n', 1),
    ],
    ['a bound of undefined', 'INVALID_QUERY', (db) => query(db).between('tenant', 'a', undefined)],
    ['two bounds', 'INVALID_QUERY', (db) => query(db).since('tenant', 'a').since('tenant', 'b')],
    ['groups of an own segment', 'INVALID_QUERY', (db) => query(db).groupBy('n')],
    ['a limit of 0', 'INVALID_ARGUMENT', (db) => query(db).limit(0)],
    ['a limit of a stranger', 'INVALID_QUERY', (db) => query(db).limit({ alarms: 1 })],
    ['a limit of no number', 'INVALID_ARGUMENT', (db) => query(db).limit({ device: '1' })],
    ['an unknown property', 'INVALID_QUERY', (db) => query(db).select({ device: ['text'] })],
    ['a selection of no array', 'INVALID_QUERY', (db) => query(db).select({ device: 'label' })],
    ['only nothing', 'INVALID_QUERY', (db) => query(db).only()],
    ['only a stranger', 'INVALID_QUERY', (db) => query(db).only('alarms')],
  ];
  test.each(faults)('%s: %s', async (_name, code, run) => {
    const db = await open('memory:', { entities: all });
    expect(() => run(db as unknown as Root)).toThrow(
      expect.objectContaining({
        code,
        details: expect.objectContaining({
          property: expect.any(String),
          problem: expect.any(String),
          fix: expect.any(String),
        }),
      }),
    );
    await db.close();
  });

  test('cursors of other queries and scopes', async () => {
    const db = await open('memory:', { entities });
    for (const tenant of ['a', 'b'])
      for (let n = 0; n < 9; n++)
        await db
          .repository(Reading)
          .save(db.repository(Reading).create({ tenant, device: 'd', n, value: n }));
    const inA = db.scope({ tenant: 'a' }).collection(fleet).scanAll();
    const { next } = await inA.page({ size: 2 });
    expect((await inA.page({ size: 2, after: next })).rows).toHaveLength(2);
    for (const other of [
      db.scope({ tenant: 'b' }).collection(fleet).scanAll(),
      inA.reverse(),
      inA.limit(5),
      inA.limit({ readings: 5 }),
      inA.only('readings'),
    ])
      await expect(other.page({ size: 2, after: next })).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
      });
    await expect(inA.page({ size: 2, after: 'x' })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
      details: { entity: 'Device, Reading' },
    });
    await expect(
      db.repository(Reading).scanAll().page({ size: 2, after: next }),
    ).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
    await db.close();
  });
});
