/** A garbage collection rule is part of an index: with another one, it has other entries. */
import {
  Column,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  maxAge,
  maxVersions,
  intersection,
  rowKey,
  Segment,
  union,
} from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { type GcRule } from '../../../../src/data/store/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { hour } from './entities.js';
import { programOver } from '../../../support/program.js';

interface Row {
  tenant: string;
  id: string;
  user?: string;
  state?: string;
}

/** An entity with these rules in its families h and d. */
function classOf(h?: GcRule, d?: GcRule): EntityClass<Row> {
  @Entity({ table: 'rows', families: { h: { gc: h }, d: { gc: d } } })
  class Described {
    static readonly key = rowKey('tenant', 'id');
    static readonly indexes = indexes({
      byUser: indexOn('user'),
      all: indexOn('id'),
      byState: indexOn('state').including('user'),
    });
    @Segment('string') tenant!: string;
    @Segment('string') id!: string;
    @Column('h', 'string') user?: string;
    @Column('d', 'string') state?: string;
  }
  return Described;
}

const modelOf = (...rules: (GcRule | undefined)[]) => buildModels([classOf(...rules)])[0];

test.each<[string, (GcRule | undefined)[], (GcRule | undefined)[], string[]]>([
  ['an age', [maxAge('1h')], [maxAge('2h')], ['byUser', 'byState']],
  [
    'an age for an index that needs no value',
    [maxAge('1h'), maxAge('1d')],
    [maxAge('1h'), maxAge('2d')],
    ['all', 'byState'],
  ],
  [
    'an age for none',
    [maxAge('1h'), maxAge('1h')],
    [undefined, undefined],
    ['byUser', 'all', 'byState'],
  ],
  ['a rule that collects no newest cell', [maxVersions(1)], [maxVersions(2)], []],
  [
    'a rule that collects at the same age',
    [maxAge('1h')],
    [union(maxAge('1h'), maxVersions(3))],
    [],
  ],
  [
    'one that may keep the newest cell',
    [maxAge('1h')],
    [intersection(maxAge('1h'), maxVersions(3))],
    ['byUser', 'byState'],
  ],
])('%s', (_what, before, after, changed) => {
  const [was, is] = [modelOf(...before), modelOf(...after)];
  const ids = was.indexes.filter(({ id }, i) => id !== is.indexes[i].id).map(({ name }) => name);
  expect(ids).toEqual(changed);
});

test.each([
  ['has a default', { default: 'new' }, 'state'],
  ['is nullable', {}, { segment: 'state', kind: 'string', nullable: true }],
] as const)('a value that rows may lack must not expire: it %s', (_what, options, segment) => {
  @Entity({ table: 'rows', families: { h: { gc: maxAge('1h') }, n: {} } })
  class Described {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byState: indexOn('user', segment) });
    @Segment('string') id!: string;
    @Column('n', 'string') user?: string;
    @Column('h', 'string', options) state?: string;
  }
  let error: unknown;
  try {
    buildModels([Described]);
  } catch (thrown) {
    error = thrown;
  }
  const problem: unknown = expect.stringContaining("'state', which rows may lack, in family 'h'");
  const fix: unknown = expect.stringContaining('a family without maxAge');
  expect(error).toMatchObject({
    code: 'INVALID_DECLARATION',
    details: { faults: [{ property: 'indexes', problem, fix }] },
  });
});

test('the families of entries and tokens have the age of the entries', () => {
  const model = modelOf(maxAge('1h'), maxAge('90m'));
  const [byUser, all, byState] = model.indexes;
  const rule = (micros: number) => ({
    gc: { kind: 'union', rules: [maxVersions(1), { kind: 'maxAge', micros }] },
  });
  for (const [{ own, entry }, age, micros] of [
    [byUser, '1h', 3_600e6],
    [all, '90m', 5_400e6],
    [byState, '90m', 5_400e6],
  ] as const) {
    expect([own.tokens, own.token.family, own.covered]).toEqual([
      `_t.${age}`,
      `_e.${age}`,
      `_c.${age}`,
    ]);
    expect(model.table.families.get(own.tokens)).toEqual(rule(micros));
    expect(entry.table.families.get(own.token.family)).toEqual(rule(micros));
  }
  expect(modelOf().indexes[0].own).toMatchObject({ tokens: '_t', covered: '_c' });
});

test('an index of the new rule is not ready until it is built, and the old one can be dropped', async () => {
  const [before, after] = [classOf(maxAge('1h')), classOf(maxAge('3h'))];
  const db = await testDatabase([before]);
  const rows = db.repository(before);
  await rows.save(rows.create({ tenant: 't', id: '1', user: 'ann' }));
  const { id } = rows.model.indexes[0];
  const next = programOver(db.engine, [after], () => db.clock.now());
  await next.admin.apply();
  const again = next.repository(after);
  const found = async () =>
    again
      .index('byUser' as never)
      .scanAll()
      .all();
  await expect(found()).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
  await next.derived.rebuild(after, 'byUser');
  db.clock.advance(2 * hour);
  expect(await found()).toHaveLength(1);
  await next.derived.drop('rows_index', id);
  expect(await found()).toHaveLength(1);
});

test('a scope counts entries that expire, and deletes them', async () => {
  const entity = classOf(maxAge('1h'));
  const db = await testDatabase([entity]);
  const rows = db.repository(entity);
  for (const id of ['1', '2', '3'])
    await rows.save(rows.create({ tenant: id === '3' ? 'u' : 't', id, user: 'ann' }));
  const scope = db.scope({ tenant: 't' });
  const { parts } = await scope.deleteAll({ dryRun: true });
  expect(parts.map(({ kind, name, rows: count }) => [kind, name, count])).toEqual([
    ['rows', undefined, 2],
    ['index', 'byUser', 2],
    ['index', 'all', 2],
    ['index', 'byState', 0],
  ]);
  await scope.deleteAll();
  expect(await scope.deleteAll({ dryRun: true })).toMatchObject({ rows: 0 });
  expect(
    await rows
      .index('byUser' as never)
      .scanAll()
      .count(),
  ).toBe(1);
  await db.close();
});
