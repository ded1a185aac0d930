/** Entities stored by the repository tests. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  literal,
  maxVersions,
  rowKey,
  Segment,
  aggregate,
  table,
  type Version,
  Versions,
} from '../../../../src/index.js';

@Entity({
  table: 'readings',
  families: { m: { gc: maxVersions(3) }, h: {}, t: {}, c: {}, a: aggregate('sum') },
})
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'n');
  @Segment('string', { minLength: 0 }) tenant!: string;
  @Segment('string', { minLength: 0 }) device!: string;
  @Segment('uint', { max: 999_999 }) n!: number;
  @Column('m', 'double') value?: number;
  @Column('m', 'string') note?: string;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Versions('h', 'string') history?: Version<string>[];
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Counter('c') hits?: bigint;
  @Counter('a') total?: bigint;
}

/** Two entities with interleaved rows: the orders of a user directly follow the user. */
const crowd = table('crowd', { families: { m: {} } });

@Entity({ table: crowd })
export class User {
  static readonly key = rowKey('tenant', 'user');
  @Segment('string', { minLength: 0 }) tenant!: string;
  @Segment('string', { minLength: 0 }) user!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: crowd })
export class Order {
  static readonly key = rowKey('tenant', 'user', literal('order'), 'nr');
  @Segment('string', { minLength: 0 }) tenant!: string;
  @Segment('string', { minLength: 0 }) user!: string;
  @Segment('uint', { max: 9999 }) nr!: number;
  @Column('m', 'double') sum?: number;
}

@Entity({ table: 'spread', families: { m: {} }, shards: { count: 4, by: ['device'] } })
export class Spread {
  static readonly key = rowKey('tenant', 'device', 'n');
  @Segment('string', { minLength: 0 }) tenant!: string;
  @Segment('string', { minLength: 0 }) device!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'binary', families: { m: {} }, keyFormat: 'ordered' })
export class Binary {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string', { minLength: 0 }) tenant!: string;
  @Segment('bytes') id!: Uint8Array;
  @Column('m', 'double') value?: number;
}

/** The integers from 0 to `count - 1`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
