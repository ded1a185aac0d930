/**
 * `npm run bench -- bench/derived/rollup.ts`: 1,000 new readings of 20 devices, by `saveMany`: of an
 * entity without rollups, and of the same entity with an hourly rollup of count, mean, minimum,
 * maximum, first and last value. In memory, on disk, and live to our server and to Google's emulator
 * in processes of their own. Rows of `cpu` are the CPU time of this process instead of the time that
 * passed: other programs on the machine change it less. Also the four requests for each reading that
 * are made by hand without rollups (live only). Options: --rows N, --only NAME (memory, disk,
 * live, emulator), --json. The exit code is 2 if a target was missed.
 */
import { join } from 'node:path';
import { Column, Counter, Entity, Segment } from '../../decorators/index.js';
import { aggregate } from '../../src/entities/model/index.js';
import { rollups } from '../../src/entities/model/declaration/derived/rollups.js';
import { rowKey } from '../../src/entities/model/declaration/keys/row-key.js';
import { open, type Database } from '../../src/entities/repository/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, Results } from '../results.js';
import { scratchDirectory } from '../stores.js';
import { type Running, startEmulator, startProgram } from '../wire/processes.js';

const families = { m: { gc: { kind: 'maxVersions', versions: 1 } } } as const;

@Entity({ table: 'plain', families })
class Plain {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'double') humidity?: number;
  @Column('m', 'string') status?: string;
}

@Entity({ table: 'rolled', families })
class Rolled {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: {
        count: 'count',
        mean: { avg: 'temperature', decimals: 2 },
        low: { min: 'temperature', decimals: 2 },
        high: { max: 'temperature', decimals: 2 },
        open: { first: 'temperature' },
        close: { last: 'temperature' },
      },
    },
  });
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'double') humidity?: number;
  @Column('m', 'string') status?: string;
}

/** What is kept by hand: count and sum, minimum, maximum. */
@Entity({
  table: 'byhand',
  families: { s: aggregate('sum'), lo: aggregate('min'), hi: aggregate('max') },
})
class Hour {
  static readonly key = rowKey('device', 'hour');
  @Segment('string') device!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Counter('s') count?: bigint;
  @Counter('s') total?: bigint;
  @Counter('lo') low?: bigint;
  @Counter('hi') high?: bigint;
}

const options = benchOptions(process.argv.slice(2), 1_000);
const { rows } = options;
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const devices = 20;
const rounds = 60;
/** The code of both variants is compiled by then. */
const warmUp = 20;
/** By hand is hundreds of times as slow, and measured with fewer rows. */
const byHandRows = Math.ceil(rows / 100);
/** What rollups may cost. */
const target = { kind: 'atMost', ratio: 1.5 } as const;

const entities = [Plain, Rolled, Hour];
if (wants('memory')) await embedded('memory', 'memory:');
if (wants('disk')) await embedded('disk', `file:${join(scratchDirectory(), 'data')}`);
if (wants('live')) await live('live', await startProgram('server-process', 'ours', 'memory'));
if (wants('emulator')) {
  const emulator = await startEmulator();
  if (emulator === undefined)
    console.error("Google's emulator is not on this machine and is not measured.");
  else await live('emulator', emulator);
}
process.exit(results.finish({ rows }));

async function embedded(name: string, url: string): Promise<void> {
  const db = await open(url, { entities });
  await measure(name, variantsOf(db));
  await db.close();
}

async function live(name: string, server: Running): Promise<void> {
  const bigtable = { emulatorHost: server.address };
  const db = await open('bigtable://p/i', { entities, bigtable });
  await db.admin.apply();
  await measure(name, [...variantsOf(db), byHand(db)]);
  await db.close();
  await server.stop();
}

/** Each round has times of its own: the rows of all rounds are new. */
function valuesOf(round: number, n: number): Plain {
  const minute = round * Math.ceil(rows / devices) + Math.floor(n / devices);
  return {
    device: `device-${String(n % devices).padStart(6, '0')}`,
    at: new Date(1_767_225_600_000 + minute * 60_000),
    temperature: Math.round(2000 + 500 * Math.sin(n)) / 100,
    humidity: (n % 100) / 2,
    status: 'ok',
  };
}

function variantsOf(db: Database): Variant[] {
  return ([Plain, Rolled] as const).map((entity) => {
    const repository = db.repository(entity);
    return {
      name: entity.name.toLowerCase(),
      run: async (round) => {
        const readings = Array.from({ length: rows }, (_, n) =>
          repository.create(valuesOf(round, n)),
        );
        const { failures } = await repository.saveMany(readings);
        if (failures.length > 0) throw failures[0].error;
        return rows;
      },
    };
  });
}

/** One request for the row, and one for each aggregate family, as awaited in a handler. */
function byHand(db: Database): Variant {
  const readings = db.repository(Plain);
  const hours = db.repository(Hour);
  return {
    name: 'by hand',
    run: async (round) => {
      for (let n = 0; n < byHandRows; n++) {
        const reading = readings.create(valuesOf(round, n));
        await readings.save(reading);
        const key = { device: reading.device, hour: reading.at };
        const scaled = BigInt(Math.round(reading.temperature! * 100));
        await hours.patch(key, {}, { add: { count: 1n, total: scaled } });
        await hours.patch(key, {}, { add: { low: scaled } });
        await hours.patch(key, {}, { add: { high: scaled } });
      }
      return byHandRows;
    },
  };
}

async function measure(name: string, variants: readonly Variant[]): Promise<void> {
  const cpu = new Map(variants.map((variant) => [variant.name, { micros: 0, units: 0 }]));
  const metered = variants.map(({ name: variant, run }) => ({
    name: variant,
    run: async (round: number) => {
      const before = process.cpuUsage();
      const units = await run(round);
      const { user, system } = process.cpuUsage(before);
      if (round < warmUp) return units;
      const total = cpu.get(variant)!;
      total.micros += user + system;
      total.units += units;
      return units;
    },
  }));
  const timings = await interleave(metered, rounds, warmUp);
  const plain = timings.get('plain')!;
  const cpuOf = (variant: string): number => cpu.get(variant)!.micros / cpu.get(variant)!.units;
  for (const { name: variant } of variants) {
    const comparison = { with: plain, of: 'plain', target: undefined };
    const isRolled = variant === 'rolled';
    results.addTiming(
      `${name}.${variant}`,
      timings.get(variant)!,
      'us/row',
      variant === 'plain' ? undefined : { ...comparison, target: isRolled ? target : undefined },
    );
    results.add({
      name: `${name}.${variant}.cpu`,
      unit: 'us/row',
      value: cpuOf(variant),
      ratio: variant === 'plain' ? undefined : cpuOf(variant) / cpuOf('plain'),
      of: variant === 'plain' ? undefined : 'plain',
    });
  }
}
