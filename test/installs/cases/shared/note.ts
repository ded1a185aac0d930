import { Column, Entity, Segment, maxVersions, rowKey } from 'rowsmith';

@Entity({ table: 'notes', families: { n: { gc: maxVersions(1) } } })
export class Note {
  static readonly key = rowKey('list', 'at');
  @Segment('string', { maxLength: 40 }) list!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('n', 'string') title?: string;
  @Column('n', 'int32') stars?: number;
}
