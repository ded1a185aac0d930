/** Two programs write one row, and one of them is refused: entries have the tokens of their rows. */
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { Column, Entity, indexOn, indexes, rowKey, Segment } from '../../../../src/index.js';
import type { Database } from '../../../../src/entities/repository/database/database.js';
import {
  type CheckAndMutate,
  type Engine,
  type ReadPlan,
  type RowStream,
} from '../../../../src/data/store/index.js';
import { DelegatingEngine } from '../../../support/delegating-engine.js';
import { programOver } from '../../../support/program.js';

@Entity({ table: 'tasks', families: { m: {} } })
class Task {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byStatus: indexOn('status').including('points') });
  @Segment('string') id!: string;
  @Column('m', 'string', { default: 'new' }) status?: string;
  @Column('m', 'int32') points?: number;
}

const program = (engine: Engine): Database => programOver(engine, [Task]);

/**
 * Calls `commit` once before the next commit of a row, and `look` once after it was refused: before
 * one of the reads after the read of the row.
 */
class Held extends DelegatingEngine {
  /** Which read: 2 is the first that follows. */
  looksAt = 2;
  #reads = 0;
  commit: (() => Promise<unknown>) | undefined;
  look: (() => Promise<unknown>) | undefined;

  override async checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean> {
    if (table === 'tasks') await this.#take('commit');
    this.#reads = 0;
    return super.checkAndMutateRow(table, check);
  }

  override readRows(plan: ReadPlan): RowStream {
    let stream: RowStream | undefined;
    return {
      next: async () => {
        if (stream === undefined && ++this.#reads === this.looksAt) await this.#take('look');
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

let engines: readonly [Held, Held];
let first: Database;
let second: Database;
beforeEach(async () => {
  const storage = await openMemoryEngine();
  engines = [new Held(storage), new Held(storage)];
  [first, second] = [program(engines[0]), program(engines[1])];
  await first.admin.apply();
});
const key = { id: 'a' };

/**
 * Makes `write` by the first program. Before it commits, `refused` of the second one is refused,
 * which goes on once the first one has written.
 */
async function refusedBetween(
  write: () => Promise<unknown>,
  refused: () => Promise<unknown>,
): Promise<string | undefined> {
  let outcome: Promise<string | undefined> | undefined;
  engines[0].commit = async () => {
    const looks = new Promise<void>((resolve) => {
      engines[1].commit = async () => {
        engines[1].look = async () => {
          resolve();
          await written;
        };
      };
    });
    outcome = codeOf(refused());
    await looks;
  };
  const written = write();
  await written;
  return outcome;
}

const entries = async (): Promise<readonly object[]> => {
  const { findings } = await first.derived.verify(Task);
  expect(findings).toEqual([]);
  return first.repository(Task).index('byStatus').covered().scanAll().all();
};

test('a write that its condition refuses, between the entry and the row of another', async () => {
  // Both write the entry of 'new'.
  const condition = { if: { equals: { status: 'new' } } };
  const outcome = await refusedBetween(
    () => first.repository(Task).patch(key, { points: 1 }),
    () => second.repository(Task).patch(key, { points: 2 }, condition),
  );
  expect(outcome).toBe('CONDITION_FAILED');
  expect(await entries()).toEqual([{ id: 'a', status: 'new', points: 1 }]);
});

test.each([
  ['deletes it', () => first.repository(Task).delete(key), []],
  [
    'gives it another',
    () => first.repository(Task).patch(key, { status: 'done' }),
    [{ id: 'a', status: 'done', points: 1 }],
  ],
] as const)(
  'a refused write of the entry that a row has, while another program %s',
  async (_, write, expected) => {
    for (const read of [2, 3, 4]) {
      engines[1].looksAt = read;
      await refusedEntry(write, expected);
    }
  },
);

async function refusedEntry(
  write: () => Promise<unknown>,
  expected: readonly object[],
): Promise<void> {
  const row = { ...key, status: 'open', points: 1 };
  await first.repository(Task).save(first.repository(Task).create(row));
  const other = second.repository(Task).create({ ...row, points: 2 });
  const outcome = await refusedBetween(write, () => second.repository(Task).insert(other));
  expect(outcome).toBe('ROW_EXISTS');
  expect(await entries()).toEqual(expected);
}

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}
