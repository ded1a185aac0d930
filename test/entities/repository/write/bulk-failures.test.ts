/** What writes of many rows report of rows that fail, and when the whole call is rejected. */
import {
  type BulkFailure,
  Column,
  Counter,
  type Database,
  Entity,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';

@Entity({ table: 'notes', families: { m: {}, c: {} } })
class Note {
  static readonly key = rowKey('id');
  @Segment('uint', { max: 9_999 }) id!: number;
  @Column('m', 'int32') size?: number;
  @Counter('c') reads?: bigint;
}

const rows = 1_000;
const ids = Array.from({ length: rows }, (_, id) => id);
let db: Database;
beforeEach(async () => (db = await open('memory:', { entities: [Note] })));
afterEach(() => db.close());

const notes = () => db.repository(Note);
type Options = {
  readonly batchRows: number;
  readonly inFlight: number;
  readonly onFailure: (failure: BulkFailure<unknown>) => void;
};
interface Result {
  readonly failed: number;
  readonly failures: readonly BulkFailure<unknown>[];
}

/** Calls in which every item fails. */
const calls: readonly [string, (options: Options) => Promise<Result>][] = [
  [
    'saveMany',
    (options) =>
      notes().saveMany(
        ids.map((id) => notes().create({ id })),
        options,
      ),
  ],
  [
    'insertMany',
    async ({ onFailure }) => {
      const all = ids.map((id) => notes().create({ id, size: 1 }));
      await notes().saveMany(all);
      return notes().insertMany(all, { onFailure });
    },
  ],
  [
    'patchMany',
    (options) =>
      notes().patchMany(
        ids.map((id) => ({ key: { id }, changes: { size: 0.5 } })),
        options,
      ),
  ],
  [
    'patchMany with remove',
    (options) =>
      notes().patchMany(
        ids.map((id) => ({ key: { id }, changes: { size: 0.5 }, remove: [] })),
        options,
      ),
  ],
  [
    'incrementMany',
    (options) =>
      notes().incrementMany(
        ids.map((id) => ({ key: { id }, changes: { reads: 1n << 70n } })),
        options,
      ),
  ],
  [
    'deleteMany',
    (options) =>
      notes().deleteMany(
        ids.map((id) => ({ id: id + 0.5 })),
        options,
      ),
  ],
];

test.each(calls)('%s counts failures, lists the first 100, and reports all', async (_, call) => {
  const all: number[] = [];
  const onFailure = ({ index }: BulkFailure<unknown>): void => void all.push(index);
  const { failed, failures } = await call({ batchRows: 7, inFlight: 8, onFailure });
  expect(failed).toBe(rows);
  expect(failures.map(({ index }) => index)).toEqual(ids.slice(0, 100));
  expect(all.sort((a, b) => a - b)).toEqual(ids);
});

test.each(calls)('%s rejects with what onFailure throws', async (_, call) => {
  const onFailure = (): void => {
    throw new Error('enough');
  };
  await expect(call({ batchRows: 7, inFlight: 8, onFailure })).rejects.toThrow('enough');
});

test('onFailure that is no function is refused before anything is written', async () => {
  const all = [notes().create({ id: 1, size: 1 })];
  for (const call of [
    notes().saveMany(all, { onFailure: 1 as never }),
    notes().insertMany(all, { onFailure: null as never }),
    notes()
      .scanAll()
      .delete({ onFailure: 'x' as never }),
  ])
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { entity: 'Note', property: 'onFailure' },
    });
  expect(await notes().scanAll().count()).toBe(0);
});

/** A counter that another program wrote as text. */
async function damage(id: number): Promise<void> {
  const key = notes().model.key.encode({ id });
  const [counter] = notes().model.columns.filter(({ property }) => property === 'reads');
  const { name: table } = notes().model.table;
  await db.engine.mutateRow(table, {
    key,
    mutations: [
      {
        kind: 'setCell',
        family: counter.family,
        qualifier: Buffer.from('reads'),
        timestamp: 0,
        value: Buffer.from('three'),
      },
    ],
  });
}

const increments = [1, 2].map((id) => ({ key: { id }, changes: { reads: 1n } }));

// It resolved with { written: 0 }, which nobody has to look at, where `increment` rejects.
test('what refuses every row rejects the call, as it does for one row', async () => {
  await damage(1);
  await damage(2);
  const refused = { code: 'FAILED_PRECONDITION' };
  await expect(notes().increment({ id: 1 }, 'reads', 1n)).rejects.toMatchObject(refused);
  await expect(notes().incrementMany(increments)).rejects.toMatchObject(refused);
});

test('what refuses some of the rows is in the result', async () => {
  await damage(1);
  const { written, failed, failures } = await notes().incrementMany(increments);
  expect([written, failed, failures[0].error.code]).toEqual([1, 1, 'FAILED_PRECONDITION']);
});

test('rows that fail for themselves never reject the call, even if all do', async () => {
  const one = notes().create({ id: 1, size: 1 });
  await notes().save(one);
  const { failed, failures } = await notes().insertMany([one]);
  expect([failed, failures[0].error.code]).toEqual([1, 'ROW_EXISTS']);
});

test('a database that is closed meanwhile rejects every form', async () => {
  const all = ids.map((id) => notes().create({ id, size: 1 }));
  await notes().saveMany(all);
  const query = notes().scanAll();
  await db.close();
  const closed = { code: 'DATABASE_CLOSED' };
  await expect(notes().saveMany(all)).rejects.toMatchObject(closed);
  await expect(notes().insertMany(all)).rejects.toMatchObject(closed);
  await expect(notes().deleteMany([{ id: 1 }])).rejects.toMatchObject(closed);
  await expect(query.delete()).rejects.toMatchObject(closed);
});
