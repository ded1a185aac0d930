/** Two programs write one row, and one of them is refused: entries have the tokens of their rows. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { Column, Entity, index, indexes, rowKey, Segment } from '../../../src/index.js';
import { buildModels } from '../../../src/model/index.js';
import { Database } from '../../../src/repository/database/database.js';
import {
  CellClock,
  type CheckAndMutate,
  type Engine,
  type ReadPlan,
  type RowStream,
} from '../../../src/store/index.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';

@Entity({ table: 'tasks', families: { m: {} } })
class Task {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byStatus: index('status').including('points') });
  @Segment('string') id!: string;
  @Column('m', 'string', { default: 'new' }) status?: string;
  @Column('m', 'int32') points?: number;
}

const models = buildModels([Task]);
const program = (engine: Engine): Database =>
  new Database({
    url: 'memory:',
    engine,
    models,
    cellClock: new CellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });

/** Calls `commit` once before the next commit of a row, `look` once before an entry is read. */
class Held extends DelegatingEngine {
  commit: (() => Promise<unknown>) | undefined;
  look: (() => Promise<unknown>) | undefined;

  override async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    if (table === 'tasks') await this.#take('commit');
    return super.checkAndMutateRow(table, check);
  }

  override readRows(plan: ReadPlan): RowStream {
    let stream: RowStream | undefined;
    return {
      next: async () => {
        if (plan.table === 'tasks_index') await this.#take('look');
        return (stream ??= super.readRows(plan)).next();
      },
      close: async () => stream?.close(),
    };
  }

  async #take(name: 'commit' | 'look'): Promise<void> {
    const { [name]: held } = this;
    this[name] = undefined;
    await held?.();
  }
}

test('a write that its condition refuses, between the entry and the row of another', async () => {
  const storage = await openMemoryEngine();
  const engines = [new Held(storage), new Held(storage)] as const;
  const [first, second] = [program(engines[0]), program(engines[1])];
  await first.admin.apply();
  const key = { id: 'a' };

  // Both write the entry of 'new'. The second one is refused before the first one commits, and
  // looks at its entry afterwards.
  let outcome: Promise<string | undefined> | undefined;
  engines[0].commit = async () => {
    const looks = new Promise<void>((resolve) => {
      engines[1].look = async () => {
        resolve();
        await written;
      };
    });
    const condition = { if: { equals: { status: 'new' } } };
    outcome = codeOf(second.repository(Task).patch(key, { points: 2 }, condition));
    await looks;
  };
  const written: Promise<unknown> = first.repository(Task).patch(key, { points: 1 });
  await written;
  expect(await outcome).toBe('CONDITION_FAILED');

  const { findings } = await first.derived.verify(Task);
  expect(findings).toEqual([]);
  const covered = await first.repository(Task).index('byStatus').covered().scanAll().all();
  expect(covered).toEqual([{ id: 'a', status: 'new', points: 1 }]);
});

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}
