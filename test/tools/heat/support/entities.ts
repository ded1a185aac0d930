/** One entity for each design of a row key. */
import { Column, Entity, rowKey, Segment } from '../../../../src/index.js';

@Entity({ table: 'readings', families: { m: {} } })
export class TimeFirst {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp') at!: Date;
  @Segment('string') device!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'readings', families: { m: {} } })
export class NewestFirst {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('string') device!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'readings', families: { m: {} } })
export class DeviceFirst {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'readings', families: { m: {} }, shards: { count: 16, by: ['device'] } })
export class Salted {
  static readonly key = rowKey('at', 'device');
  @Segment('timestamp') at!: Date;
  @Segment('string') device!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'orders', families: { m: {} } })
export class Sequence {
  static readonly key = rowKey('id');
  @Segment('uint') id!: number;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'orders', families: { m: {} } })
export class ReversedSequence {
  static readonly key = rowKey('id');
  @Segment('reversedId') id!: number;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'orders', families: { m: {} } })
export class ByUuid {
  static readonly key = rowKey('id');
  @Segment('uuid') id!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'orders', families: { m: {} } })
export class ByUlid {
  static readonly key = rowKey('id');
  @Segment('ulid') id!: string;
  @Column('m', 'double') value?: number;
}
