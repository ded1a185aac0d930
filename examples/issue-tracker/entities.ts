/** Issues and their comments. Every key begins with the tenant, so that a scope can hold it. */
import {
  aggregate,
  Column,
  Counter,
  CreatedAt,
  Entity,
  indexes,
  indexOn,
  maxVersions,
  Revision,
  rowKey,
  Segment,
  uniqueIndexOn,
} from 'rowsmith';

@Entity({ table: 'issues', families: { m: { gc: maxVersions(1) }, c: aggregate('sum') } })
export class Issue {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({
    bySlug: uniqueIndexOn('tenant', 'slug'),
    // The inbox of a person: open issues, newest first.
    byAssignee: indexOn('tenant', 'assignee', 'status', { segment: 'createdAt', order: 'desc' }),
  });
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('uuid') id!: string;
  @Column('m', 'string', { required: true, pattern: /^[a-z0-9-]+$/ }) slug!: string;
  @Column('m', 'string', { required: true, minLength: 1 }) title!: string;
  @Column('m', 'string') text?: string;
  @Column('m', 'string', { required: true, oneOf: ['open', 'closed'] }) status!: 'open' | 'closed';
  @Column('m', 'string') assignee?: string;
  @Counter('c') comments?: bigint;
  @CreatedAt('m') createdAt?: Date;
  @Revision('m') revision?: string;
}

@Entity({ table: 'comments', families: { m: { gc: maxVersions(1) } } })
export class Comment {
  static readonly key = rowKey('tenant', 'issue', 'at', 'id');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('uuid') issue!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first
  @Segment('uuid') id!: string;
  @Column('m', 'string', { required: true }) author!: string;
  @Column('m', 'string', { required: true, minLength: 1 }) text!: string;
}
