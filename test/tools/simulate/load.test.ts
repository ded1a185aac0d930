/** Load tests against every back end: what was written, latencies, errors, signals. */
import {
  accessPatterns,
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  type EntityClass,
  open,
  rowKey,
  Segment,
  aggregate,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  compileWorkload,
  type EntityLoad,
  type LoadOptions,
  type LoadReport,
  runLoad,
  type WorkloadOptions,
} from '../../../src/tools/simulate/index.js';
import { LoadOperations } from '../../../src/tools/simulate/load/operations.js';
import { testDatabase } from '../../../src/tools/testing/index.js';
import { backEnds } from '../../entities/repository/support/back-ends.js';

@Entity({ table: 'readings', families: { m: {}, t: {} } })
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latest: { prefix: ['tenant', 'device'], limit: 1 },
    recent: { prefix: ['tenant', 'device'], since: 'at' },
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999 }) device!: number;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') value?: number;
  @ColumnMap('t', 'string', { qualifiers: 'string' }) tags?: Map<string, string>;
}

@Entity({ table: 'hits', families: { c: aggregate('sum') } })
class Hit {
  static readonly key = rowKey('page');
  @Segment('uint', { max: 9 }) page!: number;
  @Counter('c') count?: bigint;
}

const workload: WorkloadOptions<Reading> = {
  rows: 1_000,
  writesPerSecond: 300,
  readsPerSecond: 100,
  segments: {
    tenant: { cardinality: 2 },
    device: { distribution: 'zipf', cardinality: 50 },
    at: { distribution: 'time' },
  },
  reads: { get: 1, latest: 1, recent: { share: 1, span: '10s' } },
};
const load = (change: Partial<WorkloadOptions<Reading>> = {}): EntityLoad =>
  compileWorkload(buildModel(Reading as EntityClass), { ...workload, ...change });

const options: LoadOptions = {
  seed: 1,
  dataset: { values: {}, prefix: { segment: 'tenant', text: 'load-' } },
  rate: 400,
  concurrency: 16,
  durationMs: 1_000,
  warmUpMs: 200,
  start: Date.UTC(2026, 0, 1),
};
const kindOf = ({ kinds }: LoadReport, name: string): LoadReport['kinds'][number] =>
  kinds.find((kind) => kind.name === name)!;

describe.each(backEnds)('$name', (backEnd) => {
  test('writes and reads are made as declared', async () => {
    const { db, close } = await backEnd.open([Reading]);
    try {
      // As many operations as a busy machine makes, and enough of them.
      const controller = new AbortController();
      const begin = Date.now();
      const report = await runLoad(load(), db, {
        ...options,
        rate: undefined,
        warmUpMs: 0,
        durationMs: 120_000,
        signal: controller.signal,
        onProgress: (done) => {
          if (done >= 200) controller.abort();
        },
      });
      expect(report.errors).toBe(0);
      expect(report.kinds.map(({ name }) => name)).toEqual(['get', 'latest', 'recent', 'write']);
      expect([report.stopped, report.unsent]).toEqual([true, 0]);
      const writes = kindOf(report, 'write');
      expect(writes.latency.count / report.operations).toBeCloseTo(0.75, 0);
      for (const { latency } of report.kinds) {
        expect(latency.p50).toBeGreaterThan(0);
        expect(latency.p99).toBeGreaterThanOrEqual(latency.p50);
        expect(latency.max * 1.01).toBeGreaterThanOrEqual(latency.p999);
      }
      // Reads find what was written, unless the write is still on its way.
      const gets = kindOf(report, 'get');
      expect(gets.rows).toBeGreaterThanOrEqual(gets.service.count / 2);
      expect(kindOf(report, 'latest').rows).toBeGreaterThan(0);
      const stored = await db.repository(Reading).scanAll().all();
      // Writes to one device in one millisecond have the same key.
      expect(stored.length).toBeGreaterThan(writes.service.count / 2);
      expect(stored.length).toBeLessThanOrEqual(writes.service.count + options.concurrency);
      expect(stored.every(({ tenant }) => /^load-tenant-[01]$/.test(tenant))).toBe(true);
      const [table] = report.access.tables;
      const { windowMs } = report.access;
      for (const { start } of table.windows) {
        expect(start % windowMs).toBe(0);
        expect(start).toBeGreaterThan(begin - windowMs);
      }
      const recorded = table.windows.reduce((all, each) => all + each.reads + each.writes, 0);
      // Busy windows are a sample.
      expect(Math.abs(recorded / report.operations - 1)).toBeLessThan(0.15);
    } finally {
      await close();
    }
  });
});

test('the same seed makes the same operations', () => {
  const list = (seed: number): unknown => {
    const operations = new LoadOperations(load(), { seed, dataset: { values: {} } });
    return Array.from({ length: 200 }, (_, i) => operations.next(options.start + i));
  };
  expect(list(3)).toEqual(list(3));
  expect(list(3)).not.toEqual(list(4));
});

test('operations that waited for a stalled one count from when they were due', async () => {
  await using db = await testDatabase([Reading]);
  db.faults.delay({ nth: 20, times: 1, millis: 400, only: 'writes' });
  const report = await runLoad(load({ readsPerSecond: 0 }), db, {
    ...options,
    concurrency: 1,
    warmUpMs: 0,
    rate: 100,
  });
  const { latency, service } = kindOf(report, 'write');
  // One of 100 writes was slow, and about 40 were due meanwhile.
  expect(service.max).toBeGreaterThan(390);
  expect(service.p90).toBeLessThan(200);
  expect(latency.p90).toBeGreaterThan(200);
});

test('operations that never started are counted with the time that they waited', async () => {
  await using db = await testDatabase([Reading]);
  db.faults.delay({ millis: 50, only: 'writes' });
  const report = await runLoad(load({ readsPerSecond: 0 }), db, {
    ...options,
    concurrency: 1,
    warmUpMs: 0,
    rate: 200,
    durationMs: 500,
  });
  const { latency, service } = kindOf(report, 'write');
  expect(report.unsent).toBeGreaterThan(50);
  expect(service.count + report.unsent).toBe(100);
  expect(latency.count).toBe(100);
  expect(latency.p50).toBeGreaterThan(100);
});

test('a rate that no database reaches ends in time, too', async () => {
  await using db = await open('memory:', { entities: [Reading] });
  const report = await runLoad(load(), db, {
    ...options,
    warmUpMs: 0,
    rate: 100_000_000,
    durationMs: 100,
  });
  expect(report.operations + report.unsent).toBe(10_000_000);
  const latencies = report.kinds.reduce((all, { latency }) => all + latency.count, 0);
  expect(latencies).toBe(10_000_000);
});

test('errors are counted by code, and are not latencies', async () => {
  await using db = await testDatabase([Reading]);
  db.faults.failWrite({ nth: 1, times: 10, code: 'UNAVAILABLE' });
  db.faults.failWrite({ nth: 11, times: 5, code: 'QUOTA_EXCEEDED' });
  const report = await runLoad(load({ readsPerSecond: 0 }), db, {
    ...options,
    concurrency: 1,
    warmUpMs: 0,
    durationMs: 500,
  });
  const writes = kindOf(report, 'write');
  expect(writes.errors).toEqual({ QUOTA_EXCEEDED: 5, UNAVAILABLE: 10 });
  expect(report.errors).toBe(15);
  expect(writes.service.count + report.unsent).toBe(200 - 15);
});

test('without a rate, as many as possible; a signal stops the run with its report', async () => {
  await using db = await open('memory:', { entities: [Reading] });
  const controller = new AbortController();
  const report = await runLoad(load(), db, {
    ...options,
    rate: undefined,
    warmUpMs: 0,
    // Longer than a test may take.
    durationMs: 600_000,
    signal: controller.signal,
    onProgress: (done) => done > 100 && controller.abort(),
  });
  expect(report.stopped).toBe(true);
  expect(report.operations).toBeGreaterThan(100);
  expect(report.perSecond).toBeCloseTo(report.operations / report.seconds, 5);
});

test('an entity that has only counters is incremented', async () => {
  await using db = await open('memory:', { entities: [Hit] });
  const hits = compileWorkload(buildModel(Hit as EntityClass), {
    rows: 10,
    writesPerSecond: 100,
    segments: { page: { cardinality: 10 } },
  });
  const report = await runLoad(hits, db, {
    ...options,
    dataset: { values: {} },
    warmUpMs: 0,
    rate: 100,
  });
  expect(kindOf(report, 'write').errors).toEqual({});
  const pages = await db.repository(Hit).scanAll().all();
  const total = pages.reduce((all, { count = 0n }) => all + Number(count), 0);
  expect(total).toBe(kindOf(report, 'write').service.count);
  expect(total).toBeGreaterThan(0);
});

test('a workload that does nothing is an error', async () => {
  await using db = await open('memory:', { entities: [Hit] });
  const idle = compileWorkload(buildModel(Hit as EntityClass), {
    rows: 10,
    writesPerSecond: 0,
    segments: { page: { cardinality: 10 } },
  });
  await expect(runLoad(idle, db as unknown as Database, options)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { entity: 'Hit', property: 'writesPerSecond' },
  });
});

test('operations of the warm-up are made, and not measured', async () => {
  await using db = await testDatabase([Reading]);
  const times = { rate: 200, warmUpMs: 300, durationMs: 100 };
  const report = await runLoad(load({ readsPerSecond: 0 }), db, { ...options, ...times });
  expect(report.operations).toBeLessThanOrEqual(20);
  expect(await db.repository(Reading).scanAll().count()).toBeGreaterThan(20);
});
