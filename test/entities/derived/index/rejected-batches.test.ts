/** A call that has rejected writes nothing afterwards, also if rows of it need several requests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import {
  Column,
  Entity,
  indexOn,
  indexes,
  rowKey,
  RowsmithError,
  Segment,
} from '../../../../src/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import type { Database } from '../../../../src/entities/repository/database/database.js';
import { type Engine, type RowMutation } from '../../../../src/data/store/index.js';
import { importRows } from '../../../../src/tools/transfer/index.js';
import { DelegatingEngine } from '../../../support/delegating-engine.js';
import { programOver } from '../../../support/program.js';

@Entity({ table: 'tasks', families: { m: {} } })
class Task {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byStatus: indexOn('status'),
    byOwner: indexOn('owner'),
  });
  @Segment('string') id!: string;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') owner?: string;
  @Column('m', 'string') note?: string;
}

/** Batches of rows that leave their entries as they are fail; entries take their time. */
class Failing extends DelegatingEngine {
  /** Requests that are on their way. */
  open = 0;
  /** What is written in these tables fails at once. */
  failing: (table: string, row: RowMutation) => boolean = () => false;

  override async mutateRow(table: string, row: RowMutation): Promise<void> {
    if (this.failing(table, row)) throw new RowsmithError('UNAVAILABLE');
    this.open++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await super.mutateRow(table, row);
    this.open--;
  }

  override async mutateRows(
    table: string,
    rows: readonly RowMutation[],
  ): Promise<readonly (RowsmithError | undefined)[]> {
    if (rows.some((row) => this.failing(table, row))) throw new RowsmithError('UNAVAILABLE');
    return super.mutateRows(table, rows);
  }
}

let engine: Failing;
let db: Database;
beforeEach(async () => {
  engine = new Failing(await openMemoryEngine());
  db = program(engine);
  await db.admin.apply();
});
const program = (over: Engine): Database => programOver(over, [Task]);

/** Whether nothing is on its way, or comes later. */
async function isQuiet(): Promise<boolean> {
  const { open } = engine;
  const read = (): Promise<unknown> => db.repository(Task).scanAll().all();
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, 60));
  return open === 0 && JSON.stringify(before) === JSON.stringify(await read());
}

test('patchMany with a batch of plain rows that fails', async () => {
  engine.failing = (table) => table === 'tasks';
  const patches = [
    { key: { id: 'a' }, changes: { note: 'n' } },
    { key: { id: 'b' }, changes: { status: 'open' } },
  ];
  await expect(db.repository(Task).patchMany(patches)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await isQuiet()).toBe(true);
});

test('importRows', async () => {
  engine.failing = (table) => table === 'tasks';
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-rejected-'));
  const file = join(folder, 'tasks.jsonl');
  writeFileSync(file, '{"id":"a","note":"n"}\n{"id":"b","status":"open"}\n');
  try {
    const importing = importRows(engine, buildModel(Task), file, { format: 'jsonl' });
    await expect(importing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await isQuiet()).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a save leaves no second entry if the first one fails', async () => {
  const isStatus = (table: string, { key }: RowMutation): boolean =>
    table === 'tasks_index' && Buffer.from(key).includes('byStatus');
  engine.failing = isStatus;
  const task = db.repository(Task).create({ id: 'a', status: 'open', owner: 'Ann' });
  await expect(db.repository(Task).save(task)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await isQuiet()).toBe(true);
  const { findings } = await db.derived.verify(Task);
  expect(findings).toEqual([]);
});
