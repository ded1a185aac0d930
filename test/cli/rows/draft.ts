/** An entity with a revision. */
import { Column, Entity, Revision, rowKey, Segment, UpdatedAt } from '../../../src/index.js';

@Entity({ table: 'drafts', families: { m: {} } })
export class Draft {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') text?: string;
  @Revision('m') revision?: string;
  @UpdatedAt('m') updatedAt?: Date;
}
