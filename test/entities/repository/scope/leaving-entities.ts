/** Entities of tenants that leave: every way in which rows lie beside and follow from each other. */
import {
  Column,
  copies,
  copyOf,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  maxVersions,
  rollups,
  rowKey,
  Segment,
  table,
  uniqueIndexOn,
} from '../../../../src/index.js';

const families = { m: { gc: maxVersions(1) } };
/** One table for entities of all kinds. */
const mixed = table('mixed', { families });

/** A tenant itself: the scope is its whole key. */
@Entity({ table: mixed })
export class Tenant {
  static readonly key = rowKey('tenant');
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Column('m', 'string') note?: string;
}

/** Nothing follows from it. */
@Entity({ table: mixed })
export class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Column('m', 'string') note?: string;
}

/** An index that does not begin with the tenant. */
@Entity({ table: mixed })
export class Alarm {
  static readonly key = rowKey('tenant', 'device', literal('alarm'), 'n');
  static readonly indexes = indexes({
    byNote: indexOn('note'),
    byCode: uniqueIndexOn('code'),
    byPlace: indexOn('tenant', 'place').in('places'),
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') note?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'string') place?: string;
}

/** Its keys do not begin with the tenant, and share the bytes of one. */
@Entity({ table: mixed })
export class Region {
  static readonly key = rowKey(literal('acme'), 'a', literal('r'), 'b', 'c');
  @Segment('string', { maxLength: 20 }) a!: string;
  @Segment('string', { maxLength: 20 }) b!: string;
  @Segment('string', { maxLength: 20 }) c!: string;
  @Column('m', 'string') note?: string;
}

/** The tenant can be null; indexes and rollups begin with it. */
@Entity({ table: 'readings', families, keyFormat: 'ordered' })
export class Reading {
  static readonly key = rowKey('tenant', 'at', 'device');
  static readonly indexes = indexes({
    byPlace: indexOn('tenant', 'place').in('codes'),
    byCode: uniqueIndexOn('tenant', 'code').in('codes'),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['tenant', { time: 'at', every: '1d' }],
      values: { count: 'count', total: { sum: 'value' } },
    },
  });
  @Segment('string', { maxLength: 20, nullable: true }) tenant!: string | null;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') place?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int64') value?: bigint;
}

/** Shards: a scope of one segment is in all of them. */
@Entity({ table: 'sales', families, shards: { count: 3, by: ['device'] } })
export class Sale {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly rollups = rollups({
    own: {
      by: ['tenant', 'device', { time: 'at', every: '1d' }],
      values: { count: 'count' },
    },
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') value?: bigint;
}

/** A bucket of a rollup has rows of several tenants. */
@Entity({ table: 'visits', families })
export class Visit {
  static readonly key = rowKey('tenant', 'place', 'at');
  static readonly rollups = rollups({
    ofPlace: {
      by: ['place', { time: 'at', every: '1d' }],
      values: { count: 'count', total: { sum: 'value' } },
    },
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) place!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') value?: bigint;
}

/** Folded text, and shards. */
@Entity({ table: 'spread', families, keyFormat: 'ordered', shards: { count: 4, by: ['device'] } })
export class Spread {
  static readonly key = rowKey('tenant', 'device', 'n');
  @Segment('string', { maxLength: 20, lower: true }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') note?: string;
}

/** Values that rows of the same tenant copy. */
@Entity({ table: 'authors', families })
export class Author {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families })
export class Post {
  static readonly key = rowKey('tenant', 'n');
  static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'device').in('places') });
  static readonly copies = copies({
    name: copyOf(() => Author, 'name', { tenant: 'tenant', device: 'device' }),
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') device?: string;
  @Column('m', 'string') name?: string;
}

/** Values that rows of other tenants copy. */
@Entity({ table: 'partners', families })
export class Partner {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'contracts', families })
export class Contract {
  static readonly key = rowKey('tenant', 'n');
  static readonly indexes = indexes({ byPartner: indexOn('partner', 'device') });
  static readonly copies = copies({
    name: copyOf(() => Partner, 'name', { tenant: 'partner', device: 'device' }),
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('uint', { max: 99 }) n!: number;
  @Column('m', 'string') partner?: string;
  @Column('m', 'string') device?: string;
  @Column('m', 'string') name?: string;
}

/** The tenant is not the first segment. */
@Entity({ table: 'audit', families })
export class Audit {
  static readonly key = rowKey('day', 'tenant');
  @Segment('string', { maxLength: 20 }) day!: string;
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Column('m', 'string') note?: string;
}

export const entities: readonly EntityClass[] = [
  Tenant,
  Device,
  Alarm,
  Region,
  Reading,
  Sale,
  Visit,
  Spread,
  Author,
  Post,
  Partner,
  Contract,
  Audit,
];

/** The entities with rows from which other rows follow. */
export const followed = [Alarm, Reading, Sale, Visit, Post, Contract] as const;
