/** What a scope is, and what it refuses. */
import { Column, Entity, open, rowKey, Segment } from '../../../../src/index.js';
import { ScopeGuard } from '../../../../src/entities/repository/scope/scope-guard.js';
import { withStages } from '../../../../src/data/store/index.js';
import { openWatched } from '../support/watched.js';
import {
  families,
  Plain,
  Folded,
  entities,
  tenants,
  type Untyped,
  others,
  fill,
} from './scoped-rows.js';

@Entity({ table: 'daily', families, cellTimestamp: 'day' })
class Daily {
  static readonly key = rowKey('day', 'id');
  @Segment('timestamp') day!: Date;
  @Segment('string') id!: string;
  @Column('m', 'string') note?: string;
}

describe('scopes', () => {
  test('are within scopes', async () => {
    const db = await open('memory:', { entities });
    await fill(db);
    const scope = db.scope({ tenant: 'acme' }).scope({ device: 'd' });
    expect(scope.values).toEqual({ tenant: 'acme', device: 'd' });
    const rows = scope.repository(Plain);
    expect(rows).toBe(scope.repository(Plain));
    expect(await rows.scanAll().keysOnly().all()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await rows.since('n', 2).first()).toMatchObject({ tenant: 'acme', device: 'd', n: 2 });
    expect(await rows.get({ n: 2 })).toMatchObject({ tenant: 'acme', device: 'd', n: 2 });
    const untyped = db.scope({ tenant: 'acme' }) as unknown as { scope(values: object): unknown };
    expect(() => untyped.scope({ tenant: 'b' })).toThrow(
      expect.objectContaining({ code: 'OUTSIDE_SCOPE' }),
    );
    await db.close();
  });

  test('writes give an entity the segments of the scope', async () => {
    const db = await open('memory:', { entities });
    const rows = db.scope({ tenant: 'acme' }).repository(Plain);
    const [inserted, saved, batched] = [1, 2, 3].map((n) =>
      Object.assign(new Plain(), { device: 'd', n, note: 'x' }),
    );
    await rows.insert(inserted);
    await rows.save(saved);
    await rows.saveMany([batched]);
    for (const each of [inserted, saved, batched]) expect(each.tenant).toBe('acme');
    const frozen = Object.freeze(Object.assign(new Plain(), { device: 'd', n: 4, note: 'x' }));
    await rows.insert(frozen);
    expect(await db.repository(Plain).prefix({ tenant: 'acme' }).count()).toBe(4);
    await db.close();
  });

  test('objects with properties that change between reads stay inside', async () => {
    const db = await open('memory:', { entities });
    await fill(db);
    const before = await others(db, Plain, 'acme');
    const rows = db.scope({ tenant: 'acme' }).repository(Plain) as unknown as Record<
      string,
      (value: unknown, changes?: object) => Promise<unknown>
    >;
    const shifting = (): object => {
      let reads = 0;
      return new Proxy(
        { tenant: 'acme', device: 'd', n: 1, note: 'written' },
        {
          get: (target, name) =>
            name === 'tenant' && reads++ > 0 ? 'b' : Reflect.get(target, name),
        },
      );
    };
    const entity = (): object => {
      let reads = 0;
      return Object.defineProperty(
        Object.assign(new Plain(), { device: 'd', n: 1, note: 'w' }),
        'tenant',
        {
          get: () => (reads++ > 0 ? 'b' : 'acme'),
        },
      );
    };
    expect(await rows.get(shifting())).toMatchObject({ tenant: 'acme' });
    expect(rows.create(shifting())).toMatchObject({ tenant: 'acme' });
    await rows.patch(shifting(), { note: 'x' });
    await rows.delete(shifting());
    await rows.deleteMany([shifting()]);
    await rows.save(entity());
    await rows.saveMany([entity()]);
    expect(before).toEqual(await others(db, Plain, 'acme'));
    const values = { tenant: 'acme' };
    const scope = db.scope(values);
    values.tenant = 'b';
    expect(await scope.repository(Plain).scanAll().first()).toMatchObject({ tenant: 'acme' });
    await db.close();
  });

  test('a Date that changes afterwards does not move the scope', async () => {
    const db = await open('memory:', { entities: [Daily] });
    const day = new Date(Date.UTC(2026, 0, 1));
    const other = new Date(Date.UTC(2026, 0, 2));
    const scope = db.scope({ day });
    day.setTime(other.getTime());
    scope.values.day.setTime(other.getTime());
    const rows = scope.repository(Daily);
    const made = rows.create({ id: 'a', note: 'x' });
    await rows.save(made);
    made.day.setTime(other.getTime());
    await expect(rows.save(made)).rejects.toMatchObject({ code: 'OUTSIDE_SCOPE' });
    await rows.patch({ id: 'b' }, { note: 'y' });
    const stored = await db.repository(Daily).scanAll().all();
    expect(stored.map((each) => each.day.getTime())).toEqual(Array(2).fill(Date.UTC(2026, 0, 1)));
    // The segment of the scope is also the timestamp of the cells, which a patch takes from its key.
    expect((await rows.history({ id: 'b' }, 'note'))[0].at).toEqual(stored[0].day);
    await db.close();
  });

  test('values are compared as in the key: folded text is the same tenant', async () => {
    const db = await open('memory:', { entities });
    const rows = db.scope({ tenant: 'ACME' }).repository(Folded);
    await rows.save(rows.create({ device: 'd', n: 1, note: 'x' }));
    expect(await rows.get({ device: 'd', n: 1, tenant: 'acme' } as never)).toMatchObject({
      note: 'x',
    });
    await db.close();
  });

  test('every request is inside, as the engine sees it', async () => {
    const { db, seen } = await openWatched(entities);
    for (const entity of entities as (typeof Plain)[]) {
      const rows = db.scope({ tenant: 'acme' }).repository(entity);
      const inside = db.repository(entity).model.key.ranges({ fixed: { tenant: 'acme' } });
      seen.plans.length = 0;
      await rows.scanAll().all();
      await rows.prefix({ device: 'd' }).count();
      await rows.oneOf('device', ['', 'd']).reverse().first();
      await rows.firstPer('device').all();
      const starts = seen.plans.flatMap(({ ranges }) => ranges.map(({ start }) => start));
      expect(starts.length).toBeGreaterThan(3);
      for (const start of starts) {
        const holds = inside.perShard
          .flat()
          .some(
            (range) =>
              Buffer.compare(range.start, start) <= 0 &&
              Buffer.compare(start, range.end ?? start) < 0,
          );
        expect(holds).toBe(true);
      }
    }
    await db.close();
  });

  test('the guard rejects whatever a method asks the engine for', async () => {
    const db = await open('memory:', { entities });
    await fill(db);
    const { model } = db.scope({ tenant: 'acme' }).repository(Plain);
    const guard = withStages(db.engine, [new ScopeGuard(model, model.key.scope!.ranges)]);
    const whole = db.repository(Plain).model;
    const key = whole.key.encode({ tenant: 'b', device: 'd', n: 1 });
    const own = whole.key.encode({ tenant: 'acme', device: 'd', n: 1 });
    const mutations = [{ kind: 'deleteFromRow' }] as const;
    const read = { table: 'mixed', reversed: false };
    const { perShard } = whole.key.ranges({ fixed: { tenant: 'b' } });
    const attempts: Promise<unknown>[] = [
      guard.mutateRow('mixed', { key, mutations }),
      guard.mutateRow('folded', { key: own, mutations }),
      guard.mutateRows('mixed', [
        { key: own, mutations },
        { key, mutations },
      ]),
      guard.checkAndMutateRow('mixed', { key, onTrue: mutations }),
      guard.readModifyWriteRow('mixed', key, []),
      guard.readRows({ ...read, ranges: perShard[0] }).next(),
      guard.readRows({ ...read, ranges: [{ start: new Uint8Array(0) }] }).next(),
      guard.readRows({ ...read, ranges: [{ start: own }] }).next(),
      guard.dropRowRange('mixed', { kind: 'all' }),
      guard.dropRowRange('mixed', { kind: 'prefix', prefix: Buffer.from('p#') }),
      guard.listTables(),
      guard.deleteTable('mixed'),
      guard.compact('mixed'),
      guard.close(),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        code: 'OUTSIDE_SCOPE',
        details: { entity: 'Plain', property: 'tenant', fix: expect.any(String) },
      });
    expect(await db.repository(Plain).scanAll().count()).toBe(tenants.length * 8);
    await guard.mutateRow('mixed', { key: own, mutations });
    await guard.dropRowRange('mixed', { kind: 'prefix', prefix: Buffer.from('p#acme#d#') });
    expect(await db.repository(Plain).prefix({ tenant: 'acme' }).count()).toBe(0);
    expect(await db.repository(Plain).scanAll().count()).toBe((tenants.length - 1) * 8);
    await db.close();
  });

  test('explain states the scope', async () => {
    const db = await open('memory:', { entities });
    const rows = db.scope({ tenant: 'acme' }).repository(Plain);
    expect(rows.scanAll().explain().toString().split('\n').slice(0, 3)).toEqual([
      'scan      Plain in table mixed',
      "where     tenant = 'acme' (scope)",
      'range     [p#acme#d# .. p#acme#d$)',
    ]);
    expect(rows.scanAll().explain().properties.slice(0, 3)).toEqual(['tenant', 'device', 'n']);
    await db.close();
  });

  const faults: [string, (db: Untyped) => unknown, object][] = [
    ['no values', (db) => db.scope({}), { code: 'INVALID_ARGUMENT' }],
    ['no object', (db) => db.scope('acme'), { code: 'INVALID_ARGUMENT' }],
    ['undefined', (db) => db.scope({ tenant: undefined }), { code: 'INVALID_ARGUMENT' }],
    ['another segment', (db) => of(db, { device: 'd' }), { code: 'INVALID_ARGUMENT' }],
    ['an unknown one', (db) => of(db, { region: 'd' }), { code: 'INVALID_ARGUMENT' }],
    ['a gap', (db) => of(db, { tenant: 'a', n: 1 }), { code: 'INVALID_ARGUMENT' }],
    [
      'a whole key',
      (db) => of(db, { tenant: 'a', device: 'd', n: 1 }),
      { code: 'INVALID_ARGUMENT' },
    ],
    ['a value of another type', (db) => of(db, { tenant: 5 }), { code: 'INVALID_KEY' }],
    [
      'a pattern that bounds its segment',
      (db) => (of(db, { tenant: 'a' }) as typeof rowsType).patterns.tenants({ tenant: 'a' }),
      { code: 'INVALID_QUERY' },
    ],
    [
      'a selection of its segment',
      (db) => ((of(db, { tenant: 'a' }) as Untyped).scanAll() as Untyped).select('tenant'),
      { code: 'INVALID_QUERY' },
    ],
  ];
  type Patterns = { patterns: Record<string, (values: object) => unknown> };
  const rowsType: Patterns = { patterns: {} };
  const of = (db: Untyped, values: object): unknown =>
    (db.scope(values) as unknown as { repository(entity: unknown): unknown }).repository(Plain);
  test.each(faults)('%s is a typed error', async (_name, run, error) => {
    const db = await open('memory:', { entities });
    expect(() => run(db as unknown as Untyped)).toThrow(
      expect.objectContaining({
        ...error,
        details: expect.objectContaining({
          property: expect.any(String),
          problem: expect.any(String),
          fix: expect.any(String),
        }),
      }),
    );
    await db.close();
  });
});
