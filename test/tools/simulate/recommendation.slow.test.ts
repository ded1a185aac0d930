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

@Entity({ table: 'blobs', families: { m: {} } })
class Blob {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('m', 'bytes') data?: Uint8Array;
}

const base = { rows: 1_000_000, writesPerSecond: 1_000 };
const time = { distribution: 'time' } as const;

function run(
  entity: EntityClass,
  options: Partial<WorkloadOptions> & Pick<WorkloadOptions, 'segments'>,
  settings: Partial<SimulationOptions> = {},
): Promise<SimulationReport> {
  const load = compileWorkload(buildModel(entity), { ...base, ...options });
  return simulate([load], { nodes: 3, minutes: 6, sampleRows: 4_000, ...settings });
}

const segments = (cardinality: number) => ({ at: time, device: { cardinality } });

test('reads of the newest rows of all devices are on the node that is written', async () => {
  const { recommendation, workloads } = await run(TimeFirst, {
    segments: segments(100_000),
    readsPerSecond: 100,
    reads: { recent: { share: 1, span: '1m' } },
  });
  expect(recommendation.design).toBe('salted by 16');
  const [declared, , salted] = workloads[0].designs;
  expect(declared.tablets.busiestReadNode).toBeGreaterThan(0.6);
  expect(declared.busiestNodeLoad).toBeGreaterThan(1.4 * salted.busiestNodeLoad);
});

test('designs that all write to one node are not recommended without saying so', async () => {
  const { recommendation } = await run(TimeFirst, { segments: segments(1) });
  expect(recommendation.reasons[0]).toMatch(
    /But 100 % of the writes go to one node with each of these keys: more nodes do not help/,
  );
  const good = await run(TimeFirst, { segments: segments(1_000) });
  expect(good.recommendation.reasons[0]).not.toContain('But');
});

test('the number of nodes that an even load needs', async () => {
  const { recommendation } = await run(TimeFirst, {
    segments: segments(1_000),
    writesPerSecond: 100_000,
  });
  expect(recommendation.design).toBe('device first');
  expect(recommendation.reasons[0]).toMatch(/But that is too much for 3 nodes: plan for 1\d$/);
});

test('a thousand devices are spread over many nodes', async () => {
  const { workloads } = await run(
    TimeFirst,
    { segments: segments(1_000), writesPerSecond: 1_000_000 },
    { nodes: 200, minutes: 6 },
  );
  const first = workloads[0].designs.find(({ name }) => name === 'device first')!;
  // 1 / 200 at best; the sample has 100 operations of each node.
  expect(first.tablets.busiestNode).toBeLessThan(0.02);
});

test('large values are load, and need nodes for their storage', async () => {
  const id = { distribution: 'sequential' } as const;
  const { workloads } = await run(Blob, { segments: { id }, columns: { data: { bytes: 5e6 } } });
  // 5 GB a second.
  expect(workloads[0].designs[0].busiestNodeLoad).toBeGreaterThan(5);
  expect(workloads[0].sizeFindings).toMatchObject([
    {
      kind: 'nodeStorage',
      level: 'warning',
      problem: expect.stringMatching(
        /^the table has .* in 1 months?, .* 3 nodes hold 15 TB on SSD/,
      ),
    },
  ]);
  const full = await run(Blob, {
    segments: { id },
    rows: 100_000_000,
    writesPerSecond: 1,
    columns: { data: { bytes: 1e6 } },
  });
  expect(full.workloads[0].sizeFindings).toMatchObject([{ kind: 'nodeStorage', level: 'error' }]);
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

test('ranges of sequential ids are scans of reversed ones', async () => {
  const { recommendation, workloads } = await run(Numbered, {
    segments: { id: { distribution: 'sequential' } },
    readsPerSecond: 1_000,
    reads: { page: { share: 1, values: 100 } },
  });
  const found = workloads[0].designs.map(({ name, reads: [page] }) => [name, page.filters]);
  expect(found).toEqual([
    ['declared', []],
    ['salted by 16', []],
    ['reversed id', ['id']],
  ]);
  const [{ designs }] = workloads;
  for (const { reads } of designs) expect(reads[0].rowsReturned).toBeCloseTo(100, 0);
  expect(designs[0].reads[0].rowsRead).toBeCloseTo(100, 0);
  expect(designs[2].reads[0].rowsRead).toBeGreaterThan(900_000);
  // Few writes, all of them to one node: the reads of the other keys would cost more.
  expect(recommendation.reasons[0]).toMatch(
    /But 100 % .* if they grow, salted by 16 spreads them$/,
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
  expect(workloads[0].writeCosts.map(({ name }) => name)).toEqual(['row', 'byAuthor']);
});
