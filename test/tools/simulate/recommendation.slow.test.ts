/** Recommendations and limits on workloads that the guidance has no example of. */
import {
  accessPatterns,
  Column,
  copies,
  copyOf,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  maxVersions,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  compileWorkload,
  simulate,
  type SimulationOptions,
  type SimulationReport,
  type WorkloadOptions,
} from '../../../src/tools/simulate/index.js';

@Entity({ table: 'time_first', families: { m: {} } })
class TimeFirst {
  static readonly key = rowKey('at', 'device');
  static readonly patterns = accessPatterns({ recent: { since: 'at' } });
  @Segment('timestamp') at!: Date;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') value?: number;
}

const base = { rows: 1_000_000, writesPerSecond: 1_000 };
const time = { distribution: 'time' } as const;

function run(
  entity: EntityClass,
  options: Partial<WorkloadOptions> & Pick<WorkloadOptions, 'segments'>,
  settings: Partial<SimulationOptions> = {},
): Promise<SimulationReport> {
  const load = compileWorkload(buildModel(entity), { ...base, ...options });
  return simulate([load], { nodes: 3, minutes: 3, sampleRows: 1_000, ...settings });
}

const segments = (cardinality: number) => ({ at: time, device: { cardinality } });

test('reads of the newest rows of all devices are on the node that is written', async () => {
  const { recommendation, workloads } = await run(TimeFirst, {
    segments: segments(100_000),
    readsPerSecond: 100,
    reads: { recent: { share: 1, span: '1m' } },
  });
  expect(recommendation.design).toMatch(/^\d+ shards by at, device$/);
  const [declared] = workloads[0].designs;
  const sharded = workloads[0].designs.find(({ name }) => name === recommendation.design)!;
  expect(declared.tablets.busiestNode).toBeGreaterThan(0.6);
  expect(declared.busiestNodeLoad).toBeGreaterThan(1.4 * sharded.busiestNodeLoad);
});

@Entity({ table: 'counts', families: { m: { gc: maxVersions(1) } } })
class Count {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'double') value?: number;
}

test('keys that all load one tablet are not recommended without saying so', async () => {
  const hot = { distribution: 'zipf', cardinality: 1_000, exponent: 6 } as const;
  const load = { segments: { id: hot }, rows: 900, writesPerSecond: 5_000 };
  const { recommendation } = await run(Count, load);
  expect(recommendation.reasons[1]).toMatch(
    /^But 98 % of the load, 0.3\d nodes, is in one tablet: from 2 times this traffic more nodes do not help; a segment/,
  );
  const good = await run(TimeFirst, { segments: segments(1_000) });
  expect(good.recommendation.reasons[0]).not.toContain('But');
});

test('the number of nodes that an even load needs', async () => {
  const { recommendation, workloads } = await run(TimeFirst, {
    segments: segments(1_000),
    writesPerSecond: 100_000,
  });
  const even = workloads[0].designs.find(({ name }) => name === '32 shards by at, device')!;
  // 100,000 / 14,000 / 70 %.
  expect(even.needs.ssd.forLoad).toBe(11);
  expect(recommendation.reasons[1]).toBe('But that is more than the 3 nodes given');
});

test('256 shards are spread over many nodes', async () => {
  const { workloads } = await run(
    TimeFirst,
    { segments: segments(1_000), writesPerSecond: 1_000_000 },
    { nodes: 100, minutes: 2 },
  );
  const first = workloads[0].designs.find(({ name }) => name === '256 shards by at, device')!;
  // 1 / 100 at best; the sample has 200 operations of each node.
  expect(first.tablets.busiestNode).toBeLessThan(0.03);
});

@Entity({ table: 'seconds', families: { m: {} } })
class Second {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { unit: 's' }) at!: Date;
  @Column('m', 'double') value?: number;
}

test('times of whole seconds', async () => {
  const { recommendation } = await run(Second, { segments: segments(1_000) });
  expect(recommendation.design).toBe('declared');
});

@Entity({ table: 'numbers', families: { m: {} } })
class Numbered {
  static readonly key = rowKey('id');
  static readonly patterns = accessPatterns({ page: { between: 'id' } });
  @Segment('uint', { max: 9_999_999_999 }) id!: number;
  @Column('m', 'double') value?: number;
}

test('ranges of sequential ids are no ranges of reversed ones', async () => {
  const { recommendation, workloads } = await run(Numbered, {
    segments: { id: { distribution: 'sequential' } },
    writesPerSecond: 1_500,
    readsPerSecond: 1_000,
    reads: { page: { share: 1, values: 100 } },
  });
  const found = workloads[0].designs.map(({ name, reads: [page] }) => [name, page.shards]);
  expect(found).toEqual([
    ['declared', 1],
    ['4 shards by id', 4],
    ['16 shards by id', 16],
  ]);
  expect(workloads[0].leftOut).toEqual([{ name: 'reversed id', pattern: 'page' }]);
  const [{ designs }] = workloads;
  for (const { reads } of designs) expect(reads[0].rowsReturned).toBeCloseTo(100, 0);
  expect(designs[0].reads[0].rowsRead).toBeCloseTo(100, 0);
  expect(recommendation.design).toBe('declared');
  expect(recommendation.reasons[1]).toMatch(
    /^But [56]\d % of the load, 0.1\d* nodes, is in one tablet: .*; 4 shards by id can grow \d+ times, with 1 node /,
  );
});

test('rows that took longer than there are times', async () => {
  await expect(
    run(TimeFirst, { segments: segments(10), rows: 1e12, writesPerSecond: 1 }),
  ).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: {
      entity: 'TimeFirst',
      property: 'writesPerSecond',
      problem: expect.stringMatching(
        /^at 1 writes a second, 1000000000000 rows took 31,71\d years$/,
      ),
    },
  });
});

@Entity({ table: 'authors', families: { d: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('d', 'string') name?: string;
}

@Entity({ table: 'posts', families: { d: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('author') });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'author' }) });
  @Segment('string') id!: string;
  @Column('d', 'string') author?: string;
  @Column('d', 'string') authorName?: string;
}

test('an entity that copies values of another one', async () => {
  const { workloads } = await run(Post, {
    segments: { id: { cardinality: 2_000_000 } },
    columns: { author: { bytes: 8 } },
  });
  expect(workloads[0].writeCosts.map(({ name }) => name)).toEqual(['row', 'byAuthor', 'Author']);
});

test('a simulation lets other work go on after each minute of the traffic of a design', async () => {
  const pausesOf = async (minutes: number): Promise<readonly [number, number]> => {
    let pauses = 0;
    const load = compileWorkload(buildModel(TimeFirst), { ...base, segments: segments(100) });
    const step = { pause: async () => void pauses++, onProgress: () => undefined };
    const { workloads } = await simulate([load], { minutes, sampleRows: 1_000 }, step);
    return [pauses, workloads[0].designs.length];
  };
  const [few, designs] = await pausesOf(3);
  const [more] = await pausesOf(5);
  expect(designs).toBeGreaterThan(1);
  expect(more - few).toBe(2 * designs);
});
