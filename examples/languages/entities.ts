/** The rows that programs in all languages share: readings, and their values of an hour. */
import { Column, Entity, maxVersions, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
export class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double', { required: true }) temperature!: number;
}

@Entity({ table: 'hourly', families: { h: { gc: maxVersions(1) } } })
export class Hourly {
  static readonly key = rowKey('device', 'hour');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('h', 'uint32', { required: true }) count!: number;
  @Column('h', 'double', { required: true }) mean!: number;
}
