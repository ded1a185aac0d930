/** The entities of the examples of commands. */
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  rowKey,
  Segment,
} from '../../src/index.js';
import { Device, Order, Reading } from './rows/entities.js';

@Entity({ table: 'customers', families: { m: {} } })
export class Customer {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') city?: string;
}

/** With a copy. */
@Entity({ table: 'visits', families: { m: {} } })
export class Visit {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byCustomer: indexOn('customer') });
  static readonly copies = copies({ city: copyOf(() => Customer, 'city', { id: 'customer' }) });
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') customer?: string;
  @Column('m', 'string') city?: string;
}

/** Orders as a migration writes them. */
@Entity({ table: 'orders_by_number', families: { m: {} } })
export class NumberedOrder {
  static readonly key = rowKey('n', 'shop');
  @Segment('uint', { max: 9999 }) n!: number;
  @Segment('string', { maxLength: 40 }) shop!: string;
  @Column('m', 'string') status?: string;
}

/** An earlier declaration of visits, with an index that the database still has. */
@Entity({ table: 'visits', families: { m: {} } })
export class OldVisit {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byCity: indexOn('city') });
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') city?: string;
}

/** Written by load tests only. */
@Entity({ table: 'samples', families: { m: {} } })
export class Sample {
  static readonly key = rowKey('device', 'n');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('uint', { max: 1e6 }) n!: number;
  @Column('m', 'double') value?: number;
}

/** Without a table: `schema apply` creates it. */
@Entity({ table: 'notes', families: { m: {} } })
export class Note {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') text?: string;
}

export const entities = [Order, Device, Reading, Customer, Visit, Sample, Note];
