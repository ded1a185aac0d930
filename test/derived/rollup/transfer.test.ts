/** Rows that are imported or migrated are in the rollups of their entity. */
import { Readable } from 'node:stream';
import { Column, Entity, literal, open, rollups, rowKey, Segment } from '../../../src/index.js';
import { importRows, migrate } from '../../../src/transfer/index.js';
import { Order, Reading } from './rollup-entities.js';

const hour = (h: number): string => new Date(Date.UTC(2026, 0, 5) + h * 3_600_000).toISOString();

test('imported rows are counted once, and lines of rows that exist are rejected', async () => {
  await using db = await open('memory:', { entities: [Reading, Order] });
  const readings = db.repository(Reading);
  const line = (h: number, temperature: number): string =>
    JSON.stringify({ tenant: 'a', device: 'd', at: hour(h), temperature });
  const importLines = (...lines: string[]) =>
    importRows(db.engine, readings.model, Readable.from([Buffer.from(lines.join('\n'))]), {
      format: 'jsonl',
      maxRejected: 10,
    });
  expect(await importLines(line(1, 1.5), line(1.5, 2.5), line(2, 1.005))).toMatchObject({
    written: 2,
    rejected: 1,
  });
  expect(await importLines(line(1, 1.5), line(3, 4))).toMatchObject({ written: 1, rejected: 1 });
  expect(await readings.rollup('hourly').scanAll().all()).toMatchObject([
    { count: 1, avg: 4 },
    { count: 2, avg: 2 },
  ]);
  const orders = db.repository(Order);
  const order = JSON.stringify({ shop: 's', at: hour(1), id: 1, total: '1.50' });
  for (let i = 0; i < 2; i++)
    await importRows(db.engine, orders.model, Readable.from([Buffer.from(order)]), {
      format: 'jsonl',
    });
  expect(await orders.rollup('sales').scanAll().all()).toMatchObject([
    { orders: 1, revenue: '1.50' },
  ]);
});

@Entity({ table: 'old', families: { m: {} } })
class Old {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'new', families: { m: {} } })
class New {
  static readonly key = rowKey(literal('v2'), 'device', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: { n: 'count', total: { sum: 'value', decimals: 0 } },
    },
  });
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
}

test('a migration leaves exact rollups, also when it is repeated', async () => {
  await using db = await open('memory:', { entities: [Old, New] });
  const old = db.repository(Old);
  await old.saveMany(
    [1, 2, 3].map((n) => old.create({ device: 'd', at: new Date(hour(1 + n / 2)), value: n })),
  );
  for (let i = 0; i < 2; i++) {
    await migrate(db.engine, { from: Old, to: New });
    expect(await db.repository(New).rollup('hourly').scanAll().all()).toMatchObject([
      { n: 1, total: 1 },
      { n: 2, total: 5 },
    ]);
  }
});
