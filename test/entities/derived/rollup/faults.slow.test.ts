/**
 * Rollups beside failing storage: whatever failed, broke off or never came back, what a reader gets
 * afterwards is what the rows add, before and after a repair.
 */
import { everyKey } from '../../../../src/base/index.js';
import { type Database, RowsmithError } from '../../../../src/index.js';
import {
  type FaultyDatabase,
  faultyDatabase,
  type TestDatabase,
  testDatabase,
} from '../../../../src/tools/testing/index.js';
import { openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { seed as firstSeed } from '../../../support/seed.js';
import { Order, Reading } from './rollup-entities.js';

type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const back: readonly { name: string; open: () => Promise<OpenFaulty>; histories: number }[] = [
  {
    name: 'memory',
    histories: 60,
    open: async () => {
      const db = await faultyDatabase('memory:', { entities: [Reading, Order] });
      return { db, close: () => db.close() };
    },
  },
  {
    name: 'live, our server',
    histories: 6,
    open: async () => {
      const server = await openOverOurServer();
      const db = await faultyDatabase('bigtable://p/instance-1', {
        entities: [Reading, Order],
        bigtable: { emulatorHost: server.address },
      });
      await db.admin.apply();
      const close = async (): Promise<void> => {
        await db.close();
        await server.close();
      };
      return { db, close };
    },
  },
];
interface OpenFaulty {
  readonly db: FaultyDatabase;
  readonly close: () => Promise<void>;
}

const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 1, h));

/** Makes the writes. Their errors are typed. */
async function writeAll(writes: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const write of writes)
    await write().catch((error: unknown) => {
      if (!(error instanceof RowsmithError)) throw error;
    });
}

/** The bucket of each hour as the rows of the source add it. */
async function hoursOf(db: FaultyDatabase): Promise<unknown[]> {
  return db
    .repository(Reading)
    .prefix({ tenant: 'a' })
    .groupBy('device', { time: 'at', every: '1h' })
    .aggregate({
      count: 'count',
      total: { sum: 'temperature' },
      low: { min: 'temperature' },
      high: { max: 'temperature' },
    })
    .all();
}

async function assertReadings(db: FaultyDatabase, n: number): Promise<void> {
  const rows = await db.repository(Reading).rollup('hourly').scanAll().all();
  const kept = rows.map(({ device, at, count, total, low, high }) => {
    return { device, at, count, total, low, high };
  });
  expect({ n, rows: kept }).toEqual({ n, rows: await hoursOf(db) });
}

async function assertOrders(db: FaultyDatabase, n: number): Promise<void> {
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
  expect({
    n,
    rows: rows.map(({ at, orders, revenue, mean }) => [at, orders, revenue, mean]),
  }).toEqual({
    n,
    rows: groups.map(({ at, orders, revenue, mean }) => [
      at,
      orders,
      Number(revenue).toFixed(2),
      mean,
    ]),
  });
}

function injectFaults({ faults }: FaultyDatabase, random: Random): void {
  faults.delay({ millis: [0, 2], seed: random(1000) });
  for (let i = 0; i < 4; i++)
    faults.failWrite({ nth: 1 + random(25), times: 1 + random(2), applied: random(2) === 0 });
  if (random(3) === 0) faults.failRead({ nth: 1 + random(10), times: 1 });
  // From here on nothing gets through: the process was killed.
  if (random(3) === 0) faults.failWrite({ nth: 10 + random(40), times: Infinity });
}

/** Runs histories 0 to `count - 1`, several at a time: they wait for delayed requests. */
async function inLanes(count: number, run: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

describe.each(back)('$name', ({ open, histories }) => {
  test('rows that few writers change again and again', async () => {
    await inLanes(histories, async (n) => {
      const random = randomOf(firstSeed + n);
      const { db, close } = await open();
      const orders = db.repository(Order);
      const key = (): { shop: string; at: Date; id: number } => ({
        shop: 's',
        at: hour(random(3) * 12),
        id: random(3),
      });
      const order = (): Order =>
        orders.create({ ...key(), total: `${random(100)}`, items: random(5) });
      const kinds: readonly (() => Promise<unknown>)[] = [
        () => orders.save(order()),
        () => orders.insert(order()),
        () => orders.patch(key(), { total: `${random(100)}` }),
        () => orders.delete(key()),
        () => orders.saveMany([order(), order()]),
        () => orders.patch(key(), { items: random(9) }),
        () => orders.increment(key(), 'views', 1n),
        () => orders.prefix({ shop: 's' }).since('at', hour(12)).delete(),
      ];
      injectFaults(db, random);
      await Promise.all(
        [1, 2, 3].map(() => writeAll(Array.from({ length: 6 }, () => kinds[random(kinds.length)]))),
      );
      db.faults.clear();
      await assertOrders(db, n);
      await db.derived.rollups.repair(Order);
      await assertOrders(db, n);
      await close();
    });
  });

  test('rows that many writers add, correct and delete', async () => {
    await inLanes(histories, async (n) => {
      const random = randomOf(firstSeed + n);
      const { db, close } = await open();
      const readings = db.repository(Reading);
      const reading = (): Reading =>
        readings.create({
          tenant: 'a',
          device: `d${random(2)}`,
          at: new Date(hour(random(2)).getTime() + random(8)),
          temperature: random(1000) / 4,
        });
      const keyOf = ({ tenant, device, at }: Reading) => ({ tenant, device, at });
      const kinds: readonly (() => Promise<unknown>)[] = [
        () => readings.save(reading()),
        () => readings.insert(reading()),
        () => readings.saveMany([reading(), reading(), reading()]),
        () => readings.insertMany([reading(), reading()]),
        () => readings.patch(keyOf(reading()), { temperature: random(100) }),
        () => readings.deleteMany([keyOf(reading()), keyOf(reading())]),
      ];
      injectFaults(db, random);
      await Promise.all(
        [1, 2, 3].map(() => writeAll(Array.from({ length: 6 }, () => kinds[random(kinds.length)]))),
      );
      db.faults.clear();
      await assertReadings(db, n);
      await db.derived.rollups.repair(Reading);
      await assertReadings(db, n);
      const { missing, wrong, orphan } = await db.derived.rollups.verify(Reading);
      expect({ n, missing, wrong, orphan }).toEqual({ n, missing: 0, wrong: 0, orphan: 0 });
      await close();
    });
  });
});

describe('one write', () => {
  const of = (db: Database, minute: number): Reading =>
    db.repository(Reading).create({
      tenant: 'a',
      device: 'd',
      at: new Date(hour(1).getTime() + minute * 60_000),
      temperature: minute,
    });
  const stored = async (db: Database): Promise<readonly string[]> => {
    const page = await db.engine
      .readRows({ table: 'readings_rollup', ranges: [everyKey], reversed: false })
      .next();
    const families = new Set<string>();
    while (page?.nextRow() === true) while (page.nextCell()) families.add(page.family);
    return [...families];
  };
  let db: TestDatabase;
  const save = (minute: number): Promise<void> => db.repository(Reading).save(of(db, minute));
  const total = async (): Promise<number | undefined> =>
    (await db.repository(Reading).rollup('hourly').scanAll().first())?.total;

  beforeEach(async () => {
    db = await testDatabase([Reading]);
    await save(1);
  });
  afterEach(() => db.close());

  test('that cannot mark its bucket writes nothing', async () => {
    db.faults.failWrite({ table: 'readings_rollup' });
    await expect(save(2)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { written, failures: failed } = await db.repository(Reading).saveMany([of(db, 3)]);
    expect([written, failed.map(({ error }) => error.code)]).toEqual([0, ['UNAVAILABLE']]);
    db.faults.clear();
    expect(await db.repository(Reading).scanAll().count()).toBe(1);
    expect(await total()).toBe(1);
  });

  test('that cannot settle its mark is written, and the next reader settles it', async () => {
    db.faults.failWrite({ table: 'readings_rollup', nth: 3, times: 2 });
    await save(2);
    db.faults.clear();
    expect(await stored(db)).toContain('_mark');
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0, missing: 0 });
    expect(await total()).toBe(3);
    expect((await db.repository(Reading).rollup('daily').scanAll().first())?.count).toBe(2);
    expect(await stored(db)).not.toContain('_mark');
  });

  test('that cannot settle its mark is settled by the next write of its row', async () => {
    db.faults.failWrite({ table: 'readings_rollup', nth: 3, times: 2 });
    await save(2);
    db.faults.clear();
    await db.repository(Reading).delete({ tenant: 'a', device: 'd', at: of(db, 2).at });
    expect(await stored(db)).not.toContain('_mark');
    expect(await total()).toBe(1);
  });

  test('of which the answer is lost counts exactly if the row was written', async () => {
    db.faults.failWrite({ table: 'readings', applied: true });
    await save(2);
    db.faults.clear();
    expect(await total()).toBe(3);
    // Settled, and the answer lost.
    db.faults.failWrite({ table: 'readings_rollup', nth: 3, times: 2, applied: true });
    await save(3);
    db.faults.clear();
    expect(await total()).toBe(6);
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0, missing: 0 });
  });

  test('of a writer that was killed before its row leaves a mark, which repair removes', async () => {
    db.faults.failWrite({ table: 'readings' });
    db.faults.failWrite({ table: 'readings_rollup', nth: 3, times: Infinity });
    await expect(save(2)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    db.faults.clear();
    expect(await stored(db)).toContain('_mark');
    expect(await total()).toBe(1);
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0, missing: 0 });
    // Its writer may be slow: the mark stays for a minute.
    await db.derived.rollups.repair(Reading);
    expect(await stored(db)).toContain('_mark');
    db.clock.advance('2m');
    await db.derived.rollups.repair(Reading);
    expect(await stored(db)).not.toContain('_mark');
    expect(await total()).toBe(1);
  });
});
