/** Entities with rollups, for the tests. */
import {
  Column,
  Counter,
  Entity,
  maxVersions,
  rollups,
  rowKey,
  Segment,
  aggregate,
} from '../../../../src/index.js';

/** Readings with several rollups. One does not follow the key. */
@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly rollups = rollups({
    hourly: {
      by: ['tenant', 'device', { time: 'at', every: '1h' }],
      values: {
        count: 'count',
        noted: { count: 'note' },
        avg: { avg: 'temperature', decimals: 2 },
        low: { min: 'temperature', decimals: 2 },
        high: { max: 'temperature', decimals: 2 },
        total: { sum: 'temperature', decimals: 2 },
        watts: { sum: 'energy' },
        open: { first: 'temperature' },
        close: { last: 'temperature' },
      },
    },
    daily: {
      by: ['tenant', { time: 'at', every: '1d' }],
      values: { count: 'count', latest: { max: 'at' }, watts: { max: 'energy' } },
    },
  });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'int64') energy?: bigint;
  @Column('m', 'string') note?: string;
  @Column('m', 'string') remark?: string;
}

/** Orders, which change. */
@Entity({ table: 'orders', families: { o: { gc: maxVersions(1) }, c: aggregate('sum') } })
export class Order {
  static readonly key = rowKey('shop', 'at', 'id');
  static readonly rollups = rollups({
    sales: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: {
        orders: 'count',
        revenue: { sum: 'total', as: 'decimal', decimals: 2 },
        largest: { max: 'total', as: 'decimal', decimals: 2 },
        mean: { avg: 'items' },
        opening: { first: 'status' },
        status: { last: 'status' },
      },
    },
  });
  @Segment('string') shop!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint') id!: number;
  @Column('o', 'string') total?: string;
  @Column('o', 'int32') items?: number;
  @Column('o', 'string') status?: string;
  @Counter('c') views?: bigint;
}
