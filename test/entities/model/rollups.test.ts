import {
  Column,
  column,
  Counter,
  defineEntity,
  Entity,
  open,
  rollups,
  type RollupDeclaration,
  rowKey,
  RowsmithError,
  Segment,
  aggregate,
} from '../../../src/index.js';
import { buildModel, buildModels } from '../../../src/entities/model/index.js';

const hour = { time: 'at', every: '1h' };
const count = { n: 'count' } as const;

function faultsOf(declared: unknown, name = 'hourly'): readonly string[] {
  @Entity({ table: 'readings', families: { m: {}, c: aggregate('sum') } })
  class Reading {
    static readonly key = rowKey('tenant', 'device', 'at', 'seen');
    static readonly rollups = rollups({ [name]: declared as RollupDeclaration }) as unknown;
    @Segment('string') tenant!: string;
    @Segment('uint') device!: number;
    @Segment('timestamp') at!: Date;
    @Segment('timestamp', { nullable: true }) seen!: Date | null;
    @Column('m', 'double') temperature?: number;
    @Column('m', 'int64') energy?: bigint;
    @Column('m', 'string') note?: string;
    @Column('m', 'double', { default: 1 }) factor?: number;
    @Counter('c') hits?: bigint;
  }
  try {
    buildModel(Reading);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_DECLARATION' });
    return (error as RowsmithError).details.faults!.map(({ entity, property, problem, fix }) => {
      expect([entity, property]).toEqual(['Reading', 'rollups']);
      expect(fix).not.toBe('');
      return problem;
    });
  }
}

test.each<readonly [unknown, string]>([
  [{ values: count }, 'does not say what it groups by'],
  [{ by: ['tenant'], values: count }, 'does not end with its time'],
  [{ by: [hour, 'tenant'], values: count }, 'does not end with its time'],
  [
    { by: ['tenannt', hour], values: count },
    'groups by the string "tenannt", which is not a segment',
  ],
  [{ by: ['tenant', 'tenant', hour], values: count }, "groups by 'tenant' twice"],
  [
    { by: [{ time: 'device', every: '1h' }], values: count },
    "floors 'device', which is not a Date",
  ],
  [{ by: [{ time: 'seen', every: '1h' }], values: count }, "floors 'seen', which may be null"],
  [{ by: [{ time: 'at', every: '1w' }], values: count }, 'floors its time to'],
  [{ by: [{ time: 'at', every: '0h' }], values: count }, 'floors its time to'],
  [{ by: [{ ...hour, fillGaps: true }], values: count }, "gives its time 'fillGaps'"],
  [{ by: [hour] }, 'computes nothing'],
  [{ by: [hour], values: {} }, 'computes nothing'],
  [{ by: [hour], values: { n: 'cuont' } }, "computes 'n' as"],
  [{ by: [hour], values: { at: 'count' } }, "has a value 'at', which names a group"],
  [{ by: [hour], values: { x: { avg: 'temprature' } } }, 'which is not a mapped property'],
  [
    { by: [hour], values: { x: { avg: 'temperature' } } },
    "computes avg of 'temperature' without decimals",
  ],
  [{ by: [hour], values: { x: { sum: 'temperature', decimals: 16 } } }, 'decimals'],
  [
    { by: [hour], values: { x: { sum: 'energy', decimals: 2 } } },
    "computes sum of 'energy' with decimals",
  ],
  [{ by: [hour], values: { x: { sum: 'note' } } }, 'of kind string cannot be added'],
  [{ by: [hour], values: { x: { min: 'note' } } }, 'of kind string cannot be ordered'],
  [{ by: [hour], values: { x: { avg: 'note', as: 'decimal', decimals: 2 } } }, 'cannot be added'],
  [
    { by: [hour], values: { x: { sum: 'temperature', as: 'decimal', decimals: 2 } } },
    'as another type',
  ],
  [{ by: [hour], values: { x: { first: 'device' } } }, 'which is a segment of the key'],
  [{ by: [hour], values: { x: { sum: 'hits' } } }, 'which is changed by increments'],
  [
    { by: [hour], values: { x: { sum: 'factor', decimals: 1 } } },
    'which has a default that is read',
  ],
  [{ by: [hour], values: { x: { first: 'note', decimals: 1 } } }, 'options that it does not take'],
  [{ by: [hour], values: count, kind: 'rebuilt' }, "has no option 'kind'"],
  [{ by: [hour], values: count, table: 'a b' }, 'which is not a table name'],
  [{ by: [hour], values: count, tabel: 't' }, "has no option 'tabel'"],
  [undefined, 'is not an object'],
])('fault %#: %j', (declared, problem) => {
  const faults = faultsOf(declared);
  expect(faults.join('\n')).toContain(`rollup 'hourly' `);
  expect(faults.join('\n')).toContain(problem);
});

test('names of rollups, and what is not made by rollups()', () => {
  expect(faultsOf({ by: [hour], values: count }, 'per-hour')).toEqual([
    "rollup 'per-hour' is not an identifier",
  ]);
  for (const name of ['__proto__', 'constructor'])
    expect(faultsOf({ by: [hour], values: count }, name)).toEqual([
      `rollup '${name}' has the name of a property of every object`,
    ]);
  @Entity({ table: 't', families: { m: {} } })
  class Plain {
    static readonly key = rowKey('at');
    static readonly rollups: unknown = { hourly: { by: [hour], values: count } };
    @Segment('timestamp') at!: Date;
    @Column('m', 'double') x?: number;
  }
  expect(() => buildModel(Plain)).toThrow(
    expect.objectContaining({
      details: {
        faults: [
          expect.objectContaining({ problem: 'the rollups were not created with rollups()' }),
        ],
      },
    }),
  );
});

test('rollups of one name in one table are a fault; in another table they are not', () => {
  const entity = (name: string, table?: string) =>
    defineEntity(
      Object.defineProperty(
        class {
          at = new Date(0);
          x?: number;
        },
        'name',
        { value: name },
      ),
      {
        table: 't',
        families: { m: {} },
        key: rowKey({ literal: name }, 'at'),
        segments: { at: 'timestamp' },
        columns: { x: column('m', 'double') },
        rollups: rollups({
          hourly: { by: [{ time: 'at', every: '1h' }], values: { n: 'count' }, table },
        }),
      },
    );
  expect(() => buildModels([entity('Alpha'), entity('Beta')])).toThrow(
    expect.objectContaining({
      details: {
        faults: [
          expect.objectContaining({
            entity: 'Beta',
            problem: "rollup 'hourly' has the name of one of Alpha in table 't_rollup'",
          }),
        ],
      },
    }),
  );
  expect(buildModels([entity('Gamma'), entity('Delta', 'other')])).toHaveLength(2);
});

test('a defined entity has rollups, pages, scopes and explain as other queries', async () => {
  const Metric = defineEntity(
    class Metric {
      tenant!: string;
      host!: string;
      at = new Date(0);
      load?: number;
    },
    {
      table: 'metrics',
      families: { m: {} },
      key: rowKey('tenant', 'host', 'at'),
      segments: { tenant: 'string', host: 'string', at: 'timestamp' },
      columns: { load: column('m', 'double') },
      rollups: rollups({
        quarter: {
          by: ['tenant', 'host', { time: 'at', every: '15m' }],
          values: { n: 'count', mean: { avg: 'load', decimals: 1 } },
        },
      }),
    },
  );
  await using db = await open('memory:', { entities: [Metric] });
  const metrics = db.repository(Metric);
  const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
  for (const tenant of ['a', 'b'])
    await metrics.saveMany(
      Array.from({ length: 60 }, (_, n) =>
        metrics.create({ tenant, host: `h${n % 2}`, at: at(n), load: n }),
      ),
    );
  const quarters = metrics.rollup('quarter');
  const acme = quarters.prefix({ tenant: 'a', host: 'h0' });
  expect(await acme.all()).toEqual([
    { tenant: 'a', host: 'h0', at: at(0), n: 8, mean: 7 },
    { tenant: 'a', host: 'h0', at: at(15), n: 7, mean: 22 },
    { tenant: 'a', host: 'h0', at: at(30), n: 8, mean: 37 },
    { tenant: 'a', host: 'h0', at: at(45), n: 7, mean: 52 },
  ]);
  const times = (rows: readonly { at: Date }[]): Date[] => rows.map((row) => row.at);
  expect(times(await acme.since('at', at(30)).all())).toEqual([at(30), at(45)]);
  expect(times(await acme.between('at', at(15), at(45)).reverse().all())).toEqual([at(30), at(15)]);
  expect(times(await acme.reverse().limit(1).all())).toEqual([at(45)]);
  expect((await acme.first())?.n).toBe(8);
  expect(await acme.count()).toBe(4);
  const page = await acme.page({ size: 3 });
  const next = await acme.page({ size: 3, after: page.next });
  expect([times(page.rows), times(next.rows), next.next]).toEqual([
    [at(0), at(15), at(30)],
    [at(45)],
    undefined,
  ]);
  expect((await quarters.get({ tenant: 'a', host: 'h1', at: at(29) }))?.at).toEqual(at(15));
  expect(
    await quarters.prefix({ tenant: 'a' }).oneOf('host', ['h1']).since('at', at(45)).count(),
  ).toBe(1);
  expect(await quarters.distinct('tenant').all()).toEqual([{ tenant: 'a' }, { tenant: 'b' }]);
  expect(String(acme.explain())).toContain('metrics_rollup');

  const scope = db.scope({ tenant: 'b' });
  const scoped = scope.repository(Metric).rollup('quarter');
  expect(await scoped.scanAll().count()).toBe(8);
  expect(await scoped.prefix({ host: 'h1' }).first()).toEqual({
    host: 'h1',
    at: at(0),
    n: 7,
    mean: 7,
  });
  await scope
    .repository(Metric)
    .insert(scope.repository(Metric).create({ host: 'h9', at: at(1), load: 1 }));
  expect((await quarters.get({ tenant: 'b', host: 'h9', at: at(1) }))?.n).toBe(1);
});
