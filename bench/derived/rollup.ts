/**
 * `npm run bench -- bench/derived/rollup.ts`: 1,000 new readings of 20 devices, by `saveMany`: of an
 * entity without rollups, and of the same entity with an hourly rollup of count, mean, minimum,
 * maximum, first and last value. In memory, on disk, and live to our server in a process of its own.
 * Also the four requests for each reading that are made by hand without them (live only). Options:
 * --rows N, --only NAME (memory, disk, live), --json. The exit code is 2 if a target was missed.
 */
import { join } from 'node:path';
import { Column, Counter, Entity, Segment } from '../../decorators/index.js';
import { max, min, sum } from '../../src/model/index.js';
import { rollups } from '../../src/model/declaration/rollups.js';
import { rowKey } from '../../src/model/declaration/row-key.js';
import { open, type Database } from '../../src/repository/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, Results } from '../results.js';
import { scratchDirectory } from '../stores.js';
import { startProgram } from '../wire/processes.js';

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
@Entity({ table: 'byhand', families: { s: sum(), lo: min(), hi: max() } })
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
const rounds = 15;
/** What rollups may cost. */
const target = 1 / 1.5;

const entities = [Plain, Rolled, Hour];
if (wants('memory')) await embedded('memory', 'memory:');
if (wants('disk')) await embedded('disk', `file:${join(scratchDirectory(), 'data')}`);
if (wants('live')) await live();
process.exit(results.finish({ rows }));

async function embedded(name: string, url: string): Promise<void> {
  const db = await open(url, { entities });
  await measure(name, variantsOf(db));
  await db.close();
}

async function live(): Promise<void> {
  const server = await startProgram('server-process', 'ours', 'memory');
  const bigtable = { emulatorHost: server.address };
  const db = await open('bigtable://p/i', { entities, bigtable });
  await db.admin.apply();
  await measure('live', [...variantsOf(db), byHand(db)]);
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
        const { failed } = await repository.saveMany(readings);
        if (failed.length > 0) throw failed[0].error;
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
      for (let n = 0; n < rows; n++) {
        const reading = readings.create(valuesOf(round, n));
        await readings.save(reading);
        const key = { device: reading.device, hour: reading.at };
        const scaled = BigInt(Math.round(reading.temperature! * 100));
        await hours.mutate(key, { add: { count: 1n, total: scaled } });
        await hours.mutate(key, { add: { low: scaled } });
        await hours.mutate(key, { add: { high: scaled } });
      }
      return rows;
    },
  };
}

async function measure(name: string, variants: readonly Variant[]): Promise<void> {
  const timings = await interleave(variants, rounds, 2);
  const base = timings.get('plain')!;
  for (const variant of variants) {
    const timing = timings.get(variant.name)!;
    const isBase = variant.name === 'plain';
    results.add({
      name: `${name}.${variant.name}`,
      unit: 'us/row',
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ratio: isBase ? undefined : base.median / timing.median,
      of: isBase ? undefined : 'x plain',
      target: variant.name === 'rolled' ? { kind: 'atLeast', ratio: target } : undefined,
    });
  }
}
