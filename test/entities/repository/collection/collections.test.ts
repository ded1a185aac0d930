/** Collections: several entities in one scan, against sorting and counting all rows. */
import { type Database, open } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import {
  Device,
  Elsewhere,
  entities,
  layouts,
  Lettered,
  Numbered,
  Reading,
  Started,
  strangers,
} from './collection-entities.js';
import {
  type Kind,
  kinds,
  type Stored,
  tenant,
  device,
  type Layout,
  fill,
} from './collection-rows.js';

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
      {
        numRuns: Number(process.env.RUNS ?? { memory: 5, disk: 4 }[name] ?? 2),
        endOnFailure: true,
      },
    );
  });
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
