/** `gc: 'onRead'` on live tables: the same rows as in an embedded database. */
import {
  Column,
  ColumnMap,
  type Database,
  entriesOf,
  Entity,
  intersection,
  maxAge,
  maxVersions,
  open,
  rowKey,
  Segment,
  union,
  type Version,
  Versions,
} from '../../../../src/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';
import { everyKey } from '../../../../src/base/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { hideExpired } from '../../../../src/entities/repository/read/rows/hide-expired.js';
import { collectRows, withStages } from '../../../../src/data/store/index.js';
import fc from '../../../support/fast-check.js';
import { type OpenBackEnd, openLive } from '../support/back-ends.js';

const hour = 3_600_000;
const simple = {
  a: { gc: maxAge('2h') },
  v: { gc: maxVersions(2) },
  u: { gc: union(maxAge('3h'), maxVersions(3)) },
  i: { gc: intersection(maxVersions(2), intersection(maxVersions(3))) },
  n: {},
};

class Base {
  id!: string;
  age?: number;
  versions?: Version<number>[];
  either?: Version<number>[];
  inner?: Version<number>[];
  kept?: Version<number>[];
}

/** Rules that filters express. */
@Entity({ table: 'simple', families: simple })
class Simple extends Base {
  static readonly key = rowKey('id');
  @Segment('string') declare id: string;
  @Column('a', 'double') declare age?: number;
  @Versions('v', 'double') declare versions?: Version<number>[];
  @Versions('u', 'double') declare either?: Version<number>[];
  @Versions('i', 'double') declare inner?: Version<number>[];
  @Versions('n', 'double') declare kept?: Version<number>[];
}

/** Rules that they do not. */
@Entity({
  table: 'mixed',
  families: {
    ...simple,
    v: { gc: intersection(maxAge('2h'), maxVersions(2)) },
    u: { gc: union(maxAge('8h'), intersection(maxAge('2h'), maxVersions(1))) },
  },
})
class Mixed extends Base {
  static readonly key = rowKey('id');
  @Segment('string') declare id: string;
  @Column('a', 'double') declare age?: number;
  @Versions('v', 'double') declare versions?: Version<number>[];
  @Versions('u', 'double') declare either?: Version<number>[];
  @Versions('i', 'double') declare inner?: Version<number>[];
  @Versions('n', 'double') declare kept?: Version<number>[];
}

@Entity({ table: 'priced', families: { a: { gc: maxAge('2h') }, p: { gc: maxAge('2h') } } })
class Priced {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('a', 'double', { qualifier: 'q' }) age?: number;
  @ColumnMap('p', 'double') prices?: Map<string, number>;
}

const columns = {
  a: 'age',
  v: 'versions',
  u: 'either',
  i: 'inner',
  n: 'kept',
} as const;
type Family = keyof typeof columns;

/** Cells by their age in units of an hour, from the future to long ago. */
const cells = fc.array(
  fc.record({
    id: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5'),
    family: fc.constantFrom<Family>('a', 'v', 'u', 'i', 'n'),
    hours: fc.constantFrom(-1, 0, 1, 1.999, 2, 2.001, 2.5, 3, 3.5, 5, 7, 9),
  }),
  { minLength: 1, maxLength: 40 },
);
type Cells = readonly { id: string; family: Family; hours: number }[];

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const now = Math.floor(Date.now() / 1000) * 1000;

function cellOf(family: string, hours: number) {
  const timestamp = (now - hours * hour) * 1000;
  return {
    kind: 'setCell',
    family,
    qualifier: utf8('q'),
    timestamp,
    value: new Uint8Array(8),
  } as const;
}

async function fill(db: Database, entity: typeof Simple, list: Cells): Promise<void> {
  const { table } = db.repository(entity).model;
  await db.engine.dropRowRange(table.name, { kind: 'all' });
  for (const { id, family, hours } of list) {
    const value = new Uint8Array(8);
    new DataView(value.buffer).setFloat64(0, hours);
    const timestamp = (now - hours * hour) * 1000;
    const qualifier = utf8(columns[family]);
    const mutation = { kind: 'setCell', family, qualifier, timestamp, value } as const;
    await db.engine.mutateRow(table.name, { key: utf8(id), mutations: [mutation] });
  }
}

/** All that a repository shows of the rows. */
async function shown(db: Database, entity: typeof Simple): Promise<unknown> {
  const rows = db.repository(entity);
  const all = rows.scanAll();
  const keys = ['r1', 'r2', 'r3', 'r4', 'r5'].map((id) => ({ id }));
  return {
    all: await all.all(),
    count: await all.count(),
    limited: await all.limit(2).all(),
    versions: await all.versions(2).all(),
    selected: await all.select('either').all(),
    where: await all.where({ age: { atMost: 1.999 } }).all(),
    many: await rows.getMany(keys),
    exist: await Promise.all(keys.map((key) => rows.exists(key))),
    history: await Promise.all(keys.map((key) => rows.history(key, 'either'))),
    newest: await Promise.all(keys.map((key) => rows.history(key, 'versions', { limit: 2 }))),
    asOf: entity === Simple ? await all.asOf(new Date(now - 2 * hour)).all() : [],
  };
}

const clock = (): number => now;
const servers: [string, OpenBackEnd][] = [
  ['our server', openLive(() => openOverOurServer({ clock, gc: 'manual' }))],
];
const emulator = findEmulator();
if (emulator !== undefined)
  servers.push(["Google's emulator", openLive(() => openOverEmulator(emulator))]);

describe.each(servers)('on %s', (_name, openOn) => {
  test('the same rows as in an embedded database', async () => {
    const entities = [Simple, Mixed];
    const embedded = await open('memory:', { entities, clock });
    const { db, close } = await openOn(entities, { clock, gc: 'onRead' });
    await fc.assert(
      fc.asyncProperty(cells, fc.constantFrom(...entities), async (list, entity) => {
        await fill(embedded, entity, list);
        await fill(db, entity, list);
        expect(await shown(db, entity)).toEqual(await shown(embedded, entity));
      }),
      { numRuns: Number(process.env.RUNS ?? 10) },
    );
    await close();
    await embedded.close();
  });

  test('parts of maps hide what has expired as well', async () => {
    const { db, close } = await openOn([Priced], { clock, gc: 'onRead' });
    const rows = db.repository(Priced);
    await rows.save(rows.create({ id: 'r1', prices: new Map([['a', 1]]) }));
    await db.engine.mutateRow('priced', { key: utf8('r1'), mutations: [cellOf('a', 5)] });
    await db.engine.mutateRow('priced', { key: utf8('r2'), mutations: [cellOf('p', 5)] });
    const all = rows.scanAll();
    const alone = await all.select(entriesOf('prices', {})).all();
    expect(alone.map(({ id, prices }) => [id, ...(prices ?? [])])).toEqual([['r1', ['a', 1]]]);
    const both = await all.select('age', entriesOf('prices', {})).all();
    expect(both.map(({ id, age }) => [id, age])).toEqual([['r1', undefined]]);
    await close();
  });

  test('an expired row can be inserted again, and is no row for a condition', async () => {
    const { db, close } = await openOn([Simple], { clock, gc: 'onRead' });
    await fill(db, Simple, [{ id: 'r1', family: 'a', hours: 5 }]);
    const rows = db.repository(Simple);
    const fresh = rows.create({ id: 'r1', age: 1 });
    await expect(rows.save(fresh, { if: { exists: true } })).rejects.toMatchObject({
      code: 'CONDITION_FAILED',
    });
    await rows.insert(fresh);
    await expect(rows.insert(fresh)).rejects.toMatchObject({ code: 'ROW_EXISTS' });
    expect((await rows.get({ id: 'r1' }))?.age).toBe(1);
    await close();
  });

  test('a range with rows of unmapped families is not dropped', async () => {
    const { db, close } = await openOn([Simple], { clock, gc: 'onRead' });
    await db.engine.modifyFamilies('simple', [{ kind: 'create', family: 'x', schema: {} }]);
    const mutation = cellOf('x', 1);
    await db.engine.mutateRow('simple', { key: utf8('r1'), mutations: [mutation] });
    await db.engine.mutateRow('simple', { key: utf8('other'), mutations: [mutation] });
    expect(await db.repository(Simple).scanAll().all()).toEqual([]);
    const plan = { table: 'simple', ranges: [everyKey], reversed: false };
    const seen = withStages(db.engine, [hideExpired(buildModels([Simple]), clock)]).readRows(plan);
    expect(await collectRows(seen)).toHaveLength(2);
    await close();
  });

  test('by default nothing is hidden', async () => {
    const { db, close } = await openOn([Simple], { clock });
    await fill(db, Simple, [{ id: 'r1', family: 'a', hours: 5 }]);
    expect(await db.repository(Simple).exists({ id: 'r1' })).toBe(true);
    await close();
  });

  test('what cannot be decided is rejected', async () => {
    const { db, close } = await openOn([Mixed], { clock, gc: 'onRead' });
    await expect(db.repository(Mixed).scanAll().asOf(new Date(now)).all()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      details: { table: 'mixed' },
    });
    await close();
  });
});

test('explain says what is hidden', async () => {
  const server = await openOverOurServer();
  const db = await open('bigtable://p/instance-1', {
    entities: [Simple],
    gc: 'onRead',
    bigtable: { emulatorHost: server.address },
  });
  const explanation = db.repository(Simple).scanAll().explain();
  expect(explanation.hidden).toContain('a maxage=2h');
  expect(String(explanation)).toContain('hidden    what rules have expired: a maxage=2h, i ');
  await db.close();
  await server.close();
});

// Cells have milliseconds, and the age of a rule may have microseconds.
test('a cell that is half a millisecond too old is hidden', async () => {
  @Entity({ table: 'short', families: { a: { gc: maxAge(1.5) } } })
  class Short {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('a', 'string', { qualifier: 'q' }) value?: string;
  }
  await using db = await open('memory:', { entities: [Short], gc: 'manual' });
  const [ms, at] = [1000, 1_000_000];
  const mutations = [ms, 2 * ms].map((age) => ({ ...cellOf('a', 0), timestamp: at - age }));
  await db.engine.mutateRow('short', { key: utf8('x'), mutations });
  const hiding = withStages(db.engine, [hideExpired(buildModels([Short]), () => at / 1000)]);
  const filter = { kind: 'families', families: ['a'] } as const;
  const [row] = await collectRows(
    hiding.readRows({ table: 'short', ranges: [everyKey], reversed: false, filter }),
  );
  expect(row.cells.map(({ timestamp }) => Number(timestamp))).toEqual([at - ms]);
});
