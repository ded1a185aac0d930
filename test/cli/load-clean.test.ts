/** `load --clean`: rows that it cannot delete are told, and never pass for deleted ones. */
import { Column, Entity, rowKey, Segment } from '../../src/index.js';
import { cleanUp } from '../../src/cli/commands/load/dataset.js';
import { testDatabase, type TestDatabase } from '../../src/tools/testing/index.js';

@Entity({ table: 'loaded', families: { m: {} } })
class Loaded {
  static readonly key = rowKey('device', 'n');
  @Segment('string') device!: string;
  @Segment('uint', { max: 999 }) n!: number;
  @Column('m', 'int32') value?: number;
}

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Loaded]);
  const rows = db.repository(Loaded);
  await rows.saveMany([0, 1, 2, 3].map((n) => rows.create({ device: 'test', n, value: n })));
});
afterEach(() => db.close());

const clean = () => {
  const { model } = db.repository(Loaded);
  return cleanUp(db, model, { values: {}, prefix: undefined });
};
const left = (): Promise<number> => db.repository(Loaded).scanAll().count();

test('deletes the rows of the test', async () => {
  expect(await clean()).toEqual({ deleted: 4, failed: 0, error: undefined });
  expect(await left()).toBe(0);
});

// It returned the number of deleted rows alone, and the command ended with exit code 0.
test('counts rows that are left, and says why', async () => {
  db.faults.failBatch({ entries: [1, 2], nth: 1 });
  const cleaned = await clean();
  expect(cleaned).toMatchObject({ deleted: 2, failed: 2, error: { code: 'UNAVAILABLE' } });
  expect(await left()).toBe(2);
});

test('a deletion that is refused as a whole does not lose the report of the test', async () => {
  await db.close();
  expect(await clean()).toMatchObject({ deleted: 0, error: { code: 'DATABASE_CLOSED' } });
  db = await testDatabase([Loaded]);
});
