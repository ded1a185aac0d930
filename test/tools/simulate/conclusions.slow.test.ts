/** One conclusion from load, storage, row sizes, headroom and the kind of storage. */
import {
  accessPatterns,
  Column,
  Entity,
  type EntityClass,
  indexes,
  indexOn,
  rollups,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { compileWorkload, simulate } from '../../../src/tools/simulate/index.js';
import { designOf, sequential, simulated, time } from './simulated.js';

@Entity({ table: 'blobs', families: { m: {} } })
class Blob {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('m', 'bytes') data?: Uint8Array;
}

const blobs = (bytes: number) => ({
  segments: { id: sequential },
  // With the key, the family, the qualifier and the timestamp a row of 1 KiB.
  columns: { data: { bytes: bytes - 36 - 13 } },
});

test('a node on SSD writes 14,000 rows of 1 KB a second, and reads 17,000', async () => {
  const load = { ...blobs(1_024), writesPerSecond: 14_000 };
  const report = await simulated(Blob, load);
  expect(designOf(report, 'declared').needs.ssd.work).toBeCloseTo(1, 2);
  expect(designOf(report, 'declared').needs.hdd.work).toBeCloseTo(1.4, 2);
  const large = await simulated(Blob, { ...load, ...blobs(10_240) });
  expect(designOf(large, 'declared').needs.ssd.work).toBeCloseTo(10, 1);
  const reads = { ...load, writesPerSecond: 0, readsPerSecond: 17_000 };
  const read = await simulated(Blob, reads);
  expect(designOf(read, 'declared').needs.ssd.work).toBeCloseTo(1, 2);
});

test('point reads are too many for HDD, and the conclusion says so', async () => {
  const load = { ...blobs(1_024), writesPerSecond: 10, readsPerSecond: 9_000 };
  const report = await simulated(Blob, load);
  // 9,000 / 500 / 70 %, and what whole tablets cannot divide.
  expect(report.recommendation.reasons[0]).toMatch(
    /^declared: 1 node on SSD: .*; 2[67] nodes on HDD: 2[67] for the load of 18 nodes, /,
  );
  const onDisk = await simulated(Blob, load, { storage: 'hdd' });
  expect(onDisk.recommendation.reasons.slice(0, 2)).toEqual([
    expect.stringMatching(/^declared: 2[67] nodes on HDD: 2[67] for the load of 18 nodes, /),
    'But that is more than the 8 nodes given',
  ]);
});

test('a load of 98 % of a node needs a second one, unless all of it may be in use', async () => {
  const load = { ...blobs(1_024), writesPerSecond: 13_700 };
  const report = await simulated(Blob, load);
  expect(designOf(report, 'declared').needs.ssd.forLoad).toBe(2);
  const full = await simulated(Blob, load, { target: 1 });
  expect(designOf(full, 'declared').needs.ssd.forLoad).toBe(1);
});

test('nodes for storage are part of the conclusion', async () => {
  const load = { ...blobs(1e6), rows: 500_000_000, writesPerSecond: 10 };
  const report = await simulated(Blob, load);
  const { needs, storedBytes } = designOf(report, 'declared');
  // In a year 815 million rows of 1 MB, of which a node may hold 70 % of 5 TB.
  expect(storedBytes / 815e12).toBeCloseTo(1, 1);
  expect(needs.ssd.forStorage).toBe(Math.ceil(storedBytes / (0.7 * 5 * 1024 ** 4)));
  expect(needs.hdd.forStorage).toBe(Math.ceil(storedBytes / (0.7 * 16 * 1024 ** 4)));
  expect(report.recommendation.reasons.slice(0, 2)).toEqual([
    expect.stringContaining(`${needs.ssd.forStorage} nodes on SSD: 1 for the load`),
    'But that is more than the 8 nodes given',
  ]);
});

test('a year of growth is part of the conclusion', async () => {
  const load = { ...blobs(1_024), writesPerSecond: 9_000, growthPerYear: 2 };
  const { needs } = designOf(await simulated(Blob, load), 'declared');
  expect(needs.ssd.workInYear / needs.ssd.work).toBeCloseTo(3, 5);
  expect(needs.ssd.forLoad).toBe(3);
});

test('values that Bigtable rejects are part of the conclusion', async () => {
  const { recommendation } = await simulated(Blob, {
    ...blobs(100 * 1024 ** 2 + 49),
    rows: 1_000,
    writesPerSecond: 0.01,
  });
  expect(recommendation.reasons.join('\n')).toMatch(/\nBut values of 'data' have up to 100 MiB; /);
});

@Entity({ table: 'metrics', families: { m: {} } })
class Metric {
  static readonly key = rowKey('at', 'host');
  @Segment('timestamp') at!: Date;
  @Segment('string') host!: string;
  @Column('m', 'double') value?: number;
}

test('an even design is named by what it needs, not because it is the first', async () => {
  const report = await simulated(Metric, {
    writesPerSecond: 60_000,
    segments: { at: time, host: { distribution: 'zipf', cardinality: 1_000, exponent: 1.6 } },
  });
  // One host has 44 % of the writes, more than a node can take.
  expect(designOf(report, 'host first').needs.ssd.forLoad).toBeUndefined();
  expect(report.recommendation.design).toBe('16 shards by at, host');
});

test('a key that one node serves is kept, with a word on what comes when it grows', async () => {
  const load = { segments: { at: time, host: { cardinality: 1 } }, writesPerSecond: 100 };
  const rare = await simulated(Metric, load);
  expect(rare.recommendation.design).toBe('declared');
  expect(designOf(rare, 'declared').growth).toBeCloseTo(98, 0);
  expect(rare.recommendation.reasons.filter((reason) => reason.startsWith('But'))).toEqual([]);
});

@Entity({ table: 'events', families: { d: {} } })
class TenantEvent {
  static readonly key = rowKey('tenant', 'at', 'id');
  static readonly patterns = accessPatterns({ newest: { prefix: ['tenant'], limit: 100 } });
  @Segment('string') tenant!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uuid') id!: string;
  @Column('d', 'string') text?: string;
}

const tenants = {
  writesPerSecond: 5_000,
  readsPerSecond: 50,
  segments: {
    tenant: { distribution: 'zipf', cardinality: 20, exponent: 1.3 },
    at: time,
    id: sequential,
  },
  reads: { newest: 1, get: 1 },
} as const;

test('requests of shards are the same figures in all places: a get is one', async () => {
  const report = await simulated(TenantEvent, tenants);
  const sharded = designOf(report, '16 shards by tenant, at, id');
  expect(sharded.reads.map(({ name, shards }) => [name, shards])).toEqual([
    ['newest', 16],
    ['get', 1],
  ]);
  const about = report.recommendation.reasons.find((reason) => reason.startsWith(sharded.name))!;
  expect(about).toMatch(/; newest is 16 requests$/);
});

@Entity({ table: 'events', families: { d: {} } })
class EventById {
  static readonly key = rowKey('tenant', 'id', 'at');
  static readonly patterns = accessPatterns({ newest: { prefix: ['tenant'], limit: 100 } });
  @Segment('string') tenant!: string;
  @Segment('uuid') id!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('d', 'string') text?: string;
}

test('of several workloads, one with another order of rows is not recommended', async () => {
  const loads = [TenantEvent, EventById].map((entity) =>
    compileWorkload(buildModel(entity as EntityClass), { rows: 10_000_000, ...tenants }),
  );
  const report = await simulate(loads, { minutes: 3, sampleRows: 1_000 });
  expect(report.recommendation.design).toBe('TenantEvent');
  expect(designOf(report, 'EventById').scanned).toEqual(['newest']);
});

@Entity({ table: 'totals', families: { m: {} } })
class Total {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: { mean: { avg: 'value', decimals: 2 }, most: { max: 'small', decimals: 1 } },
    },
  });
  @Segment('uint', { max: 999 }) device!: number;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
  @Column('m', 'double') small?: number;
}

@Entity({ table: 'jobs', families: { j: {} } })
class Job {
  static readonly key = rowKey('id', 'at');
  static readonly indexes = indexes({ byState: indexOn('state', 'at') });
  @Segment('uuid') id!: string;
  @Segment('timestamp') at!: Date;
  @Column('j', 'string') state?: string;
}

test('an index can be where the load is, whatever the key of the rows', async () => {
  const report = await simulated(Job, {
    segments: { id: sequential, at: time },
    columns: { state: { value: () => 'done' } },
  });
  const { recommendation } = report;
  const design = designOf(report, recommendation.design!);
  expect(design.tablets.busiestOwner).toBe('byState');
  const { work, derivedWork } = design.needs.ssd;
  // A read and a conditional write of the row, and a write of the entry.
  expect(work).toBeCloseTo(5_000 * (2 / 17_000 + 2 / 14_000), 2);
  expect(derivedWork).toBeCloseTo(work - 5_000 / 14_000, 5);
  const bytes = Math.round((100 * design.derivedBytes) / design.storedBytes);
  const load = Math.round((100 * derivedWork) / work);
  expect(recommendation.reasons[0]).toContain(
    `; ${load} % of the load and ${bytes} % of the bytes are of indexes, rollups and copies`,
  );
  expect(recommendation.reasons.join('\n')).toMatch(
    /\nBut 2\d % of the load, 0.36 nodes, is in one tablet of byState: from 2 times this traffic more nodes do not help; a segment of byState with more values/,
  );
});

test('what the sample cannot tell from an even load is not called a hot tablet', async () => {
  const load = { ...blobs(1e6), rows: 1_000_000, writesPerSecond: 10, readsPerSecond: 1_500 };
  const report = await simulated(Blob, load, { storage: 'hdd' });
  expect(designOf(report, 'declared').tablets.isEven).toBe(true);
  expect(report.recommendation.reasons.join('\n')).not.toContain('in one tablet');
});

@Entity({ table: 'notes', families: { n: {} } })
class Note {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('n', 'double') value?: number;
  @Column('n', 'string') text?: string;
}

test('the largest row has the columns that few rows have', async () => {
  const { workloads } = await simulated(Note, {
    segments: { id: sequential },
    columns: { text: { bytes: { from: 10, to: 1_000 }, share: 0.01 } },
  });
  const { maxRowBytes, meanRowBytes } = workloads[0].storage;
  // The key, two cells with families, qualifiers and timestamps, and their values.
  expect(maxRowBytes).toBe(36 + (1 + 5 + 8 + 8) + (1 + 4 + 8 + 1_000));
  expect(meanRowBytes).toBeLessThan(70);
});

test('an entity with a rollup of decimals', async () => {
  const { workloads } = await simulated(Total, {
    segments: { device: { cardinality: 10 }, at: time },
  });
  expect(workloads[0].writeCosts.map(({ name }) => name)).toEqual(['row', 'hourly']);
});
