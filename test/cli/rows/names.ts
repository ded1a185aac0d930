/** An entity with a segment that has the name of a column of `ls`. */
import {
  Column,
  ColumnMap,
  Entity,
  maxVersions,
  rowKey,
  Segment,
  aggregate,
  type Version,
  Versions,
} from '../../../src/index.js';

// A history that garbage collection deletes: a finding that open() warns of.
@Entity({ table: 'names', families: { m: { gc: maxVersions(1) }, h: { gc: maxVersions(1) } } })
export class Names {
  static readonly key = rowKey('rows', 'at');
  @Segment('string', { maxLength: 20 }) rows!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') value?: string;
  @Versions('h', 'string') earlier?: Version<string>[];
}

/** Column maps of counters, and of keys that are no text. */
@Entity({ table: 'tallies', families: { m: { gc: maxVersions(1) }, n: {}, s: aggregate('sum') } })
export class Tally {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @ColumnMap('m', 'double', { qualifiers: 'uint', max: 99 }) byHour?: Map<number, number>;
  @ColumnMap('n', 'int64') clicks?: Map<string, bigint>;
  @ColumnMap('s', 'int64') views?: Map<string, bigint>;
}
