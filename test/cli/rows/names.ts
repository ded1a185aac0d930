/** An entity whose segment has the name of a column of `ls`. */
import { Column, Entity, maxVersions, rowKey, Segment } from '../../../src/index.js';

@Entity({ table: 'names', families: { m: { gc: maxVersions(1) } } })
export class Names {
  static readonly key = rowKey('rows', 'at');
  @Segment('string') rows!: string; // a finding of lint
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') value?: string;
}
