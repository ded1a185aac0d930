/**
 * The entities of the golden files: every key format, shared tables, every garbage collection rule,
 * every kind of segment and column.
 */
import {
  accessPatterns,
  AlsoReads,
  Column,
  ColumnMap,
  Counter,
  delimited,
  Entity,
  enumOf,
  Field,
  intersection,
  literal,
  MapField,
  maxAge,
  aggregate,
  maxVersions,
  Message,
  Packed,
  RepeatedField,
  rowKey,
  Segment,
  table,
  union,
  type Version,
  Versions,
} from '../../../src/index.js';

enum Mode {
  OFF = 0,
  ON = 1,
}

@Message('telemetry.Position')
export class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}

@Message('telemetry.Status')
export class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptimeMs?: bigint;
  @Field(3, enumOf(Mode)) mode?: Mode;
  @Field(4, () => Position) position?: Position;
  @RepeatedField(5, 'string') alarms?: string[];
  @MapField(6, 'string', 'double') levels?: Map<string, number>;
  @Field(7, 'timestamp') seen?: Date;
}

@Entity({
  table: 'telemetry',
  families: {
    m: { gc: maxVersions(1) },
    s: { gc: union(maxAge('30d'), maxVersions(10)) },
    tags: { gc: maxAge('36h') },
    hits: aggregate('sum', { gc: maxVersions(1) }),
  },
})
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latestOfDevice: {
      prefix: ['tenant', 'device'],
      limit: 1,
      purpose: 'The value that a dashboard shows.',
    },
    ofDay: { prefix: ['tenant', 'device'], between: 'at', select: ['temperature'] },
    devices: { prefix: ['tenant'], startsWith: 'device' },
    oldest: { scanAll: true, reverse: true, limit: 10 },
  });
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double', { qualifier: 't' }) temperature?: number;
  @Column('m', 'string') note?: string;
  @Packed('s', () => Status) status?: Status;
  @Versions('s', 'double') history?: Version<number>[];
  @ColumnMap('tags', 'string') tags?: Map<string, string>;
  @Counter('hits') reads?: bigint;
}

const shop = table('shop', {
  families: {
    d: { gc: union(maxVersions(1), intersection(maxAge('10h'), maxVersions(3)), maxAge('90d')) },
    e: { gc: intersection(maxVersions(2), maxAge('1500ms')) },
    f: {},
    peak: aggregate('max'),
  },
});

@Entity({ table: shop })
export class User {
  static readonly key = rowKey('user', literal('profile'));
  @Segment('string', { maxLength: 40 }) user!: string;
  @AlsoReads('fullName', 'nick') @Column('d', 'string') name?: string;
  @Column('d', 'date') born?: string;
}

@Entity({ table: shop })
export class Order {
  static readonly key = rowKey('user', literal('order'), 'placed');
  @Segment('string', { maxLength: 40 }) user!: string;
  @Segment('timestamp', { order: 'desc' }) placed!: Date;
  @Column('d', 'double') total?: number;
  @Column('e', 'json') lines?: unknown;
  @Counter('peak') dearest?: bigint;
}

@Entity({
  table: 'events',
  families: { e: { gc: maxVersions(1) } },
  shards: { count: 16, by: ['source'] },
})
export class Visit {
  static readonly key = rowKey(literal('visit page'), 'source', 'e');
  static readonly patterns = accessPatterns({
    ofSource: { prefix: ['source'], since: 'e' },
    sources: { between: 'source' },
  });
  @Segment('string', { maxLength: 40 }) source!: string;
  /** Has the name of the family. */
  @Segment('uint', { max: 99_999 }) e!: number;
  @Column('e', 'bool') bounced?: boolean;
}

/** Aggregates only. */
@Entity({ table: 'totals', families: { total: aggregate('sum') }, keyFormat: delimited('|') })
export class Total {
  static readonly key = rowKey('country', 'day');
  @Segment('string', { maxLength: 2 }) country!: string;
  @Segment('isoDate', { precision: 'day' }) day!: Date;
  @Counter('total') orders?: bigint;
}

@Entity({ table: 'kinds', families: { f: {} } })
export class EveryKind {
  static readonly key = rowKey(
    'string',
    'nullable',
    'int',
    'intDesc',
    'uint',
    'uintDesc',
    'wide',
    'big',
    'bigFixed',
    'float',
    'floatDesc',
    'decimal',
    'boolDesc',
    'name',
    'ordinal',
    'seconds',
    'nanosDesc',
    'longDesc',
    'hour',
    'dayDesc',
    'interval',
    'micros',
    'microsLong',
    'iso',
    'isoDay',
    'uuid',
    'ulid',
    'bytes',
    'reversed',
    'domain',
    'lastDesc',
  );
  @Segment('string', { maxLength: 8 }) string!: string;
  @Segment('string', { maxLength: 8, nullable: true }) nullable!: string | null;
  @Segment('int', { width: 5 }) int!: number;
  @Segment('int', { width: 5, order: 'desc', nullable: true }) intDesc!: number | null;
  @Segment('uint', { max: 4_294_967_295 }) uint!: number;
  @Segment('uint', { width: 16, order: 'desc' }) uintDesc!: number;
  @Segment('bigint', { width: 19, order: 'desc' }) wide!: bigint;
  @Segment('bigint') big!: bigint;
  @Segment('bigint', { width: 30 }) bigFixed!: bigint;
  @Segment('float') float!: number;
  @Segment('float', { order: 'desc' }) floatDesc!: number;
  @Segment('decimal', { width: 12, scale: 2 }) decimal!: string;
  @Segment('bool', { order: 'desc' }) boolDesc!: boolean;
  @Segment('enum', { values: ['NEW', 'DONE'] }) name!: string;
  @Segment('enum', { values: ['NEW', 'DONE'], by: 'ordinal', order: 'desc' }) ordinal!: string;
  @Segment('timestamp', { unit: 's' }) seconds!: Date;
  @Segment('timestamp', { unit: 'ns', order: 'desc' }) nanosDesc!: Date;
  @Segment('timestamp', { order: 'desc', reverseFrom: 'long' }) longDesc!: Date;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Segment('timestamp', { floor: 'day', order: 'desc' }) dayDesc!: Date;
  @Segment('timestamp', { floor: 300_000 }) interval!: Date;
  @Segment('micros', { order: 'desc' }) micros!: bigint;
  @Segment('micros', { order: 'desc', reverseFrom: 'long' }) microsLong!: bigint;
  @Segment('isoDate') iso!: Date;
  @Segment('isoDate', { precision: 'day' }) isoDay!: Date;
  @Segment('uuid') uuid!: string;
  @Segment('ulid') ulid!: string;
  @Segment('bytes', { maxLength: 8 }) bytes!: Uint8Array;
  @Segment('reversedId', { width: 10 }) reversed!: number;
  @Segment('domain') domain!: string;
  @Segment('timestamp', { order: 'desc', nullable: true }) lastDesc!: Date | null;
  @Column('f', 'string') string_?: string;
  @Column('f', 'bytes') bytes_?: Uint8Array;
  @Column('f', 'bool') bool_?: boolean;
  @Column('f', 'int32') int32_?: number;
  @Column('f', 'uint32') uint32_?: number;
  @Column('f', 'int64') int64_?: bigint;
  @Column('f', 'double') double_?: number;
  @Column('f', 'float') float_?: number;
  @Column('f', 'timestamp') timestamp_?: Date;
  @Column('f', 'date') date_?: string;
  @Column('f', 'json', { qualifier: "it's\\" }) json_?: unknown;
  @Column('f', 'string', { qualifier: Uint8Array.of(0, 255) }) binary_?: string;
  @Counter('f') counter_?: bigint;
}

@Entity({
  table: 'kinds-ordered',
  families: { f: {}, at: {} },
  keyFormat: 'ordered',
  shards: { count: 4, by: ['string'] },
})
export class EveryOrderedKind {
  static readonly key = rowKey(
    literal('kind'),
    'string',
    'stringDesc',
    'nullable',
    'int',
    'intDesc',
    'intNullable',
    'big',
    'wide',
    'float',
    'decimal',
    'bool',
    'name',
    'ordinal',
    'at',
    'atDesc',
    'hour',
    'micros',
    'iso',
    'isoDay',
    'uuid',
    'ulid',
    'bytes',
    'bytesDesc',
    'reversed',
    'domain',
  );
  @Segment('string', { maxLength: 8 }) string!: string;
  @Segment('string', { maxLength: 8, order: 'desc' }) stringDesc!: string;
  @Segment('string', { maxLength: 8, nullable: true }) nullable!: string | null;
  @Segment('int') int!: number;
  @Segment('int', { order: 'desc' }) intDesc!: number;
  @Segment('int', { nullable: true }) intNullable!: number | null;
  @Segment('bigint') big!: bigint;
  @Segment('bigint', { width: 19 }) wide!: bigint;
  @Segment('float') float!: number;
  @Segment('decimal', { width: 12, scale: 2, order: 'desc' }) decimal!: string;
  @Segment('bool') bool!: boolean;
  @Segment('enum', { values: ['NEW', 'DONE'] }) name!: string;
  @Segment('enum', { values: ['NEW', 'DONE'], by: 'ordinal' }) ordinal!: string;
  /** Has the name of a family. */
  @Segment('timestamp') at!: Date;
  @Segment('timestamp', { order: 'desc' }) atDesc!: Date;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Segment('micros') micros!: bigint;
  @Segment('isoDate', { order: 'desc' }) iso!: Date;
  @Segment('isoDate', { precision: 'day' }) isoDay!: Date;
  @Segment('uuid') uuid!: string;
  @Segment('ulid') ulid!: string;
  @Segment('bytes', { maxLength: 8 }) bytes!: Uint8Array;
  @Segment('bytes', { maxLength: 8, order: 'desc' }) bytesDesc!: Uint8Array;
  @Segment('reversedId', { width: 10 }) reversed!: number;
  @Segment('domain') domain!: string;
  @Column('f', 'double') value?: number;
}

export const all = [Reading, User, Order, Visit, Total, EveryKind, EveryOrderedKind];
