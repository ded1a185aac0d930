/** Entities with column maps of every kind of qualifiers. */
import {
  Column,
  ColumnMap,
  DateMap,
  Entity,
  maxVersions,
  rowKey,
  Segment,
  aggregate,
} from '../../../../src/index.js';

const one = { gc: maxVersions(1) };

@Entity({
  table: 'maps',
  families: {
    m: one,
    t: one,
    i: one,
    u: one,
    b: one,
    p: {},
    n: one,
    e: one,
    c: one,
    a: aggregate('sum'),
  },
})
export class Sheet {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') name?: string;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @ColumnMap('i', 'double', { qualifiers: 'int' }) offsets?: Map<number, number>;
  @ColumnMap('u', 'double', { qualifiers: 'uint', max: 3599, order: 'desc' })
  seconds?: Map<number, number>;
  @ColumnMap('b', 'bool', { qualifiers: 'bigint' }) ids?: Map<bigint, boolean>;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
  @ColumnMap('n', 'double', { qualifiers: 'timestamp', order: 'desc' }) news?: Map<Date, number>;
  @ColumnMap('e', 'double', { qualifiers: 'enum', values: ['LOW', 'MID', 'HIGH'], by: 'ordinal' })
  levels?: Map<'LOW' | 'MID' | 'HIGH', number>;
  @ColumnMap('c', 'int64', { qualifiers: 'timestamp', unit: 's' }) hits?: Map<Date, bigint>;
  @ColumnMap('a', 'int64') totals?: Map<string, bigint>;
}

/** A row of each hour, a column of each reading. */
@Entity({ table: 'wide', families: { r: one, q: one, m: one } })
export class Hour {
  static readonly key = rowKey('device', 'hour');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp' }) readings?: Map<Date, number>;
  @ColumnMap('q', 'string', { qualifiers: 'timestamp', order: 'desc' }) notes?: DateMap<string>;
  @Column('m', 'string') site?: string;
}

/** The same with the newest hour first. */
@Entity({ table: 'wide-desc', families: { r: one, q: one } })
export class NewestHour {
  static readonly key = rowKey('device', 'hour');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp', { floor: 'hour', order: 'desc' }) hour!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp' }) readings?: Map<Date, number>;
  @ColumnMap('q', 'string', { qualifiers: 'timestamp', order: 'desc' }) notes?: DateMap<string>;
}
