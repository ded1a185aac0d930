/** Workloads that cannot be: each is an error with the entity, the segment or option, and a fix. */
import {
  accessPatterns,
  Column,
  Entity,
  type EntityClass,
  maxAge,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { isRowsmithError } from '../../../src/base/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { compileWorkload, defineWorkload, simulate } from '../../../src/tools/simulate/index.js';

@Entity({ table: 'readings', families: { m: { gc: maxAge('1d') } } })
class Reading {
  static readonly key = rowKey('kind', 'device', 'at');
  static readonly patterns = accessPatterns({ latest: { prefix: ['kind'], limit: 1 } });
  @Segment('enum', { values: ['a', 'b'] }) kind!: string;
  @Segment('uint', { max: 99 }) device!: number;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') note?: string;
}

@Entity({ table: 'users', families: { m: {} } })
class User {
  static readonly key = rowKey('tenant', 'user');
  @Segment('string', { maxLength: 2 }) tenant!: string;
  @Segment('float') user!: number;
  @Column('m', 'bytes') photo?: Uint8Array;
}

const segments = { device: { cardinality: 10 }, at: { distribution: 'time' } };
const good = { rows: 1_000, writesPerSecond: 10, segments };
const users = {
  rows: 100,
  writesPerSecond: 1,
  segments: { tenant: { cardinality: 10 }, user: { cardinality: 10 } },
};

function faultOf(entity: unknown, options: unknown): unknown {
  try {
    compileWorkload(buildModel(entity as EntityClass), options as never);
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { code, details } = error;
    expect([code, typeof details.problem, typeof details.fix]).toEqual([
      'INVALID_ARGUMENT',
      'string',
      'string',
    ]);
    return [details.entity, details.property, details.problem];
  }
  return undefined;
}

test('the workloads without a fault', () => {
  expect(faultOf(Reading, good)).toBeUndefined();
  expect(faultOf(User, users)).toBeUndefined();
});

test.each<[property: string, change: object, problem: RegExp]>([
  ['rows', { rows: 0 }, /rows is 0/],
  ['rows', { rows: 1.5 }, /rows is 1.5/],
  ['rows', { rows: NaN }, /rows is NaN/],
  ['rows', { rows: '1e9' }, /rows is/],
  ['writesPerSecond', { writesPerSecond: -1 }, /writesPerSecond is -1/],
  ['writesPerSecond', { writesPerSecond: undefined }, /writesPerSecond is/],
  ['writesPerSecond', { writesPerSecond: 0 }, /took forever/],
  ['readsPerSecond', { readsPerSecond: -0.1 }, /readsPerSecond is -0.1/],
  ['growthPerYear', { growthPerYear: -2 }, /growthPerYear is -2/],
  ['name', { name: 7 }, /name is/],
  ['workload', { writes: 1 }, /no option 'writes'/],
  ['segments', { segments: undefined }, /segments is/],
  ['devise', { segments: { ...segments, devise: { cardinality: 1 } } }, /not a segment/],
  ['device', { segments: { at: segments.at } }, /has no distribution/],
  ['at', { segments: { device: segments.device } }, /has no distribution/],
  ['device', { segments: { ...segments, device: 5 } }, /device is/],
  ['device', { segments: { ...segments, device: { cardinality: 0 } } }, /cardinality is 0/],
  ['device', { segments: { ...segments, device: { cardinality: 1.5 } } }, /cardinality is 1\.5/],
  ['device', { segments: { ...segments, device: {} } }, /cardinality is/],
  ['device', { segments: { ...segments, device: { cardinality: 101 } } }, /100 values at most/],
  ['device', { segments: { ...segments, device: { count: 5 } } }, /no option 'count'/],
  [
    'device',
    { segments: { ...segments, device: { cardinality: 5, distribution: 'normal' } } },
    /no distribution/,
  ],
  [
    'device',
    { segments: { ...segments, device: { cardinality: 5, distribution: 'zipf', exponent: -1 } } },
    /exponent is -1/,
  ],
  [
    'device',
    { segments: { ...segments, device: { cardinality: 5, value: 'x' } } },
    /value is not a function/,
  ],
  ['kind', { segments: { ...segments, kind: { distribution: 'time' } } }, /cannot hold a time/],
  ['columns', { columns: 5 }, /columns is/],
  ['notes', { columns: { notes: {} } }, /not a column/],
  ['note', { columns: { note: { bytes: -1 } } }, /bytes is -1/],
  ['note', { columns: { note: { bytes: { from: 5, to: 4 } } } }, /bytes is 4/],
  ['note', { columns: { note: { bytes: null } } }, /bytes is null/],
  ['note', { columns: { note: { bytes: { from: 5 } } } }, /bytes is an object/],
  ['device', { segments: { ...segments, device: { cardinality: 5, exponent: 2 } } }, /'exponent'/],
  ['at', { segments: { ...segments, at: { ...segments.at, cardinality: 5 } } }, /'cardinality'/],
  ['note', { columns: { note: { share: 0 } } }, /share is 0/],
  ['note', { columns: { note: { entries: 5 } } }, /not a column map/],
  ['reads', { reads: 5 }, /reads is/],
  ['latests', { reads: { latests: 1 } }, /no access pattern/],
  ['latest', { reads: { latest: -1 } }, /share is -1/],
  ['latest', { reads: { latest: { share: 1, span: '1w' } } }, /span is/],
  ['reads', { reads: { latest: 0 } }, /add up to 0/],
])('%s: %j', (property, change, problem) => {
  expect(faultOf(Reading, { ...good, ...change })).toEqual([
    'Reading',
    property,
    expect.stringMatching(problem) as string,
  ]);
});

test('more rows than keys, and more values than a segment has', () => {
  expect(faultOf(User, { ...users, rows: 101 })).toEqual([
    'User',
    'tenant',
    'rows is 101, but the segments have 100 different keys: 10 x 10',
  ]);
  const tenant = { cardinality: 1_297 };
  expect(faultOf(User, { ...users, segments: { ...users.segments, tenant } })).toEqual([
    'User',
    'tenant',
    'cardinality is 1297, but the segment has 1296 values at most',
  ]);
});

test('an error of a value function names the segment', () => {
  const device = {
    cardinality: 5,
    value: () => {
      throw new Error('no device');
    },
  };
  const options = { ...good, segments: { ...segments, device } };
  const load = compileWorkload(buildModel(Reading as EntityClass), options);
  return expect(simulate([load], { sampleRows: 10 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: {
      entity: 'Reading',
      property: 'device',
      problem: expect.stringContaining('no device'),
    },
  });
});

test('two workloads of the same name are refused', () => {
  const loads = [10, 20].map((rows) =>
    compileWorkload(buildModel(Reading as EntityClass), { ...good, rows }),
  );
  return expect(simulate(loads, { sampleRows: 10 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: {
      entity: 'Reading',
      property: 'name',
      problem: "two workloads have the name 'Reading'",
      fix: expect.stringContaining('defineWorkload(Reading, { name:'),
    },
  });
});

test('defineWorkload takes a class and an object', () => {
  expect(() => defineWorkload(undefined as never, {} as never)).toThrow('argument');
  expect(() => defineWorkload(User, undefined as never)).toThrow('argument');
});

test('rows and cells above the limits, and rows that expire, are findings', async () => {
  const options = { ...good, rows: 5_000_000, columns: { note: { bytes: 12 * 1024 ** 2 } } };
  const load = compileWorkload(buildModel(Reading as EntityClass), options);
  const { workloads } = await simulate([load], { minutes: 2, sampleRows: 200 });
  const found = workloads[0].sizeFindings.map(({ kind, level }) => [kind, level]);
  expect(found).toEqual([
    ['largeCell', 'warning'],
    ['rowsExpire', 'info'],
  ]);
  // 10 writes a second for a day.
  expect(workloads[0].rows / 864_000).toBeCloseTo(1, 2);

  const photos = { ...users, writesPerSecond: 0.01, columns: { photo: { bytes: 200_000 } } };
  const growing = compileWorkload(buildModel(User as EntityClass), photos);
  const grown = (await simulate([growing], { minutes: 2, sampleRows: 200 })).workloads[0];
  // Nothing is collected: in a year, 3,154 versions of each photo.
  expect(grown.sizeFindings.map(({ kind, level }) => [kind, level])).toEqual([
    ['largeRow', 'error'],
  ]);
  expect(grown.storage.maxRowBytes / (200_000 * (3_154 + 5))).toBeCloseTo(1, 1);
});
