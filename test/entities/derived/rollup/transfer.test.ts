/** Rows that are imported or migrated are in the rollups of their entity. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  Column,
  type Database,
  Entity,
  literal,
  maxVersions,
  open,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { csvInput } from '../../../../src/tools/transfer/file/csv-input.js';
import { readingOptions } from '../../../../src/tools/transfer/import/reading-options.js';
import { importRows, migrate } from '../../../../src/tools/transfer/index.js';
import { Order, Reading } from './rollup-entities.js';

const hour = (h: number): string => new Date(Date.UTC(2026, 0, 5) + h * 3_600_000).toISOString();

const importInto = (
  db: Database,
  entity: typeof Reading | typeof Order,
  lines: readonly object[],
  options: object = {},
) =>
  importRows(
    db.engine,
    db.repository(entity as typeof Reading).model,
    Readable.from([Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]),
    { format: 'jsonl', maxRejected: 10, ...options },
  );
const line = (h: number, temperature: number, more: object = {}): object => ({
  tenant: 'a',
  device: 'd',
  at: hour(h),
  temperature,
  ...more,
});

test('imported rows count as what they are, also if they come again', async () => {
  await using db = await open('memory:', { entities: [Reading, Order] });
  const readings = db.repository(Reading);
  expect(
    await importInto(db, Reading, [line(1, 1.5), line(1.5, 2.5), line(2, 1.005)]),
  ).toMatchObject({ written: 2, rejected: 1 });
  expect(await importInto(db, Reading, [line(1, 3.5), line(3, 4)])).toMatchObject({
    written: 2,
    rejected: 0,
  });
  expect(await readings.rollup('hourly').scanAll().all()).toMatchObject([
    { count: 1, avg: 4 },
    { count: 2, avg: 3 },
  ]);
  const order = { shop: 's', at: hour(1), id: 1, total: '1.50' };
  for (let i = 0; i < 2; i++) await importInto(db, Order, [order]);
  expect(await db.repository(Order).rollup('sales').scanAll().all()).toMatchObject([
    { orders: 1, revenue: '1.50' },
  ]);
});

test('a resumed import counts rows that its first run has written as written', async () => {
  await using db = await open('memory:', { entities: [Reading] });
  const { model } = db.repository(Reading);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  try {
    const path = join(folder, 'rows.jsonl');
    const lines = Array.from({ length: 30 }, (_, i) => JSON.stringify(line(i / 60, i)));
    writeFileSync(path, lines.join('\n'));
    const options = { format: 'jsonl', maxRejected: 0 } as const;
    expect(await importRows(db.engine, model, path, options)).toMatchObject({ written: 30 });
    // As an import leaves it that is killed when its position is 20 lines behind its rows.
    const { size, mtimeMs: modified } = statSync(path);
    const position = {
      line: 10,
      written: 10,
      rejected: 0,
      rejectedBytes: 0,
      began: 1,
      reasons: {},
    };
    const state = {
      entity: 'Reading',
      table: 'readings',
      size,
      modified,
      options: readingOptions(options, csvInput(model, options)),
      position,
    };
    writeFileSync(`${path}.rowsmith-import.json`, JSON.stringify(state));
    expect(await importRows(db.engine, model, path, { ...options, resume: true })).toMatchObject({
      written: 30,
      rejected: 0,
      resumedAfter: 10,
    });
    expect(await db.repository(Reading).rollup('hourly').scanAll().all()).toMatchObject([
      { count: 30, total: 435, low: 0, high: 29 },
    ]);
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({ wrong: 0, missing: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

@Entity({ table: 'samples', families: { m: { gc: maxVersions(1) } }, cellTimestamp: 'taken' })
class Sample {
  static readonly key = rowKey('device', 'day');
  static readonly rollups = rollups({
    daily: {
      by: ['device', { time: 'day', every: '1d' }],
      values: { n: 'count', total: { sum: 'value' }, high: { max: 'value' } },
    },
  });
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('isoDate') day!: Date;
  @Column('m', 'timestamp') taken!: Date;
  @Column('m', 'int32') value?: number;
}

test('of two lines for one row, the sum has the one that the row shows', async () => {
  for (const times of [
    [1, 2],
    [2, 1],
    [2, 2],
  ]) {
    await using db = await open('memory:', { entities: [Sample] });
    const samples = db.repository(Sample);
    const lines = times.map((h, i) => {
      return { device: 'd', day: hour(0).slice(0, 10), taken: hour(h), value: 13 + i * 67 };
    });
    const text = lines.map((each) => JSON.stringify(each)).join('\n');
    const result = await importRows(db.engine, samples.model, Readable.from([Buffer.from(text)]), {
      format: 'jsonl',
    });
    expect(result).toMatchObject({ written: 2 });
    const [{ value, ...row }] = await samples.scanAll().all();
    expect([times, row.taken.getUTCHours()]).toEqual([times, Math.max(...times)]);
    expect(await samples.rollup('daily').scanAll().all()).toMatchObject([
      { n: 1, total: value, high: value },
    ]);
    expect(await db.derived.rollups.verify(Sample)).toMatchObject({ wrong: 0, missing: 0 });
  }
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
