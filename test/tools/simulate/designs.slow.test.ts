/** The designs of the published guidance: what each is found to be, and which one is recommended. */
import {
  accessPatterns,
  Column,
  Entity,
  type EntityClass,
  open,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  compileWorkload,
  simulate,
  type SegmentDistribution,
  type SimulationReport,
  type WorkloadOptions,
} from '../../../src/tools/simulate/index.js';

const patterns = accessPatterns({ day: { prefix: ['device'], between: 'at' } });

@Entity({ table: 'device_first', families: { m: {} } })
class DeviceFirst {
  static readonly key = rowKey('device', 'at');
  static readonly patterns = patterns;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'time_first', families: { m: {} } })
class TimeFirst {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp') at!: Date;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'newest_first', families: { m: {} } })
class NewestFirst {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'orders', families: { m: {} } })
class Order {
  static readonly key = rowKey('id');
  @Segment('uint', { max: 9_999_999_999 }) id!: number;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'random_ids', families: { m: {} } })
class RandomId {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'status', families: { m: {} } })
class Status {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') value?: number;
}

const time = { distribution: 'time' } as const;
const devices = (cardinality: number): SegmentDistribution => ({ cardinality });

type ReportOptions = Partial<WorkloadOptions> & {
  readonly segments: Record<string, SegmentDistribution>;
};

/** Simulates a workload. */
async function simulated(
  entity: EntityClass,
  options: ReportOptions,
  nodes = 8,
): Promise<SimulationReport> {
  const workload = { rows: 10_000_000, writesPerSecond: 5_000, ...options };
  const load = compileWorkload(buildModel(entity), workload);
  return simulate([load], { nodes, minutes: 2, sampleRows: 1_000 });
}

const reports = new Map<string, Promise<SimulationReport>>();

/** The report of a workload, which several tests read. */
function report(
  entity: EntityClass,
  options: ReportOptions,
  nodes?: number,
): Promise<SimulationReport> {
  const key = JSON.stringify([entity.name, options, nodes]);
  const made = reports.get(key) ?? simulated(entity, options, nodes);
  reports.set(key, made);
  return made;
}

const kindsOf = ({ workloads }: SimulationReport, design: string): readonly string[] => {
  const found = workloads[0].designs.find(({ name }) => name === design)!;
  return found.findings.map(({ kind }) => kind);
};

test.each<[string, EntityClass, Record<string, SegmentDistribution>, readonly string[]]>([
  ['time first', TimeFirst, { at: time, device: devices(1_000) }, ['sequentialWrites']],
  ['newest first', NewestFirst, { at: time, device: devices(1_000) }, ['sequentialWrites']],
  ['sequential ids', Order, { id: { distribution: 'sequential' } }, ['sequentialWrites']],
  ['random ids', RandomId, { id: { distribution: 'sequential' } }, []],
  ['a thousand devices first', DeviceFirst, { at: time, device: devices(1_000) }, []],
  ['five devices first', DeviceFirst, { at: time, device: devices(5) }, ['writeFronts']],
])('%s', async (_name, entity, segments, kinds) => {
  const found = await report(entity, { segments });
  expect(kindsOf(found, 'declared')).toEqual(kinds);
});

test('16 shards of a few devices are too few places for 32 nodes, and 64 are enough', async () => {
  const segments = { at: time, device: devices(1) };
  const few = await report(DeviceFirst, { segments });
  expect(kindsOf(few, '16 shards by device, at')).toEqual([]);
  const many = await report(DeviceFirst, { segments }, 32);
  expect(kindsOf(many, '64 shards by device, at')).toEqual([]);
  expect(kindsOf(many, '16 shards by device, at')).toEqual(['writeFronts']);
});

test('a hot row is named, and no node can take it', async () => {
  const device = { distribution: 'zipf', cardinality: 1_000, exponent: 2 } as const;
  const { workloads } = await report(Status, { rows: 900, segments: { device } });
  const [declared] = workloads[0].designs;
  expect(declared.findings.map(({ kind }) => kind)).toContain('hotRow');
  expect(declared.tablets.busiestTablet).toBeGreaterThan(0.5);
});

describe('the recommendation', () => {
  const segments = { at: time, device: devices(1_000) };

  test('is device first, if time first is declared', async () => {
    const { recommendation, workloads } = await report(TimeFirst, { segments });
    expect(recommendation.design).toBe('device first');
    const [timeFirst, deviceFirst] = workloads[0].designs;
    expect([timeFirst.name, deviceFirst.name]).toEqual(['declared', 'device first']);
    expect(timeFirst.tablets.busiestWriteNode).toBe(1);
    expect(deviceFirst.tablets.busiestWriteNode).toBeLessThan(0.25);
    expect(recommendation.reasons[1]).toMatch(
      /^declared: 2 nodes on SSD: 1 for the load of 0.36 nodes, .*; 100 % of the load, 0.36 nodes, is in one tablet$/,
    );
  });

  test('is the declared device first, and not a salt that its reads pay for', async () => {
    const reads = { day: 1 };
    const { recommendation, workloads } = await report(DeviceFirst, {
      segments,
      reads,
      readsPerSecond: 200,
    });
    expect(recommendation.design).toBe('declared');
    const requests = workloads[0].designs.map((design) => [design.name, design.reads[0].shards]);
    expect(requests).toEqual([
      ['declared', 1],
      ['at first', 1],
      ['4 shards by device, at', 4],
      ['16 shards by device, at', 16],
      ['4 shards by device', 1],
      ['16 shards by device', 1],
    ]);
    const [, timeFirst] = workloads[0].designs;
    expect(timeFirst.scanned).toEqual(['day']);
    expect(timeFirst.reads[0]).toMatchObject({ filters: ['device'], fullScan: false });
    expect(timeFirst.reads[0].rowsRead / timeFirst.reads[0].rowsReturned).toBeCloseTo(1_000, -2);
  });

  test('is the reversed id, if ids are sequential', async () => {
    const { recommendation } = await report(Order, {
      segments: { id: { distribution: 'sequential' } },
    });
    expect(recommendation.design).toBe('reversed id');
  });

  test('compares several workloads by their declared keys', async () => {
    const workloads = [TimeFirst, DeviceFirst].map((entity) =>
      compileWorkload(buildModel(entity as EntityClass), {
        rows: 1_000_000,
        writesPerSecond: 2_000,
        segments: segments,
      }),
    );
    const { recommendation, workloads: reports } = await simulate(workloads, {
      minutes: 2,
      sampleRows: 1_000,
    });
    expect(recommendation.design).toBe('DeviceFirst');
    expect(reports.map(({ designs }) => designs.length)).toEqual([1, 1]);
  });
});

test('the same seed gives the same report', async () => {
  const segments = { at: time, device: devices(50) };
  const text = async (): Promise<string> =>
    JSON.stringify(await simulated(DeviceFirst, { segments }), (key, value: unknown) =>
      key === 'model' ? undefined : value,
    );
  expect(await text()).toBe(await text());
});

@Entity({ table: 'readings', families: { m: {} } })
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latest: { prefix: ['tenant', 'device'], limit: 3 },
    day: { prefix: ['tenant', 'device'], between: 'at' },
    tenants: { prefix: ['tenant'] },
    some: { prefix: ['tenant'], between: 'device' },
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999 }) device!: number;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') status?: string;
}

const start = Date.UTC(2026, 0, 1);
const rowCount = 2_400;
const readings: WorkloadOptions<Reading> = {
  rows: rowCount,
  writesPerSecond: rowCount / 86_400 / 4,
  readsPerSecond: 1,
  segments: { tenant: { cardinality: 2 }, device: { cardinality: 20 }, at: time },
  columns: { status: { bytes: 6 } },
  reads: { get: 1, latest: 1, day: 1, tenants: 1, some: { share: 1, values: 5 } },
};

test('fan-out is what the queries read of rows that were written', async () => {
  const load = compileWorkload(buildModel(Reading as EntityClass), readings);
  const { workloads } = await simulate([load], { minutes: 2, sampleRows: 1_000 });
  await using db = await open('memory:', { entities: [Reading] });
  const rows = db.repository(Reading);
  const step = (4 * 86_400_000) / rowCount;
  // Every device in turn, so that all have the same number of rows.
  await rows.saveMany(
    Array.from({ length: rowCount }, (_, i) =>
      rows.create({
        tenant: `tenant-${i % 2}`,
        device: Math.floor(i / 2) % 20,
        at: new Date(start - (i + 0.5) * step),
        status: 'open',
      }),
    ),
  );
  const key = { tenant: 'tenant-1', device: 7 };
  const day = { from: new Date(start - 86_400_000), to: new Date(start) };
  const queries = {
    latest: rows.patterns.latest(key),
    day: rows.patterns.day({ ...key, at: day }),
    tenants: rows.patterns.tenants({ tenant: 'tenant-1' }),
    some: rows.patterns.some({ tenant: 'tenant-1', device: { from: 5, to: 10 } }),
  };
  const costs = new Map(workloads[0].designs[0].reads.map((cost) => [cost.name, cost]));
  for (const [name, query] of Object.entries(queries)) {
    const { ranges, fanOut } = query.explain();
    const cost = costs.get(name)!;
    expect([name, cost.ranges, cost.shards]).toEqual([name, ranges.length, fanOut]);
    const read = (await query.all()).length;
    expect(cost.rowsRead / read).toBeGreaterThan(0.85);
    expect(cost.rowsRead / read).toBeLessThan(1.15);
  }
});
