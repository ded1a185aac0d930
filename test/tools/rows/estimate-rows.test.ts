/** Estimates of the number of rows, where entities share a table. */
import { Column, Entity, literal, open, rowKey, Segment } from '../../../src/index.js';
import { estimateRows } from '../../../src/tools/rows/index.js';

const table = { table: 'shared', families: { m: {} } };

@Entity(table)
class First {
  static readonly key = rowKey(literal('first'), 'n');
  @Segment('uint') n!: number;
  @Column('m', 'string') text?: string;
}

@Entity(table)
class Second {
  static readonly key = rowKey(literal('second'), 'n');
  @Segment('uint') n!: number;
  @Column('m', 'string') text?: string;
}

@Entity(table)
class Third {
  static readonly key = rowKey(literal('third'), 'n');
  @Segment('uint') n!: number;
  @Column('m', 'string') text?: string;
}

// Their keys differ in the literal only.
const entities = [First, Second, Third] as unknown as readonly (typeof First)[];

test.each([
  ['that fit one section', [1_500, 2_000, 1_200], 100],
  ['of several sections', [1_800, 2_400, 3_000], 2_500],
])('rows %s are not taken for rows of their neighbours', async (_, counts, length) => {
  await using db = await open('memory:', { entities, lint: false });
  const text = 'x'.repeat(length);
  for (const [i, entity] of entities.entries()) {
    const rows = db.repository(entity);
    const all = Array.from({ length: counts[i] }, (__, n) => rows.create({ n, text }));
    await rows.saveMany(all);
  }
  for (const [i, entity] of entities.entries()) {
    const found = (await estimateRows(db.engine, db.repository(entity).model))!;
    expect(found.estimated).toBe(true);
    expect(Math.abs(found.rows / counts[i] - 1)).toBeLessThan(0.1);
  }
});

test('a table that does not exist yet has no estimate', async () => {
  await using db = await open('memory:', { entities, lint: false });
  const { model } = db.repository(First);
  await db.engine.deleteTable('shared');
  expect(await estimateRows(db.engine, model)).toBeUndefined();
});
