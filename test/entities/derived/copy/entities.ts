/** Posts that carry values of their authors; comments that carry values of two entities. */
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  maxVersions,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';

@Entity({ table: 'authors', families: { m: { gc: maxVersions(2) } } })
export class Author {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9999 }) id!: number;
  @Column('m', 'string') name?: string;
  @Column('m', 'int64') rank?: bigint;
  @Column('m', 'string') bio?: string;
}

/** The name is in entries of an index, and the rank is not. */
@Entity({ table: 'posts', families: { m: { gc: maxVersions(2) } } })
export class Post {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({
    byAuthor: indexOn('tenant', 'authorId').including('authorName'),
    byTime: indexOn('tenant', 'authorId', 'at'),
    byName: indexOn('authorName'),
  });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
    authorRank: copyOf(() => Author, 'rank', { tenant: 'tenant', id: 'authorId' }),
  });
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9999 }) id!: number;
  @Column('m', 'uint32') authorId?: number;
  @Column('m', 'timestamp') at?: Date;
  @Column('m', 'string') authorName?: string;
  @Column('m', 'int64') authorRank?: bigint;
  @Column('m', 'string') text?: string;
}

/** No entry depends on a copy. One profile of an author. */
@Entity({ table: 'profiles', families: { m: {} } })
export class Profile {
  static readonly key = rowKey('tenant', 'slug');
  static readonly indexes = indexes({ byAuthor: uniqueIndexOn('authorId', 'tenant') });
  static readonly copies = copies({
    title: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') slug!: string;
  @Column('m', 'uint32') authorId?: number;
  @Column('m', 'string') title?: string;
}
