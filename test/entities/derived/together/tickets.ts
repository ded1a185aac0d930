/** Entities that have every kind of derived rows and managed columns together. */
import {
  Column,
  Counter,
  CreatedAt,
  Entity,
  indexOn,
  indexes,
  literal,
  maxVersions,
  Revision,
  rollups,
  rowKey,
  Segment,
  aggregate,
  uniqueIndexOn,
  UpdatedAt,
} from '../../../../src/index.js';

const one = { gc: maxVersions(1) };

/** Rows with a revision, dates, hooks, indexes and rollups. */
@Entity({ table: 'tickets', families: { m: one, c: aggregate('sum') } })
export class Ticket {
  static readonly key = rowKey('shop', 'at', 'id');
  static readonly indexes = indexes({
    byStatus: indexOn('shop', 'status').including('total'),
    byCode: uniqueIndexOn('shop', 'code'),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: { tickets: 'count', total: { sum: 'total' }, last: { last: 'status' } },
    },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int64') total?: bigint;
  @Counter('c') views?: bigint;
  @Revision('m') revision?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
  /** Set by the hook. */
  label?: string;

  static beforeWrite(ticket: Ticket): void {
    ticket.status = ticket.status?.trim().toLowerCase();
    ticket.code = ticket.code?.trim();
  }

  static afterRead(ticket: Ticket): void {
    ticket.label = `${ticket.status ?? 'none'}/${ticket.code ?? 'none'}`;
  }
}

/** Without a revision, and with rollups that read no column: whatever exists is counted. */
@Entity({ table: 'parcels', families: { m: one } })
export class Parcel {
  static readonly key = rowKey('shop', 'at', 'id');
  static readonly indexes = indexes({ byStatus: indexOn('shop', 'status') });
  static readonly rollups = rollups({
    daily: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: { parcels: 'count' },
    },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') note?: string;
}

/** As Ticket, with another key: for migrations. */
@Entity({ table: 'tickets2', families: { m: one, c: aggregate('sum') } })
export class MovedTicket {
  static readonly key = rowKey(literal('t'), 'shop', 'at', 'id');
  static readonly indexes = indexes({
    byStatus: indexOn('shop', 'status').including('total'),
    byCode: uniqueIndexOn('shop', 'code'),
  });
  static readonly rollups = rollups({
    daily: {
      by: ['shop', { time: 'at', every: '1d' }],
      values: { tickets: 'count', total: { sum: 'total' } },
    },
  });
  @Segment('string', { maxLength: 20 }) shop!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') code?: string;
  @Column('m', 'int64') total?: bigint;
  @Counter('c') views?: bigint;
  @Revision('m') revision?: string;
  @CreatedAt('m') createdAt?: Date;
  @UpdatedAt('m') updatedAt?: Date;
}

/** Readings with indexes and a rollup. */
@Entity({ table: 'indexed', families: { m: one } })
export class IndexedReading {
  static readonly key = rowKey('device', 'at');
  static readonly indexes = indexes({
    byNote: indexOn('note').including('value'),
    bySerial: uniqueIndexOn('serial'),
  });
  static readonly rollups = rollups({
    hourly: {
      by: ['device', { time: 'at', every: '1h' }],
      values: { count: 'count', total: { sum: 'value' } },
    },
  });
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int64') value?: bigint;
  @Column('m', 'string') note?: string;
  @Column('m', 'string') serial?: string;
  @Column('m', 'string') remark?: string;
}
