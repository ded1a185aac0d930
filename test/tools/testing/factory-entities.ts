/** Entities of the tests of factories: a shop with rules, ids, indexes, copies and references. */
import {
  Column,
  ColumnMap,
  copies,
  copyOf,
  Counter,
  CreatedAt,
  Entity,
  enumOf,
  Field,
  type Generated,
  indexes,
  indexOn,
  MapField,
  Message,
  Packed,
  reference,
  RepeatedField,
  Revision,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
  type Version,
  Versions,
} from '../../../src/index.js';

enum Size {
  UNKNOWN = 0,
  SMALL = 1,
  LARGE = 2,
}

@Message('factory.Place')
export class Place {
  @Field(1, 'string') street?: string;
  @Field(2, 'double', { oneof: 'where' }) latitude?: number;
  @Field(3, 'int64', { oneof: 'where' }) cell?: bigint;
  @Field(4, enumOf(Size)) size?: Size;
  @Field(5, () => Place) inside?: Place;
  @RepeatedField(6, 'string') notes?: string[];
  @MapField(7, 'string', 'uint32') floors?: Map<string, number>;
}

@Entity({ table: 'customers', families: { c: {}, n: {} } })
export class Customer {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byEmail: uniqueIndexOn('tenant', 'email') });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('uuid', { generate: 'uuidv7' }) id!: Generated<string>;
  @Column('c', 'string', { required: true, minLength: 12, maxLength: 14 }) email!: string;
  @Column('c', 'string', { oneOf: ['new', 'paying'] }) state?: 'new' | 'paying';
  @Column('c', 'int32', { min: 18, max: 20 }) age?: number;
  @Column('c', 'string', { initial: 'en' }) language?: string;
  @Packed('c', () => Place) home?: Place;
  @CreatedAt('c') createdAt!: Date;
  @Revision('n') revision!: string;
}

@Entity({ table: 'orders', families: { o: {}, tags: {}, old: {}, hits: {} } })
export class Order {
  static readonly key = rowKey('tenant', 'at', 'n');
  static readonly buyer = reference(() => Customer, { tenant: 'tenant', id: 'customerId' });
  static readonly indexes = indexes({ byCustomer: indexOn('tenant', 'customerId') });
  static readonly copies = copies({
    customerState: copyOf(() => Customer, 'state', { tenant: 'tenant', id: 'customerId' }),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['tenant', { time: 'at', every: '1d' }],
      values: { orders: 'count', total: { sum: 'total', decimals: 2 } },
    },
  });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('uint', { min: 100, max: 999 }) n!: number;
  @Column('o', 'string') customerId?: string;
  @Column('o', 'string') customerState?: 'new' | 'paying';
  @Column('o', 'double', { min: 1, max: 2 }) total?: number;
  @ColumnMap('tags', 'string') tags?: Map<string, string>;
  @Versions('old', 'int32') steps?: Version<number>[];
  @Counter('hits') hits?: bigint;
}

/** What no value can be made up for. */
@Entity({ table: 'files', families: { f: {} } })
export class File {
  static readonly key = rowKey('code');
  @Segment('string', { pattern: /^[A-Z]{3}$/ }) code!: string;
  @Column('f', 'json') meta?: unknown;
}

/** Four keys. */
@Entity({ table: 'flags', families: { f: {} } })
export class Flag {
  static readonly key = rowKey('on', 'kind');
  @Segment('bool') on!: boolean;
  @Segment('enum', { values: ['a', 'b'] }) kind!: 'a' | 'b';
  @Column('f', 'bool') value?: boolean;
}

export const shop = [Customer, Order, Flag];
