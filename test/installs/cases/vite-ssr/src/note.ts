import { Column, Entity, Segment, rowKey } from 'rowsmith';

@Entity({ name: 'Note', table: 'notes', families: { n: {} } })
export class Note {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('n', 'string') title?: string;
}
