/** The entity of the benchmarks: one packed message of six fields, about 120 bytes. */
import { Entity, Field, Message, Packed, Segment } from '../decorators/index.js';
import { maxVersions } from '../src/entities/model/gc-rule.js';
import { rowKey } from '../src/entities/model/declaration/keys/row-key.js';

/** The status of a device. */
@Message('bench.Status')
export class Status {
  @Field(1, 'string') note?: string;
  /** One of five texts. */
  @Field(2, 'string') state?: string;
  @Field(3, 'int64') uptimeUs?: bigint;
  @Field(4, 'double') temperature?: number;
  @Field(5, 'double') humidity?: number;
  @Field(6, 'uint32') battery?: number;
}

/** Key: `t0042#device-0000123#` and 19 digits, newest first; 40 bytes. */
@Entity({ table: 'readings', families: { s: { gc: maxVersions(1) } } })
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');

  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc', reverseFrom: 'long' }) at!: Date;

  @Packed('s', () => Status) status?: Status;
}
