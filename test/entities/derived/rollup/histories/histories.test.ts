/**
 * Random histories of several programs with different clocks, with requests that fail, are lost or
 * come late, and programs that are killed; on all engines. After each, what a reader gets is what
 * the rows add, before and after a repair. RUNS=5000 runs more of them in memory.
 */
import {
  Column,
  type Database,
  Entity,
  maxVersions,
  rollups,
  rowKey,
  type RowsmithError,
  Segment,
} from '../../../../../src/index.js';
import { rollupFamilies } from '../../../../../src/entities/model/index.js';
import { type Engine, type RowMutation } from '../../../../../src/data/store/index.js';
import { DelegatingEngine } from '../../../../support/delegating-engine.js';
import { backEnds, type OpenedBackEnd } from '../../../repository/support/back-ends.js';
import { seed } from '../../../../support/seed.js';
import { Order } from '../rollup-entities.js';
import { databaseOver, type Programs, runHistory } from './run-history.js';
import { SeenFaults } from '../../index/histories/seen-faults.js';

/** Without minima and maxima, which Google's emulator does not keep. */
@Entity({ table: 'meters', families: { m: { gc: maxVersions(1) } } })
class Meter {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: {
        count: 'count',
        total: { sum: 'watts' },
        first: { first: 'watts' },
        last: { last: 'watts' },
      },
    },
    daily: {
      by: [{ time: 'at', every: '1d' }],
      values: { count: 'count', mean: { avg: 'watts' } },
    },
  });
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') watts?: number;
  @Column('m', 'string') note?: string;
}

const runs = Number(process.env.RUNS ?? 0);
const counts: Readonly<Record<string, number>> = { memory: 8, disk: 5 };
const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 1, h));
const orderWrites: Programs = {
  entities: [Order],
  write(db, random) {
    const below = (n: number): number => Math.floor(random() * n);
    const orders = db.repository(Order);
    const key = (): { shop: string; at: Date; id: number } => ({
      shop: 's',
      at: hour(below(3) * 12),
      id: below(3),
    });
    const order = (): Order => orders.create({ ...key(), total: `${below(100)}`, items: below(5) });
    switch (below(7)) {
      case 0:
        return orders.save(order());
      case 1:
        return orders.insert(order());
      case 2:
        return orders.patch(key(), { total: `${below(100)}` });
      case 3:
        return orders.delete(key());
      case 4:
        return orders.saveMany([order(), order()]);
      case 5:
        return orders.patch(key(), { items: below(9) });
      default:
        return orders.prefix({ shop: 's' }).since('at', hour(12)).delete();
    }
  },
  repair: (db) => db.derived.rollups.repair(Order),
};

const meterWrites: Programs = {
  entities: [Meter],
  write(db, random) {
    const below = (n: number): number => Math.floor(random() * n);
    const meters = db.repository(Meter);
    const key = (): { device: string; at: Date } => ({
      device: `d${below(2)}`,
      at: new Date(hour(below(2)).getTime() + below(4)),
    });
    const meter = (): Meter => meters.create({ ...key(), watts: below(50) });
    switch (below(8)) {
      case 0:
        return meters.save(meter());
      case 1:
        return meters.insert(meter());
      case 2:
        return meters.saveMany([meter(), meter(), meter()]);
      case 3:
        return meters.patch(key(), { watts: below(50) });
      case 4:
        return meters.patchMany([
          { key: key(), changes: { watts: null } },
          { key: key(), changes: { watts: below(50), note: 'n' } },
        ]);
      case 5:
        return meters.delete(key());
      case 6:
        return meters.deleteMany([key(), key()]);
      default:
        return meters.insertMany([meter(), meter()]);
    }
  },
  repair: (db) => db.derived.rollups.repair(Meter),
};

async function assertOrders(db: Database): Promise<void> {
  const groups = await db
    .repository(Order)
    .prefix({ shop: 's' })
    .groupBy({ time: 'at', every: '1d' })
    .aggregate({
      orders: 'count',
      revenue: { sum: 'total', as: 'decimal' },
      mean: { avg: 'items' },
    })
    .all();
  const rows = await db.repository(Order).rollup('sales').scanAll().all();
  expect(rows.map(({ at, orders, revenue, mean }) => [at, orders, revenue, mean])).toEqual(
    groups.map(({ at, orders, revenue, mean }) => [at, orders, Number(revenue).toFixed(2), mean]),
  );
}

async function assertMeters(db: Database): Promise<void> {
  const meters = db.repository(Meter);
  const hours = await meters
    .scanAll()
    .groupBy('device', { time: 'at', every: '1h' })
    .aggregate({ count: 'count', total: { sum: 'watts' } })
    .all();
  const rows = await meters.rollup('hourly').scanAll().all();
  expect(rows.map(({ device, at, count, total }) => ({ device, at, count, total }))).toEqual(
    hours.map((row) => ({ ...row, total: row.total ?? 0 })),
  );
  const all = await meters.scanAll().all();
  const days = await meters.rollup('daily').scanAll().all();
  expect(days.map(({ count }) => count)).toEqual(all.length === 0 ? [] : [all.length]);
  for (const { device, at, first, last } of rows) {
    const watts = all
      .filter((row) => row.device === device && row.at.getUTCHours() === at.getUTCHours())
      .flatMap((row) => row.watts ?? []);
    expect([first, last]).toEqual([watts[0], watts[watts.length - 1]]);
  }
}

/** Cells of rows that must not be lost. */
class LosingEngine extends DelegatingEngine {
  readonly #family: string;

  constructor(engine: Engine, family: string) {
    super(engine);
    this.#family = family;
  }

  override mutateRow(table: string, { key, mutations }: RowMutation): Promise<void> {
    const kept = mutations.filter(
      (each) => each.kind !== 'setCell' || each.family !== this.#family,
    );
    return kept.length === 0 ? Promise.resolve() : super.mutateRow(table, { key, mutations: kept });
  }

  override mutateRows(
    table: string,
    rows: readonly RowMutation[],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    return Promise.all(
      rows.map((row) =>
        this.mutateRow(table, row).then(
          () => undefined,
          (error: RowsmithError) => error,
        ),
      ),
    );
  }
}

test('the histories notice rows without marks in their buckets', async () => {
  const { db, close } = await backEnds[0].open([Order]);
  const programs: Programs = {
    ...orderWrites,
    repair: undefined,
    sabotage: (engine) => new LosingEngine(engine, rollupFamilies.mark),
  };
  let inexact = 0;
  for (let i = 0; inexact === 0 && i < 1000; i++) {
    const history = { seed: seed * 100_000 + i, writers: 2, operations: 4, faults: 3 };
    await runHistory(db.engine, programs, history);
    await assertOrders(databaseOver(db.engine, [Order])).catch(() => inexact++);
  }
  expect(inexact).toBeGreaterThan(0);
  await close();
});

describe.each(backEnds)('$name', ({ name, open }) => {
  let opened: OpenedBackEnd;
  beforeAll(async () => {
    opened = await open([Order, Meter]);
  });
  afterAll(() => opened.close());

  async function runAll(programs: Programs, check: (db: Database) => Promise<void>): Promise<void> {
    const count = runs > 0 && name === 'memory' ? runs : (counts[name] ?? 4);
    const db = databaseOver(opened.db.engine, programs.entities);
    const seen = new SeenFaults();
    for (let i = 0; seen.needs(i, count); i++) {
      const history = { seed: seed * 100_000 + i, writers: 2 + (i % 3), operations: 4, faults: 3 };
      const injected = await runHistory(opened.db.engine, programs, history);
      try {
        await check(db);
        await programs.repair!(db);
        await check(db);
      } catch (error) {
        const lines = [`history ${JSON.stringify(history)}`, ...injected, String(error)];
        throw new Error(lines.join('\n'));
      }
      seen.add(injected);
    }
    seen.assertEach();
  }

  test('few rows that change again and again', () => runAll(orderWrites, assertOrders), 600_000);

  test('rows that are added, corrected and deleted', async () => {
    await runAll(meterWrites, assertMeters);
    const db = databaseOver(opened.db.engine, [Meter]);
    expect(await db.derived.rollups.verify(Meter)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
  }, 600_000);
});
