/** Entities of one table, with rows that garbage collection takes out of their indexes. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  indexOn,
  indexes,
  literal,
  maxAge,
  maxVersions,
  rowKey,
  Segment,
  union,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { collectRows, type Engine, type Row } from '../../../../src/data/store/index.js';

export const hour = 3_600_000;

const families = {
  h: { gc: maxAge('1h') },
  d: { gc: union(maxAge('3h'), maxVersions(2)) },
  n: {},
};

/** Leaves an index with the first of the columns that it needs there. */
@Entity({ table: 'sessions', families })
export class Session {
  static readonly key = rowKey(literal('session'), 'id');
  static readonly indexes = indexes({
    byUser: indexOn('user').including('device'),
    byDevice: indexOn('device', 'user', { segment: 'rank', kind: 'string', nullable: true }),
    byToken: uniqueIndexOn('token'),
    byNote: indexOn('note'),
    byKind: indexOn('kind', 'device'),
  });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('h', 'string') user?: string;
  @Column('d', 'string') device?: string;
  @Column('h', 'string') token?: string;
  @Column('n', 'string') note?: string;
  @Column('n', 'string') rank?: string;
  @Column('n', 'string', { default: 'web' }) kind?: string;
}

/** Stays in its indexes until its last cell is collected. */
@Entity({ table: 'sessions', families: { ...families, c: { gc: maxAge('2h') } } })
export class Visit {
  static readonly key = rowKey(literal('visit'), 'id');
  static readonly indexes = indexes({
    all: indexOn('id').including('page'),
  });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('h', 'string') state?: string;
  @Column('d', 'string') page?: string;
  @ColumnMap('c', 'string') marks?: Map<string, string>;
  @Counter('h') views?: bigint;
}

/** Has entries without the values that it may lack, which do not expire. */
@Entity({ table: 'sessions', families })
export class Draft {
  static readonly key = rowKey(literal('draft'), 'id');
  static readonly indexes = indexes({
    byState: indexOn('state').including('page'),
    byPage: indexOn('page', { segment: 'user', kind: 'string', nullable: true }),
    byNote: indexOn('note', 'state'),
  });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('n', 'string', { default: 'new' }) state?: string;
  @Column('d', 'string') page?: string;
  @Column('n', 'string') user?: string;
  @Column('n', 'string') note?: string;
}

/** All rows of a table, with the cells that reads do not hide. */
export function rowsOf(engine: Engine, table: string): Promise<Row[]> {
  return collectRows(
    engine.readRows({ table, ranges: [{ start: Buffer.alloc(0) }], reversed: false }),
  );
}

/** The keys of the rows of a table, without the states of indexes. */
export async function keysOf(engine: Engine, table: string): Promise<string[]> {
  const keys = (await rowsOf(engine, table)).map(({ key }) => Buffer.from(key).toString());
  return keys.filter((key) => !key.startsWith('index-states'));
}
