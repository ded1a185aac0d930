/** What the reads of a workload cost where the design has shards. */
import {
  accessPatterns,
  Column,
  Entity,
  type EntityClass,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { compileWorkload, simulate } from '../../../src/tools/simulate/index.js';

@Entity({ table: 'events', families: { m: {} }, shards: { count: 16, by: ['id'] } })
class Event {
  static readonly key = rowKey('area', 'id');
  static readonly patterns = accessPatterns({ some: { prefix: ['area'], limit: 5 } });
  @Segment('string', { maxLength: 10 }) area!: string;
  @Segment('uint') id!: number;
  @Column('m', 'double') value?: number;
}

test('a limit is read in each shard, because any of them may have all rows', async () => {
  const load = compileWorkload(buildModel(Event as EntityClass), {
    rows: 100_000,
    writesPerSecond: 10,
    readsPerSecond: 10,
    segments: { area: { cardinality: 2 }, id: { distribution: 'sequential' } },
    reads: { some: 1 },
  });
  const { workloads } = await simulate([load], { minutes: 1, sampleRows: 200 });
  const [some] = workloads[0].designs[0].reads;
  expect([some.shards, some.rowsRead, some.rowsReturned]).toEqual([16, 5 * 16, 5]);
});
