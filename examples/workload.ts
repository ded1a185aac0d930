/**
 * A workload, for `rowsmith simulate examples/workload.ts` (what the table looks like with a billion
 * readings, and which key is best) and `rowsmith load examples/workload.ts --url file:./data` (how
 * fast a database is under it).
 */
import { accessPatterns, Column, Entity, maxAge, rowKey, Segment } from 'rowsmith';
import { defineWorkload } from 'rowsmith/config';

@Entity({ table: 'readings', families: { m: { gc: maxAge('90d') } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  static readonly patterns = accessPatterns({
    latest: { prefix: ['device'], limit: 1, purpose: 'the state of a device' },
    recent: { prefix: ['device'], since: 'at', purpose: 'a chart of a device' },
  });
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') celsius?: number;
  @Column('m', 'string') note?: string;
}

export default defineWorkload(Reading, {
  rows: 1e9,
  writesPerSecond: 5_000,
  readsPerSecond: 1_000,
  growthPerYear: 0.5,
  segments: {
    // Some devices send far more than others.
    device: { distribution: 'zipf', cardinality: 20_000, exponent: 0.8 },
    at: { distribution: 'time' },
  },
  columns: { note: { bytes: { from: 10, to: 60 }, share: 0.1 } },
  reads: { get: 0.1, latest: 0.8, recent: { share: 0.1, span: '1h' } },
});
