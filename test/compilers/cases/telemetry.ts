/**
 * Every decorator with an explicit kind, so that all compilers produce the same result. The library
 * is imported from where workspace.ts installs it.
 */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  MapField,
  Message,
  Packed,
  RepeatedField,
  Segment,
  type Version,
  Versions,
  aggregate,
  enumOf,
  describeEntity,
  literal,
  maxAge,
  maxVersions,
  rowKey,
  union,
} from 'rowsmith-under-test';

enum Mode {
  UNKNOWN = 0,
  ECO = 1,
  BOOST = 2,
}

@Message('telemetry.Position')
class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}

@Message('telemetry.Status')
class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptimeMs?: bigint;
  @Field(3, () => Position) position?: Position;
  @RepeatedField(4, 'string') alarms?: string[];
  @MapField(5, 'string', 'double') probes?: Map<string, number>;
  @Field(6, 'timestamp') bootedAt?: Date;
  @Field(7, enumOf(Mode)) mode?: Mode;
  @Field(8, 'string', { oneof: 'owner' }) person?: string;
  @Field(9, 'uint32', { oneof: 'owner' }) team?: number;
  @RepeatedField(10, () => Status) history?: Status[];
}

abstract class Dated {
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'string', { qualifier: 'n' }) note?: string | null;
}

@Entity({
  table: 'telemetry',
  families: {
    m: { gc: maxVersions(1) },
    s: { gc: union(maxAge('30d'), maxVersions(10)) },
    t: {},
    c: aggregate('sum'),
  },
  shards: { count: 4, by: ['device'] },
  cellTimestamp: 'at',
})
class Reading extends Dated {
  static readonly key = rowKey(literal('reading'), 'tenant', 'device', 'at');

  @Segment('string', { maxLength: 64 }) tenant!: string;
  @Segment('string', { maxLength: 64, nullable: true }) device!: string | null;
  @Column('m', 'double', { qualifier: 't' }) temperature?: number;
  @Packed('s', () => Status) status?: Status;
  @Versions('s', 'double') history?: Version<number>[];
  @ColumnMap('t', 'json') tags?: Map<string, unknown>;
  @Counter('c') hits?: bigint;
}

@Entity({ table: 'visits', families: { m: {} }, marker: true })
class Visit extends Dated {
  static readonly key = rowKey('at');
}

console.log(String(describeEntity(Reading)));
console.log();
console.log(String(describeEntity(Visit)));
