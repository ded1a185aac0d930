/** `undefined` is no condition: an absent field of a request must not widen a query or a write. */
import {
  Column,
  ColumnMap,
  type Database,
  entriesOf,
  Entity,
  indexes,
  indexOn,
  open,
  rowKey,
  rollups,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'issues', families: { i: {} } })
class Issue {
  static readonly key = rowKey('tenant', 'project', 'n');
  static readonly indexes = indexes({ byStatus: indexOn('status') });
  @Segment('string') tenant!: string;
  @Segment('string') project!: string;
  @Segment('int') n!: number;
  @Column('i', 'string') status?: string;
  @Column('i', 'string') title?: string;
}

@Entity({ table: 'readings', families: { r: {} } })
class Reading {
  static readonly key = rowKey('device', 'day');
  static readonly rollups = rollups({
    daily: { by: ['device', { time: 'day', every: '1d' }], values: { rows: 'count' } },
  });
  @Segment('string') device!: string;
  @Segment('timestamp', { floor: 'day' }) day!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp' }) points?: Map<Date, number>;
}

const none = undefined as never;
const key = { tenant: 'a', project: 'p', n: 1 };
let db: Database;
beforeEach(async () => {
  db = await open('memory:', { entities: [Issue, Reading] });
  const issues = db.repository(Issue);
  await issues.save(issues.create({ ...key, status: 'open', title: 't' }));
});
afterEach(() => db.close());

const issues = () => db.repository(Issue);
const readings = () => db.repository(Reading);
const mine = () => issues().prefix({ tenant: 'a' });

const writes: [string, () => Promise<unknown>, string, RegExp][] = [
  ['an `if`', () => issues().patch(key, { title: 'new' }, { if: none }), 'if', /leave `if` out/],
  ['an `if` of save', () => issues().save(issues().create(key), { if: none }), 'if', /leave/],
  ['an `if` of delete', () => issues().delete(key, { if: none }), 'if', /leave `if` out/],
  [
    'an `if` of patch with removals',
    () => issues().patch(key, {}, { remove: ['title'], if: none }),
    'if',
    /if/,
  ],
  [
    'an `exists`',
    () => issues().delete(key, { if: { exists: none, equals: { title: 't' } } }),
    'exists',
    /true or false, or leave 'exists' out/,
  ],
  [
    'the values',
    () => issues().delete(key, { if: { exists: true, equals: none } }),
    'equals',
    /leave 'equals' out/,
  ],
  [
    'a value',
    () => issues().patch(key, { title: 'new' }, { if: { equals: { status: none } } }),
    'status',
    /write null for absent, or leave 'status' out/,
  ],
  [
    'a value of several',
    () => issues().delete(key, { if: { equals: { title: 't', status: none } } }),
    'status',
    /write null for absent/,
  ],
];

test.each(writes)('%s that is undefined is refused, and nothing is written', async (...args) => {
  const [, write, property, fix] = args;
  const before = await issues().get(key);
  await expect(write()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { entity: 'Issue', property, fix: expect.stringMatching(fix) },
  });
  expect(await issues().get(key)).toEqual(before);
});

test('an item with an undefined `if` fails alone', async () => {
  const other = { ...key, n: 2 };
  const { written, failures } = await issues().patchMany([
    { key, changes: { title: 'new' }, if: none },
    { key: other, changes: { title: 'new' } },
  ]);
  expect(written).toBe(1);
  expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
    [0, 'INVALID_ARGUMENT'],
  ]);
  expect((await issues().get(key))?.title).toBe('t');
});

const queries: [string, () => unknown, string][] = [
  ['where()', () => mine().where(none), 'where'],
  ['a condition', () => mine().where({ status: none }), 'status'],
  ['an operand', () => mine().where({ status: { not: none } }), 'status'],
  [
    'an operand beside another',
    () => mine().where({ status: { not: 'a', above: none } }),
    'status',
  ],
  ['a value of a list', () => mine().where({ status: { oneOf: ['a', none] } }), 'status'],
  ['a hole of a list', () => mine().where({ status: { noneOf: Array<string>(1) } }), 'status'],
  ['a list', () => mine().where({ status: { oneOf: none } }), 'status'],
  ['a segment of a prefix', () => issues().prefix({ tenant: none }), 'tenant'],
  [
    'the last segment of a prefix',
    () => issues().prefix({ tenant: 'a', project: none }),
    'project',
  ],
  ['a segment of one of several prefixes', () => issues().prefixes([{ tenant: none }]), 'tenant'],
  ['a value of oneOf', () => issues().oneOf('tenant', ['a', none]), 'tenant'],
  ['the list of oneOf', () => issues().oneOf('tenant', none), 'tenant'],
  ['the start of between', () => mine().between('project', none, 'b'), 'project'],
  ['the end of between', () => mine().between('project', 'a', none), 'project'],
  ['since', () => mine().since('project', none), 'project'],
  ['until', () => mine().until('project', none), 'project'],
  ['startsWith', () => mine().startsWith('project', none), 'project'],
  ['a segment of an index', () => issues().index('byStatus').prefix({ status: none }), 'status'],
  ['a bound of an index', () => issues().index('byStatus').since('status', none), 'status'],
  ['a segment of a rollup', () => readings().rollup('daily').prefix({ device: none }), 'device'],
  [
    'a segment of a collection',
    () => db.collection({ issues: Issue }).prefix({ tenant: none }),
    'tenant',
  ],
  [
    'an end of entries',
    () =>
      readings()
        .scanAll()
        .select(entriesOf('points', { from: none })),
    'points',
  ],
  [
    'an end of a series',
    () => readings().prefix({ device: 'd' }).series('points', { from: none }),
    'from',
  ],
  ['a segment of a scope', () => db.scope({ tenant: none }), 'tenant'],
];

test.each(queries)('%s that is undefined is refused', (_, query, property) => {
  expect(query).toThrow(
    expect.objectContaining({
      code: expect.stringMatching(/^INVALID_(QUERY|ARGUMENT)$/),
      details: expect.objectContaining({ property, fix: expect.any(String) }),
    }),
  );
});

test.each<[string, () => Promise<unknown>]>([
  ['get', () => issues().get({ ...key, n: none })],
  ['getMany', () => issues().getMany([{ ...key, project: none }])],
  ['exists', () => issues().exists({ ...key, project: none })],
  ['delete', () => issues().delete({ ...key, tenant: none })],
  [
    'get of a scope',
    () => db.scope({ tenant: 'a' }).repository(Issue).get({ project: 'p', n: none }),
  ],
  [
    'get of an index',
    () =>
      issues()
        .index('byStatus')
        .get({ ...key, status: none }),
  ],
])('%s refuses an undefined segment', async (_, call) => {
  await expect(call()).rejects.toMatchObject({ code: 'INVALID_KEY' });
});
