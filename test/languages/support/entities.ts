/** Entities of the tests of generated rows: each kind of column, rule and derived row. */
import {
  aggregate,
  AlsoReads,
  Column,
  ColumnMap,
  Counter,
  Entity,
  enumOf,
  Field,
  indexes,
  indexOn,
  maxAge,
  MapField,
  maxVersions,
  Message,
  Packed,
  RepeatedField,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
  type Version,
  Versions,
} from '../../../src/index.js';

enum Level {
  NONE = 0,
  LOW = 1,
  HIGH = 2,
}

@Message('plant.Node')
export class Node {
  @Field(1, 'string') name?: string;
  @Field(2, () => Node) next?: Node;
  @Field(3, () => Status) status?: InstanceType<typeof Status>;
}

@Message('plant.Status')
export class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'uint64') uptime?: bigint;
  @Field(3, enumOf(Level)) level?: Level;
  @RepeatedField(4, 'double') levels?: number[];
  @MapField(5, 'string', 'int32') counts?: Map<string, number>;
  @Field(6, 'timestamp') seen?: Date;
  @Field(7, () => Node) node?: Node;
}

@Entity({
  table: 'sensors',
  families: {
    m: { gc: maxVersions(1) },
    v: {},
    tags: {},
    hours: {},
    c: {},
    sums: aggregate('sum'),
    votes: aggregate('max'),
  },
  marker: true,
})
export class Sensor {
  static readonly key = rowKey('tenant', 'sensor');
  @Segment('string', { maxLength: 20, pattern: /^[a-z]+$/ }) tenant!: string;
  @Segment('uint', { max: 99_999 }) sensor!: number;
  @Column('m', 'string', { required: true, minLength: 1 }) title!: string;
  @Column('m', 'string', { oneOf: ['open', 'closed'] }) state?: 'open' | 'closed';
  @Column('m', 'int32', { min: 0, max: 5, default: 3 }) votes?: number;
  @Column('m', 'uint32') size?: number;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'double') value?: number;
  @Column('m', 'float') half?: number;
  @Column('m', 'bool') active?: boolean;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'date') day?: string;
  @Column('m', 'json') data?: unknown;
  @AlsoReads('old') @Column('m', 'string') moved?: string;
  @Packed('m', () => Status) status?: Status;
  @Versions('v', 'double') history?: Version<number>[];
  @ColumnMap('tags', 'string') tags?: Map<string, string>;
  @ColumnMap('hours', 'double', { qualifiers: 'timestamp', order: 'desc' }) hours?: Map<
    Date,
    number
  >;
  @Counter('c') hits?: bigint;
  @Counter('sums') reads?: bigint;
  @ColumnMap('votes', 'int64') best?: Map<string, bigint>;
}

@Entity({ table: 'sessions', families: { s: { gc: maxAge('1d') } }, expiresAt: 'until' })
export class Session {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('s', 'timestamp') until!: Date;
  @Column('s', 'string') user?: string;
}

@Entity({ table: 'readings', families: { m: {} }, cellTimestamp: 'at' })
export class Reading {
  static readonly key = rowKey('device', 'at');
  static readonly indexes = indexes({
    byPlace: indexOn('place').including('temperature'),
    bySerial: uniqueIndexOn('serial'),
  });
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: {
        count: 'count',
        mean: { avg: 'temperature', decimals: 2 },
        total: { sum: 'temperature', decimals: 2 },
        low: { min: 'temperature', decimals: 2 },
        newest: { max: 'at' },
        closing: { last: 'temperature' },
      },
    },
  });
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') place?: string;
  @Column('m', 'string') serial?: string;
}

/** No column: its rows are their marker. */
@Entity({ table: 'flags', families: { f: {} }, marker: true })
export class Flag {
  static readonly key = rowKey('class', 'Class');
  @Segment('string', { maxLength: 20 }) class!: string;
  /** Differs in case only, and both are a word of Python. */
  @Segment('string', { maxLength: 20 }) Class!: string;
}

@Message('shop.Site')
class Site {
  @Field(1, 'string') name?: string;
  @Field(15, 'uint32') version?: number;
}

/** TypeScript upgrades its messages. */
@Entity({ table: 'shops', families: { m: {} } })
class Shop {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Packed('m', () => Site, { version: 'version', upgrades: { 1: (stored) => stored } }) site?: Site;
}

export const rowEntities = [Sensor, Session, Reading, Flag, Shop];
