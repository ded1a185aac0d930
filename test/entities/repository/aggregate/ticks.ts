/** The entities of the suites of aggregates. */
import { Column, Counter, Entity, rowKey, Segment } from '../../../../src/index.js';

@Entity({ table: 'ticks', families: { m: {}, n: {}, c: {} } })
export class Tick {
  static readonly key = rowKey('venue', 'symbol', 'at');
  @Segment('string') venue!: string;
  @Segment('string') symbol!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') price?: number;
  @Column('m', 'int64') volume?: bigint;
  @Column('n', 'string') note?: string;
  @Column('n', 'string') amount?: string;
  @Column('n', 'bool') open?: boolean;
  @Counter('c') seen?: bigint;
}

export const start = Date.UTC(2026, 10, 20);
export const minute = 60_000;

/** Untyped methods: questions are generated. */
export interface AnyQuery {
  prefix(segments: object): AnyQuery;
  oneOf(segment: string, list: readonly string[]): AnyQuery;
  scanAll(): AnyQuery;
  reverse(): AnyQuery;
  limit(rows: number): AnyQuery;
  aggregate(what: object): Promise<object>;
  groupBy(...by: unknown[]): { aggregate(what: object): { all(): Promise<object[]> } };
}
