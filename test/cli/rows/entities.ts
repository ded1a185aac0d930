/** Entities of the tests of commands on rows. */
import {
  accessPatterns,
  Column,
  ColumnMap,
  Counter,
  Entity,
  indexOn,
  indexes,
  maxVersions,
  rowKey,
  Segment,
  aggregate,
  table,
  uniqueIndexOn,
  type Version,
  Versions,
} from '../../../src/index.js';

@Entity({
  table: 'orders',
  families: { m: { gc: maxVersions(3) }, t: { gc: maxVersions(1) }, c: {}, s: aggregate('sum') },
})
export class Order {
  static readonly key = rowKey('shop', 'n');
  static readonly indexes = indexes({
    byStatus: indexOn('status'),
    byCode: uniqueIndexOn('code'),
  });
  static readonly patterns = accessPatterns({
    ofShop: { prefix: ['shop'], limit: 2, reverse: true, select: ['status'] },
    range: { prefix: ['shop'], between: 'n' },
    newest: { prefix: ['shop'], since: 'n' },
  });
  @Segment('string', { maxLength: 40 }) shop!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'timestamp') at?: Date;
  @Column('m', 'json') extra?: unknown;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Counter('c') hits?: bigint;
  @Counter('s') views?: bigint;
}

const telemetry = table('telemetry', { families: { m: {}, h: { gc: maxVersions(10) } } });

@Entity({ table: telemetry })
export class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'string') place?: string;
}

@Entity({ table: telemetry })
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Versions('h', 'double') pressure?: Version<number>[];
}
