/**
 * `npm run bench -- bench/across/groups.ts`: the newest reading of each device, the readings of 100
 * devices, and aggregates of all readings, each beside what a user writes by hand without them, and
 * live beside the official client. Devices have 1,000 readings each. Options: --rows N (readings,
 * default 1,000,000 embedded and a tenth of it live), --only NAME (memory, disk, live), --json. The
 * exit code is 2 if a target was missed.
 */
import { join } from 'node:path';
import { Column, Entity, Segment } from '../../decorators/index.js';
import { rowKey } from '../../src/entities/model/declaration/keys/row-key.js';
import { type Database, open } from '../../src/entities/repository/index.js';
import type { Variant } from '../interleave.js';
import { benchOptions, progress, Results } from '../results.js';
import { scratchDirectory } from '../stores.js';
import { Official } from '../wire/official.js';
import { startProgram } from '../wire/processes.js';
import { race } from './case.js';

@Entity({ table: 'readings', families: { m: { gc: { kind: 'maxVersions', versions: 1 } } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'int64') bytes?: bigint;
}

const options = benchOptions(process.argv.slice(2), 1_000_000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const perDevice = 1000;
const start = Date.UTC(2026, 0, 1);
const deviceOf = (n: number): string => `device-${String(n).padStart(5, '0')}`;

if (wants('memory')) await embedded('memory', 'memory:');
if (wants('disk')) await embedded('disk', `file:${join(scratchDirectory(), 'groups')}`);
if (wants('live')) await live();
process.exit(results.finish({ rows: options.rows }));

async function embedded(name: string, url: string): Promise<void> {
  const db = await open(url, { entities: [Reading], durability: 'relaxed' });
  const devices = options.rows / perDevice;
  await fill(db, devices);
  await newest(name, db, devices);
  await some(name, db, devices);
  await aggregates(name, db);
  await db.close();
}

async function live(): Promise<void> {
  const server = await startProgram('server-process', 'ours', 'memory');
  const official = new Official(server.address);
  await official.createTable('readings', ['m']);
  const devices = options.rows / perDevice / 10;
  let requests = 0;
  const db = await open('bigtable://p/i', {
    entities: [Reading],
    bigtable: { emulatorHost: server.address },
    observe: { log: () => void requests++ },
  });
  await fill(db, devices);
  requests = 0;
  await db.repository(Reading).scanAll().reverse().reverse().first();
  await db.repository(Reading).firstPer('device').all();
  results.add({ name: 'firstPer.live.requests', value: requests - 1, unit: `of ${devices}` });
  requests = 0;
  const known = Array.from({ length: devices }, (_, n) => deviceOf(n));
  await db.repository(Reading).oneOf('device', known).firstPer('device').all();
  results.add({ name: 'firstPer.live.known.requests', value: requests, unit: `of ${devices}` });
  await newest('live', db, devices, official);
  await some('live', db, devices);
  await aggregates('live', db);
  await db.close();
  await server.stop();
}

async function fill(db: Database, devices: number): Promise<void> {
  progress('fill');
  const readings = db.repository(Reading);
  const all = function* () {
    for (let n = 0; n < devices; n++)
      for (let i = 0; i < perDevice; i++)
        yield readings.create({
          device: deviceOf(n),
          at: new Date(start + i * 60_000),
          temperature: (i % 300) / 10,
          bytes: BigInt(i),
        });
  };
  const { failures } = await readings.saveMany(all());
  if (failures.length > 0) throw failures[0].error;
}

/** The newest reading of each device; the unit is one device. */
async function newest(
  name: string,
  db: Database,
  devices: number,
  official?: Official,
): Promise<void> {
  const readings = db.repository(Reading);
  const known = Array.from({ length: devices }, (_, n) => deviceOf(n));
  const check = (found: number): number => {
    if (found !== devices) throw new Error(`${found} of ${devices} devices were found`);
    return found;
  };
  const variants: Variant[] = [
    {
      name: 'everything',
      run: async () => {
        let last = '';
        let found = 0;
        for await (const page of readings.scanAll().pages())
          for (const { device } of page) {
            if (device !== last) found++;
            last = device;
          }
        return check(found);
      },
    },
    {
      name: 'limit-1, known devices',
      run: async () => {
        let found = 0;
        for (const device of known)
          if ((await readings.prefix({ device }).first()) !== undefined) found++;
        return check(found);
      },
    },
    { name: 'firstPer', run: async () => check((await readings.firstPer('device').all()).length) },
    {
      name: 'firstPer, known devices',
      run: async () =>
        check((await readings.oneOf('device', known).firstPer('device').all()).length),
    },
    { name: 'distinct', run: async () => check((await readings.distinct('device').all()).length) },
  ];
  if (official !== undefined)
    variants.push({
      name: 'official, limit-1, 16 in flight',
      run: async () => {
        let next = 0;
        const lane = async (): Promise<void> => {
          while (next < known.length)
            await official.getRows('readings', { prefix: `${known[next++]}#`, limit: 1 });
        };
        await Promise.all(Array.from({ length: 16 }, lane));
        return devices;
      },
    });
  await race(results, `firstPer.${name}`, variants, { firstPer: 50 }, 11);
}

/** The last hour of 100 devices; the unit is one reading. */
async function some(name: string, db: Database, devices: number): Promise<void> {
  const readings = db.repository(Reading);
  const known = Array.from({ length: 100 }, (_, n) => deviceOf(Math.floor((n * devices) / 100)));
  const since = new Date(start + (perDevice - 60) * 60_000);
  const rows = 60 * new Set(known).size;
  const check = (found: number): number => {
    if (found !== rows) throw new Error(`${found} of ${rows} readings were found`);
    return found;
  };
  const one = async (device: string): Promise<number> =>
    (await readings.prefix({ device }).since('at', since).all()).length;
  await race(results, `oneOf.${name}`, [
    {
      name: 'a query for each',
      run: async () => {
        let found = 0;
        for (const device of known) found += await one(device);
        return check(found);
      },
    },
    {
      name: 'in parallel',
      run: async () => {
        const found = await Promise.all(known.map(one));
        return check(found.reduce((sum, count) => sum + count));
      },
    },
    {
      name: 'oneOf',
      run: async () =>
        check((await readings.oneOf('device', known).since('at', since).all()).length),
    },
  ]);
}

/** Aggregates of all readings; the unit is one reading. */
async function aggregates(name: string, db: Database): Promise<void> {
  const readings = db.repository(Reading);
  let rows = 0;
  const values = { n: 'count', mean: { avg: 'temperature' }, bytes: { sum: 'bytes' } } as const;
  await race(
    results,
    `aggregate.${name}`,
    [
      {
        name: 'by hand',
        run: async () => {
          let sum = 0;
          let bytes = 0n;
          rows = 0;
          for await (const page of readings.scanAll().pages())
            for (const each of page) {
              rows++;
              sum += each.temperature ?? 0;
              bytes += each.bytes ?? 0n;
            }
          if (Number.isNaN(sum) || bytes < 0n) throw new Error('no sum');
          return rows;
        },
      },
      { name: 'all', run: async () => (await readings.scanAll().aggregate(values)).n },
      {
        name: 'by device and hour',
        run: async () => {
          const hours = readings.scanAll().groupBy('device', { time: 'at', every: '1h' });
          let found = 0;
          for await (const page of hours.aggregate(values).pages())
            for (const { n } of page) found += n;
          return found;
        },
      },
      { name: 'count', run: () => readings.scanAll().count() },
    ],
    {},
    3,
  );
}
