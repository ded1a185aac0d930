import { Column, Entity, Segment, rowKey } from 'rowsmith';

@Entity({ table: 'notes', families: { n: {} } })
export class Note {
  static readonly key = rowKey('list', 'id');
  @Segment('string', { maxLength: 40 }) list!: string;
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('n', 'string') title?: string;
}
