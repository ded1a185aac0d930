/** A stored family of a type that cannot be declared is reported, and not read as plain cells. */
import { Column, Entity, Segment } from '../../../../decorators/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { rowKey } from '../../../../src/entities/model/declaration/keys/row-key.js';
import { planTables } from '../../../../src/entities/repository/database/schema-sync.js';

@Entity({ table: 'visits', families: { m: {} } })
class Visit {
  static readonly key = rowKey('page');
  @Segment('string') page!: string;
  @Column('m', 'bytes') visitors?: Uint8Array;
}

test('it conflicts with any declared family', () => {
  const stored = {
    name: 'visits',
    families: new Map([['m', { otherType: 'aggregate hyperloglog++' }]]),
  };
  expect(() => planTables([stored], [buildModel(Visit)])).toThrow(
    expect.objectContaining({
      code: 'SCHEMA_CONFLICT',
      details: expect.objectContaining({
        property: 'family m',
        problem: 'stored as aggregate hyperloglog++, declared as plain cells',
      }),
    }),
  );
  expect(
    planTables([{ name: 'visits', families: new Map([['m', {}]]) }], [buildModel(Visit)]),
  ).toEqual([]);
});
