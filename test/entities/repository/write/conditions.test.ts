/** Conditions of writes see what is read, and options that do not exist are rejected. */
import { Column, Entity, rowKey, Segment, type Database } from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'tasks', families: { m: {} } })
class Task {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string', { default: 'open' }) state!: string;
  @Column('m', 'double', { default: 0, alsoReads: ['rev'] }) revision!: number;
  @Column('m', 'string') note?: string;
}

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  const tasks = () => db.repository(Task);
  const key = { id: 'a' };
  const failed = { code: 'CONDITION_FAILED' };
  beforeAll(async () => void ({ db, close } = await backEnd.open([Task])));
  afterAll(() => close());
  beforeEach(() => tasks().delete(key));

  test('a default equals a column without a cell, as it is read', async () => {
    await tasks().patch(key, { note: 'x' });
    expect(await tasks().get(key)).toMatchObject({ state: 'open', revision: 0 });
    await expect(
      tasks().patch(key, { note: 'y' }, { if: { equals: { state: 'done' } } }),
    ).rejects.toMatchObject(failed);
    await tasks().patch(
      key,
      { state: 'done', revision: 1 },
      { if: { equals: { state: 'open', revision: 0 } } },
    );
    await expect(
      tasks().patch(key, { note: 'z' }, { if: { equals: { state: 'open' } } }),
    ).rejects.toMatchObject(failed);
    await tasks().patch(key, { state: 'open' });
    await tasks().patch(key, { note: 'z' }, { if: { equals: { state: 'open', revision: 1 } } });
    expect(await tasks().get(key)).toEqual({ ...key, state: 'open', revision: 1, note: 'z' });
  });

  test('a default equals nothing in a row that does not exist', async () => {
    await expect(
      tasks().patch(key, { note: 'y' }, { if: { equals: { state: 'open' } } }),
    ).rejects.toMatchObject(failed);
  });

  test('the loop of optimistic locking ends on a row without a revision', async () => {
    await tasks().patch(key, { note: 'x' });
    const read = (await tasks().get(key))!;
    read.note = 'changed';
    read.revision++;
    await tasks().save(read, { if: { equals: { revision: read.revision - 1 } } });
    expect(await tasks().get(key)).toMatchObject({ note: 'changed', revision: 1 });
  });

  test('null requires that the column has no cell', async () => {
    await tasks().patch(key, { state: 'open' });
    const { note = null } = (await tasks().get(key))!;
    await tasks().patch(key, { note: 'x' }, { if: { equals: { note } } });
    await expect(
      tasks().patch(key, { note: 'y' }, { if: { equals: { note } } }),
    ).rejects.toMatchObject(failed);
  });

  test('a patch that changes nothing still checks its condition', async () => {
    await expect(tasks().patch(key, {}, { if: { exists: true } })).rejects.toMatchObject(failed);
    await tasks().patch(key, {}, { if: { exists: false } });
    await tasks().patch(key, { note: 'x' });
    await tasks().patch(key, {}, { if: { exists: true } });
    await tasks().patch(key, { note: undefined }, { if: { equals: { note: 'x' } } });
    await expect(tasks().patch(key, {}, { if: { exists: false } })).rejects.toMatchObject(failed);
    await expect(tasks().patch(key, {}, { if: { equals: { note: 'y' } } })).rejects.toMatchObject(
      failed,
    );
    expect(await tasks().get(key)).toMatchObject({ note: 'x' });
  });
});
