/** Entities of the tests of the studio: one of each form. */
import {
  accessPatterns,
  aggregate,
  Column,
  ColumnMap,
  copies,
  copyOf,
  Counter,
  Entity,
  Field,
  indexes,
  indexOn,
  literal,
  MapField,
  maxAge,
  maxVersions,
  Message,
  Packed,
  RepeatedField,
  Revision,
  rollups,
  rowKey,
  Segment,
  table,
  type Version,
  Versions,
} from '../../../src/index.js';

@Message('studio.Point')
export class Point {
  @Field(1, 'double') x?: number;
  @Field(2, 'int64') exact?: bigint;
}

@Message('studio.Parcel')
export class Parcel {
  @Field(1, 'string') note?: string;
  @Field(2, 'bytes') label?: Uint8Array;
  @Field(3, () => Point) at?: Point;
  @RepeatedField(4, 'string') stops?: string[];
  @MapField(5, 'string', 'int64') sums?: Map<string, bigint>;
}

const shop = table('shop', {
  families: {
    m: { gc: maxVersions(5) },
    t: { gc: maxVersions(1) },
    h: { gc: maxVersions(10) },
    s: aggregate('sum'),
  },
});

@Entity({ table: shop })
export class Order {
  static readonly key = rowKey(literal('order'), 'shop', 'at', 'n');
  static readonly indexes = indexes({ byStatus: indexOn('status') });
  static readonly rollups = rollups({
    daily: { by: ['shop', { time: 'at', every: '1d' }], values: { n: 'count' } },
  });
  static readonly patterns = accessPatterns({
    newest: { prefix: ['shop'], limit: 2, purpose: 'the first page' },
    since: { prefix: ['shop'], since: 'at' },
  });
  @Segment('string', { maxLength: 40 }) shop!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'string', { maxLength: 5_000_000 }) status?: string;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'json') extra?: unknown;
  @Column('m', 'bytes') photo?: Uint8Array;
  @Packed('m', () => Parcel) parcel?: Parcel;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Versions('h', 'double') price?: Version<number>[];
  @Counter('s') views?: bigint;
}

/** Keys that are not text. */
@Entity({ table: 'blobs', families: { m: { gc: maxAge('30d') } } })
export class Blob {
  static readonly key = rowKey('hash', 'part');
  @Segment('bytes', { maxLength: 32 }) hash!: Uint8Array;
  @Segment('bigint', { width: 30 }) part!: bigint;
  @Column('m', 'bytes') content?: Uint8Array;
}

@Entity({ table: 'accounts', families: { m: {} } })
export class Account {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20, pattern: /^[a-z]+$/ }) id!: string;
  @Column('m', 'double', { required: true, min: 0 }) balance!: number;
  @Revision('m') revision?: string;
}

const fleet = table('fleet', { families: { m: {} } });

@Entity({ table: fleet })
export class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'string') place?: string;
}

@Entity({ table: fleet, marker: true })
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly indexes = indexes({ byDevice: indexOn('tenant', 'device') });
  static readonly copies = copies({
    place: copyOf(() => Device, 'place', { tenant: 'tenant', device: 'device' }),
  });
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') place?: string;
}

export const entities = [Order, Blob, Account, Device, Reading];
