/** Entities for the tests of queries. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  literal,
  maxVersions,
  rowKey,
  Segment,
  type Version,
  Versions,
} from '../../../src/index.js';

@Entity({
  table: 'readings',
  families: { m: { gc: maxVersions(1) }, s: {}, h: { gc: maxVersions(5) }, t: {} },
})
export class Reading {
  static readonly key = rowKey(literal('reading'), 'tenant', 'device', 'at');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') note?: string;
  @Column('s', 'json') status?: unknown;
  @Versions('h', 'double') history?: Version<number>[];
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

@Entity({ table: 'visits', families: { n: {} }, shards: { count: 4, by: ['site'] }, marker: true })
export class Visit {
  static readonly key = rowKey('day', 'site', 'nth');
  @Segment('isoDate', { precision: 'day' }) day!: Date;
  @Segment('string') site!: string;
  @Segment('uint', { max: 999 }) nth!: number;
  @Counter('n') hits?: bigint;
}

@Entity({ table: 'hosts', families: { m: {} }, keyFormat: 'ordered' })
export class Host {
  static readonly key = rowKey('domain', 'port');
  @Segment('domain') domain!: string;
  @Segment('int') port!: number;
  @Column('m', 'string') owner?: string;
}
