/** Entities that declare what their values must be, in both ways of declaring. */
import {
  Column,
  column,
  Counter,
  counter,
  CreatedAt,
  defineEntity,
  Entity,
  type Generated,
  indexes,
  indexOn,
  Revision,
  rowKey,
  Segment,
  table,
} from '../../../../src/index.js';

export const heldTable = table('issues', { families: { m: {}, c: {} } });

@Entity({ table: heldTable })
export class Issue {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status') });
  @Segment('string', { pattern: /^[a-z]+$/, maxLength: 20 }) tenant!: string;
  @Segment('uuid', { generate: 'uuidv7' }) id!: Generated<string>;
  @Column('m', 'string', { required: true, minLength: 3, maxLength: 10 }) title!: string;
  @Column('m', 'string', { oneOf: ['open', 'closed'], initial: 'open' })
  status!: Generated<'open' | 'closed'>;
  @Column('m', 'string', { suggestions: ['bug', 'idea'] }) label?: string;
  @Column('m', 'int32', { min: 0, max: 5 }) votes?: number;
  @Column('m', 'int64', { min: 0n }) size?: bigint;
  @Column('m', 'bytes', { maxLength: 2 }) raw?: Uint8Array;
  @Column('m', 'bool', { default: false }) pinned!: Generated<boolean>;
  @Counter('c') views?: Counter;
  @Revision('m') revision?: Revision;
  @CreatedAt('m') createdAt?: CreatedAt;
}

export const Task = defineEntity(
  class Task {
    tenant = '';
    id = '';
    title = '';
    status: 'open' | 'closed' = 'open';
    views?: Counter;
  },
  {
    table: 'tasks',
    families: { m: {}, c: { aggregate: 'sum' } },
    mustExist: true,
    key: rowKey('tenant', 'id'),
    segments: { tenant: 'string', id: { kind: 'ulid', generate: 'ulid' } },
    columns: {
      title: column('m', 'string', { required: true }),
      status: column('m', 'string', { oneOf: ['open', 'closed'] }),
      views: counter('c'),
    },
  },
);
