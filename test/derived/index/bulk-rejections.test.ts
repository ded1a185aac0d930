/** A bulk write that rejects has no write in flight any more. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  Column,
  Entity,
  index,
  indexes,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../src/index.js';
import { buildModels } from '../../../src/model/index.js';
import { Database } from '../../../src/repository/database/database.js';
import { CellClock, type CheckAndMutate, type RowMutation } from '../../../src/store/index.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';

@Entity({ table: 'notes', families: { m: {} } })
class Note {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byStatus: index('status') });
  @Segment('string') id!: string;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') text?: string;
}

/** The batch of rows fails at once, and a commit takes a while. */
class Slow extends DelegatingEngine {
  override async mutateRows(table: string, rows: readonly RowMutation[]) {
    if (table === 'notes') throw new RowsmithError('UNAVAILABLE');
    return super.mutateRows(table, rows);
  }

  override async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return super.checkAndMutateRow(table, check);
  }
}

test('rows that leave their entries, and others', async () => {
  const db = new Database({
    url: 'memory:',
    engine: new Slow(await openMemoryEngine()),
    models: buildModels([Note]),
    cellClock: new CellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
  await db.admin.apply();
  const notes = db.repository(Note);
  const patches = notes.patchMany([
    { key: { id: 'a' }, changes: { text: 'x' } },
    { key: { id: 'b' }, changes: { text: 'x' } },
    { key: { id: 'c' }, changes: { status: 'open' } },
  ]);
  await expect(patches).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const then = await notes.get({ id: 'c' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await notes.get({ id: 'c' })).toEqual(then);
  await db.close();
});
