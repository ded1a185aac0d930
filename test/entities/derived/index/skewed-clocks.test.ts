/**
 * Indexes, unique values and rollups of entities with a revision, by programs with different
 * clocks.
 */
import { Readable } from 'node:stream';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import {
  Column,
  Entity,
  indexOn,
  indexes,
  Revision,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import type { Database } from '../../../../src/entities/repository/database/database.js';
import { type Engine } from '../../../../src/data/store/index.js';
import { importRows } from '../../../../src/tools/transfer/index.js';
import { programOver } from '../../../support/program.js';

@Entity({ table: 'users', families: { m: {} } })
class User {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({
    byStatus: indexOn('status'),
    byEmail: uniqueIndexOn('email'),
  });
  @Segment('string') id!: string;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') email?: string;
  @Revision('m') revision?: string;
}

@Entity({ table: 'tasks', families: { m: {} } })
class Task {
  static readonly key = rowKey('team', 'at', 'id');
  static readonly indexes = indexes({ byStatus: indexOn('status') });
  static readonly rollups = rollups({
    daily: {
      by: ['team', { time: 'at', every: '1d' }],
      values: { n: 'count', sum: { sum: 'points' } },
    },
  });
  @Segment('string') team!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint') id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'int32') points?: number;
  @Revision('m') revision?: string;
}

const models = buildModels([User, Task]);

async function engineWithTables(): Promise<Engine> {
  const engine = await openMemoryEngine();
  await program(engine).admin.apply();
  return engine;
}

/** A program with a clock that is `lead` milliseconds ahead. */
function program(engine: Engine, lead = 0): Database {
  return programOver(engine, [User, Task], () => Date.now() + lead);
}

type Change = (db: Database) => Promise<unknown>;

const key = { id: 'u1' };
const changes: readonly (readonly [string, Change])[] = [
  ['patch', (db) => db.repository(User).patch(key, { status: 'closed', email: 'b@x' })],
  [
    'patch with remove',
    (db) => db.repository(User).patch(key, { status: 'closed', email: 'b@x' }, { remove: [] }),
  ],
  [
    'patchMany',
    (db) => db.repository(User).patchMany([{ key, changes: { status: 'closed', email: 'b@x' } }]),
  ],
];

/** The row is in the indexes under its new values alone, and these are taken. */
async function expectMoved(db: Database): Promise<void> {
  const users = db.repository(User);
  expect(await users.get(key)).toMatchObject({ status: 'closed', email: 'b@x' });
  const byStatus = (status: string) => users.index('byStatus').prefix({ status }).all();
  expect(await byStatus('open')).toEqual([]);
  expect(await byStatus('closed')).toMatchObject([key]);
  expect(await users.index('byEmail').get({ email: 'b@x' })).toMatchObject(key);
  await expect(users.save(users.create({ id: 'u2', email: 'b@x' }))).rejects.toMatchObject({
    code: 'UNIQUE_VIOLATION',
  });
  await users.save(users.create({ id: 'u3', email: 'a@x' }));
}

test.each(changes)(
  '%s of a program with a late clock makes itself the newest',
  async (_, change) => {
    const engine = await engineWithTables();
    const [early, late] = [program(engine, 1000), program(engine)];
    const users = early.repository(User);
    await users.save(users.create({ ...key, status: 'open', email: 'a@x' }));
    await change(late);
    await expectMoved(late);
    await early.close();
  },
);

test.each(changes)('%s of a row that was imported with a time in the future', async (_, change) => {
  const db = program(await engineWithTables());
  const at = (Date.now() + 86_400_000) * 1000;
  const line = JSON.stringify({ ...key, status: 'open', email: 'a@x', revision: 'r', '@at': at });
  const { rejected } = await importRows(
    db.engine,
    models[0],
    Readable.from([Buffer.from(`${line}\n`)]),
    {
      format: 'jsonl',
    },
  );
  expect(rejected).toBe(0);
  await change(db);
  await expectMoved(db);
  await db.close();
});

test('patches at the same time keep the entries and the rollup of every row', async () => {
  const db = program(await engineWithTables());
  const tasks = db.repository(Task);
  const at = new Date('2026-03-01');
  const ids = Array.from({ length: 30 }, (_, id) => id);
  await tasks.saveMany(
    ids.map((id) => tasks.create({ team: 't', at, id, status: 'new', points: 1 })),
  );
  await Promise.all(
    ids.flatMap((id) =>
      ['a', 'b', 'c'].map((status, i) =>
        tasks.patch({ team: 't', at, id }, { status, points: i + 2 }),
      ),
    ),
  );
  const rows = await tasks.scanAll().all();
  const found = await tasks.index('byStatus').scanAll().all();
  expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids);
  const sum = rows.reduce((total, { points }) => total + points!, 0);
  expect(await tasks.rollup('daily').get({ team: 't', at })).toMatchObject({ n: 30, sum });
  expect(await db.derived.verify(Task)).toMatchObject({
    found: { missing: 0, wrong: 0, orphan: 0 },
    rollups: { missing: 0, wrong: 0, orphan: 0 },
  });
  await db.close();
});
