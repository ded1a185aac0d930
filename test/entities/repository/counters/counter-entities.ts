/** Counters of every kind of family, in one row. */
import { Column, ColumnMap, Counter, Entity, Segment } from '../../../../decorators/index.js';
import { aggregate, rowKey } from '../../../../src/index.js';

@Entity({
  table: 'pages',
  families: {
    m: {},
    c: {},
    a: aggregate('sum'),
    lo: aggregate('min'),
    hi: aggregate('max'),
    d: {},
    e: aggregate('sum'),
  },
})
export class Page {
  static readonly key = rowKey('site', 'hour');
  @Segment('string', { maxLength: 20 }) site!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('m', 'string') title?: string;
  @Column('m', 'int64') size?: bigint;
  @Counter('c') hits?: bigint;
  @Counter('c') errors?: bigint;
  @Counter('a') views?: bigint;
  @Counter('lo') fastest?: bigint;
  @Counter('hi') slowest?: bigint;
  @ColumnMap('d', 'int64') days?: Map<string, bigint>;
  @ColumnMap('e', 'int64') countries?: Map<string, bigint>;
}

export const hour = new Date(Date.UTC(2026, 10, 20, 10));
/** The key of the row of a site. */
export const pageOf = (site: string) => ({ site, hour });
