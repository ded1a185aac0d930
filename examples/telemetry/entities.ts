/** Readings of sensors, kept for 30 days, and their hours, kept for good. */
import { Column, Entity, maxAge, rollups, rowKey, Segment } from 'rowsmith';

// The cells have the time of the reading, so that an import of old readings expires in time.
@Entity({ table: 'readings', families: { m: { gc: maxAge('30d') } }, cellTimestamp: 'at' })
export class Reading {
  static readonly key = rowKey('site', 'sensor', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['site', 'sensor', { time: 'at', every: '1h' }],
      values: {
        count: 'count',
        mean: { avg: 'celsius', decimals: 1 },
        high: { max: 'celsius', decimals: 1 },
      },
    },
  });
  @Segment('string', { maxLength: 40 }) site!: string;
  @Segment('string', { maxLength: 40 }) sensor!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first
  @Column('m', 'double') celsius!: number;
}
