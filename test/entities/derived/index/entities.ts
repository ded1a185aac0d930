/** An entity with indexes of all kinds. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  indexOn,
  indexes,
  maxVersions,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';

@Entity({ table: 'orders', families: { m: { gc: maxVersions(3) }, c: {}, t: {} } })
export class Order {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status', { segment: 'placedAt', order: 'desc' }).including(
      'total',
    ),
    byEmail: uniqueIndexOn('tenant', 'email'),
    byCustomer: indexOn('customer'),
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'timestamp') placedAt?: Date;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') customer?: string;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'string') note?: string;
  @Counter('c') views?: bigint;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

/** Every row has an entry. */
@Entity({ table: 'files', families: { m: {} } })
export class StoredFile {
  static readonly key = rowKey('folder', 'name');
  static readonly indexes = indexes({ byName: indexOn('name') });
  @Segment('string') folder!: string;
  @Segment('string') name!: string;
  @Column('m', 'int64') size?: bigint;
  @Counter('m') reads?: bigint;
}

/** Entries with other values than the rows, and entries in the table of the rows. */
@Entity({
  table: 'events',
  families: { m: {} },
  keyFormat: 'ordered',
  shards: { count: 3, by: ['device'] },
})
export class DeviceEvent {
  static readonly key = rowKey('tenant', 'device', 'n');
  static readonly indexes = indexes({
    byHour: indexOn('tenant', { segment: 'at', floor: 'hour' }).including('level').in('events'),
    byKind: indexOn('tenant', { segment: 'kind', lower: true }),
    byNumber: indexOn({ segment: 'n', order: 'desc' }),
    byNullable: indexOn('tenant', { segment: 'level', nullable: true }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 999 }) n!: number;
  @Column('m', 'timestamp') at?: Date;
  @Column('m', 'string') kind?: string;
  @Column('m', 'int32') level?: number;
}
