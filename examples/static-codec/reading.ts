/** The entity of static-codec.ts, in a separate module for `rowsmith generate`. */
import {
  Entity,
  Field,
  maxVersions,
  Message,
  Packed,
  RepeatedField,
  rowKey,
  Segment,
} from 'rowsmith';

@Message('static_codec.Status')
export class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptimeMs?: bigint;
  @Field(3, 'double') temperature?: number;
  @RepeatedField(4, 'uint32') alarms?: number[];
}

@Entity({ table: 'telemetry', families: { s: { gc: maxVersions(1) } } })
export class Reading {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Packed('s', () => Status) status?: Status;
}
