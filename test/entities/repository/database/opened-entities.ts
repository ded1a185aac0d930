/** Entities that the suites of open() declare. */
import { Column, Entity, rowKey, Segment, type FamilySchema } from '../../../../src/index.js';

export const key = { tenant: 't', device: 'd', n: 1 };

/** The same entity with other families, as the next version of a program would declare it. */
export function entityWith(families: Record<string, FamilySchema>, table = 'versions') {
  @Entity({ name: `Thing_${table}`, table, families })
  class Thing {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column(Object.keys(families)[0], 'string') text?: string;
  }
  return Thing;
}
