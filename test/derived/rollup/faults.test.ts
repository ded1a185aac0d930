/**
 * Rollups beside failing storage. What the guide's table states holds after each history: rebuilt
 * rollups are exact whatever happened; those that count once are exact unless a call has reported
 * otherwise, and then verify finds it and repair makes them exact.
 */
import { everyKey } from '../../../src/bytes/index.js';
import { RowsmithError } from '../../../src/index.js';
import { type FaultyDatabase, faultyDatabase } from '../../../src/testing/index.js';
import { openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { seed as firstSeed } from '../../support/seed.js';
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

/** Random writes; resolves to the codes of the errors. */
async function writeAll(writes: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const codes: string[] = [];
  for (const write of writes)
    try {
      const result = await write();
      for (const { error } of (result as { failures?: { error: RowsmithError }[] })?.failures ?? [])
        codes.push(error.code);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      codes.push(error.code);
    }
  return codes;
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
  test('rebuilt rollups are exact whatever happened', async () => {
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
        () => orders.mutate(key(), { set: { items: random(9) } }),
        () => orders.prefix({ shop: 's' }).since('at', hour(12)).delete(),
      ];
      injectFaults(db, random);
      await Promise.all(
        [1, 2, 3].map(() => writeAll(Array.from({ length: 6 }, () => kinds[random(kinds.length)]))),
      );
      db.faults.clear();
      const check = async (): Promise<void> => {
        const groups = await orders
          .prefix({ shop: 's' })
          .groupBy({ time: 'at', every: '1d' })
          .aggregate({
            orders: 'count',
            revenue: { sum: 'total', as: 'decimal' },
            mean: { avg: 'items' },
          })
          .all();
        const rows = await orders.rollup('sales').scanAll().all();
        const kept = rows.map(({ at, orders: count, revenue, mean }) => [at, count, revenue, mean]);
        expect({ n, rows: kept }).toEqual({
          n,
          rows: groups.map(({ at, orders: count, revenue, mean }) => [
            at,
            count,
            Number(revenue).toFixed(2),
            mean,
          ]),
        });
      };
      await check();
      await db.derived.rollups.repair(Order);
      await check();
      await close();
    });
  });

  test('rollups that count once are exact, or the writer gets an error', async () => {
    await inLanes(histories, async (n) => {
      const random = randomOf(firstSeed + n);
      const { db, close } = await open();
      const readings = db.repository(Reading);
      let id = 0;
      // Each writer has its own rows: two that write one row at the same time are below.
      const reading = (writer: number): Reading =>
        readings.create({
          tenant: 'a',
          device: `d${random(2)}`,
          at: new Date(hour(random(2)).getTime() + writer * 1000 + (id++ % 900)),
          temperature: random(1000) / 4,
        });
      const kinds: readonly ((writer: number) => Promise<unknown>)[] = [
        (w) => readings.save(reading(w)),
        (w) => readings.insert(reading(w)),
        (w) => readings.saveMany([reading(w), reading(w), reading(w)]),
        (w) => readings.insertMany([reading(w), reading(w)]),
        (w) => readings.patch(reading(w), { temperature: random(100) }),
      ];
      injectFaults(db, random);
      const codes = await Promise.all(
        [1, 2, 3].map((writer) =>
          writeAll(
            Array.from({ length: 6 }, () => {
              const kind = kinds[random(kinds.length)];
              return () => kind(writer);
            }),
          ),
        ),
      );
      db.faults.clear();
      const reported = codes
        .flat()
        .some((code) => ['UNAVAILABLE', 'ROLLUP_INEXACT'].includes(code));
      const { missing, wrong, orphan } = await db.derived.rollups.verify(Reading);
      if (!reported)
        expect({ n, missing, wrong, orphan }).toEqual({ n, missing: 0, wrong: 0, orphan: 0 });
      const repaired = await db.derived.rollups.repair(Reading);
      expect({ n, repaired: repaired.repaired }).toEqual({ n, repaired: missing + wrong + orphan });
      const groups = await readings
        .scanAll()
        .groupBy('tenant', 'device', { time: 'at', every: '1h' })
        .aggregate({
          count: 'count',
          total: { sum: 'temperature' },
          low: { min: 'temperature' },
          high: { max: 'temperature' },
        })
        .all();
      const rows = await readings.rollup('hourly').scanAll().all();
      expect(
        rows.map(({ device, at, count, total, low, high }) => ({
          device,
          at,
          count,
          total,
          low,
          high,
        })),
      ).toEqual(groups.map(({ tenant: _, ...group }) => group));
      await close();
    });
  });
});

test('a writer that stops before it counts is found and repaired', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Reading] });
  const readings = db.repository(Reading);
  const of = (second: number): Reading =>
    readings.create({
      tenant: 'a',
      device: 'd',
      at: new Date(hour(1).getTime() + second * 1000),
      temperature: second,
    });
  const count = async (): Promise<number | undefined> =>
    (await readings.rollup('hourly').scanAll().first())?.count;
  await readings.save(of(1));
  // The row is written, its count is not.
  db.faults.failWrite({ table: 'readings_rollup' });
  await expect(readings.save(of(2))).rejects.toMatchObject({
    code: 'ROLLUP_INEXACT',
    details: { property: 'hourly' },
  });
  const { written, failures } = await readings.saveMany([of(3)]);
  expect([written, failures[0].error.code, failures[0].mayBeWritten]).toEqual([
    0,
    'ROLLUP_INEXACT',
    true,
  ]);
  db.faults.clear();
  expect(await count()).toBe(1);
  // Writing the row again does not count it: it exists.
  await expect(readings.save(of(2))).rejects.toMatchObject({ code: 'ROW_EXISTS' });
  expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 2, missing: 0 });
  await db.derived.rollups.repair(Reading);
  expect(await count()).toBe(3);
  // The row is written, and the answer lost: its outcome is unknown to the writer.
  db.faults.failWrite({ table: 'readings', applied: true, times: 1, nth: 1 });
  await expect(readings.save(of(4))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 2 });
  // Counted, and the answer lost.
  await db.derived.rollups.repair(Reading);
  db.faults.failWrite({ table: 'readings_rollup', applied: true });
  await expect(readings.save(of(5))).rejects.toMatchObject({ code: 'ROLLUP_INEXACT' });
  db.faults.clear();
  expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0 });
});

test('a row that two bulk writes make at the same time is counted twice, and verify finds it', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Reading] });
  const readings = db.repository(Reading);
  const reading = readings.create({ tenant: 'a', device: 'd', at: hour(1), temperature: 1 });
  db.faults.delay({ millis: 5, only: 'writes' });
  await Promise.all([readings.saveMany([reading]), readings.saveMany([reading])]);
  expect((await readings.rollup('hourly').scanAll().first())?.count).toBe(2);
  expect(await db.derived.rollups.repair(Reading)).toMatchObject({ wrong: 2, repaired: 2 });
  expect((await readings.rollup('hourly').scanAll().first())?.count).toBe(1);
  // Conditional inserts have no such race.
  const other = readings.create({ tenant: 'a', device: 'e', at: hour(1), temperature: 1 });
  await Promise.allSettled([
    readings.save(other),
    readings.save(other),
    readings.insertMany([other]),
  ]);
  expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0, missing: 0 });
});

test('values of an older scan never replace newer ones', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Order] });
  const orders = db.repository(Order);
  const save = (id: number): Promise<void> =>
    orders.save(orders.create({ shop: 's', at: hour(id), id, total: '1' }));
  await save(0);
  // The first writer has computed the bucket, and is slow to store it.
  db.faults.delay({ table: 'orders_rollup', nth: 2, millis: 150, only: 'writes' });
  const slow = save(1);
  await new Promise((resolve) => void setTimeout(resolve, 50));
  await save(2);
  await slow;
  const { model } = orders;
  const { rows } = model.rollups[0];
  const stored = await db.engine
    .readRows({ table: rows.table.name, ranges: [everyKey], reversed: false })
    .next();
  const families = new Set<string>();
  while (stored!.nextRow()) while (stored!.nextCell()) families.add(stored!.family);
  expect(families.has('_mark')).toBe(false);
  expect(await orders.rollup('sales').scanAll().all()).toMatchObject([
    { orders: 3, revenue: '3.00' },
  ]);
});
