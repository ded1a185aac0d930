/** Damaged marks, tokens, states and log entries: no raw errors, and repair converges. RUNS=n runs n rounds. */
import { type Database, RowsmithError } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { seed } from '../../../support/seed.js';
import { randomOf } from '../index/histories/faulty-storage.js';
import { Order } from './rollup-entities.js';

const at = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));
const key = (id: number): { shop: string; at: Date; id: number } => ({ shop: 's', at: at(id), id });

/** What stands in a cell by mistake: bytes, and JSON and tokens that are almost right. */
const contents: readonly string[] = [
  '',
  '{}',
  '[]',
  'null',
  '7',
  '{"row":"YQ","order":1,"time":1,"cells":[]}',
  '{"row":"YQ","order":1,"time":1,"cells":[["_sum","_rows","x","y"]]}',
  '{"row":"YQ","order":1,"time":1,"cells":[["nope","x",null,"1"]]}',
  '{"row":"YQ","order":1,"time":1,"cells":[["_sum","nope",null,"1"]]}',
  '{"row":"YQ","order":1,"time":1e15,"cells":[["_last","x",null,"YQ"]]}',
  '{"row":"","order":1,"time":1,"cells":[["_sum","_rows",null,"1"]]}',
  '{"row":7,"order":1,"time":1,"cells":7}',
  '{"row":"YQ","order":1e300,"time":1,"cells":[]}',
  '1',
  ' ',
  '5 ',
  '999999999999999999999999999 x',
  '9007199254740991 x',
  '-1 x',
];

const rounds = Number(process.env.RUNS ?? 10);

// Google's emulator has no aggregate but sum.
const own = backEnds.filter(({ name }) => !name.includes('emulator'));

describe.each(own)('$name', ({ open }) => {
  test('random cells of ours', async () => {
    const { db, close } = await open([Order]);
    const orders = db.repository(Order);
    const { rows } = orders.model.rollups[0];
    const random = randomOf(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const noise = (): Uint8Array =>
      below(3) === 0
        ? Buffer.from(Array.from({ length: below(12) }, () => below(256)))
        : Buffer.from(contents[below(contents.length)]);
    const qualifiers = ['r', 'b', 's', 'x', orders.model.rollups[0].id];
    const qualifier = (): Uint8Array =>
      below(2) === 0 ? noise() : Buffer.from(qualifiers[below(qualifiers.length)]);
    const damage = async (): Promise<void> => {
      const family = ['_mark', '_log', '_state'][below(3)];
      const cell = { kind: 'setCell', timestamp: -1, value: noise() } as const;
      if (below(3) === 0) {
        const id = Buffer.from(orders.model.rollups[0].id);
        const mutations = [{ ...cell, family: '_r', qualifier: id }];
        await db.engine.mutateRow('orders', {
          key: orders.model.key.encode(key(below(3))),
          mutations,
        });
      } else {
        const mutations = [{ ...cell, family, qualifier: qualifier() }];
        const bucket = rows.key.encode({ shop: 's', at: at(0) });
        await db.engine.mutateRow(rows.table.name, { key: bucket, mutations });
      }
    };
    const use = async (): Promise<void> => {
      const id = below(3);
      const order = orders.create({ ...key(id), total: `${below(100)}`, status: 'x' });
      const calls: readonly (() => Promise<unknown>)[] = [
        () => orders.save(order),
        () => orders.saveMany([order]),
        () => orders.delete(key(id)),
        () => orders.patch(key(id), { total: null }),
        () => orders.rollup('sales').scanAll().all(),
        () => orders.rollup('sales').get(key(0)),
        () => db.derived.rollups.verify(Order),
        () => db.derived.rollups.rebuild(Order, 'sales'),
      ];
      await calls[below(calls.length)]().catch((error: unknown) => {
        if (!(error instanceof RowsmithError)) throw error;
      });
    };
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 6; i++) await (below(2) === 0 ? damage() : use());
      await assertRepaired(db, round);
    }
    await close();
  });
});

async function assertRepaired(db: Database, round: number): Promise<void> {
  const orders = db.repository(Order);
  await db.derived.rollups.repair(Order);
  const { missing, orphan, wrong } = await db.derived.rollups.verify(Order);
  expect({ round, missing, orphan, wrong }).toEqual({ round, missing: 0, orphan: 0, wrong: 0 });
  const all = await orders.scanAll().all();
  const revenue = all.reduce((sum, { total }) => sum + Number(total ?? 0), 0).toFixed(2);
  const [row] = await orders.rollup('sales').scanAll().all();
  expect({ round, orders: row?.orders ?? 0, revenue: row?.revenue ?? '0.00' }).toEqual({
    round,
    orders: all.length,
    revenue,
  });
  // Writes are exact again.
  await orders.save(orders.create({ ...key(1), total: '1' }));
  const one = await orders.rollup('sales').get(key(0));
  expect(one?.orders).toBe(await orders.scanAll().count());
  expect(await db.derived.rollups.verify(Order)).toMatchObject({ missing: 0, orphan: 0, wrong: 0 });
}
